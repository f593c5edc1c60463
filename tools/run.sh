#!/usr/bin/env bash
# Runs a program in the foreground of the terminal, in a process group of its own: Ctrl-C reaches it alone, and `make`,
# which would call it an interrupt, sees a program that stopped as it should. Without a terminal it is a plain exec.
#   tools/run.sh COMMAND...
[[ -t 0 ]] && : 2>/dev/null </dev/tty || exec "$@"

end_or_pause() { # not a loop: bash leaves a loop when a job in it is stopped
    local status=$?
    ((status == 128 + 20)) || exit $status
    kill -TSTP 0 # Ctrl-Z: we stop with it, and go on when somebody says fg
    fg >/dev/null
    end_or_pause
}

# Whoever kills make kills us, and means the program.
setpriv --pdeathsig INT true 2>/dev/null && set -- setpriv --pdeathsig INT "$@"
set -m
"$@"
end_or_pause
