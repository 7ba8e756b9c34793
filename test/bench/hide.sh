#!/usr/bin/env bash
# Hides events of a generated calendar with almanakk-hide, one after the other, and prints what the command says. As in the Debian setup, a builder
# and two servers run as separate processes; stand-ins replace systemctl and runuser, so that this needs no root. Needs curl, and the ports 4097 and
# 4098.
# Usage: test/bench/hide.sh [EVENTS] [COUNT]
set -euo pipefail
cd "$(dirname "$0")/../.."
events=${1:-20000}
count=${2:-6}
server=http://127.0.0.1:4097
work=$(mktemp --directory)
programs=()
end() {
  kill "${programs[@]}" 2>/dev/null || true
  wait
  rm --recursive --force "$work"
}
trap end EXIT

node --import tsx --eval "
  const { writeSource } = await import('./test/bench/source/events.ts');
  await writeSource({ folder: '$work/source', events: $events, seed: 1, now: Date.now(), dates: 'few' });
" --input-type=module
node jobs/setup.mjs
mkdir "$work/bin"
printf '#!/bin/sh\n' >"$work/bin/systemctl"
printf '#!/bin/sh\nshift 3\nexec "$@"\n' >"$work/bin/runuser"
chmod +x "$work/bin/"*
sed "s|^cd /etc/almanakk$|cd '$work'|" docs/debian/usr/local/sbin/almanakk-hide >"$work/bin/almanakk-hide"
printf 'ALMANAKK_SOURCE=%s/source\nALMANAKK_SNAPSHOTS=%s/snapshots\nALMANAKK_KEYS=%s/keys.json\n' "$work" "$work" "$work" >"$work/.env"
touch "$work/4097.conf" "$work/4098.conf"
for run in schedule 'serve --port 4097' 'serve --port 4098'; do
  # shellcheck disable=SC2086 # A command and its options.
  (cd "$work" && exec node --max-semi-space-size=8 "$OLDPWD/dist/jobs/cli.js" $run >"$work/log-${run//[^a-z0-9]/}") &
  programs+=($!)
done
until curl --silent --fail --output /dev/null "$server/readyz" && curl --silent --fail --output /dev/null "${server/4097/4098}/readyz"; do sleep 1; done

pages=$(curl --silent "$server/events.html" | grep --only-matching 'events/[^"?/]*\.html' | sort --unique | sed "${count}q")
for page in $pages; do
  # Not in step with the checks of the servers.
  sleep $((RANDOM % 10))
  PATH="$work/bin:$PATH" sh "$work/bin/almanakk-hide" "$server/$page"
  echo "load $(cut --delimiter ' ' --fields 1 /proc/loadavg)"
done
