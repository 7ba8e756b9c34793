#!/usr/bin/env bash
# Runs what docs/containers.md and docs/scaling.md say about the image, with a real engine. Run it as root.
#
#   containers.sh docker  the image; docs/compose.yaml and its scripts, with Docker Compose
#   containers.sh podman  the image; the pods of docs/kubernetes-small.yaml and docs/kubernetes-replicas.yaml, with `podman kube play`;
#                         with STORE, those of docs/kubernetes.yaml
#
# The checkout has one package (`npm pack`). The ports 80, 443 and 4000 have to be free, and there are no containers or volumes named almanakk.
# Adds a row to container-run.md: see record_run in checks.sh.
# NOTE: a sentence for the record about this machine. BUILD: options for the build, such as `--network host`. STORE: the address of the object
# store of `.ci/store.mjs`, as the pods reach it.
set -euo pipefail
engine=${1:?expected docker or podman}
checkout=$(realpath "$(dirname "$0")/..")
folder=$(mktemp --directory)
# Ends the requests in the background, too.
trap 'touch "$folder/stop"' EXIT
site=https://localhost
. "$checkout/.ci/blocks.sh"
. "$checkout/.ci/checks.sh"

fetch() { curl --fail --silent --show-error --insecure "$@"; }

# answers ADDRESS: whether a GraphQL query finds events.
answers() {
  fetch --header 'Content-Type: application/json' --data '{"query":"{ events { totalCount } }"}' "$1/graphQL" | grep --quiet '"totalCount":[1-9]'
}

served() { in_container cat /data/snapshots/manifest.json; }

try_image() {
  in_container() { "$engine" exec almanakk "$@"; }
  # The options of docs/compose.yaml besides those of the page.
  local rights='--detach --memory 1g --cap-drop ALL --security-opt no-new-privileges --tmpfs /tmp:size=256m,mode=1777'
  local start
  start=$(blocks containers.md '^podman run' | grep '^podman run' | sed "s|^podman run|$engine run $rights|")
  local format=''
  if [ "$engine" = podman ]; then format='--format docker'; fi
  cd "$checkout"
  # shellcheck disable=SC2086
  "$engine" build $format ${BUILD:-} --file Containerfile --tag almanakk .
  check 'the image starts as in docs/containers.md, and serves the sample' sh -euc "$start"
  check 'it becomes ready' until_true 60 fetch http://127.0.0.1:4000/readyz
  check 'it answers a query' answers http://127.0.0.1:4000
  check '/status needs the token' test "$(curl --silent --output /dev/null --write-out '%{http_code}' http://127.0.0.1:4000/status)" = 401
  check 'its processes run as user 1000, without any rights' has_no_rights in_container
  check 'it cannot write to its own files' refuses in_container touch /almanakk/new
  check 'the kernel limits its memory' has_memory_limit 1073741824 in_container
  if [ "$engine" = podman ]; then
    check 'the health check of the image passes' podman healthcheck run almanakk
  else
    is_healthy() { test "$(docker inspect --format '{{.State.Health.Status}}' almanakk)" = healthy; }
    check 'the health check of the image passes' until_true 120 is_healthy
  fi
  check 'a key is issued' in_container node dist/jobs/cli.js keys issue --app Avisen
  check '`almanakk check` builds in /tmp' in_container node dist/jobs/cli.js check
  local before
  before=$(served)
  "$engine" restart almanakk > /dev/null
  check 'it is ready after a restart' until_true 60 fetch http://127.0.0.1:4000/readyz
  check 'with the same snapshot' test "$(served)" = "$before"
  local began=$SECONDS
  "$engine" stop almanakk > /dev/null
  check 'it stops within its 15 seconds' test $((SECONDS - began)) -lt 15
  check 'with exit code 0' test "$("$engine" inspect --format '{{.State.ExitCode}}' almanakk)" = 0
  "$engine" rm --force almanakk > /dev/null
  sh -euc "$start" > /dev/null
  check 'another container continues with the volume' until_true 60 fetch http://127.0.0.1:4000/readyz
  check 'and has the key' sh -c "$engine exec almanakk node dist/jobs/cli.js keys list | grep --quiet Avisen"
  "$engine" rm --force almanakk > /dev/null
  "$engine" volume rm almanakk-data > /dev/null
  make_calendar
  sh -euc "cd $folder && ${start/ --volume almanakk-data/ --volume $folder/my-calendar:\/calendar:ro --volume almanakk-data}" > /dev/null
  check 'a calendar of your own replaces the sample' until_true 60 has_own_calendar http://127.0.0.1:4000
  "$engine" rm --force almanakk > /dev/null
  "$engine" volume rm almanakk-data > /dev/null
}

