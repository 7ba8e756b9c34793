# For debian-pair.sh: reads what crosses the link between both machines, first as it is without encryption, then with each way of docs/two-machines.md
# to encrypt it.
declare -A link=([one]=10.0.1.11 [two]=10.0.1.12)
declare -A crossed

follow_link() {
  set_up_builder
  set_up_replica
  share_servers
  metrics_token=$(setting_of one ALMANAKK_METRICS_TOKEN)
  snapshots_token=$(setting_of one ALMANAKK_SNAPSHOTS_TOKEN)
  # As before there was another way for Prometheus.
  on one 'nft insert rule inet almanakk input ip saddr 10.0.0.1 tcp dport 4000 accept'
  cross_link plain http://10.0.0.11:4000/metrics
  expect 'what is in clear without encryption' "$(everything)" "${crossed[plain]}"
  on one 'systemctl reload nftables'
  admit_prometheus
  fetch_by_https
  cross_link https "https://$domain/metrics/4000"
  expect 'what is in clear with HTTPS' 'the path of a request' "${crossed[https]}"
  set_up_wireguard
  check_ports
  cross_link wireguard "https://$domain/metrics/4000"
  expect 'what is in clear with WireGuard' nothing "${crossed[wireguard]}"
  scrape_machines
  reboot_builder
  cross_link rebooted "https://$domain/metrics/4000"
  expect 'what is in clear after the builder was cut off' nothing "${crossed[rebooted]}"
  hide_event
  write_link_record
}

# Other runs have no encryption.
print_link() {
  local block
  for block in '^wg pubkey' 'enable --now wg-quick' 'ALMANAKK_ORIGIN=https'; do follow two two-machines.md "$block"; done
}

everything() { echo 'the token of snapshots, an unpublished event, the path of a request, the token of the metrics'; }

setting_of() { on "$1" "sed -n 's/^$2=//p' /etc/almanakk/.env"; }

# cross_link NAME METRICS: all that the link is for, while the packets of the builder are recorded. Sets crossed[NAME] to what is in clear in them.
cross_link() {
  local name=$1 before recorder
  tcpdump -i vb-almanakk-one -s 0 -U -Z root -w "$place/$name.pcap" "host ${address[one]}" 2> "$place/$name.tcpdump" &
  recorder=$!
  wait_for 10 'tcpdump to listen' "grep --quiet --no-messages 'listening on' $place/$name.tcpdump"
  before=$(snapshot_of two)
  add_unpublished_event "$name"
  wait_for_same_snapshot
  if [[ $(snapshot_of two) = "$before" ]]; then expect 'snapshot of the replica' 'another one' "$before"; fi
  pass_request "$name"
  expect "status of the metrics" 200 "$(curl --silent --output /dev/null --write-out '%{http_code}' --max-time 5 --cacert "$place/certificate.pem" \
    --resolve "$domain:443:${address[one]}" --header "Authorization: Bearer $metrics_token" "$2" || true)"
  sleep 1
  kill "$recorder"
  wait "$recorder" || true
  crossed[$name]=$(in_clear "$name")
}

