#!/usr/bin/env bash
# Follows docs/operating.md and docs/upgrading.md, block by block, on a newly installed Debian machine that systemd has booted. Run it as root.
#
#   debian.sh install    installs the package, backs up, adds a calendar, restores, upgrades, and goes back
#   debian.sh restarted  checks what has to run after the machine has restarted
#   debian.sh print      prints the blocks in their order
#
# The checkout has one package, and in the folder `next` one with the version 99.0.0. The machine needs the names below in its hosts file.
# Both runs write /root/debian-run.md. Put it in test/heavy/, and `npm run generate` puts its table into docs/operating.md.
# NOTE: a sentence for the record about this machine.
set -euo pipefail
checkout=$(realpath "$(dirname "$0")/..")
mode=${1:?expected install, restarted or print}
domain=kalender.lillevik.example
second=lillevik.example
current=$(sed -n 's/^  "version": "\(.*\)",$/\1/p' "$checkout/package.json")
next=99.0.0
folder=/root/guide
record=/root/debian-run.md
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
  systemctl is-active almanakk@build almanakk@4000 almanakk@4001 almanakk-watchdog@4000.timer almanakk-backup.timer nginx almanakk-pictures
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
  follow_twice operating.md '^certbot .*--agree-tos'
  follow_twice operating.md '^almanakk-prepare'
  follow_twice operating.md '^almanakk-pictures'
  # The sample has no event with the name in the page.
  local event=''
  if [[ $mode != print ]]; then event=$(curl --fail --silent http://127.0.0.1:4000/events.csv | sed --quiet '2s/,.*//p'); fi
  follow operating.md '^almanakk-hide' "s|https://.*/sanddans[.]html|$event|"
  follow_twice operating.md 'sudoers[.]d'
  follow_twice operating.md 'enable --now almanakk-backup'
}

copy_and_harden() {
  follow operating.md '^age-keygen'
  local recipient=''
  if [[ $mode != print ]]; then recipient=$(age-keygen -y "$folder/backup-identity.txt"); fi
  follow operating.md 'YOUR-RECIPIENT' "s/YOUR-RECIPIENT/$recipient/"
  follow operating.md '^almanakk-copy' 's|scp .*|cp {} /root|'
  follow_twice operating.md 'strict_transport'
  follow operating.md 'find [.] -type f ! -exec cmp'
  follow_twice operating.md '^almanakk-add-calendar'
  # The second server of this calendar.
  if [[ $mode != print ]]; then almanakk-add-calendar lillevik "$second" 4010 4011; fi
  check_services
}

restore_backup() {
  follow upgrading.md '^almanakk-restore' '1i rm /srv/almanakk/events.json'
  follow upgrading.md '/var/tmp/restored' 's/^diff .*/& || [ $? = 1 ]/'
  follow upgrading.md '^almanakk restore --resume'
  local oldest='ls -t /var/lib/almanakk/snapshots/calendar-*.sqlite | tail -n 1 | sed "s/.*calendar-//; s/.sqlite$//"'
  follow upgrading.md '^ids[(][)]' "s#restore ID#restore \"\$($oldest)\"#"
  if [[ $mode != print ]]; then almanakk restore --resume; fi
  follow upgrading.md '^before=' 's/^diff .*/& || [ $? = 1 ]/'
  if [[ $mode != print ]]; then test -e /srv/almanakk/events.json; fi
  check_services
}

upgrade_and_return() {
  follow upgrading.md 'rebuild --trial' "s|install almanakk-NEXT|install $checkout/next/almanakk-NEXT|; s/NEXT/$next/"
  follow upgrading.md '^almanakk-setup almanakk-NEXT' "s/NEXT/$next/"
  follow upgrading.md '^almanakk-switch almanakk-NEXT' "s/NEXT/$next/"
  check_services
  if [[ $mode != print ]]; then test "$(almanakk --version | cut --delimiter ' ' --fields 1)" = "$next"; fi
  follow upgrading.md 'almanakk-setup almanakk-PREVIOUS' "s/PREVIOUS/$current/"
  check_services
}

# The programs of the guide that come from a package of Debian or NodeSource, or with `other` those that do not: stand-ins, and programs copied here.
programs() {
  local name path kind found=''
  for name in age apt-get certbot curl gpg nginx node npm systemctl; do
    path=$(command -v "$name") || continue
    # dpkg knows some programs by their path before /usr was merged.
    if dpkg --search "$path" &> /dev/null || dpkg --search "${path#/usr}" &> /dev/null; then kind=packaged; else kind=other; fi
    if [[ $kind = "$1" ]]; then found="$found, $name"; fi
  done
  echo "${found#, }"
}

record_installation() {
  if [[ $mode = print ]]; then return; fi
  cat > "$record" << END
# The Debian guide on a booted system

\`.ci/debian.sh\` writes this file.

## Run

| | last recorded run |
|---|---|
| finished | $(date --utc '+%Y-%m-%d %H:%M UTC') |
| package | \`$(almanakk --version)\` |
| machine | Debian $(cat /etc/debian_version), booted with $(systemctl --version | sed -n '1s/ (.*//p'), Node $(node --version) |
| what was run | $steps blocks of commands, in $SECONDS s: install, each step twice; add a calendar with two servers; restore a backup; upgrade; go back |
| with these programs from packages | $(programs packaged) |
| with stand-ins, or copied to the machine | $(programs other)${NOTE:+. $NOTE} |
END
}

record_restart() {
  sed --in-place '/^| after a restart/d' "$record"
  echo "| after a restart of the machine | all services active, $(date --utc '+%Y-%m-%d %H:%M UTC') |" >> "$record"
}

case $mode in
  install | print)
    install_almanakk
    copy_and_harden
    restore_backup
    upgrade_and_return
    record_installation
    ;;
  restarted)
    check_services
    record_restart
    ;;
  *)
    echo "debian.sh: expected install, restarted or print, found $mode" >&2
    exit 1
    ;;
esac
