#!/usr/bin/env bash
# Follows docs/two-machines.md, block by block, on two Debian machines that systemd has booted, and loses each of them. Run it as root on a computer
# with systemd-container.
#
#   debian-pair.sh run TREE   boots two machines from the folder TREE, follows the page, and writes the record to /root/debian-pair-run.md
#   debian-pair.sh nginx TREE, debian-pair.sh varnish TREE
#                             boots them, follows docs/cdn.md with this program in front, and writes the record to /root/cdn-run-nginx.md, or -varnish
#   debian-pair.sh encrypted TREE
#                             boots them, reads what crosses the link between them with and without encryption, and writes the record to
#                             /root/link-run.md
#   debian-pair.sh print      prints the blocks of the page in their order
#
# The machines are containers of systemd-nspawn on a bridge of their own, without a way out, and changes stay out of TREE. TREE is a Debian by
# debootstrap with age, ca-certificates, curl, gpg, iproute2, keepalived, nftables, nginx, openssh-server, openssl, procps, sudo and systemd, and with
# Node and npm. npm needs a filled cache there (/root/.npm), and the binary of sqlite3 in /srv/mirror. The checkout has the packages of packages.sh, and
# those of `npm ci`. The computer has two cores, and promtool. For the mode encrypted, TREE also has
# wireguard-tools, and wireguard-go if the kernel lacks WireGuard, and the computer has prometheus and tcpdump.
# Put the record in test/heavy/ as debian-pair-run-13.md, with the number of the Debian release, and the others under their names. `npm run generate`
# then shows them on the pages.
# NOTE: a sentence for the record about these machines.
set -euo pipefail
checkout=$(realpath "$(dirname "$0")/..")
mode=${1:?expected run, nginx, varnish, encrypted or print}
domain=kalender.lillevik.example
current=$(sed -n 's/^  "version": "\(.*\)",$/\1/p' "$checkout/package.json")
next=99.0.0
snapshots=/var/lib/almanakk/snapshots
floating=10.0.0.10
floating_ipv6=2001:db8::10
slow_address=10.0.0.2
many_addresses=$(echo 10.0.0.{20..29})
bridge=almanakk-pair
place=/var/tmp/almanakk-pair
groups_folder=$(findmnt --noheadings --first-only --types cgroup2 --output TARGET || true)
declare -A address=([one]=10.0.0.11 [two]=10.0.0.12)
builder=one
replica=two
steps=0
. "$checkout/.ci/blocks.sh"
. "$checkout/.ci/failover.sh"
. "$checkout/.ci/cdn.sh"
. "$checkout/.ci/encrypted.sh"

# follow MACHINE PAGE PATTERN [CHANGE]: runs these blocks there, after a change by sed to lines that this machine cannot run. If the machines have
# changed places, so have their addresses.
follow() {
  local text swap=''
  text=$(blocks "$2" "$3")
  if [[ -z $text ]]; then
    echo "debian-pair.sh: expected a block with $3 in docs/$2, found none" >&2
    exit 1
  fi
  if [[ $mode = print ]]; then
    if [[ $2 = two-machines.md ]]; then printf '%s\n' "$text"; fi
    return
  fi
  echo "::group::$1: docs/$2: $3"
  if [[ $builder = two ]]; then swap='s/10\.0\.0\.11/OTHER/g; s/10\.0\.0\.12/10.0.0.11/g; s/OTHER/10.0.0.12/g'; fi
  # apt-get would install nothing, because the packages were installed with the system.
  sed -e "s/kalender\.example/$domain/g" -e '/^apt-get /d' -e "$swap" -e "${4:-}" <<< "$text" | on "$1" 'cat > /root/step.sh'
  on "$1" 'cd /root/guide && sh -ex /root/step.sh'
  steps=$((steps + 1))
  echo '::endgroup::'
}

# Only while it runs: the steps are also read to be printed.
running() { [[ $mode != print ]]; }

on() {
  local init
  init=$(cat "$place/$1/init")
  nsenter --target "$init" --mount --uts --ipc --net --pid --cgroup env --ignore-environment HOME=/root LANG=C.UTF-8 \
    PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin npm_config_sqlite3_binary_host=file:///srv/mirror bash -c "$2"
}

