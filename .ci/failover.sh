# For debian-pair.sh: loads the machine that has the floating address, freezes its nginx, cuts the link between both machines, and stops nginx on both.
large=20000

# watch_address: notes each time that a machine gets or loses the floating address.
watch_address() {
  local name
  watchers=()
  for name in one two; do
    nsenter --target "$(cat "$place/$name/init")" --net ip monitor address > "$place/$name/addresses" &
    watchers+=($!)
  done
}

end_watch() {
  kill "${watchers[@]}"
  wait "${watchers[@]}" 2> /dev/null || true
}

# How often that was. A move counts twice: one machine loses the address, and the other one gets it.
changes_of_address() { cat "$place"/{one,two}/addresses | grep --count " $floating/" || true; }

# pin MACHINE CPUS: its processes run on these, and so do those that they start.
pin() {
  on "$1" "for folder in /proc/[0-9]*; do taskset --all-tasks --pid --cpu-list $2 \"\${folder#/proc/}\" > /dev/null 2>&1 || true; done"
}

rebuild_all() {
  on one 'almanakk rebuild --force --wait 300 > /dev/null'
  wait_for_same_snapshot
}

enlarge_calendar() {
  phase 'large calendar'
  on one 'mv /srv/almanakk /srv/small'
  (
    cd "$checkout"
    FOLDER=$place/one/root/srv/almanakk EVENTS=$large node --import tsx --input-type=module --eval '
      const { writeSource } = await import("./test/bench/source/events.ts");
      const { FOLDER: folder, EVENTS: events } = process.env;
      await writeSource({ folder, events: Number(events), seed: 1, now: Date.now(), dates: "few" });'
  )
  # A replica accepts no other licence.
  on one 'cp /srv/small/licence.json /srv/almanakk && chgrp --recursive almanakk /srv/almanakk && chmod 2750 /srv/almanakk'
  rebuild_all
}

shrink_calendar() {
  phase 'small calendar'
  on one 'rm -r /srv/almanakk && mv /srv/small /srv/almanakk'
  rebuild_all
}

# The worst case for the check: all that runs on the machine with the address shares one core, while the other machine has one for itself, and answers
# at once.
load_holder() {
  local from floods=() end begun
  enlarge_calendar
  pin one 0
  pin two 1
  phase load
  watch_address
  touch "$place/flood"
  begun=$(date +%s)
  for from in $many_addresses; do
    FROM=$from probes "$floating" flood "https://$domain" 50 > "$place/flood-$from" &
    floods+=($!)
  done
  builds=0
  end=$((SECONDS + 90))
  while ((SECONDS < end)); do
    on one 'taskset --cpu-list 0 almanakk rebuild --force --wait 300 > /dev/null'
    builds=$((builds + 1))
  done
  load_seconds=$(($(date +%s) - begun))
  rm "$place/flood"
  wait "${floods[@]}"
  end_watch
  load_changes=$(changes_of_address)
  load_checks=$(failed_checks one "$begun")
  flooded=$(count_statuses)
  expect 'changes of the floating address under load' 0 "$load_changes"
  pin one 0-1
  pin two 0-1
  shrink_calendar
}

# How many requests of the flood had each status; 0 is none within half a minute.
count_statuses() {
  cat "$place"/flood-* | awk '{ count[$1] += $2 } END { for (status in count) print status, count[status] }' | sort |
    sed -e 's/^0 \(.*\)/\1 without an answer/; s/^\(...\) \(.*\)/\2 with \1/' | paste --serial --delimiters , | sed 's/,/, /g'
}

# failed_checks MACHINE SECONDS: how often keepalived has noted since then that a check failed or took too long.
failed_checks() {
  on "$1" "journalctl --unit keepalived --since @$2 --output cat" | grep --count --extended-regexp 'now returning [1-9]|timed out' || true
}

# Connections to a stopped process are still accepted, but nobody answers.
freeze_nginx() {
  phase 'nginx frozen'
  watch_address
  on one 'pkill --signal STOP --exact nginx'
  frozen_seconds=$(wait_for_address two)
  sleep 10
  on one 'pkill --signal CONT --exact nginx'
  sleep 20
  end_watch
  expect 'changes of the floating address when nginx was frozen, and afterwards' 2 "$(changes_of_address)"
  move_address_back
}

# What both machines say for Prometheus: how many hold the address.
holders() { cat "$place"/{one,two}/root/var/lib/prometheus/node-exporter/almanakk-failover.prom | awk '{ sum += $2 } END { print sum + 0 }'; }

wait_for_holders() { wait_for 90 "metrics of $1 machines with the floating address" "[[ \$(holders) = $1 ]]"; }

# expect_alert LIST: what FloatingAddressFails fires if these metrics last for ten minutes, by the rules of docs/alerts.yml.
expect_alert() {
  local name
  {
    printf 'rule_files: [%s]\nevaluation_interval: 1m\ntests:\n  - interval: 1m\n    input_series:\n' "$checkout/docs/alerts.yml"
    for name in one two; do
      sed "s/^\(.*\)} \(.*\)/      - { series: '\1,job=\"almanakk-machines\",instance=\"${address[$name]}:9100\"}', values: '\2x20' }/" \
        "$place/$name/root/var/lib/prometheus/node-exporter/almanakk-failover.prom"
    done
    printf '    promql_expr_test:\n      - expr: group by (alertname) (ALERTS{alertname="FloatingAddressFails",alertstate="firing"})\n'
    printf '        eval_time: 10m\n        exp_samples: [%s]\n' "$1"
  } > "$place/alert.yml"
  promtool test rules "$place/alert.yml"
}
firing="{ labels: '{alertname=\"FloatingAddressFails\"}', value: 1 }"

# Callers still reach both machines. Each takes the other one for lost.
cut_link() {
  phase 'link cut'
  watch_address
  on one 'nft -f -' << END
table inet link {
  chain from { type filter hook input priority -10; ip saddr ${address[two]} drop; }
  chain to { type filter hook output priority -10; ip daddr ${address[two]} drop; }
}
END
  split_seconds=$(wait_for_address two)
  if ! has_address one; then expect 'floating address' 'on both machines' 'on the replica alone'; fi
  wait_for_holders 2
  expect_alert "$firing"
  sleep 20
  phase 'link restored'
  local begun=$EPOCHREALTIME
  on one 'nft delete table inet link'
  wait_for 30 'the floating address on one machine' '! has_address two'
  joined_seconds=$(seconds_since "$begun")
  wait_for_holders 1
  expect_alert ''
  sleep 10
  end_watch
  expect 'changes of the floating address when the link was cut and restored' 2 "$(changes_of_address)"
  if ! has_address one; then expect 'floating address' 'on the builder' 'elsewhere'; fi
}

stop_nginx_on_both() {
  local name begun
  phase 'no nginx'
  for name in two one; do on "$name" 'systemctl stop nginx'; done
  wait_for 30 'the floating address on no machine' '! has_address one && ! has_address two'
  wait_for_holders 0
  expect_alert "$firing"
  begun=$EPOCHREALTIME
  for name in one two; do on "$name" 'systemctl start nginx'; done
  wait_for 60 'an answer with nginx' "ask '{ __typename }' | grep --quiet '\"data\"'"
  nginx_back_seconds=$(seconds_since "$begun")
  wait_for_holders 1
  expect_alert ''
  if has_address two; then move_address_back; fi
}
