#!/usr/bin/env bash
# Follows docs/operating.md and docs/upgrading.md, block by block, on a newly installed Debian machine that systemd has booted. Run it as root.
#
#   debian.sh install    installs the package, backs up, adds a calendar, upgrades to another snapshot format, goes back, and restores
#   debian.sh restarted  checks what has to run after the machine has restarted
#   debian.sh older      on another new machine: installs 1.0.0 by its own guide, upgrades to the package, and goes back
#   debian.sh leave      on the first machine: hides an event, removes a picture, and puts the copy of a backup into /root/lost
#   debian.sh lost       on another new machine that has this folder: installs the package, and restores the copy
#   debian.sh print      prints the blocks in their order
#
# The checkout has the packages of packages.sh. The machine needs the names below in its hosts file.
# The runs write /root/debian-run.md, older and lost with the file of the run before as RECORD. Put it in test/heavy/ as debian-run-12.md, with the
# number of the Debian release. `npm run generate` makes these files the columns of a table in docs/operating.md. NOTE: a sentence for the record
# about this machine.
set -euo pipefail
checkout=$(realpath "$(dirname "$0")/..")
mode=${1:?expected install, restarted, older, leave, lost or print}
domain=kalender.lillevik.example
second=lillevik.example
current=$(sed -n 's/^  "version": "\(.*\)",$/\1/p' "$checkout/package.json")
next=99.0.0
folder=/root/guide
record=/root/debian-run.md
snapshots=/var/lib/almanakk/snapshots
lost=/root/lost
picture=bilder.lillevik.example/kai.jpg
steps=0
. "$checkout/.ci/blocks.sh"

# follow PAGE PATTERN [CHANGE]: runs these blocks, after a change by sed to lines that this machine cannot run.
follow() {
  local text
  text=$(blocks "$1" "$2")
  if [[ -z $text ]]; then
    echo "debian.sh: expected a block with $2 in docs/$1, found none" >&2
    exit 1
  fi
  if [[ $mode = print ]]; then
    printf '%s\n' "$text"
    return
  fi
  echo "::group::docs/$1: $2"
  sed -e "s/kalender\.example/$domain/g" -e "${3:-}" <<< "$text" > /root/step.sh
  (cd "$folder" && sh -ex /root/step.sh)
  steps=$((steps + 1))
  echo '::endgroup::'
}

# The guide says that each step of the installation may be run again.
follow_twice() {
  follow "$@"
  if [[ $mode != print ]]; then follow "$@"; fi
}

check_services() {
  if [[ $mode = print ]]; then return; fi
  systemctl is-active almanakk@build almanakk@4000 almanakk@4001 almanakk-watchdog@4000.timer almanakk-node.timer almanakk-backup.timer nginx almanakk-pictures
  systemctl is-active almanakk@4010 almanakk@4011 almanakk-watchdog@4010.timer almanakk-watchdog@4011.timer
  local name
  for name in "$domain" "$second"; do
    curl --fail --silent --show-error --retry 60 --retry-delay 1 --retry-all-errors "https://$name/readyz"
    curl --fail --silent --show-error --header 'Content-Type: application/json' --data '{"query":"{ events { totalCount } }"}' \
      "https://$name/graphQL" | grep '"totalCount":[1-9]'
  done
  test "$(systemctl show --property MemoryMax --value almanakk@4000)" = 1073741824
  test "$(systemctl show --property OOMScoreAdjust --value almanakk@build)" = 500
  test "$(cat "/proc/$(systemctl show --property MainPID --value almanakk@build)/oom_score_adj")" = 500
  check_user 4000 almanakk
  check_user 4010 almanakk-lillevik
  check_user 4011 almanakk-lillevik
  if runuser --user almanakk-lillevik -- cat /var/lib/almanakk/keys.json || runuser --user almanakk -- ls /var/lib/almanakk-lillevik; then
    echo 'debian.sh: expected that no calendar can read the files of another one' >&2
    exit 1
  fi
}

check_user() {
  test "$(ps -o user:32= -p "$(systemctl show --property MainPID --value "almanakk@$1")")" = "$2"
}

prepare_machine() {
  if [[ $mode = print ]]; then return; fi
  mkdir -p "$folder"
  cp "$checkout/almanakk-$current.tgz" "$folder"
  # No certificate authority can reach this machine. This certbot answers the challenge to itself, over HTTP.
  install --mode 755 "$checkout/test/fixtures/debian/certbot" /usr/local/bin/certbot
}

