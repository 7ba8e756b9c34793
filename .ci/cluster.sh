#!/usr/bin/env bash
# Runs what docs/scaling.md and docs/on-call.md say about Kubernetes, in the cluster that kubectl reaches: `.ci/nodes.sh` starts one.
#
# The cluster has two nodes for pods, volumes for nine claims of 5 GiB, and three images: registry.example/almanakk:2.0.0 is that of the checkout,
# 2.1.0 the same as another image, and in `broken`, the server ends at once. It has no namespaces `almanakk`, `lillevik`, `ingress` and `monitoring`.
# STORE is the address of the object store of `.ci/store.mjs`, as the pods reach it. NOTE: a sentence for the record about the cluster. Adds a row to
# container-run.md: see record_run in checks.sh. A server before 1.21 needs its own kubectl, too, as `kubectl-of-server`.
set -euo pipefail
: "${STORE:?expected the address of the object store}"
checkout=$(realpath "$(dirname "$0")/..")
folder=$(mktemp --directory)
. "$checkout/.ci/checks.sh"
cd "$folder"

in_namespace() { kubectl --namespace almanakk "$@"; }

# run HEADING NUMBER [SED]: a block of this part of the two pages, as it is printed, except for values of one's own.
run() {
  local block
  block=$(awk -v heading="$1" -v number="$2" '
    /^##+ / { name = $0; sub(/^#+ /, "", name); here = name == heading }
    /^```sh$/ { inside = here && ++blocks == number; next }
    /^```$/ { inside = 0 }
    inside' "$checkout/docs/scaling.md" "$checkout/docs/on-call.md" | sed --regexp-extended "${3:-}")
  test "$block"
  sed 's/^/    $ /' <<< "$block"
  sh -euc "$block"
}

# The files, with values for this cluster. A cluster before 1.25 does not know some versions.
copy_files() {
  mkdir docs
  cp "$checkout"/docs/{kubernetes,kustomization}*.yaml docs
  cp "$checkout"/docs/kubernetes-*.sh .
  sed --in-place --regexp-extended "s|https://s3.example|$STORE|; s|eu-north-1|us-east-1|; s|NETWORK-OF-YOUR-INGRESS|10.0.0.0/8|" docs/*.yaml
  if ! kubectl api-versions | grep --quiet --line-regexp autoscaling/v2; then
    sed --in-place '/unhealthyPodEvictionPolicy/d; s|^apiVersion: autoscaling/v2$|&beta2|; s|^apiVersion: policy/v1$|&beta1|' docs/*.yaml
    EVICTION=policy/v1beta1
    # A current kubectl does not make a job of such a CronJob.
    OLDER='s/^kubectl (.* create job .*--from)/kubectl-of-server \1/'
    # Each CronJob of the files names its kind in the next line.
    sed --in-place '/^apiVersion: batch\/v1$/{N;s|/v1\nkind: CronJob|/v1beta1\nkind: CronJob|}' docs/*.yaml
  fi
}

make_calendar() {
  mkdir -p my-calendar
  echo '{ "id": "lillevik", "name": "Lillevik", "categories": [] }' > my-calendar/licence.json
  echo '[{ "id": "jul", "title_nb": "'"$1"'", "dates": [{ "start": "2040-12-19 18:00" }] }]' > my-calendar/events.json
}

# Requests the service all the time, with a new connection for each request and with one that is kept open, as an ingress controller would.
CALLER='
const http = require("http");
const counts = {};
const request = (agent) => new Promise((resolve) => {
  const sent = http.get({ host: "almanakk.almanakk.svc.cluster.local", path: "/events.json", agent, timeout: 20000 }, (response) => {
    response.resume();
    response.on("end", () => resolve(response.statusCode));
    response.on("error", (error) => resolve(error.code));
  });
  sent.on("timeout", () => sent.destroy(new Error("timeout")));
  sent.on("error", (error) => resolve(error.code ?? error.message));
});
const call = async (kind, agent) => {
  for (;;) {
    const began = new Date();
    const code = await request(agent);
    const key = kind + " " + code;
    counts[key] = (counts[key] ?? 0) + 1;
    if (code !== 200) console.log("no answer", key, began.toISOString(), Date.now() - began, "ms");
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
};
call("new", false);
call("kept", new http.Agent({ keepAlive: true, maxSockets: 1 }));
process.on("SIGUSR2", () => { console.log("counts", JSON.stringify(counts)); });
'

# run_pod NAMESPACE COMMAND…: a pod in place of the ingress controller, or of Prometheus.
run_pod() {
  kubectl create namespace "$1"
  kubectl --namespace "$1" run caller --image registry.example/almanakk:2.0.0 --restart Never --command -- "${@:2}"
  kubectl --namespace "$1" wait --for condition=Ready pod/caller --timeout 60s
}

# from NAMESPACE ADDRESS: what a pod of this namespace gets.
from() {
  kubectl --namespace "$1" exec caller -- node -e '
    fetch(process.argv[1]).then(async (response) => {
      console.log(await response.text());
      process.exitCode = response.ok ? 0 : 22;
    })' "$2"
}

has_event() { from ingress http://almanakk.almanakk.svc.cluster.local/events.json | grep --quiet "$1"; }

# The number of requests with each answer.
count_requests() {
  kubectl --namespace ingress exec caller -- sh -c 'kill -USR2 1'
  sleep 1
  kubectl --namespace ingress logs caller | sed -n 's/^counts //p' | tail -n 1
}

failed_requests() { kubectl --namespace ingress logs caller | grep --count "^no answer" || true; }

# undisturbed WHAT COMMAND…: no request fails while the command runs.
undisturbed() {
  local before
  before=$(failed_requests)
  check "$1" "${@:2}"
  sleep 3
  check 'every request meanwhile got 200' test "$(failed_requests)" = "$before"
}

pods() {
  in_namespace get pods --selector "app.kubernetes.io/component=$1" --field-selector status.phase=Running \
    --output 'jsonpath={.items[*].metadata.name}'
}

one_of() { pods "$1" | cut --delimiter ' ' --fields 1; }

each_replica_has() {
  local ip
  for ip in $(in_namespace get pods --selector app.kubernetes.io/component=replica --output 'jsonpath={.items[*].status.podIP}'); do
    from ingress "http://$ip:4000/events.json" | grep --quiet "$1" || return 1
  done
}

# try_pod COMPONENT BYTES
try_pod() {
  local pod
  pod=$(one_of "$1")
  in_pod() { in_namespace exec "$pod" -- "$@"; }
  check "$1: its processes run as user 1000, without any rights" has_no_rights in_pod
  check "$1: it cannot write to its own files" refuses in_pod touch /almanakk/new
  check "$1: the kernel limits its memory" has_memory_limit "$2" in_pod
  check "$1: Prometheus gets /metrics from the port of operators" has_metrics "$(in_namespace get pod "$pod" --output 'jsonpath={.status.podIP}')"
}

has_metrics() { from monitoring "http://$1:4001/metrics" | grep --quiet ^almanakk_requests_total; }

kill_pod() { in_namespace delete pod "$(one_of "$1")" && in_namespace rollout status "deploy/$1" --timeout 180s; }

memory_runs_out() {
  local pod
  pod=$(one_of "$1")
  refuses in_namespace exec "$pod" -- node --max-old-space-size=8192 -e 'const kept = []; for (;;) kept.push(Buffer.alloc(2 ** 24, 1));'
  in_namespace rollout status "deploy/$1" --timeout 180s
}

# Lets the server's process do nothing else, by its debugger: nobody in the pod can stop process 1.
HANG='
process.kill(1, "SIGUSR1");
setTimeout(async () => {
  const [{ webSocketDebuggerUrl }] = await (await fetch("http://127.0.0.1:9229/json")).json();
  const socket = new WebSocket(webSocketDebuggerUrl);
  socket.onopen = () => socket.send(JSON.stringify({ id: 1, method: "Runtime.evaluate", params: { expression: "for (;;);" } }));
  setTimeout(() => process.exit(), 1000);
}, 1000);
'
hang() { in_namespace exec "$1" -- node -e "$HANG"; }

restarts() { in_namespace get pod "$1" --output 'jsonpath={.status.containerStatuses[0].restartCount}'; }

has_restarted() { test "$(restarts "$1")" -gt "$2"; }

hangs_and_restarts() {
  local before
  before=$(restarts "$1")
  hang "$1"
  until_true 240 has_restarted "$1" "$before"
}

has_log_of_before() {
  local pod
  pod=$(in_namespace get pods --selector app.kubernetes.io/component=replica --output \
    'jsonpath={range .items[?(@.status.containerStatuses[0].restartCount>0)]}{.metadata.name}{"\n"}{end}' | head -n 1)
  in_namespace logs "$pod" --previous | grep --quiet 'snapshot adopted'
}

# The ConfigMap is created again, as after a change: the namespace exists.
change_calendar() {
  make_calendar "$1"
  run 'Run in Kubernetes' 1 '/create namespace/d'
}

change_and_see() {
  change_calendar "$1"
  until_true 240 has_event "$1"
}

reaches_each_replica() {
  change_calendar "$1"
  until_true 240 each_replica_has "$1"
}

replicas() { test "$(in_namespace get deploy/replica --output 'jsonpath={.status.readyReplicas}')" -ge "$1"; }

has_image() {
  local images
  images=$(in_namespace get pods --selector 'app.kubernetes.io/component in (builder, replica)' \
    --output 'jsonpath={range .items[*].spec.containers[*]}{.image}{"\n"}{end}' | sort --unique)
  test "$images" = "registry.example/almanakk:$1"
}

# Both pods are on the node of the volume. Their builds wait for each other.
two_builders() {
  in_namespace scale deploy/builder --replicas 2 &&
    in_namespace rollout status deploy/builder --timeout 120s &&
    change_and_see Julespill &&
    refuses sh -c "kubectl --namespace almanakk logs --selector app.kubernetes.io/component=builder --tail=-1 | grep -E '\"(error|fatal)\"'" &&
    in_namespace scale deploy/builder --replicas 1 &&
    until_true 60 has_one_builder
}

has_one_builder() { test "$(in_namespace get pods --selector app.kubernetes.io/component=builder --output name | wc -l)" = 1; }

one_pod() {
  make_calendar Julekonsert
  check 'namespace and calendar' run 'Run in Kubernetes' 1
  check 'the builder becomes ready' run 'Start with one pod' 1
  run_pod ingress node -e "$CALLER"
  run_pod monitoring sleep infinity
  check 'the service has the calendar of the ConfigMap' until_true 60 has_event Julekonsert
  try_pod builder $((1536 * 1024 * 1024))
  check 'two builders with one volume publish a change of the ConfigMap, without an error' two_builders
  check 'the pod is deleted, and the next one is ready' kill_pod builder
  check 'it answers' until_true 60 has_event Julespill
  check 'kubernetes-switch.sh switches to another image' run 'Back up, upgrade and roll back in Kubernetes' 2
  check 'the pod has it' until_true 60 has_image 2.1.0
  check 'the files of the previous version are applied' run 'Back up, upgrade and roll back in Kubernetes' 3 '/replica/d'
  check 'the pod has its image' until_true 60 has_image 2.0.0
}

two_replicas() {
  check 'a secret, and two replicas' run 'Start with one pod' 2
  check 'there are two' until_true 120 replicas 2
  try_pod replica $((1024 * 1024 * 1024))
  check 'a stranger gets no snapshots' refuses from ingress http://origin.almanakk.svc.cluster.local/snapshots/manifest.json
  check 'a change reaches each replica' reaches_each_replica Nattkonsert
  undisturbed 'the builder is deleted, and the next one is ready' kill_pod builder
  undisturbed 'a replica is deleted, and the next one is ready' kill_pod replica
  undisturbed 'kubernetes-switch.sh switches to another image' run 'Back up, upgrade and roll back in Kubernetes' 2
  check 'all pods have it' until_true 60 has_image 2.1.0
  undisturbed 'the files of the previous version are applied' run 'Back up, upgrade and roll back in Kubernetes' 3
  check 'all pods have its image' until_true 60 has_image 2.0.0
}

# Without the token, 401. The port of operators refuses other names than that of the calendar.
STATUS='
const ask = (headers) => new Promise((resolve) => {
  require("http").get(process.argv[1], { headers: { host: "kalender.example", ...headers } }, (response) => resolve(response.statusCode));
});
Promise.all([ask({}), ask({ authorization: "Bearer a-long-text-of-ones-own" })]).then((codes) => {
  console.log(codes);
  process.exitCode = codes.join() === "401,200" ? 0 : 1;
});
'
has_status() { kubectl --namespace ingress exec caller -- node -e "$STATUS" http://builder.almanakk.svc.cluster.local/status; }

# The second one of the list. The builder copies it to the store within a minute.
restore_older_snapshot() {
  local id
  id=$(in_namespace exec deploy/builder -- node dist/jobs/cli.js restore | sed -n '2s/ .*//p')
  run 'Roll back replicas that check signatures' 1 "s/restore ID/& \&\& sleep 60/; s/ID/$id/"
}

resume() {
  in_namespace exec deploy/builder -- node dist/jobs/cli.js restore --resume &&
    in_namespace exec deploy/builder -- node dist/jobs/cli.js rebuild &&
    until_true 120 each_replica_has Jubileum
}

object_store() {
  in_namespace exec deploy/builder -- sh -c 'node dist/jobs/cli.js keys signing --out /tmp/signing.pem >&2 && tar --create --directory /tmp .' |
    tar --extract ./signing.pem ./signing.pem.pub
  undisturbed 'the store takes the place of the copies over HTTP' \
    run 'Use an object store' 1 's|(KEY_ID=)…|\1test:tester|; s|(ACCESS_KEY=)…|\1testing|'
  undisturbed 'there are three replicas' until_true 180 replicas 3
  check 'the builder is ready' in_namespace rollout status deploy/builder --timeout 120s
  try_pod builder $((1536 * 1024 * 1024))
  try_pod replica $((1024 * 1024 * 1024))
  undisturbed 'a change reaches each replica' reaches_each_replica Jubileum
  undisturbed 'a replica is deleted, and the next one is ready' kill_pod replica
  undisturbed 'the budget lets one of three replicas go' evicts_one
  check 'there are three again' until_true 180 replicas 3
  undisturbed 'a node is drained' drain
  undisturbed 'a process in a replica that takes too much memory is killed' memory_runs_out replica
  # Until three probes have failed, callers wait for it.
  check 'a replica whose process hangs is restarted' hangs_and_restarts "$(one_of replica)"
  check 'the log of the process before is there' has_log_of_before
  undisturbed 'tokens for editors' run 'How the pods behave' 1 \
    's/(METRICS_TOKEN":")…/\1text-for-prometheus/; s/kari:…,per:…/kari:the-text-for-kari,per:the-text-for-per/; s/…/a-long-text-of-ones-own/'
  check '/status of the builder needs the token' has_status
  check 'a key is issued' run 'How the pods behave' 2
  undisturbed 'an older snapshot is restored' restore_older_snapshot
  check 'each replica has it' until_true 60 each_replica_has Nattkonsert
  undisturbed 'builds are resumed' resume
  undisturbed 'kubernetes-switch.sh switches to another image' run 'Back up, upgrade and roll back in Kubernetes' 2
  check 'all pods have it' until_true 60 has_image 2.1.0
  undisturbed 'the files of the previous version are applied' run 'Back up, upgrade and roll back in Kubernetes' 4
  check 'all pods have its image' until_true 60 has_image 2.0.0
}

# The budget lets at most one of three replicas go at a time.
evicts_one() {
  local pod evicted=0
  for pod in $(pods replica); do
    if kubectl create --filename - --raw "/api/v1/namespaces/almanakk/pods/$pod/eviction" << END
{ "apiVersion": "$EVICTION", "kind": "Eviction", "metadata": { "name": "$pod", "namespace": "almanakk" } }
END
    then evicted=$((evicted + 1)); fi
  done
  test $evicted = 1
}

# Another node than the builder's, whose volume cannot move.
drain() {
  local node
  node=$(in_namespace get pods --selector app.kubernetes.io/component=replica --output 'jsonpath={range .items[*]}{.spec.nodeName}{"\n"}{end}' |
    grep --invert-match --line-regexp --max-count 1 "$(in_namespace get pod "$(one_of builder)" --output 'jsonpath={.spec.nodeName}')")
  kubectl drain "$node" --pod-selector app.kubernetes.io/name=almanakk --delete-emptydir-data --timeout 300s &&
    in_namespace rollout status deploy/replica --timeout 180s &&
    kubectl uncordon "$node"
}

has_key() { in_namespace exec deploy/builder -- node dist/jobs/cli.js keys list | grep --quiet Lillevik; }

scheduled_job_succeeds() {
  in_namespace patch cronjob/backup --patch '{"spec":{"schedule":"* * * * *"}}' &&
    until_true 150 has_scheduled_backup &&
    in_namespace patch cronjob/backup --patch '{"spec":{"schedule":"30 3 * * *"}}'
}

has_scheduled_backup() {
  in_namespace get jobs --output 'jsonpath={range .items[*]}{.metadata.name} {.status.succeeded}{"\n"}{end}' | grep --quiet '^backup-.* 1$'
}

stop_builder() {
  in_namespace scale deploy/builder --replicas 0 &&
    in_namespace wait --for=delete pod --selector app.kubernetes.io/component=builder --timeout 60s
}

# lose CLAIM…: the next builder waits for its volume.
lose() {
  stop_builder &&
    in_namespace delete jobs --all &&
    in_namespace delete persistentvolumeclaim "$@" --timeout 60s &&
    in_namespace scale deploy/builder --replicas 1
}

restore_older() {
  local archive
  archive=$(in_namespace exec deploy/builder -- sh -c 'ls /backup/*.tar.gz | head -n 1')
  stop_builder &&
    run 'Restore a backup in Kubernetes' 2 "$OLDER; s|/backup/2026[^ ]*|$archive|" &&
    in_namespace wait --for=condition=complete job/restore --timeout 10m &&
    in_namespace delete job restore &&
    in_namespace scale deploy/builder --replicas 1 &&
    in_namespace rollout status deploy/builder --timeout 180s
}

unpack_copy() { age --decrypt --identity identity.txt "$(ls backups/*.age | tail -n 1)" | tar --extract --gzip; }

# In place of two terminals.
send_copy() {
  unpack_copy
  run 'Restore a backup in Kubernetes' 1 "$OLDER" &
  until_true 120 in_namespace wait --for=condition=Ready pod --selector job-name=restore --timeout 10s &&
    run 'Restore a backup in Kubernetes' 3 &&
    wait $!
}

backups() {
  check 'the CronJob archives the volume' scheduled_job_succeeds
  age-keygen --output identity.txt 2> /dev/null
  age-keygen -y identity.txt > backup-recipients.txt
  check 'kubernetes-backup.sh makes an encrypted copy' run 'Back up, upgrade and roll back in Kubernetes' 1 's|/srv/backups|backups|'
  undisturbed 'the builder loses its volume' lose builder
  undisturbed 'the newest archive is restored into an empty one' run 'Restore a backup in Kubernetes' 1 "$OLDER"
  check 'the builder is ready' in_namespace rollout status deploy/builder --timeout 180s
  check 'the key is there' has_key
  undisturbed 'a certain archive is restored' restore_older
  undisturbed 'both volumes are lost' lose builder backup
  undisturbed 'the copy is restored into empty ones' send_copy
  check 'the builder is ready' in_namespace rollout status deploy/builder --timeout 180s
  check 'the key is there' has_key
  undisturbed 'a change reaches each replica' reaches_each_replica Påskespill
}

# With a minute in place of the five for which the script waits.
# In a folder of one's own. Policies count as configured each time, because the cluster adds the protocol to their ports.
kustomization_changes_nothing() {
  mkdir own
  cp docs/kubernetes.yaml docs/kustomization.yaml own
  kubectl apply --filename docs/kubernetes.yaml | sort > applied
  kubectl apply --kustomize own | sort | diff applied -
}

in_second() { kubectl --namespace lillevik "$@"; }

second_calendar() {
  mkdir second
  cp docs/kubernetes-small.yaml second
  sed 's/^kind: Kustomization$/&\nnamespace: lillevik/; s/kalender[.]example/lillevik.example/' docs/kustomization-small.yaml > second/kustomization.yaml
  kubectl create namespace lillevik
  in_second create configmap calendar --from-file=my-calendar
  kubectl apply --kustomize second
  in_second rollout status deploy/builder --timeout 120s
}

second_has_image() { test "$(in_second get pods --output 'jsonpath={.items[*].spec.containers[*].image}')" = "registry.example/almanakk:$1"; }

others() {
  check 'kubernetes-switch.sh only tries another image' sh kubernetes-switch.sh --trial-only registry.example/almanakk:2.1.0
  check 'all pods have the image from before' has_image 2.0.0
  check 'kustomization.yaml changes nothing' kustomization_changes_nothing
  undisturbed 'a second calendar has a namespace of its own' second_calendar
  check 'it answers' from ingress http://almanakk.lillevik.svc.cluster.local/events.json
  undisturbed 'kubernetes-switch.sh switches it to another image' sh kubernetes-switch.sh registry.example/almanakk:2.1.0 lillevik
  check 'it has that image' until_true 60 second_has_image 2.1.0
  check 'the first calendar does not' has_image 2.0.0
  check 'kubernetes-backup.sh makes a copy of it' sh kubernetes-backup.sh backups-lillevik lillevik
  check 'it is deleted' kubectl delete namespace lillevik
}

# Writes into the log of each pod, as a request that fails does.
log_failures() {
  local pod
  for pod in $(pods replica) $(pods builder); do
    in_namespace exec "$pod" -- sh -c "echo '{\"message\":\"request failed\"}' > /proc/1/fd/1"
  done
}

# In place of ingress-nginx: lines in its default format.
log_refusals() {
  local line='- - [30/Nov/2026:07:00:00 +0000] "GET /events.json HTTP/2.0" 503 190 "-" "curl/8.5.0" 38 0.001 [almanakk-almanakk-http] [] 10.244.1.9:4000 190 0.001 503 1'
  kubectl --namespace ingress run controller --image registry.example/almanakk:2.0.0 --restart Never --labels app.kubernetes.io/name=ingress-nginx \
    --command -- printf "%s $line\n" 192.0.2.7 192.0.2.8 192.0.2.7
  until_true 60 sh -c 'kubectl --namespace ingress logs controller | grep --quiet 192.0.2.8'
}

finds_requests() {
  run 'Find failed and refused requests in Kubernetes' 1 | tee found
  test "$(grep --count 'request failed.*}$' found)" = "$(wc -w <<< "$(pods replica) $(pods builder)")" &&
    grep --quiet --line-regexp '2 192.0.2.7' found &&
    in_namespace describe ingress | grep 'denylist-source-range: 192.0.2.7,2001:db8::/64'
}

wait_for_pods() {
  in_namespace rollout status deploy/builder --timeout 180s && in_namespace rollout status deploy/replica --timeout 300s
}

no_node_has_room() {
  in_namespace set resources deploy/replica --requests memory=900Gi --limits memory=900Gi &&
    until_true 60 sh -c "kubectl --namespace almanakk describe pods --show-events | grep --quiet 'Insufficient memory'"
}

# Such a pod must not hide the logs of the others.
there_is_no_image() {
  in_namespace set image deploy/replica replica=registry.example/almanakk:missing &&
    until_true 60 sh -c "kubectl --namespace almanakk get pods | grep --extended-regexp --quiet 'ErrImagePull|ImagePullBackOff'"
}

undo_last_change() {
  in_namespace rollout undo deploy/replica && wait_for_pods
}

# The image, and then another change, such as that of the files of the new version.
change_twice() {
  run 'Back up, upgrade and roll back in Kubernetes' 2 && in_namespace set env deploy/builder deploy/replica LATER=yes && wait_for_pods
}

# The commands list the revisions, and go back to the last one with the image from before.
undo_both_changes() {
  run 'Undo a change in Kubernetes' 1 > revisions
  cat revisions
  local name revision
  for name in builder replica; do
    revision=$(awk -v name="$name" '$1 ~ "^" name && $3 ~ /:2[.]0[.]0$/ { if ($2 > most) most = $2 } END { print most }' revisions)
    run 'Undo a change in Kubernetes' 2 "s/builder/$name/; s/REVISION/$revision/"
  done
  wait_for_pods
}

on_call() {
  check '`describe ingress` names the service' sh -c "kubectl --namespace almanakk describe ingress | grep 'almanakk:http'"
  undisturbed 'no node has room for a new replica' no_node_has_room
  undisturbed 'this change of the replicas is undone' undo_last_change
  undisturbed 'there is no image for a new replica' there_is_no_image
  log_failures
  log_refusals
  check 'failed and refused requests are found in the logs' finds_requests
  undisturbed 'this change is undone' undo_last_change
  check 'the block of addresses is ended' in_namespace annotate ingress almanakk nginx.ingress.kubernetes.io/denylist-source-range-
  undisturbed 'the image is changed, and then another value' change_twice
  undisturbed 'both changes are undone' undo_both_changes
  check 'all pods have the image from before' until_true 60 has_image 2.0.0
  undisturbed 'the files are applied' kubectl apply --filename docs/kubernetes.yaml
  wait_for_pods
}

# In place of another cluster: nothing of this one is left but the copy.
new_cluster() {
  check 'kubernetes-backup.sh makes a copy' run 'Back up, upgrade and roll back in Kubernetes' 1 's|/srv/backups|backups|'
  kubectl delete namespace almanakk
  unpack_copy
  check 'the objects are created, without the calendar' run 'Restore a backup in Kubernetes' 4
  check 'the copy is restored' send_copy
  check 'the calendar is applied, and the builder is ready' run 'Restore a backup in Kubernetes' 5
  check 'the replicas are ready' in_namespace rollout status deploy/replica --timeout 300s
  check 'the key is there' has_key
  check 'the calendar is there' until_true 60 each_replica_has Påskespill
}

refused_images() {
  sed --in-place 's/--timeout 5m/--timeout 1m/' kubernetes-switch.sh
  undisturbed 'kubernetes-switch.sh refuses an image that does not exist' \
    refuses run 'Back up, upgrade and roll back in Kubernetes' 2 's/2.1.0/missing/'
  undisturbed 'kubernetes-switch.sh returns from an image whose server ends' \
    refuses run 'Back up, upgrade and roll back in Kubernetes' 2 's/2.1.0/broken/'
  check 'all pods have the image from before' until_true 60 has_image 2.0.0
}

everything() {
  one_pod
  two_replicas
  object_store
  backups
  refused_images
  others
  on_call
  local requests
  requests=$(count_requests)
  new_cluster
  check 'the other files are accepted' kubectl apply --filename docs/kubernetes-egress.yaml
  in_namespace rollout status deploy/builder
  record_run kubernetes "$(in_namespace exec deploy/builder -- node dist/jobs/cli.js --version)" \
    "$(kubectl get nodes --output "jsonpath=$MACHINE"). Requests meanwhile: $requests"
}

NODE='{.items[0].status.nodeInfo'
MACHINE="$NODE.osImage}, Kubernetes $NODE.kubeletVersion}, $NODE.containerRuntimeVersion}"
EVICTION=policy/v1
OLDER=''
copy_files
"${@:-everything}"
