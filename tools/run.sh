#!/usr/bin/env bash
# Runs a program in the foreground of the terminal, in a process group of its own: Ctrl-C reaches it alone, and `make`,
# which would call it an interrupt, sees a program that stopped as it should. Without a terminal it is a plain exec.
#   tools/run.sh COMMAND...
[[ -t 0 ]] || exec "$@"
set -m
"$@"
status=$?
while [[ -n $(jobs -s) ]]; do # Ctrl-Z: stop with it, and bring it back when we are
    kill -TSTP 0
    fg >/dev/null
    status=$?
done
exit $status
