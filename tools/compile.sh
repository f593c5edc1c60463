#!/usr/bin/env bash
# Compiles Fennel to Lua that runs on every VM. A global that tools/globals.txt does not name is an error; specs may use
# those of tools/globals-spec.txt too.
#   tools/compile.sh OUT FILE...      fnl/mcp/log.fnl goes to OUT/mcp/log.lua
#   tools/compile.sh --check FILE...  says what is wrong with the files, and writes nothing
set -euo pipefail

globals=$(tr -s ' \n' , <tools/globals.txt)
spec_globals=$globals$(tr -s ' \n' , <tools/globals-spec.txt)
[[ -t 2 ]] || export NO_COLOR=1

compile() { # FILE: the Lua of it, each line where it was in Fennel
    local allowed=$globals
    [[ $1 = spec/* ]] && allowed=$spec_globals
    # The compiler always runs on LuaJIT: how it writes a number depends on the VM. Its own traceback tells us nothing.
    luajit .deps/bin/fennel --add-macro-path 'fnl/?.fnl;fnl/?/init-macros.fnl;spec/?.fnl' \
        --globals-only "$allowed" --correlate --compile "$1" 2> >(sed '/^stack traceback:/,$d' >&2)
}

if [[ $1 = --check ]]; then
    wrong=0
    for file in "${@:2}"; do compile "$file" >/dev/null || wrong=1; done
    exit $wrong
fi
for file in "${@:2}"; do
    lua=$(compile "$file")
    out=$1/${file#fnl/}
    out=${out%.fnl}.lua
    mkdir -p "$(dirname "$out")"
    # The mark shares line one with the code, so that lines stay where they were.
    printf -- '--[[ Generated from %s by make lua; do not edit. ]] %s\n' "$file" "$lua" >"$out.tmp"
    mv "$out.tmp" "$out"
done