# wait_for SECONDS WHAT COMMAND: until the command succeeds.
wait_for() {
  local try
  for ((try = 0; try < $1 * 2; try++)); do
    if eval "$3"; then return; fi
    sleep 0.5
  done
  echo "debian-pair.sh: expected within $1 s: $2" >&2
  exit 1
}

is_booted() {
  pgrep --parent "$(cat "$place/$1/pid")" > "$place/$1/init" &&
    on "$1" 'systemctl is-system-running || true' 2> /dev/null | grep --quiet --extended-regexp 'running|degraded'
}

boot() {
  local root=$place/$1/root
  # Without control groups of its own, a machine could not start a service while the same one of another machine ends.
  local group=$groups_folder/almanakk-pair-$1-$EPOCHREALTIME
  mkdir "$group"
  (
    echo $BASHPID > "$group/cgroup.procs"
    SYSTEMD_NSPAWN_UNIFIED_HIERARCHY=1 exec systemd-nspawn --quiet --register=no --keep-unit --machine="almanakk-$1" --directory="$root" \
      --network-bridge="$bridge" --resolv-conf=off --link-journal=no --boot < /dev/null > "$place/$1/console" 2>&1
  ) &
  echo $! > "$place/$1/pid"
  wait_for 120 "$1 to boot" "is_booted $1"
}

# Like a power failure: nothing on the machine ends as it should, and no connection is closed.
lose() {
  ip link set "vb-almanakk-$1" down
  kill -KILL "$(cat "$place/$1/init")"
  wait_for 30 "$1 to be gone" "! kill -0 $(cat "$place/$1/pid") 2> /dev/null"
}

prepare() {
  local name root
  rm -rf "$place"
  for name in one two; do
    root=$place/$name/root
    mkdir -p "$place/$name"/{upper,work,root}
    mount -t overlay overlay -o "lowerdir=$tree,upperdir=$place/$name/upper,workdir=$place/$name/work" "$root"
    mkdir -p "$root/root/guide" "$root/etc/systemd/network"
    cp "$checkout/almanakk-$current.tgz" "$root/root/guide"
    install --mode 755 "$checkout/test/fixtures/debian/certbot" "$root/usr/local/bin/certbot"
    printf '127.0.0.1 localhost %s\n127.0.1.1 %s\n' "$domain" "$name" > "$root/etc/hosts"
    echo "$name" > "$root/etc/hostname"
    printf '[Match]\nName=host0\n[Network]\nAddress=%s/24\n' "${address[$name]}" > "$root/etc/systemd/network/10-host0.network"
    # For the metrics of node_exporter.
    mkdir -p "$root/var/lib/prometheus/node-exporter"
    systemctl --root="$root" enable systemd-networkd ssh 2> /dev/null
    ssh-keygen -A -f "$root" > /dev/null
  done
  ip link add "$bridge" type bridge
  ip address add 10.0.0.1/24 dev "$bridge"
  ip address add 2001:db8::1/64 dev "$bridge" nodad
  ip link set "$bridge" up
}

clean_up() {
  rm -f "$place/watching"
  stop_cdns
  local name
  for name in one two; do
    if [[ -e $place/$name/init ]]; then kill -KILL "$(cat "$place/$name/init")" 2> /dev/null || true; fi
  done
  sleep 1
  for name in one two; do umount --lazy "$place/$name/root" 2> /dev/null || true; done
  ip link delete "$bridge" 2> /dev/null || true
  find "$groups_folder" -mindepth 1 -depth -type d -path '*/almanakk-pair-*' -exec rmdir {} \; 2> /dev/null || true
}

install_package() {
  follow "$1" operating.md 'install .*certbot' '/nodesource\|fingerprints/d'
  follow "$1" operating.md 'almanakk-install almanakk-[*]'
}

set_up_firewall() {
  follow "$1" operating.md 'worker_rlimit_nofile'
  # Activates the lines for two machines.
  follow "$1" operating.md '^nft --check' '/^nft --check/i sed -i "s/^\\( *\\)# \\(ip saddr { 10\\)/\\1\\2/" /etc/nftables.conf'
}