install_almanakk() {
  prepare_machine
  follow_twice operating.md 'install .*certbot'
  follow_twice operating.md 'install --yes nodejs'
  follow_twice operating.md 'almanakk-install almanakk-[*]'
  follow_twice operating.md 'enable --now almanakk@build'
  follow_twice operating.md '^almanakk-restart'
  follow_twice operating.md 'enable --now almanakk-watchdog'
  follow_twice operating.md 'enable --now almanakk-node'
  follow_twice operating.md '^certbot .*--agree-tos'
  follow_twice operating.md '^almanakk-prepare'
  follow_twice operating.md 'enable --now almanakk-backup'
}

copy_and_harden() {
  follow operating.md '^age-keygen'
  local recipient=''
  if [[ $mode != print ]]; then recipient=$(age-keygen -y "$folder/backup-identity.txt"); fi
  follow operating.md 'YOUR-RECIPIENT' "s/YOUR-RECIPIENT/$recipient/"
  follow operating.md '^almanakk-copy' 's|scp .*|cp {} /root|'
  follow_twice operating.md 'worker_rlimit_nofile'
  follow_twice operating.md '^nft --check'
  # The sample has no event with the name in the page.
  local event=''
  if [[ $mode != print ]]; then event=$(curl --fail --silent http://127.0.0.1:4000/events.csv | sed --quiet '2s/,.*//p'); fi
  follow operating.md '^almanakk-hide' "s|https://.*/sanddans[.]html|$event|"
  follow_twice operating.md 'sudoers[.]d'
  follow_twice operating.md '^almanakk-pictures'
  follow_twice operating.md 'strict_transport'
  follow operating.md 'find [.] -type f ! -exec cmp'
  follow_twice operating.md '^almanakk-add-calendar'
  # The second server of this calendar.
  if [[ $mode != print ]]; then almanakk-add-calendar lillevik "$second" 4010 4011; fi
  check_services
}

# What no upgrade may lose, as lines of text: ids and slugs of events, those of the feed, what has changed since the first snapshot, hidden events, and keys.
state() {
  local query="{ events(pageSize: 1000) { data { id event_slug } } changes(since: \"$first\") { added changed removed } }"
  curl --fail --silent --show-error --header "X-Api-Key: $key" --json "$(printf '{"query":"%s"}' "${query//\"/\\\"}")" "https://$domain/graphQL"
  echo
  cat /srv/almanakk/corrections.json 2> /dev/null || true
  almanakk keys list | sed --regexp-extended 's/  (never seen|seen [0-9-]+)  /  /'
}

# Hides the first event. The blocks of the page hide one, and undo this.
hide_one() {
  almanakk-hide "$(curl --fail --silent http://127.0.0.1:4000/events.csv | sed --quiet '2s/,.*//p')"
  grep --quiet '"note":"almanakk-hide ' /srv/almanakk/corrections.json
}

format_of() {
  sed -n 's/^  "format": \(.*\),$/\1/p' "$snapshots/${1:-manifest.json}"
}

served() {
  curl --fail --silent --show-error --retry 30 --retry-delay 1 --retry-all-errors "https://$domain/readyz" |
    sed 's/^{"ready":true,"snapshot":{"id":"\([^"]*\)".*/\1/'
}

# expect WHAT EXPECTED FOUND
expect() {
  if [[ $2 = "$3" ]]; then return; fi
  printf 'debian.sh: %s: expected %s, found %s\n' "$1" "$2" "$3" >&2
  exit 1
}

# A key, and a feed whose server is then gone: only the builder's state has its event from now on.
make_state() {
  key=$(almanakk keys issue --app Lillevik --email post@avis.example | grep --only-matching --extended-regexp 'alk_[A-Za-z0-9_-]+|[A-Za-z0-9_-]{30,}' | head -n 1)
  mkdir -p /root/feed
  printf '%s\r\n' BEGIN:VCALENDAR VERSION:2.0 PRODID:-//Lillevik//NO BEGIN:VEVENT UID:sang@lillevik.example DTSTAMP:20260101T120000Z \
    "DTSTART:$(date --utc --date '+20 days' +%Y%m%dT180000Z)" "DTEND:$(date --utc --date '+20 days' +%Y%m%dT190000Z)" \
    'SUMMARY:Allsang på kaia' END:VEVENT END:VCALENDAR > /root/feed/program.ics
  systemd-run --quiet --unit feed python3 -m http.server --directory /root/feed --bind 127.0.0.1 8090
  echo '[{ "id": "kaia", "kind": "ical", "url": "http://127.0.0.1:8090/program.ics", "defaults": { "categories": ["MUSIC"] } }]' > /srv/almanakk/sources.json
  echo ALMANAKK_ALLOW_PRIVATE_FEEDS=true >> /etc/almanakk/.env
  curl --fail --silent --output /dev/null --retry 30 --retry-delay 1 --retry-connrefused http://127.0.0.1:8090/program.ics
  almanakk rebuild --wait 60 | grep 'feed kaia\|^published'
  systemctl stop feed
  expect 'notice that callers without a key get' '' "$(state | grep --only-matching '"notice"' || true)"
}

# Requests the API four times a second, and writes what is not answered with 200.
watch_requests() {
  : > /root/requests
  while sleep 0.25; do
    curl --silent --output /dev/null --max-time 10 --write-out '%{http_code}\n' --header "X-Api-Key: $key" \
      --json '{"query":"{ events { totalCount } }"}' "https://$domain/graphQL" >> /root/requests || true
  done
}

# To a version with another snapshot format, and back. Both have to serve the same calendar, and callers must not notice.
upgrade_and_return() {
  local before='' id='' format='' watcher=''
  if [[ $mode != print ]]; then
    first=$(served)
    make_state
    until_served_other "$first"
    hide_one
    id=$(served)
    before=$(state)
    format=$(format_of)
    watch_requests &
    watcher=$!
  fi
  follow upgrading.md 'rebuild --trial' "s|install almanakk-NEXT|install $checkout/next/almanakk-NEXT|; s/NEXT/$next/"
  if [[ $mode != print ]]; then
    expect 'snapshot after the trial' "$id" "$(sed -n 's/^  "id": "\(.*\)",$/\1/p' "$snapshots/manifest.json")"
    expect 'snapshot that is served after the trial' "$id" "$(served)"
  fi
  follow upgrading.md '^almanakk-setup almanakk-NEXT' "s/NEXT/$next/"
  follow upgrading.md '^almanakk-switch almanakk-NEXT' "s/NEXT/$next/"
  check_services
  if [[ $mode != print ]]; then
    expect 'active version' "$next" "$(almanakk --version | cut --delimiter ' ' --fields 1)"
    expect 'format' $((format + 1)) "$(format_of)"
    expect 'format that is kept' "$format" "$(format_of "manifest-$format.json")"
    expect 'state after the upgrade' "$before" "$(state)"
    # More builds than the folder keeps snapshots.
    for _ in 1 2 3 4; do almanakk rebuild --force --wait 60 > /dev/null; done
  fi
  follow upgrading.md '^almanakk-switch almanakk-PREVIOUS' "s/PREVIOUS/$current/"
  check_services
  if [[ $mode != print ]]; then
    expect 'active version' "$current" "$(almanakk --version | cut --delimiter ' ' --fields 1)"
    expect 'format' "$format" "$(format_of)"
    expect 'state after going back' "$before" "$(state)"
    kill "$watcher"
    upgraded="$current (format $format), $next (format $((format + 1)) with a further column), and back: the same ids, slugs, changes, hidden event, keys and feed; $(wc --lines < /root/requests) requests meanwhile, $(grep --count --invert-match '^200$' /root/requests || true) without an answer"
  fi
}

# Upgrades again, and goes back as after a week, when the builder has removed the last snapshot in the previous format. The archive from before the
# upgrade has the same state as now.
return_late() {
  local before='' format=''
  if [[ $mode != print ]]; then
    before=$(state)
    format=$(format_of)
    almanakk-setup "almanakk-$next"
    almanakk-switch "almanakk-$next"
    rm "$snapshots/manifest-$format.json"
  fi
  follow upgrading.md '^almanakk-activate almanakk-PREVIOUS' "s/PREVIOUS/$current/"
  check_services
  if [[ $mode != print ]]; then
    expect 'active version after a week' "$current" "$(almanakk --version | cut --delimiter ' ' --fields 1)"
    expect 'format after a week' "$format" "$(format_of)"
    expect 'state after going back after a week' "$before" "$(state)"
    upgraded="$upgraded. Back once more, as after a week, by the archive from before the upgrade: the same again"
  fi
}

# until_served_other ID: the id of the next snapshot.
until_served_other() {
  local id='' try
  for try in {1..60}; do
    id=$(served)
    if [[ $id != "$1" ]]; then break; fi
    sleep 0.5
  done
  echo "$id"
}

restore_backup() {
  follow upgrading.md '^almanakk-restore "' '1i rm /srv/almanakk/events.json'
  follow upgrading.md '/var/tmp/restored' 's/^diff .*/& || [ $? = 1 ]/'
  follow upgrading.md '^almanakk restore --resume'
  local oldest='ls -t /var/lib/almanakk/snapshots/calendar-*.sqlite | tail -n 1 | sed "s/.*calendar-//; s/.sqlite$//"'
  follow upgrading.md '^almanakk restore ID --compare' "s#ID --compare#\"\$($oldest)\" --compare || [ \$? = 2 ]#"
  follow upgrading.md '^before=' 's/^diff .*/& || [ $? = 1 ]/'
  if [[ $mode != print ]]; then test -e /srv/almanakk/events.json; fi
  check_services
}

# programs KIND: those of the guide that come from a package of Debian or NodeSource (packaged), that were copied to the machine (copied), or that
# are scripts in their place (stand-in).
programs() {
  local name path kind found=''
  for name in age apt-get certbot curl gpg nginx node npm systemctl; do
    path=$(command -v "$name") || continue
    # dpkg knows some programs by their path before /usr was merged.
    if dpkg --search "$path" &> /dev/null || dpkg --search "${path#/usr}" &> /dev/null; then
      kind=packaged
    elif head --bytes 9 "$path" | grep --quiet --binary-files text '^#!/bin/sh'; then
      kind=stand-in
    else
      kind=copied
    fi
    if [[ $kind = "$1" ]]; then found="$found, $name"; fi
  done
  found=${found#, }
  echo "${found:-none}"
}

record_installation() {
  if [[ $mode = print ]]; then return; fi
  cat > "$record" << END
# The Debian guide on a booted system

\`.ci/debian.sh\` writes this file.

## Run

| | Debian $(cut --delimiter . --fields 1 /etc/debian_version) |
|---|---|
| finished | $(date --utc '+%Y-%m-%d %H:%M UTC') |
| package | \`$(almanakk --version)\` |
| machine | Debian $(cat /etc/debian_version), booted with $(systemctl --version | sed -n '1s/ (.*//p'), Node $(node --version) |
| what was run | $steps blocks of commands, in $SECONDS s: install, each step twice; add a calendar with two servers; upgrade; go back; upgrade, and go back as after a week; restore a backup |
| upgrade to another snapshot format | $upgraded |
| programs from packages | $(programs packaged) |
| the real programs, copied to the machine | $(programs copied) |
| scripts in place of programs | $(programs stand-in)${NOTE:+. $NOTE} |
END
}

record_restart() {
  sed --in-place '/^| after a restart/d' "$record"
  echo "| after a restart of the machine | all services active, $(date --utc '+%Y-%m-%d %H:%M UTC') |" >> "$record"
}

# The guide of 1.0.0, in which a block after the name of a file is that file.
follow_older_guide() {
  # Ends at the first line that does not run. If awk ended before it had read all, sed would fail.
  sed -n '/^## From an empty Debian machine/,/systemctl stop almanakk$/p' "$checkout/older/operating.md" | sed '$d' |
    awk '
      /^`\/.*`:$/ { file = substr($0, 2, length($0) - 3); next }
      /^```/ && !inside {
        inside = 1
        if (file != "") printf "mkdir -p \"$(dirname %s)\"\ncat > %s << \"END_OF_FILE\"\n", file, file
        isRun = file != "" || $0 == "```sh"
        next
      }
      /^```/ { if (file != "") print "END_OF_FILE"; inside = 0; file = ""; next }
      inside && isRun { print }' |
    sed "s/kalender\.example/$domain/g" > /root/step.sh
  (cd "$folder" && sh -ex /root/step.sh)
}

from_older() {
  mkdir -p "$folder"
  cp "$checkout/older/almanakk-1.0.0.tgz" "$folder"
  install --mode 755 "$checkout/test/fixtures/debian/certbot" /usr/local/bin/certbot
  follow_older_guide
  local before id format
  first=$(served)
  make_state
  systemctl restart almanakk
  id=$(until_served_other "$first")
  format=$(format_of)
  before=$(state)
  rm "$folder/almanakk-1.0.0.tgz"
  cp "$checkout/almanakk-$current.tgz" "$folder"
  follow upgrading.md 'remove-files --file /root/almanakk-1[.]0[.]0[.]tar'
  follow operating.md 'install .*certbot'
  follow operating.md 'install --yes nodejs'
  follow operating.md 'almanakk-install almanakk-[*]'
  follow operating.md 'enable --now almanakk@build'
  follow operating.md '^certbot .*--agree-tos'
  follow operating.md '^almanakk-prepare'
  expect 'active version' "$current" "$(almanakk --version | cut --delimiter ' ' --fields 1)"
  expect 'state after the upgrade' "$before" "$(state)"
  follow upgrading.md 'extract .*/root/almanakk-1[.]0[.]0[.]tar'
  expect 'snapshot after going back' "$id" "$(served)"
  until_served_other "$id"
  expect 'format' "$format" "$(format_of)"
  expect 'state after going back' "$before" "$(state)"
  upgraded="1.0.0 (format $format), $current, and back to 1.0.0: the same ids, slugs, changes, keys and feed; $(date --utc '+%Y-%m-%d %H:%M UTC')"
}

record_older() {
  cp "${RECORD:?expected the file of the runs before}" "$record"
  sed --in-place '/^| upgrade from 1.0.0/d' "$record"
  sed --in-place "/^| upgrade to another/a | upgrade from 1.0.0, on a machine of its own | $upgraded |" "$record"
}

# What the people of a calendar still have when the machine is gone: a copy of its backup, the identity, and here also its state, to compare.
leave_machine() {
  mkdir -p "$lost"
  key=$(almanakk keys issue --app Lillevik --email post@avis.example | grep --only-matching --extended-regexp 'alk_[A-Za-z0-9_-]+|[A-Za-z0-9_-]{30,}' | head -n 1)
  first=$(served)
  hide_one
  almanakk-remove-picture "https://$picture"
  follow operating.md '^systemctl start almanakk-backup'
  follow operating.md '^almanakk-copy' "s|scp .*|cp {} $lost|"
  cp "$folder/backup-identity.txt" "$lost"
  echo "$key $first" > "$lost/caller"
  state > "$lost/state"
  state_of_second > "$lost/second"
}

state_of_second() {
  curl --fail --silent --show-error --retry 60 --retry-delay 1 --retry-all-errors "https://$second/events.csv" | cut --delimiter , --fields 1 | sort
}

# Those of the three copies of the picture, whose addresses the machine's own secret signs.
picture_statuses() {
  local width='' secret='' signature=''
  secret=$(sed -n 's/^map "" \$picture_secret { default "\(.*\)"; }$/\1/p' /etc/nginx/almanakk-pictures.d/machine.conf)
  for width in 320 640 1280; do
    signature=$(printf %s "$secret $width $picture $secret" | openssl md5 -binary | openssl base64 | tr '+/' '-_' | tr -d =)
    curl --silent --output /dev/null --write-out '%{http_code}\n' "https://$domain/pictures/$width/$signature/$picture"
  done
}

# The steps of the page for a new machine, from the first one of the installation.
restore_lost() {
  local archive='' command='' installed=''
  read -r key first < "$lost/caller"
  install_almanakk
  follow operating.md '^almanakk-pictures'
  installed=$SECONDS
  # From a sentence of the page.
  command=$(sed --quiet 's/.*`\(age --decrypt [^`]*\)`.*/\1/p' "$checkout/docs/upgrading.md")
  rm /var/backups/almanakk/*.tar.gz
  archive=$(basename "$(ls "$lost"/*.tar.gz.age | tail -n 1)" .tar.gz.age)
  cp "$lost/$archive.tar.gz.age" /var/backups/almanakk
  (cd /var/backups/almanakk && sh -ex -c "$(sed "s/ARCHIVE/$archive/g; s|backup-identity|$lost/&|" <<< "$command")")
  follow upgrading.md '^almanakk-restore "'
  follow upgrading.md '/var/tmp/restored' 's/^diff .*/& || [ $? = 1 ]/'
  follow operating.md '^almanakk-add-calendar'
  almanakk-add-calendar lillevik "$second" 4010 4011
  check_services
  expect 'state of the lost machine' "$(cat "$lost/state")" "$(state)"
  expect 'events of the further calendar' "$(cat "$lost/second")" "$(state_of_second)"
  expect 'statuses of the removed picture' '410 410 410' "$(picture_statuses | xargs)"
  restored="the same ids, slugs, changes, hidden event, keys and feed, the further calendar and the removed picture, from the encrypted copy of the sample. $installed s for the installation, with each step run twice and without downloads, and $((SECONDS - installed)) s for the rest; $(date --utc '+%Y-%m-%d %H:%M UTC')"
}

record_lost() {
  cp "${RECORD:?expected the file of the runs before}" "$record"
  sed --in-place '/^| the machine was lost/d' "$record"
  echo "| the machine was lost: restored on another one | $restored |" >> "$record"
}

case $mode in
  leave)
    leave_machine
    ;;
  lost)
    restore_lost
    record_lost
    ;;
  older)
    from_older
    record_older
    ;;
  install | print)
    install_almanakk
    copy_and_harden
    upgrade_and_return
    return_late
    restore_backup
    record_installation
    ;;
  restarted)
    check_services
    record_restart
    ;;
  *)
    echo "debian.sh: expected install, restarted, older, leave, lost or print, found $mode" >&2
    exit 1
    ;;
esac
