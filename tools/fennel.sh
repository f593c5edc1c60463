#!/usr/bin/env bash
# Lays .deps/bin/fennel: the fennel on PATH if LuaJIT can run it and it is recent enough, else the one of the next
# Debian release, from the mirror that this machine already uses. Changes nothing outside .deps/.
set -euo pipefail

oldest=1.5 next_release=trixie

at_least() { # VERSION OLDEST
    [[ $(printf '%s\n' "$1" "$2" | sort --version-sort | head -n 1) = "$2" ]]
}

version_of() { # a fennel script, run by the VM that we compile with
    luajit "$1" --version 2>/dev/null | sed -n 's/^Fennel \([0-9.]*\).*/\1/p'
}

give_up() {
    echo "moonport: missing: fennel $oldest or later; $1" >&2
    exit 1
}

# The machine's sources of Debian itself (those whose suite is its own release, with `main`), for the next release.
# Security updates and other vendors have other suites or other components.
next_sources() { # PLACE
    local own="$VERSION_CODENAME|stable|oldstable" files=(/etc/apt/sources.list.d/*.list) stanzas=(/etc/apt/sources.list.d/*.sources)
    [[ -e /etc/apt/sources.list ]] && files+=(/etc/apt/sources.list)
    [[ ${#files[@]} = 0 ]] || sed -En \
        "s/^deb\s+(\[[^]]*\]\s+)?(\S+)\s+($own)\s+(.*\s)?main(\s.*)?\$/deb \1\2 $next_release main/p" "${files[@]}" >"$1/next.list"
    [[ ${#stanzas[@]} = 0 ]] || awk -v own="($own)" -v next_release="$next_release" '
        BEGIN { RS = ""; FS = "\n" }
        /(^|\n)Enabled: *no/ { next }
        match($0, "(^|\n)Suites:([^\n]*[ \t])?" own "([ \t\n]|$)") && /(^|\n)Components:([^\n]*[ \t])?main([ \t\n]|$)/ {
            for (i = 1; i <= NF; i++) {
                sub(/^Suites:.*/, "Suites: " next_release, $i)
                sub(/^Components:.*/, "Components: main", $i)
                sub(/^Types:.*/, "Types: deb", $i)
                print $i
            }
            print ""
        }' "${stanzas[@]}" >"$1/next.sources"
}

take_from_next_release() {
    command -v apt-get >/dev/null || give_up "put one on PATH (there is no apt-get here to fetch it)"
    shopt -s nullglob
    local VERSION_CODENAME='' place options
    source /etc/os-release
    place=$(mktemp -d "$PWD/.deps/fennel.XXXXXX")
    trap "rm -rf '$place'" EXIT
    mkdir -p "$place"/{sources,lists/partial,cache/archives/partial,unpacked}
    next_sources "$place/sources"
    options=(-o Dir::Etc::SourceList=/dev/null -o Dir::Etc::SourceParts="$place/sources" -o Dir::State::Lists="$place/lists"
        -o Dir::Cache="$place/cache" -o Acquire::IndexTargets::deb::Contents-deb::DefaultEnabled=false
        -o Acquire::Languages=none -o APT::Sandbox::User="$(id -un)")
    echo "moonport: fetching fennel from Debian $next_release"
    (cd "$place" && apt-get "${options[@]}" update && apt-get "${options[@]}" download fennel) >"$place/log" 2>&1 ||
        give_up "put one on PATH (fetching it from Debian $next_release failed: $(tail -n 1 "$place/log"))"
    dpkg -x "$place"/fennel_*.deb "$place/unpacked"
    mv "$place/unpacked/usr/bin/fennel" .deps/bin/fennel
}

mkdir -p .deps/bin
if on_path=$(command -v fennel) && at_least "$(version_of "$on_path")" "$oldest"; then
    ln -sf "$on_path" .deps/bin/fennel
else
    take_from_next_release
    at_least "$(version_of .deps/bin/fennel)" "$oldest" || give_up "Debian $next_release has only $(version_of .deps/bin/fennel)"
fi
