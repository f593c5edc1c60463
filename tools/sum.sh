#!/usr/bin/env bash
# Counts what the named suites said: one line each, then `N passed, N failed` over all, which build/logs/total keeps.
# A suite that did not run, ran no test, or ended badly without saying what failed, is a failure of its own.
#   tools/sum.sh NAME...
set -euo pipefail

count() { # LOG: how many passed and failed, by the closing lines of cargo, busted and the clients
    sed -En \
        -e 's/^test result: .* ([0-9]+) passed; ([0-9]+) failed;.*/\1 \2/p' \
        -e 's/^([0-9]+) success(es)? \/ ([0-9]+) failures? \/ ([0-9]+) errors? .*/\1 \3 \4/p' \
        -e 's/^([0-9]+) passed, ([0-9]+) failed$/\1 \2/p' "$1" |
        awk '{ passed += $1; failed += $2 + $3 } END { print passed + 0, failed + 0 }'
}

all_passed=0 all_failed=0
for suite in "$@"; do
    log=build/logs/$suite passed=0 failed=0 note=
    if [[ ! -e $log.status ]]; then
        failed=1 note='did not run'
    else
        read -r passed failed < <(count "$log.log")
        status=$(<"$log.status")
        if ((passed + failed == 0)); then
            failed=1 note='ran no test'
        elif ((status && !failed)); then
            failed=1 note="ended with status $status"
        fi
    fi
    printf '%-16s %5d passed %5d failed  %s\n' "$suite" "$passed" "$failed" "$note"
    ((all_passed += passed, all_failed += failed)) || true
done
echo "$all_passed $all_failed" >build/logs/total
echo "$all_passed passed, $all_failed failed"
((all_failed == 0))
