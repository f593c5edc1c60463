#!/usr/bin/env bash
# Everything that can be known without running a test. Goes on after a failure, so that one run shows all.
#   tools/lint.sh VM...
set -uo pipefail

wrong=0
step() { # NAME COMMAND...: says nothing but the name unless the command fails
    local said
    if said=$("${@:2}" 2>&1); then
        echo "ok      $1"
    else
        printf 'FAILED  %s\n%s\n' "$1" "$said"
        wrong=1
    fi
}

fennel_in() { # FOLDER...: the files that are compiled by themselves
    find "$@" -name node_modules -prune -o -name '*.fnl' ! -name '*macros.fnl' -print
}

lua_is_fresh() { # both ways: nothing is missing or old, and nothing has lost its source
    local fresh sources
    fresh=$(mktemp -d)
    mapfile -t sources < <(fennel_in fnl)
    tools/compile.sh "$fresh" "${sources[@]}" && diff -rN "$fresh" lua
    local result=$?
    rm -rf "$fresh"
    ((result == 0)) || echo "lua/ is not what $(luajit .deps/bin/fennel --version) makes of fnl/: run make lua, and commit"
    return $result
}

bash_reads() {
    local script
    for script in "$@"; do bash -n "$script" || return; done
}

for component in clippy fmt; do
    cargo "$component" --version >/dev/null 2>&1 || {
        echo "moonport: missing: cargo $component, a component of rustup" >&2
        exit 1
    }
done

step 'Cargo.lock is up to date' cargo metadata --locked --format-version 1
step 'cargo fmt' cargo fmt --check
for vm in "$@"; do
    step "clippy, $vm" cargo clippy --quiet --all-targets --no-default-features --features "$vm" -- -D warnings
    step "clippy, $vm as a module" cargo clippy --quiet --no-default-features --features "$vm,module" -- -D warnings
done
RUSTDOCFLAGS='-D warnings' step 'cargo doc' cargo doc --quiet --no-deps
mapfile -t files < <(fennel_in fnl spec examples)
step 'Fennel compiles, every global known' tools/compile.sh --check "${files[@]}"
step 'lua/ is fresh' lua_is_fresh
mapfile -t files < <(find lua -name '*.lua')
for lua in luajit lua5.1 lua5.4; do
    step "lua/ loads in $lua" "$lua" tools/loadable.lua "${files[@]}"
done
step 'bash reads its scripts' bash_reads tools/*.sh .ci/run
exit $wrong
