#!/usr/bin/env bash
# Hides events of a generated calendar in an urgent sheet, one after the other, and prints the seconds until the page of each is gone, and until
# /status has the receipt. nginx hosts the sheet, with entity tags and WebDAV. Needs nginx and curl, and the ports 4097 and 8097.
# Usage: test/bench/urgent-sheet.sh [EVENTS] [ROWS]
set -euo pipefail
cd "$(dirname "$0")/../.."
events=${1:-20000}
count=${2:-6}
sheet=http://127.0.0.1:8097/desk.csv
server=http://127.0.0.1:4097
work=$(mktemp --directory)
end() {
  kill "$(cat "$work/nginx.pid")" "$program" 2>/dev/null || true
  wait "$program" 2>/dev/null || true
  rm --recursive --force "$work"
}
program=''
trap end EXIT

mkdir "$work/www"
cat >"$work/nginx.conf" <<CONF
pid $work/nginx.pid;
error_log $work/error.log;
events {}
http {
  access_log off;
  client_body_temp_path $work/body;
  server {
    listen 127.0.0.1:8097;
    root $work/www;
    dav_methods PUT;
  }
}
CONF
# A worker of root's nginx would be another user, who may not write here.
if [ "$(id --user)" = 0 ]; then sed --in-place '1i user root;' "$work/nginx.conf"; fi
nginx -c "$work/nginx.conf"
rows='Id,Skjul'
put() { printf '%s\n' "$rows" | curl --silent --fail --upload-file - "$sheet"; }
put

node --import tsx --eval "
  const { writeSource } = await import('./test/bench/source/events.ts');
  await writeSource({ folder: '$work/source', events: $events, seed: 1, now: Date.now(), dates: 'few' });
" --input-type=module
echo "[{\"id\": \"desk\", \"kind\": \"corrections\", \"url\": \"$sheet\", \"urgent\": true}]" >"$work/source/sources.json"
node jobs/setup.mjs
PORT=4097 ALMANAKK_PUBLIC_URL=$server/ ALMANAKK_SOURCE=$work/source ALMANAKK_SNAPSHOTS=$work/snapshots ALMANAKK_KEYS=$work/keys.json \
  ALMANAKK_ALLOW_PRIVATE_FEEDS=true node dist/src/main.js start >"$work/server.log" &
program=$!
until curl --silent --fail --output /dev/null "$server/readyz"; do sleep 1; done

applied() { curl --silent "$server/status?format=json" | grep --only-matching '"appliedAt":[^,]*'; }
status() { curl --silent --output /dev/null --write-out '%{http_code}' "$1"; }
since() { awk "BEGIN { printf \"%.1f\", $(date +%s.%N) - $1 }"; }
pages=$(curl --silent "$server/events.html" | grep --only-matching 'events/[^"?/]*\.html' | sort --unique | sed "${count}q")
for page in $pages; do
  # The row comes at any time between two checks.
  sleep $((RANDOM % 30))
  rows+=$'\n'"$server/$page,ja"
  before=$(applied)
  begun=$(date +%s.%N)
  put
  until [ "$(status "$server/$page")" = 410 ]; do sleep 0.2; done
  gone=$(since "$begun")
  until [ "$(applied)" != "$before" ]; do sleep 0.2; done
  echo "gone after $gone s, receipt after $(since "$begun") s; load $(cut --delimiter ' ' --fields 1 /proc/loadavg)"
done