set_up_builder() {
  install_package one
  follow one operating.md 'enable --now almanakk@build'
  follow one operating.md 'enable --now almanakk-watchdog'
  follow one operating.md '^certbot .*--agree-tos'
  follow one operating.md '^almanakk-prepare'
  follow one operating.md 'enable --now almanakk-node'
  follow one operating.md 'enable --now almanakk-backup'
  if running; then on one 'age-keygen --output /root/backup-identity.txt && age-keygen -y /root/backup-identity.txt > /etc/almanakk/backup-recipients.txt'; fi
  set_up_firewall one
  follow one two-machines.md '^almanakk keys signing'
  if running; then key=$(on one 'almanakk keys issue --app Lillevik --email post@avis.example' | grep --only-matching 'alk_[A-Za-z0-9_-]*' | head -n 1); fi
}

become_replica() {
  if running; then on "$builder" 'cat /etc/almanakk/signing.pem.pub' | on "$replica" 'cat > /etc/almanakk/signing.pem.pub'; fi
  follow "$replica" two-machines.md 'RUN=start'
  if ! running; then print_link; fi
  follow "$replica" two-machines.md 'ssh-keygen'
  if running; then on "$replica" 'cat /root/.ssh/almanakk-sync.pub' | on "$builder" 'cat > /root/guide/almanakk-sync.pub'; fi
  follow "$builder" two-machines.md '^almanakk-sync --allow'
  follow "$replica" two-machines.md '^ssh -i' 's/^ssh /&-o StrictHostKeyChecking=accept-new /'
  follow "$replica" two-machines.md '^almanakk-prepare'
}

set_up_replica() {
  install_package two
  set_up_firewall two
  become_replica
}

# nginx on each machine also has the servers of the other one.
share_servers() {
  local name other
  if ! running; then return; fi
  for name in one two; do
    if [[ $name = one ]]; then other=two; else other=one; fi
    sed --quiet "s/^  server .* backup;$/&/p" "$checkout/docs/two-machines.md" | sed "s/10\.0\.0\.12/${address[$other]}/" | on "$name" 'cat > /root/servers
      sed -i "/server 127.0.0.1:4001/r /root/servers" /etc/nginx/conf.d/almanakk.conf
      nginx -t && systemctl reload nginx'
  done
  on one 'echo 10.0.0.12 > /etc/almanakk/replicas'
  cp "$place/one/root/etc/letsencrypt/live/$domain/fullchain.pem" "$place/certificate.pem"
}

set_up_failover() {
  share_servers
  # The network card, and the floating IPv6 address.
  local edits='-e "s/eth0/host0/; /# virtual_ipaddress_excluded/,/# }/s/# //"' file=/etc/keepalived/keepalived.conf
  follow one two-machines.md '^systemctl enable keepalived' "/^systemctl enable keepalived/i sed -i $edits $file"
  if ! running; then return; fi
  edits+=' -e "s/priority 100/priority 90/; s/10.0.0.11/OTHER/; s/10.0.0.12/10.0.0.11/; s/OTHER/10.0.0.12/"'
  follow two two-machines.md '^systemctl enable keepalived' "/^systemctl enable keepalived/i sed -i $edits $file"
  # The machine that is ready first gets it.
  wait_for 30 'the floating address on a machine' 'has_address one || has_address two'
  if has_address two; then on two 'systemctl restart keepalived'; fi
  wait_for 30 'the floating address on the builder' 'has_address one'
}

has_address() { on "$1" "ip -brief address show dev host0" 2> /dev/null | grep --quiet " $floating/"; }

# A new connection to the floating IPv6 address.
expect_ipv6() {
  expect 'status at the floating IPv6 address' 200 "$(curl --silent --output /dev/null --write-out '%{http_code}' --max-time 5 \
    --resolve "$domain:443:[$floating_ipv6]" --cacert "$place/certificate.pem" "https://$domain/readyz" || true)"
}

# watch_requests ADDRESS URL PHASE: begins to send requests.
watch_requests() {
  touch "$place/watching"
  phase "$3"
  probes "$1" watch "$2" &
}

probes() {
  local host=$1
  shift
  PLACE=$place ADDRESS=$host CERTIFICATE=$place/certificate.pem KEY=$key node "$checkout/.ci/probes.mjs" "$@"
}

ask() {
  local query=$1
  shift
  curl --silent --max-time 5 --resolve "$domain:443:$floating" --cacert "$place/certificate.pem" --header "X-Api-Key: $key" \
    --json "{\"query\":\"$query\"}" "$@" "https://$domain/graphQL" || true
}

phase() { echo "$1" > "$place/phase"; }

