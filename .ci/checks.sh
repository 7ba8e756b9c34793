# For scripts that run what the documentation says, and count what holds.
checks=0

# check WHAT COMMAND…: counts the check, and stops unless the command succeeds.
check() {
  echo "- $1"
  if ! "${@:2}"; then
    echo "${0##*/}: $1: failed: ${*:2}" >&2
    exit 1
  fi
  checks=$((checks + 1))
}

refuses() { ! "$@"; }

# until_true SECONDS COMMAND…
until_true() {
  local end=$((SECONDS + $1))
  until "${@:2}" > /dev/null 2>&1; do
    if [ "$SECONDS" -ge "$end" ]; then return 1; fi
    sleep 1
  done
}

# has_no_rights COMMAND…: from the status of each process in the container that the command enters: user 1000, no capability that it has or could
# get, and no new privileges.
has_no_rights() {
  "$@" sh -c 'cat /proc/[0-9]*/status' | awk '
    /^Uid:/ { processes++; if ($2 != 1000 || $3 != 1000) exit 1 }
    /^Cap(Prm|Eff|Bnd):/ && $2 !~ /^0+$/ { exit 1 }
    /^NoNewPrivs:/ && $2 != 1 { exit 1 }
    END { if (processes < 2) exit 1 }'
}

# has_memory_limit BYTES COMMAND…: the kernel's own number, for version 1 or 2 of control groups.
has_memory_limit() {
  local limit
  limit=$("${@:2}" sh -c 'cat /sys/fs/cgroup/memory.max 2> /dev/null || cat /sys/fs/cgroup/memory/memory.limit_in_bytes')
  test "$limit" = "$1"
}

# record_run ENGINE PACKAGE MACHINE: a row of container-run.md in the home folder. Put the file in test/heavy/, and `npm run generate` puts its table
# into docs/containers.md.
record_run() {
  local record=$HOME/container-run.md
  local commit
  commit=$(git -C "$checkout" rev-parse --short=8 HEAD)
  if [ ! -e "$record" ]; then
    cat > "$record" << END
# The image on real engines

\`.ci/containers.sh\` and \`.ci/cluster.sh\` write this file. A checkout has the files that were tried, and the script.

## Run

| engine | finished | package | checkout | machine | checks |
|---|---|---|---|---|---|
END
  fi
  sed --in-place "/^| $1 /d" "$record"
  echo "| $1 | $(date --utc '+%Y-%m-%d %H:%M UTC') | \`$2\` | \`$commit\` | $3${NOTE:+. $NOTE} | $checks passed, in $SECONDS s |" >> "$record"
}