make_calendar() {
  mkdir -p "$folder/my-calendar"
  echo '{ "id": "lillevik", "name": "Lillevik", "categories": [] }' > "$folder/my-calendar/licence.json"
  echo '[{ "id": "jul", "title_nb": "Julekonsert", "dates": [{ "start": "2040-12-19 18:00" }] }]' > "$folder/my-calendar/events.json"
}

has_own_calendar() { fetch "$1/events.json" | grep --quiet Julekonsert; }

in_compose() { docker compose exec --no-TTY almanakk "$@"; }

has_key() { in_compose node dist/jobs/cli.js keys list | grep --quiet Avisen; }

# Requests the calendar until the file `stop` exists, and writes down each code that is not 200.
request_all_the_time() {
  local code
  until [ -e "$folder/stop" ]; do
    code=$(curl --silent --insecure --max-time 60 --output /dev/null --write-out '%{http_code}' "$site/events.json" || true)
    echo "$code" >> "$folder/codes"
    sleep 0.2
  done
}

# Stops the server's process, as a server that hangs would: it accepts connections, and does not answer.
hang() {
  in_compose sh -c 'for folder in /proc/[0-9]*; do
    case $(tr "\0" " " < $folder/cmdline) in node*cli.js\ start*) kill -STOP ${folder#/proc/} ;; esac
  done'
}

# The capabilities that Caddy has or could get: a bit for each.
rights_of_caddy() {
  sed -n 's/^Cap\(Prm\|Bnd\):\s*//p' "/proc/$(docker inspect --format '{{.State.Pid}}' "$(docker compose ps --quiet proxy)")/status" | sort --unique
}

says() { docker compose logs almanakk 2>&1 | grep --quiet "$1"; }

try_compose() {
  in_container() { in_compose "$@"; }
  local scripts=$folder/kalender
  mkdir "$scripts"
  cp "$checkout"/docs/compose.yaml "$checkout"/docs/compose-*.sh "$scripts"
  cd "$scripts"
  printf 'IMAGE=almanakk\nDOMAIN=localhost\nADMIN_TOKEN=%s\n' "$(openssl rand -hex 16)" > .env
  check 'compose.yaml starts, and the server is healthy' docker compose up --detach --wait --wait-timeout 180
  check 'it is ready behind Caddy' until_true 60 fetch "$site/readyz"
  check 'it answers a query' answers "$site"
  check '/status needs the token' test "$(curl --silent --insecure --output /dev/null --write-out '%{http_code}' "$site/status")" = 401
  check 'its processes run as user 1000, without any rights' has_no_rights in_container
  check 'it cannot write to its own files' refuses in_container touch /almanakk/new
  check 'the kernel limits its memory' has_memory_limit 1073741824 in_container
  check 'Caddy has no right except to open ports below 1024' test "$(rights_of_caddy)" = 0000000000000400
  local proxy
  proxy=$(docker compose ps --quiet proxy)
  echo 'ALMANAKK_LOG_FORMAT=json' > almanakk.env
  check 'a setting is changed' docker compose up --detach almanakk
  check 'in the new container' test "$(in_compose printenv ALMANAKK_LOG_FORMAT)" = json
  check 'behind the same Caddy' test "$(docker compose ps --quiet proxy)" = "$proxy"
  mv "$folder/my-calendar" .
  printf 'services:\n  almanakk:\n    volumes:\n      - ./my-calendar:/calendar:ro\n' > compose.override.yaml
  # The volume has a snapshot of the sample, from which this calendar must not continue.
  docker compose down --volumes
  docker compose up --detach
  check 'it starts with its own calendar' docker compose up --detach --wait --wait-timeout 180
  check 'compose.override.yaml replaces the sample' until_true 60 has_own_calendar "$site"
  in_compose node dist/jobs/cli.js keys issue --app Avisen
  check 'compose-backup.sh archives it' sh compose-backup.sh
  age-keygen --output "$folder/identity.txt" 2> /dev/null
  age-keygen -y "$folder/identity.txt" > backup-recipients.txt
  check 'compose-backup.sh hands on an encrypted copy' sh compose-backup.sh cp {} "$folder/copy.age"
  check 'which the identity opens' sh -c "age --decrypt --identity $folder/identity.txt $folder/copy.age | tar --list --gzip | grep --quiet data.tar.gz"
  docker compose down --volumes
  rm -r my-calendar
  check 'compose-restore.sh restores folder and volume on an empty machine' sh compose-restore.sh "$(ls backups/*.tar.gz | tail -n 1)"
  check 'with the calendar' test -e my-calendar/events.json
  check 'and the key' has_key
  check 'compose-restore.sh restores over a running server' sh compose-restore.sh "$(ls backups/*.tar.gz | tail -n 1)"
  check 'and the key is there' has_key
  printf 'FROM almanakk\nLABEL version=next\n' | docker build --tag almanakk:next -
  check 'it answers' until_true 60 has_own_calendar "$site"
  request_all_the_time &
  check 'compose-switch.sh replaces the container' sh compose-switch.sh almanakk:next
  check 'the new container has the other image' test "$(docker inspect --format '{{.Config.Image}}' "$(docker compose ps --quiet almanakk)")" = almanakk:next
  check 'compose-switch.sh refuses an image that does not exist' refuses sh compose-switch.sh almanakk:missing
  printf 'FROM almanakk\nUSER 0\nRUN ["rm", "dist/jobs/cli.js"]\nUSER 1000:1000\n' | docker build --tag almanakk:broken -
  check 'compose-switch.sh refuses an image that cannot build' refuses sh compose-switch.sh almanakk:broken
  check '.env still names the image that works' grep --quiet --line-regexp IMAGE=almanakk:next .env
  touch "$folder/stop"
  wait
  check "each of $(wc -l < "$folder/codes") requests during these switches got 200" refuses grep --invert-match --line-regexp 200 "$folder/codes"
  printf 'FROM almanakk\nCMD ["false"]\n' | docker build --tag almanakk:ending -
  check 'compose-switch.sh returns from an image whose server ends' refuses sh compose-switch.sh almanakk:ending
  check 'and the server answers again' until_true 60 has_own_calendar "$site"
  check 'the key is still there' has_key
  hang
  check 'the health check kills a server that hangs, and says so in the log' until_true 240 says 'server killed: it did not answer'
  check 'Docker starts it again' until_true 120 has_own_calendar "$site"
  local began=$SECONDS
  docker compose stop almanakk
  check 'it stops within its 15 seconds' test $((SECONDS - began)) -lt 15
  check 'with exit code 0' test "$(docker compose ps --all --format json almanakk | jq .ExitCode)" = 0
  docker compose down --volumes
}