# requests_in PHASE: how many there were, how many had no answer or another one than 200, and the longest times.
requests_in() { probes '' sum "$1"; }

snapshot_of() { on "$1" "sed -n 's/^  \"id\": \"\\(.*\\)\",\$/\\1/p' $snapshots/manifest.json"; }
format_of() { on "$1" "sed -n 's/^  \"format\": \\(.*\\),\$/\\1/p' $snapshots/manifest.json"; }
version_of() { on "$1" 'almanakk --version | cut --delimiter " " --fields 1'; }

# What no move may lose: ids and slugs of events, hidden events, and keys. The notice is for callers without a valid key.
state() {
  ask '{ events(pageSize: 1000) { data { id event_slug } } }' | sed 's/"took":[0-9.]*//'
  echo
  on "$builder" 'cat /srv/almanakk/corrections.json 2> /dev/null; almanakk keys list' | sed --regexp-extended 's/  (never seen|seen [0-9-]+)  /  /'
}

expect() {
  if [[ $2 = "$3" ]]; then return; fi
  printf 'debian-pair.sh: %s: expected %s, found %s\n' "$1" "$2" "$3" >&2
  exit 1
}

have_same_snapshot() { [[ $(snapshot_of one) = "$(snapshot_of two)" ]]; }
wait_for_same_snapshot() { wait_for 90 'the same snapshot on both machines' have_same_snapshot; }

# The address stays where it is, until the keepalived that has it starts again.
move_address_back() {
  sleep 10
  if has_address one; then expect 'floating address' 'on the replica' 'on the builder'; fi
  on two 'systemctl restart keepalived'
  wait_for_address one > /dev/null
  sleep 2
}

# wait_for_address MACHINE: until it has the floating address. Prints the seconds.
wait_for_address() {
  local begun=$EPOCHREALTIME
  wait_for 60 "the floating address on $1" "has_address $1"
  seconds_since "$begun"
}

# seconds_since TIME: from that value of EPOCHREALTIME.
seconds_since() { awk -v from="$1" -v to="$EPOCHREALTIME" 'BEGIN { printf "%.0f", to - from }'; }

# A caller who holds connections without ever sending a whole request. The firewall of the page limits them for each address.
hold_connections() {
  ip address add "$slow_address/24" dev "$bridge"
  phase 'slow connections'
  touch "$place/slow"
  FROM=$slow_address probes "$floating" slow 3000 > "$place/most" &
  local holder=$!
  sleep 40
  rm "$place/slow"
  wait $holder
  if ! has_address one; then expect 'floating address' 'on the builder' 'on the replica'; fi
}

# Ten such callers.
hold_connections_from_many() {
  local from holders=()
  for from in $many_addresses; do ip address add "$from/24" dev "$bridge"; done
  phase 'slow connections from many'
  touch "$place/slow"
  for from in $many_addresses; do
    FROM=$from probes "$floating" slow 300 > "$place/most-$from" &
    holders+=($!)
  done
  sleep 30
  rm "$place/slow"
  wait "${holders[@]}"
  if ! has_address one; then expect 'floating address' 'on the builder' 'on the replica'; fi
  most_of_many=$(cat "$place"/most-* | awk '{ sum += $1 } END { print sum }')
}

stop_servers() {
  phase 'servers stopped'
  on one 'systemctl stop almanakk@4000 almanakk@4001'
  sleep 15
  if ! has_address one; then expect 'floating address' 'on the builder' 'on the replica'; fi
  on one 'systemctl start almanakk@4000 almanakk@4001'
  wait_for 90 'the builder to be ready' "on one 'curl --fail --silent --output /dev/null http://127.0.0.1:4000/readyz'"
}

# The address stays: a caller gets an error at once.
stop_all_servers() {
  local name
  phase 'no server'
  for name in one two; do on "$name" 'systemctl stop almanakk@4000 almanakk@4001'; done
  sleep 15
  if ! has_address one; then expect 'floating address' 'on the builder' 'elsewhere'; fi
  without_servers=$(ask '{ __typename }' --output /dev/null --write-out '%{http_code}')
  for name in two one; do on "$name" 'systemctl start almanakk@4000 almanakk@4001'; done
  wait_for 90 'an answer with servers' "ask '{ __typename }' | grep --quiet '\"data\"'"
  sleep 10
  if ! has_address one; then expect 'floating address' 'on the builder' 'elsewhere'; fi
}

