#!/usr/bin/env bash
# Runs one test suite, and leaves what it said and how it ended under build/logs/, where tools/sum.sh counts.
#   tools/suite.sh NAME COMMAND...
mkdir -p build/logs
log=build/logs/$1
echo "== $1"
"${@:2}" 2>&1 | tee "$log.log"
status=${PIPESTATUS[0]}
echo "$status" >"$log.status"
exit "$status"
