#!/bin/sh
# nightly.sh: builds the calendar in calendar/, and publishes it to ALMANAKK_PUBLISH. Set FIRST=yes the first time.
set -u
if [ "${FIRST:-no}" = yes ]; then set --; else set -- --previous "$ALMANAKK_PUBLISH"; fi
ALMANAKK_SOURCE=calendar ALMANAKK_SNAPSHOTS=snapshots npx almanakk rebuild "$@" > report.txt 2>&1
code=$?
cat report.txt
exit $code