shut_down_builder() {
  phase 'builder shut down'
  on one 'systemctl poweroff'
  shutdown_seconds=$(wait_for_address two)
  wait_for 60 'the builder to be off' "! kill -0 $(cat "$place/one/pid") 2> /dev/null"
  boot one
  move_address_back
}

stop_nginx() {
  phase 'nginx stopped'
  on one 'systemctl stop nginx'
  nginx_seconds=$(wait_for_address two)
  sleep 5
  expect_ipv6
  on one 'systemctl start nginx'
  move_address_back
}

lose_replica() {
  phase 'replica lost'
  lose two
  sleep 15
  boot two
  wait_for 90 'the replica to be ready' "on two 'curl --fail --silent --output /dev/null http://127.0.0.1:4000/readyz'"
  wait_for_same_snapshot
}

lose_builder() {
  # keepalived on the replica, which has just booted, takes the address only after five good checks.
  sleep 15
  phase 'builder lost'
  # In the middle of a copy.
  on one "sed --in-place=.kept '2i sleep 300' /usr/local/sbin/almanakk-sync"
  on two 'systemctl start --no-block almanakk-sync@10.0.0.11'
  sleep 3
  on two 'systemctl show --property ActiveState almanakk-sync@10.0.0.11' | grep activating
  lose one
  local begun=$SECONDS
  mv "$place/one/root/usr/local/sbin/almanakk-sync.kept" "$place/one/root/usr/local/sbin/almanakk-sync"
  builder_seconds=$(wait_for_address two)
  wait_for 120 'the copy to fail' "on two 'systemctl is-failed --quiet almanakk-sync@10.0.0.11'"
  copy_seconds=$((SECONDS - begun))
  boot one
  move_address_back
  on one 'systemctl is-active almanakk@build almanakk@4000 almanakk@4001 nginx keepalived'
  on one 'almanakk rebuild --force --wait 60 > /dev/null'
  wait_for_same_snapshot
}

put_next_on() {
  local name
  for name in one two; do cp "$checkout/next/almanakk-$next.tgz" "$place/$name/root/root/guide"; done
}

upgrade_both() {
  local before format
  if running; then
    phase 'upgrade'
    put_next_on
    before=$(state)
    format=$(format_of one)
    follow one upgrading.md 'rebuild --trial' "s/NEXT/$next/"
    follow one upgrading.md '^almanakk-setup almanakk-NEXT' "s/NEXT/$next/"
    follow one upgrading.md '^almanakk-switch almanakk-NEXT' "s/NEXT/$next/"
    expect 'format of the builder' $((format + 1)) "$(format_of one)"
    sleep 10
    expect 'format of the replica that has not been upgraded' "$format" "$(format_of two)"
    on two 'curl --fail --silent --output /dev/null http://127.0.0.1:4000/readyz'
  fi
  follow two two-machines.md '^almanakk-install almanakk-NEXT' "s/NEXT/$next/"
  if ! running; then return; fi
  wait_for_same_snapshot
  expect 'format of the replica' $((format + 1)) "$(format_of two)"
  expect 'version of the replica' "$next" "$(version_of two)"
  expect 'state after the upgrade' "$before" "$(state)"
  phase 'going back'
  follow one upgrading.md '^almanakk-switch almanakk-PREVIOUS' "s/PREVIOUS/$current/"
  follow two upgrading.md '^almanakk-switch almanakk-PREVIOUS' "s/PREVIOUS/$current/"
  wait_for_same_snapshot
  expect 'format after going back' "$format $format" "$(format_of one) $(format_of two)"
  expect 'state after going back' "$before" "$(state)"
  upgraded="format $format to $((format + 1)), and back; meanwhile, the replica served the previous format"
}

copy_archive() {
  local archive
  archive=$(on "$1" 'ls /var/backups/almanakk/*.tar.gz | tail -n 1')
  on "$2" 'rm -rf /var/backups/almanakk; mkdir -p --mode 700 /var/backups/almanakk'
  cp "$place/$1/root$archive" "$place/$2/root/var/backups/almanakk/"
}

restore_builder() { follow "$replica" two-machines.md '^echo 10[.]0[.]0[.]11'; }

change_places() {
  local former=$builder
  builder=$replica
  replica=$former
}