add_unpublished_event() {
  on one "ID=unpublished-$1 node --eval '
    const { readFileSync, writeFileSync } = require(\"node:fs\");
    const file = \"/srv/almanakk/events.json\";
    const events = JSON.parse(readFileSync(file, \"utf8\"));
    const { ID: id } = process.env;
    const dates = [{ start: \"2027-05-17 12:00\", end: \"2027-05-17 13:00\" }];
    events.push({ id, title_nb: id, categories: [\"MUSIC\"], publishingDate: \"2027-05-01 08:00\", dates });
    writeFileSync(file, JSON.stringify(events));
    '
    almanakk rebuild --wait 60 > /dev/null"
}

# A caller's request to the replica, which has no server of its own at that moment.
pass_request() {
  on two 'systemctl stop almanakk@4000 almanakk@4001'
  expect 'status of a request that nginx passes to the other machine' 200 "$(curl --silent --output /dev/null --write-out '%{http_code}' --max-time 10 \
    --cacert "$place/certificate.pem" --resolve "$domain:443:${address[two]}" "https://$domain/events.json?municipality=path-with-$1" || true)"
  on two 'systemctl start almanakk@4000 almanakk@4001'
  wait_for 90 'the replica to be ready' "on two 'curl --fail --silent --output /dev/null http://127.0.0.1:4001/readyz'"
}

in_clear() {
  local found=()
  if is_in "$1" "$snapshots_token"; then found+=('the token of snapshots'); fi
  if has_event "$1"; then found+=('an unpublished event'); fi
  if is_in "$1" "path-with-$1"; then found+=('the path of a request'); fi
  if is_in "$1" "$metrics_token"; then found+=('the token of the metrics'); fi
  if ((${#found[@]} == 0)); then found=(nothing); fi
  printf '%s, ' "${found[@]}" | sed 's/, $//'
}

# The snapshot crosses in compressed form, which anyone can decompress: whether parts of its bytes are there.
has_event() {
  PCAP=$place/$1.pcap TITLE=unpublished-$1 SNAPSHOT=$(echo "$place/two/root$snapshots"/calendar-"$(snapshot_of two)".sqlite.br) node --eval '
    const { readFileSync } = require("node:fs");
    const { brotliDecompressSync } = require("node:zlib");
    const snapshot = readFileSync(process.env.SNAPSHOT);
    if (!brotliDecompressSync(snapshot).includes(process.env.TITLE)) throw new Error(`expected ${process.env.TITLE} in the snapshot, found none`);
    const packets = readFileSync(process.env.PCAP);
    const places = [0.1, 0.3, 0.5, 0.7, 0.9].map((part) => Math.floor(snapshot.length * part));
    process.stdout.write(`${places.some((at) => packets.includes(snapshot.subarray(at, at + 64)))}`);
  ' > "$place/has-event"
  case $(cat "$place/has-event") in
    true) return 0 ;;
    false) return 1 ;;
    *) expect 'a snapshot with the unpublished event' 'true or false' 'another output' ;;
  esac
}

is_in() { grep --quiet --text --fixed-strings "$2" "$place/$1.pcap"; }

# almanakk-sync copies the file to the replica.
admit_prometheus() {
  sed 's/192\.0\.2\.10/10.0.0.1/' "$checkout/docs/examples/metrics.conf" | on one 'mkdir -p /etc/nginx/almanakk.d && cat > /etc/nginx/almanakk.d/metrics.conf
    nginx -t && systemctl reload nginx'
  on two 'almanakk-sync 10.0.0.11'
}

fetch_by_https() {
  # The machines know the domain only from this file, and the certificate is no real one.
  on two "sed --in-place 's/ $domain//' /etc/hosts"
  follow two two-machines.md 'ALMANAKK_ORIGIN=https'
  on two 'mkdir -p /etc/systemd/system/almanakk@.service.d
    printf "[Service]\nEnvironment=NODE_EXTRA_CA_CERTS=/etc/almanakk/ca.pem\n" > /etc/systemd/system/almanakk@.service.d/ca.conf
    cat > /etc/almanakk/ca.pem
    systemctl daemon-reload
    almanakk-restart' < "$place/certificate.pem"
}

set_up_wireguard() {
  local name other key
  for name in one two; do follow "$name" two-machines.md '^wg pubkey'; done
  for name in one two; do
    if [[ $name = one ]]; then other=two; else other=one; fi
    key=$(on "$other" 'wg pubkey < /etc/wireguard/private.key')
    on "$name" "sed --in-place 's|PUBLIC-KEY-OF-THE-OTHER-MACHINE|$key|' /etc/wireguard/wg0.conf
      sed --in-place -e '/ip saddr { 10.0.0.11, 10.0.0.12 } tcp dport { 4000, 4001 }/d' -e 's/# \\(iifname \"wg0\"\\)/\\1/' /etc/nftables.conf"
  done
  on two 'sed --in-place "s/\(10\.0\.[01]\.\)11/\1OTHER/; s/\(10\.0\.[01]\.\)12/\111/; s/OTHER/12/" /etc/wireguard/wg0.conf'
  for name in one two; do follow "$name" two-machines.md 'enable --now wg-quick'; done
  on one "sed --in-place 's/server 10.0.0.12/server ${link[two]}/' /etc/nginx/conf.d/almanakk.conf && systemctl reload nginx
    echo ${link[two]} > /etc/almanakk/replicas"
  on two "sed --in-place 's/server 10.0.0.11/server ${link[one]}/' /etc/nginx/conf.d/almanakk.conf && systemctl reload nginx
    sed --in-place '/ $domain\$/d' /etc/hosts"
  for name in one two; do on "$name" almanakk-restart; done
}

is_open() { timeout 2 bash -c "exec 3<> /dev/tcp/$1/$2" 2> /dev/null; }
is_open_from() { on "$1" "timeout 2 bash -c 'exec 3<> /dev/tcp/$2/$3' 2> /dev/null"; }

# Both servers accept connections to all addresses of the machine, so that a port that is closed is closed by the firewall.
check_ports() {
  local name other port
  for name in one two; do
    if [[ $name = one ]]; then other=two; else other=one; fi
    for port in 80 443; do
      if ! is_open "${address[$name]}" "$port"; then expect "port $port of $name" open closed; fi
    done
    for port in 4000 4001; do
      if is_open "${address[$name]}" "$port"; then expect "port $port of $name for others" closed open; fi
      if is_open_from "$other" "${address[$name]}" "$port"; then expect "port $port of $name without WireGuard" closed open; fi
      if ! is_open_from "$other" "${link[$name]}" "$port"; then expect "port $port of $name through WireGuard" open closed; fi
    done
    check_wireguard_port "$name" "${address[$other]}"
  done
}

# Counts the packets that have passed the firewall, from this computer and from the other machine, which sends one every 25 seconds.
check_wireguard_port() {
  on "$1" "nft 'table inet passed {
    chain input { type filter hook input priority 10; udp dport 51820 ip saddr 10.0.0.1 counter; udp dport 51820 ip saddr $2 counter; }
  }'"
  echo needle > "/dev/udp/${address[$1]}/51820"
  wait_for 60 'a packet from the other machine' "[[ \$(passed $1) != *' 0' ]]"
  expect "packets to WireGuard on $1 from elsewhere" 0 "$(passed "$1" | cut --delimiter ' ' --fields 1)"
  on "$1" 'nft delete table inet passed'
}

# Both numbers.
passed() { on "$1" 'nft list table inet passed' | sed --quiet 's/.*packets \([0-9]*\).*/\1/p' | paste --serial --delimiters ' '; }

# A Prometheus on this computer, with the configuration for two machines.
scrape_machines() {
  local folder=$place/prometheus process
  mkdir -p "$folder"
  echo "$metrics_token" > "$folder/token"
  sed -e "s/kalender\.example/$domain/g; s|/etc/prometheus/almanakk.token|$folder/token|; s|/etc/prometheus/alerts.yml|$checkout/docs/alerts.yml|" \
    -e "s|^\( *\)server_name: .*|&\n\1ca_file: $place/certificate.pem|; s/scrape_interval: 30s/scrape_interval: 2s\n    scrape_timeout: 2s/" \
    "$checkout/docs/scrape-machines.yml" > "$folder/prometheus.yml"
  prometheus --config.file="$folder/prometheus.yml" --storage.tsdb.path="$folder/data" --web.listen-address=127.0.0.1:9090 2> "$folder/log" &
  process=$!
  wait_for 60 'the metrics of four servers' '[[ $(servers_up) = 4 ]]'
  kill "$process"
  wait "$process" || true
}

servers_up() {
  curl --silent --get --data-urlencode 'query=sum(up{job="almanakk"})' http://127.0.0.1:9090/api/v1/query | sed --quiet 's/.*"value":\[[^,]*,"\([0-9]*\)".*/\1/p'
}

reboot_builder() {
  lose one
  sleep 5
  boot one
  local begun=$EPOCHREALTIME
  wait_for 90 'the builder through WireGuard' "on two 'curl --fail --silent --output /dev/null --max-time 2 http://${link[one]}:4000/readyz'"
  rebooted_seconds=$(seconds_since "$begun")
}

write_link_record() {
  cat > /root/link-run.md << END
# The encrypted link between two Debian machines

\`.ci/debian-pair.sh\` writes this file.

## Run

| | Debian $(on two 'cut --delimiter . --fields 1 /etc/debian_version') |
|---|---|
| finished | $(date --utc '+%Y-%m-%d %H:%M UTC') |
| package | \`$(on two 'almanakk --version')\` |
| machines | two with Debian $(on two 'cat /etc/debian_version'), booted in containers on one computer, Node $(on two 'node --version') |
| WireGuard | a substitute: $(on two 'dpkg-query --show --showformat "\${Package} \${Version} " wireguard-go') in place of the kernel's module, which this computer lacks. wg-quick found and started it |
| what was done each time | a build with a new unpublished event, which the replica fetched; a request to nginx on the replica, whose servers were stopped, so that nginx passed it to the builder; a request for the metrics of the builder. tcpdump recorded the packets of the builder |
| in clear without encryption | ${crossed[plain]} |
| in clear with HTTPS, and \`metrics.conf\` for Prometheus | ${crossed[https]} |
| in clear with WireGuard, and \`metrics.conf\` for Prometheus | ${crossed[wireguard]} |
| the firewall, with WireGuard | from elsewhere, ports 80 and 443 are open; 4000, 4001 and 51820 (UDP) are not. To the other machine, 4000 and 4001 are open through WireGuard only |
| \`scrape-machines.yml\` | Prometheus read the metrics of all four servers by HTTPS |
| the builder is cut off, and boots again | its servers answer through WireGuard $rebooted_seconds s after systemd; in clear: ${crossed[rebooted]} |
| an event is hidden | gone after $hidden |
| not covered | two computers and the network between them, WireGuard in the kernel, a certificate of Let's Encrypt, the floating address, and a move of the builder with the link. The lines with apt-get were left out, because the packages were installed with the system. npm worked from its cache${NOTE:+. $NOTE} |
END
}
