# For debian-pair.sh: follows docs/cdn.md with nginx or Varnish in place of a CDN. It runs on this computer, in front of the two machines.
cdn_address=10.0.0.1
declare -A cdn_url=([nginx]=https://$domain:8443 [varnish]=http://$domain:6081)
declare -A found

follow_cdn() {
  local cdn=$1
  set_up_builder
  set_up_replica
  share_servers
  admit_cdn
  "start_$cdn"
  wait_for 30 "an answer through $cdn" "[[ \$(status_of $cdn /readyz) = 200 ]]"
  watch_requests "$cdn_address" "${cdn_url[$cdn]}" 'both run'
  sleep 60
  "stop_one_for_$cdn"
  cut_off_replica
  rm "$place/watching"
  check_responses "$cdn"
  end_event "$cdn"
  hide "$cdn" without-purge
  hide "$cdn" with-purge
  stop_both "$cdn"
  write_cdn_record "$cdn"
}

# Files of docs/cdn.md, which almanakk-sync copies to the replica.
admit_cdn() {
  openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -noenc -days 2 -subj /CN=cdn -keyout "$place/cdn-client.key" -out "$place/cdn-client.pem" 2> /dev/null
  on one 'mkdir -p /etc/nginx/almanakk.d'
  blocks cdn.md '^set_real_ip_from' nginx |
    sed -e "s|192.0.2.0/24|$cdn_address|" -e '/^real_ip_header /d; s/^# real_ip/real_ip/' | on one 'cat > /etc/nginx/almanakk.d/callers.conf'
  blocks cdn.md '^ssl_client_certificate' nginx | on one 'cat > /etc/nginx/almanakk.d/cdn.conf'
  on one 'cat > /etc/nginx/almanakk.d/cdn.pem' < "$place/cdn-client.pem"
  on one 'nginx -t && systemctl reload nginx'
  on two 'almanakk-sync 10.0.0.11'
  local name
  # Only for Varnish, which requests the servers themselves.
  for name in one two; do
    on "$name" "sed -i 's/^ALMANAKK_TRUST_PROXY=.*/&,$cdn_address/' /etc/almanakk/.env
      sed -i -e '/ct count/d' -e 's/{ 10.0.0.11, 10.0.0.12 } tcp/{ $cdn_address, 10.0.0.11, 10.0.0.12 } tcp/' /etc/nftables.conf
      systemctl reload nftables
      almanakk-restart"
  done
  for name in one two; do
    expect "a direct request to $name" 403 "$(curl --silent --output /dev/null --write-out '%{http_code}' --insecure "https://${address[$name]}/readyz")"
  done
}

start_nginx() {
  local folder=$place/nginx key=$place/one/root/etc/letsencrypt/live/$domain/privkey.pem
  mkdir -p "$folder"
  sed -e "s/kalender\.example/$domain/g; s/listen 443 ssl http2 default_server/listen $cdn_address:8443 ssl http2/; /listen \[/d" \
    -e "s|/etc/letsencrypt/live/$domain/fullchain.pem|$place/certificate.pem|; s|/etc/letsencrypt/live/$domain/privkey.pem|$key|" \
    -e "s|/etc/ssl/certs/ca-certificates.crt|$place/certificate.pem|; s|/etc/nginx/cdn-client|$place/cdn-client|; s|/var/lib/nginx/almanakk|$folder/cache|" \
    "$checkout/docs/examples/caching-proxy.conf" > "$folder/proxy.conf"
  cat > "$folder/nginx.conf" << END
pid $folder/pid;
error_log $folder/error.log;
events { worker_connections 4096; }
http {
  access_log off;
  include proxy.conf;
}
END
  nginx -p "$folder" -c "$folder/nginx.conf"
}

start_varnish() {
  sed "s/kalender\.example/$domain/g" "$checkout/docs/examples/caching-proxy.vcl" > "$place/caching-proxy.vcl"
  # Without its jail, which needs users of its own.
  varnishd -j none -n "$place/varnish" -P "$place/varnish.pid" -a "$cdn_address:6081" -f "$place/caching-proxy.vcl" -s malloc,64m > "$place/varnish.log" 2>&1
}

stop_cdns() {
  local file
  for file in "$place/nginx/pid" "$place/varnish.pid"; do
    if [[ -e $file ]]; then kill "$(cat "$file")" 2> /dev/null || true; fi
  done
}

purge_nginx() { find "$place/nginx/cache" -type f -delete; }
purge_varnish() { varnishadm -n "$place/varnish" 'ban obj.status != 0' > /dev/null; }

# through CDN PATH OPTIONS: a request with curl.
through() {
  local cdn=$1 path=$2
  shift 2
  curl --silent --resolve "$domain:8443:$cdn_address" --resolve "$domain:6081:$cdn_address" --cacert "$place/certificate.pem" --max-time 20 "$@" \
    "${cdn_url[$cdn]}$path" || true
}

status_of() { through "$1" "$2" --output /dev/null --write-out '%{http_code}' "${@:3}"; }

# header_of NAME CDN PATH OPTIONS: its value in the response.
header_of() { through "${@:2}" --output /dev/null --dump-header - | tr -d '\r' | sed --quiet "s/^$1: //Ip"; }

stop_one_for_nginx() {
  phase 'one stops'
  on one 'systemctl stop nginx'
  sleep 20
  on one 'systemctl start nginx'
  sleep 10
}

stop_one_for_varnish() {
  phase 'one stops'
  on one 'systemctl stop almanakk@4000 almanakk@4001'
  sleep 20
  on one 'systemctl start almanakk@4000 almanakk@4001'
  wait_for_ready one
  sleep 10
}

wait_for_ready() { wait_for 90 "$1 to be ready" "on $1 'curl --fail --silent --output /dev/null http://127.0.0.1:4001/readyz'"; }

cut_off_replica() {
  phase 'cut off'
  lose two
  sleep 20
  boot two
  wait_for_ready two
  wait_for_same_snapshot
  sleep 10
}

check_responses() {
  local cdn=$1 list='/events.json?pageSize=50' gzip='Accept-Encoding: gzip' tag
  tag=$(header_of etag "$cdn" "$list" --header "$gzip")
  expect 'status of a conditional request' 304 "$(status_of "$cdn" "$list" --header "$gzip" --header "If-None-Match: $tag")"
  expect 'coding for a client that accepts gzip' gzip "$(header_of content-encoding "$cdn" "$list" --header "$gzip")"
  expect 'coding for a client that accepts none' '' "$(header_of content-encoding "$cdn" "$list" --header 'Accept-Encoding: identity')"
  expect 'status of /status' 403 "$(status_of "$cdn" /status)"
}

# watch_text CDN TEXT: writes to `gone` when the list last had the text.
watch_text() {
  probes "$cdn_address" gone "${cdn_url[$1]}/events.json?pageSize=250" "$2" > "$place/gone" &
  watcher=$!
}

# seconds_after MILLISECONDS: from then to when the list last had the text, once the watcher has ended.
seconds_after() {
  awk -v from="$1" -v to="$(cat "$place/gone")" 'BEGIN { printf "%.1f", (to - from) / 1000 }'
}

oslo() { TZ=Europe/Oslo date --date "@$1" '+%Y-%m-%d %H:%M:%S'; }

# An event in the builder's source that ends 45 seconds later.
end_event() {
  local cdn=$1 ends
  ends=$(($(date +%s) + 45))
  on one "ID=ends-with-$cdn STARTS='$(oslo $((ends - 3600)))' ENDS='$(oslo "$ends")' node --eval '
    const { readFileSync, writeFileSync } = require(\"node:fs\");
    const file = \"/srv/almanakk/events.json\";
    const events = JSON.parse(readFileSync(file, \"utf8\"));
    const { ID: id, STARTS: start, ENDS: end } = process.env;
    events.push({ id, title_nb: id, categories: [\"MUSIC\"], dates: [{ start, end }] });
    writeFileSync(file, JSON.stringify(events));
    '
    almanakk rebuild --wait 60 > /dev/null"
  wait_for_same_snapshot
  watch_text "$cdn" "\"ends-with-$cdn\""
  wait "$watcher"
  found[over]=$(seconds_after $((ends * 1000)))
}

# hide CDN WAY: the first event of the list, which is in the cache.
hide() {
  local cdn=$1 way=$2 id finished
  id=$(through "$cdn" '/events.csv?pageSize=5' | sed --quiet '2s/,.*//p')
  watch_text "$cdn" "\"$id\""
  sleep 2
  on one "almanakk-hide '$id'"
  finished=$(date +%s%3N)
  if [[ $way = with-purge ]]; then "purge_$cdn"; fi
  wait "$watcher"
  found[$way]=$(seconds_after "$finished")
}

# Without a server on either machine, the CDN has no answer for requests that are not in its cache.
stop_both() {
  local cdn=$1 list='/events.json?pageSize=77' name ready
  for name in one two; do on "$name" 'systemctl stop almanakk@4000 almanakk@4001'; done
  found[down]=$(status_of "$cdn" "$list")
  for name in two one; do on "$name" 'systemctl start almanakk@4000 almanakk@4001'; done
  for name in two one; do wait_for_ready "$name"; done
  ready=$(date +%s%3N)
  wait_for 60 "an answer through $cdn" "[[ \$(status_of $cdn '$list') = 200 ]]"
  found[up]=$(awk -v from="$ready" -v to="$(date +%s%3N)" 'BEGIN { printf "%.1f", (to - from) / 1000 }')
}

# relative SECONDS: such as `0.3 s before`.
relative() {
  if [[ $1 = -* ]]; then echo "${1#-} s before"; else echo "$1 s after"; fi
}

in_front() {
  case $1 in
    nginx) echo "nginx $(nginx -v 2>&1 | sed 's|.*/||') with \`caching-proxy.conf\`" ;;
    varnish) echo "Varnish $(varnishd -V 2>&1 | sed --quiet '1s/.*(varnish-\([0-9.]*\).*/\1/p') with \`caching-proxy.vcl\`" ;;
  esac
}

declare -A title=([nginx]=nginx [varnish]=Varnish)
# What stops on one machine.
declare -A stopped=([nginx]=nginx [varnish]='both servers')

write_cdn_record() {
  local cdn=$1
  cat > "/root/cdn-run-$cdn.md" << END
# Two machines behind ${title[$cdn]}

\`.ci/debian-pair.sh\` writes this file.

## Run

| | ${title[$cdn]} |
|---|---|
| finished | $(date --utc '+%Y-%m-%d %H:%M UTC') |
| package | \`$(on two 'almanakk --version')\` |
| in front | $(in_front "$cdn") |
| machines | two with Debian $(on two 'cat /etc/debian_version'), booted in containers on one computer, Node $(on two 'node --version') |
| requests | 50 callers, with a connection for each request. Each asks again half a second after its last answer. Half of the requests may be cached |
| both machines run, for a minute | $(requests_in 'both run') |
| on one machine, this stops for 20 seconds | ${stopped[$cdn]}; $(requests_in 'one stops') |
| one machine is cut off, and boots again | $(requests_in 'cut off') |
| an event ends | last shown $(relative "${found[over]}") its end |
| an event is hidden, without a purge | last shown $(relative "${found[without-purge]}") the end of \`almanakk-hide\` |
| an event is hidden, with a purge | last shown $(relative "${found[with-purge]}") the end of \`almanakk-hide\` |
| all servers stop, and start again | ${found[down]}; the first answer ${found[up]} s after the servers are ready |
| conditional requests; codings; \`/status\` | 304; gzip, or none for clients without it; 403 |
| not covered | a commercial CDN with its health checks and its many places, and two computers with the network between them${NOTE:+. $NOTE} |
END
}