# move_builder PHASE: to the replica, and makes the old builder the replica.
move_builder() {
  local before=''
  if running; then
    phase "$1"
    before=$(state)
  fi
  follow "$builder" two-machines.md 'disable --now almanakk@build almanakk-backup'
  if ! running; then follow '' two-machines.md '^age --decrypt'; fi
  if running; then
    copy_archive "$builder" "$replica"
    on "$replica" "almanakk-sync ${address[$builder]}"
  fi
  restore_builder
  if ! running; then
    follow '' two-machines.md '^rm -f /etc/almanakk/replicas'
    return
  fi
  change_places
  expect 'state after the move' "$before" "$(state)"
  become_replica
  follow "$replica" two-machines.md '^rm -f /etc/almanakk/replicas'
  on "$builder" 'almanakk rebuild --force --wait 60 > /dev/null'
  wait_for_same_snapshot
  if on "$replica" 'systemctl is-active --quiet almanakk@build'; then expect 'builder on the replica' inactive active; fi
  expect 'state with both machines' "$before" "$(state)"
}

hide_event() {
  phase 'hidden event'
  hidden=$(on "$builder" 'almanakk-hide "$(curl --fail --silent http://127.0.0.1:4000/events.csv | sed --quiet "2s/,.*//p")"' |
    sed --quiet 's/^hide: .*, after \(.* s here and .* s on the replicas\).*/\1/p')
  if [[ -z $hidden ]]; then expect 'output of almanakk-hide' 'seconds here and on the replicas' 'none'; fi
}

# The marks alone: no picture server runs here.
remove_picture() {
  local machine
  for machine in "$builder" "$replica"; do
    on "$machine" 'mkdir -p /etc/nginx/almanakk-pictures.d
      echo "map \"\" \$picture_secret { default \"of-both-machines\"; }" > /etc/nginx/almanakk-pictures.d/machine.conf'
  done
  on "$builder" 'almanakk-remove-picture https://bilder.example/konsert.jpg'
  on "$replica" 'almanakk-sync 10.0.0.11'
  expect 'marks of the removed picture on the replica' 3 "$(on "$replica" 'ls /etc/nginx/almanakk-pictures.d/removed | wc --lines')"
}

lose_builder_for_good() {
  local before
  phase 'builder lost for good'
  # The archive is from before this key and this edit, and shows the event.
  on one 'almanakk keys issue --app Storvik' > /dev/null
  on one "sed --in-place '0,/Språkkafé/s//Språkkafeen/' /srv/almanakk/events.json"
  on one 'almanakk-hide "$(curl --fail --silent http://127.0.0.1:4000/events.csv | sed --quiet "2s/,.*//p")"'
  on two 'almanakk-sync 10.0.0.11'
  wait_for_same_snapshot
  before=$(state)
  cp "$place/one/root/root/backup-identity.txt" "$place/identity"
  lose one
  wait_for_address two > /dev/null
  # From where the passwords are kept.
  cp "$place/identity" "$place/two/root/root/backup-identity.txt"
  on two 'rm -rf /var/backups/almanakk'
  follow two two-machines.md '^age --decrypt'
  restore_builder
  change_places
  wait_for 60 'an answer after the restore' "ask '{ __typename }' | grep --quiet '\"data\"'"
  expect 'state after the loss' "$before" "$(state)"
  on two 'almanakk rebuild --force --wait 60 > /dev/null'
  wait_for 30 'the edit in an answer' "ask '{ events(pageSize: 1000) { data { title_nb } } }' | grep --quiet 'Språkkafeen'"
  expect 'state after the next build' "$before" "$(state)"
}