# A file of docs for Podman: with this image, and the network of its pods. Podman has no services, so replicas copy from the name of the builder's
# pod. It would make `curl` in the container of a probe, which the image does not have: this script sends the probes instead. It does not share a
# volume in memory between the containers of a pod, as Kubernetes does.
for_podman() {
  sed --regexp-extended --expression "s|https://s3.example|${STORE:-}|; s|eu-north-1|us-east-1|" \
    --expression 's|registry.example/almanakk:[0-9.]*|localhost/almanakk:latest|' \
    --expression 's|NETWORK-OF-YOUR-INGRESS|10.0.0.0/8|; s|http://origin/|http://builder-pod:4000/|' \
    --expression '/livenessProbe:/,/failureThreshold:/d; /medium: Memory/d' "$checkout/docs/$1"
}

as_json() { for_podman kubernetes-small.yaml | kubectl label --local --filename - --output json checked=here; }

# A job of a CronJob, as `kubectl create job --from` makes it.
job_from() {
  as_json | jq --arg name "$1" 'select(.kind == "CronJob" and .metadata.name == $name) |
      { apiVersion: "batch/v1", kind: "Job", metadata: { name: $name }, spec: .spec.jobTemplate.spec }'
}

# Podman ignores fsGroup, so the volumes get the owner that Kubernetes would give them.
make_volume() { podman volume create --opt o=uid=1000,gid=1000 "$1" > /dev/null; }

play() {
  echo "- (podman kube play $1)"
  podman kube play --network almanakk --configmap calendar.yaml "$1" > /dev/null
}

run_job() {
  job_from "$1" > "$1.json"
  play "$1.json"
  test "$(podman wait "$1-pod-$1")" = 0
  podman kube down "$1.json" > /dev/null
}

address_of() {
  podman pod inspect --format '{{.InfraContainerID}}' "$1-pod" |
    xargs podman inspect --format '{{range .NetworkSettings.Networks}}{{.IPAddress}}{{end}}'
}

# What the probes of the file request.
is_probed() {
  until_true 60 fetch "http://$(address_of "$1"):4000/readyz" && fetch --output /dev/null "http://$(address_of "$1"):4000/healthz"
}

try_pod() {
  in_container() { podman exec "$name-pod-$name" "$@"; }
  local name=$1
  check "$name: its probes succeed" is_probed "$name"
  check "$name: its processes run as user 1000, without any rights" has_no_rights in_container
  check "$name: it cannot write to its own files" refuses in_container touch /almanakk/new
  check "$name: the kernel limits its memory" has_memory_limit "$2" in_container
  check "$name: it serves the calendar of the ConfigMap" until_true 60 has_own_calendar "http://$(address_of "$name"):4000"
  check "$name: /metrics is on the port of operators" fetch --output /dev/null "http://$(address_of "$name"):4001/metrics"
}

