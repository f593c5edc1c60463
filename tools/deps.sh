#!/usr/bin/env bash
# Installs what is missing from the machine's own package manager, and nothing that is there.
#   tools/deps.sh run|test [LUA]
set -euo pipefail

missing=() packages=()
need() { # TEST PACKAGE...: remembers the packages unless the test passes
    eval "$1" >/dev/null 2>&1 && return
    missing+=("$2") packages+=("${@:2}")
}

need_for_run() { # LUA
    need 'command -v cc' gcc libc6-dev # Rust links with it
    need 'command -v luajit' luajit    # the Fennel compiler runs on it, whatever LUA is
    [[ $1 = luajit ]] || need "command -v $1" "$1"
}

need_for_test() {
    need_for_run luajit
    need 'command -v lua5.1' lua5.1
    need 'command -v lua5.4' lua5.4
    # Headers and libraries to link a VM into the tests of src/lua.
    need 'pkg-config --version' pkg-config
    need 'pkg-config --exists luajit' libluajit-5.1-dev
    need 'pkg-config --exists lua5.1' liblua5.1-0-dev
    need 'pkg-config --exists lua5.4' liblua5.4-dev
    need 'luajit -e "require [[busted.runner]]"' lua-busted
    need 'luajit -e "require [[socket]]"' lua-socket # clients by bytes, in specs
    # The official clients; what they need beside these comes from their lock files.
    need 'python3 -c "import ensurepip, sys; sys.exit(sys.version_info < (3, 10))"' python3 python3-venv
    need 'node -e "process.exit(parseInt(process.versions.node) < 18 ? 1 : 0)"' nodejs
    need 'command -v npm' npm
}

as_root() {
    if [[ $(id -u) = 0 ]]; then "$@"; else sudo -n "$@"; fi
}

give_up() {
    echo "moonport: missing: ${missing[*]}; $1" >&2
    exit 1
}

group=$1 lua=${2:-luajit}
if ! command -v cargo >/dev/null; then
    missing+=(cargo)
    give_up "install Rust $(sed -n 's/^rust-version = "\(.*\)"/\1/p' Cargo.toml) or later"
fi
"need_for_$group" "$lua"
[[ ${#missing[@]} = 0 ]] && exit
command -v apt-get >/dev/null || give_up "and there is no apt-get to install them"
as_root true 2>/dev/null || give_up "and without root or sudo I cannot: apt-get install ${packages[*]}"

echo "moonport: installing ${packages[*]}"
log=$(mktemp)
trap 'rm "$log"' EXIT
{
    as_root apt-get update || true # a dead source need not be the one that matters
    as_root env DEBIAN_FRONTEND=noninteractive apt-get install --yes --no-install-recommends -o DPkg::Lock::Timeout=120 "${packages[@]}"
} >"$log" 2>&1 || give_up "apt-get could not install them: $(tail -n 1 "$log")"

missing=()
"need_for_$group" "$lua"
[[ ${#missing[@]} = 0 ]] || give_up "installed, but an older one stands before it on PATH"