write_record() {
  local name
  cat > /root/debian-pair-run.md << END
# The guide for two Debian machines on booted systems

\`.ci/debian-pair.sh\` writes this file.

## Run

| | two machines with Debian $(on two 'cut --delimiter . --fields 1 /etc/debian_version') |
|---|---|
| finished | $(date --utc '+%Y-%m-%d %H:%M UTC') |
| package | \`$(on two 'almanakk --version')\` |
| machines | Debian $(on two 'cat /etc/debian_version'), booted with $(on two 'systemctl --version' | sed -n '1s/ (.*//p') in two containers on one computer, Node $(on two 'node --version'), $(on two 'keepalived --version 2>&1' | sed -n '1s/^\(Keepalived [^ ]*\).*/\1/p') |
| what was run | $steps blocks of commands, in $SECONDS s. From another address, 50 callers at the floating address, with a connection for each request; each asks again half a second after its last answer |
| both machines run | $(requests_in 'both machines run') |
| an address tries to hold 3,000 slow connections to nginx | it had at most $(cat "$place/most") at once; for the others, $(requests_in 'slow connections') |
| ten addresses hold slow connections, 300 each | they had $most_of_many at once; for the others, $(requests_in 'slow connections from many') |
| both servers of the builder are stopped | the address stays, and nginx uses the replica's servers; $(requests_in 'servers stopped') |
| all four servers are stopped, and started again | the address stays, and callers get $without_servers; $(requests_in 'no server') |
| the builder is overloaded: it has one core, builds a large calendar again and again, and ten addresses each keep 50 requests under way | $large events, and $builds builds; the address changed its machine $load_changes times in $load_seconds s; $load_checks checks failed; of these requests, $flooded; for the others, $(requests_in load) |
| \`systemctl stop nginx\` on the builder, and start | the address moved after $nginx_seconds s, and the floating IPv6 address with it, stayed, and was moved back; $(requests_in 'nginx stopped') |
| nginx is frozen on the builder (\`kill -STOP\` to all its processes), and continues | the address moved after $frozen_seconds s, and then stayed; moved back afterwards; $(requests_in 'nginx frozen') |
| nginx stops on both machines, and starts again | neither has the address, and the alert \`FloatingAddressFails\` fires; the first answer $nginx_back_seconds s after the start; $(requests_in 'no nginx') |
| the link between the machines is cut, but not that to callers | after $split_seconds s, both have the address, their metrics say so, and the alert fires; $(requests_in 'link cut') |
| the link works again | after $joined_seconds s, only the builder has the address, and the alert ends; $(requests_in 'link restored') |
| the builder is shut down, and boots again | the address moved after $shutdown_seconds s, stayed, and was moved back; $(requests_in 'builder shut down') |
| the replica is cut off, and boots again | $(requests_in 'replica lost') |
| the builder is cut off, and boots again | a copy was under way, and failed after $copy_seconds s; the address moved after $builder_seconds s, stayed, and was moved back; $(requests_in 'builder lost') |
| an event is hidden | gone after $hidden; $(requests_in 'hidden event') |
| upgrade of both to another snapshot format | $upgraded: $(requests_in upgrade). Going back: $(requests_in 'going back') |
| the builder moves to the replica, which changes places with it | the same ids, slugs, keys and hidden event; $(requests_in move) |
| it moves back | the same; $(requests_in 'move back') |
| the builder is lost for good, and the replica becomes the builder | the same, with a key, an edit and a hidden event that are newer than the archive, from the replica's own copies; $(requests_in 'builder lost for good') |
| not covered | two computers and the network between them, a certificate of Let's Encrypt, a provider's floating address, DNS records and a load balancer${NOTE:+. $NOTE} |
END
}

follow_page() {
  set_up_builder
  set_up_replica
  set_up_failover
  if running; then
    watch_requests "$floating" "https://$domain" 'both machines run'
    sleep 15
    expect_ipv6
    hold_connections
    hold_connections_from_many
    stop_servers
    stop_all_servers
    load_holder
    stop_nginx
    freeze_nginx
    stop_nginx_on_both
    cut_link
    shut_down_builder
    lose_replica
    lose_builder
    hide_event
    remove_picture
  fi
  upgrade_both
  move_builder move
  if running; then
    move_builder 'move back'
    lose_builder_for_good
  fi
}

case $mode in
  print)
    follow_page
    ;;
  run | nginx | varnish | encrypted)
    tree=$(realpath "${2:?expected the folder of a Debian system}")
    if ip link show "$bridge" &> /dev/null; then
      echo "debian-pair.sh: expected no other run, found the bridge $bridge. Of a run that was killed, remove it: ip link delete $bridge" >&2
      exit 1
    fi
    trap clean_up EXIT
    prepare
    boot one
    boot two
    if [[ $mode = run ]]; then
      follow_page
      write_record
    elif [[ $mode = encrypted ]]; then
      follow_link
    else
      follow_cdn "$mode"
    fi
    ;;
  *)
    echo "debian-pair.sh: expected run, nginx, varnish, encrypted or print, found $mode" >&2
    exit 1
    ;;
esac