try_pods() {
  cd "$folder"
  podman network create almanakk > /dev/null
  make_volume builder
  make_volume backup
  kubectl --namespace almanakk create configmap calendar --from-file=my-calendar --dry-run=client --output yaml > calendar.yaml
  kubectl --namespace almanakk create secret generic snapshots --from-literal=ALMANAKK_SERVE_SNAPSHOTS=true \
    --from-literal=ALMANAKK_SNAPSHOTS_TOKEN="$(openssl rand -hex 24)" --dry-run=client --output yaml > snapshots.yaml
  for_podman kubernetes-small.yaml > small.yaml
  # Podman takes settings from the same file.
  {
    as_json | jq --compact-output 'select(.kind == "ConfigMap")'
    echo ---
    for_podman kubernetes-replicas.yaml
  } > replicas.yaml
  play snapshots.yaml
  play small.yaml
  try_pod builder $((1536 * 1024 * 1024))
  check 'builder: it cannot write to the archives' refuses podman exec builder-pod-builder touch /backup/new
  check 'a stranger gets no snapshots' test "$(curl --silent --output /dev/null --write-out '%{http_code}' "http://$(address_of builder):4000/snapshots/manifest.json")" = 401
  play replicas.yaml
  try_pod replica $((1024 * 1024 * 1024))
  in_container() { podman exec builder-pod-builder "$@"; }
  in_container node dist/jobs/cli.js keys issue --app Avisen
  check 'the job `backup` archives the volume' run_job backup
  local began=$SECONDS
  podman pod stop builder-pod > /dev/null
  check 'builder: it stops within its 20 seconds' test $((SECONDS - began)) -lt 20
  check 'builder: with exit code 0' test "$(podman inspect --format '{{.State.ExitCode}}' builder-pod-builder)" = 0
  check 'replica: it continues without the builder' has_own_calendar "http://$(address_of replica):4000"
  podman kube down small.yaml > /dev/null
  podman volume rm --force builder > /dev/null
  make_volume builder
  check 'the job `restore` restores it into an empty volume' run_job restore
  play small.yaml
  check 'builder: it is ready after the restore' is_probed builder
  check 'builder: it has the key' sh -c "podman exec builder-pod-builder node dist/jobs/cli.js keys list | grep --quiet Avisen"
  podman kube down replicas.yaml > /dev/null
  podman kube down small.yaml > /dev/null
  if [ "${STORE:-}" ]; then try_store_pods; fi
  podman volume rm --force builder backup > /dev/null
  podman network rm almanakk > /dev/null
}

# The builder that grew from the small one keeps its volume.
try_store_pods() {
  mkdir keys
  chmod 777 keys
  podman run --rm --volume "$folder/keys:/keys" almanakk node dist/jobs/cli.js keys signing --out /keys/signing.pem
  local name
  for name in builder replica; do
    kubectl --namespace almanakk create secret generic "$name" --from-literal=AWS_ACCESS_KEY_ID=test:tester \
      --from-literal=AWS_SECRET_ACCESS_KEY=testing --dry-run=client --output yaml > "$name.yaml"
    play "$name.yaml"
  done
  kubectl --namespace almanakk create secret generic signing --from-file=keys/signing.pem --from-file=keys/signing.pem.pub \
    --dry-run=client --output yaml > signing.yaml
  play signing.yaml
  for_podman kubernetes.yaml > large.yaml
  play large.yaml
  try_pod builder $((1536 * 1024 * 1024))
  check 'builder: it has its own copy of the signing key' test "$(podman exec builder-pod-builder stat --format '%u %a' /keys/signing.pem)" = '1000 600'
  try_pod replica $((1024 * 1024 * 1024))
  podman kube down large.yaml > /dev/null
}

# The package that the image has, with its commit.
package() { "$engine" run --rm almanakk node dist/jobs/cli.js --version; }

machine() { sed -n 's/^PRETTY_NAME="\(.*\)"$/\1/p' /etc/os-release; }

case $engine in
  docker)
    try_image
    try_compose
    record_run docker "$(package)" "$(machine), Docker $(docker version --format '{{.Server.Version}}'), Compose $(docker compose version --short)"
    ;;
  podman)
    try_image
    try_pods
    record_run podman "$(package)" "$(machine), Podman $(podman version --format '{{.Version}}')"
    ;;
  *)
    echo "containers.sh: expected docker or podman, found $engine" >&2
    exit 1
    ;;
esac
