#!/bin/sh
# kubernetes-switch.sh [--trial-only] IMAGE [NAMESPACE]: tries another image in a job beside the builder, prints its report, and builds with it while
# the pods continue. Then it sets the image of the builder and of the replicas, if there are any, and waits until they are ready. With --trial-only,
# it ends after the trial, for a cluster whose images are set by commits. Changes nothing if the trial fails. Goes back to the previous images if the
# build is refused, or if a pod does not become ready.
set -eu
is_trial_only=''
if [ "${1:-}" = --trial-only ]; then
  is_trial_only=true
  shift
fi
image=${1:?expected the image of a release}
namespace=${2:-almanakk}
is_set=''

in_namespace() {
  kubectl --namespace "$namespace" "$@"
}

undo() {
  trap '' HUP INT TERM
  set +e
  echo "kubernetes-switch.sh: $failed, see above" >&2
  in_namespace delete job/switch --cascade=foreground --ignore-not-found >&2
  if [ "$is_set" ]; then
    for name in $is_set; do
      if [ "$name" = builder ]; then before=$builder_before; else before=$replica_before; fi
      echo "kubernetes-switch.sh: returning to $before" >&2
      in_namespace set image "deploy/$name" "$name=$before" >&2
    done
    for name in $is_set; do
      in_namespace rollout status "deploy/$name" --timeout 5m >&2 ||
        echo "kubernetes-switch.sh: $name is not ready with that image either. Read its log: kubectl --namespace $namespace logs deploy/$name" >&2
    done
  fi
  exit 1
}

# The job has the builder's pod: its calendar, settings, secrets and limits. It runs on the builder's node, because only one node at a time can mount
# the volume. The label `serves` is missing, so that no caller reaches it.
job_with() {
  cat << END
metadata:
  labels:
    app.kubernetes.io/component: switch
spec:
  backoffLimit: 0
  activeDeadlineSeconds: 3600
  template:
    metadata:
      labels:
        app.kubernetes.io/name: almanakk
        app.kubernetes.io/component: switch
    spec:
      restartPolicy: Never
      affinity:
        podAffinity:
          requiredDuringSchedulingIgnoredDuringExecution:
            - topologyKey: kubernetes.io/hostname
              labelSelector:
                matchLabels:
                  app.kubernetes.io/name: almanakk
                  app.kubernetes.io/component: builder
      containers:
        - name: builder
          image: "$image"
          command: [node, dist/jobs/cli.js, rebuild, $options]
          ports: null
          readinessProbe: null
          livenessProbe: null
          # The trial below, and the log.
          resources:
            limits:
              ephemeral-storage: 6Gi
          volumeMounts:
            - name: data
              mountPath: /data
              readOnly: $is_read_only
            - name: trial
              mountPath: /trial
      volumes:
        - name: trial
          emptyDir:
            sizeLimit: 5Gi
END
}

# A pod that cannot start, for example because there is no such image, has only a reason. One that fits on no node waits: a minute is enough for the
# pod of an earlier attempt to go.
is_over() {
  state=$(in_namespace get job,pod --selector app.kubernetes.io/component=switch --output \
    'jsonpath={.items[*].status.conditions[*].type} {.items[*].status.containerStatuses[*].state.waiting.reason} {.items[*].status.conditions[?(@.reason=="Unschedulable")].reason}') || exit 1
  case $state in
    *Complete* | *Failed* | *BackOff* | *Err* | *Invalid*) ;;
    *Unschedulable*)
      polls=$((polls + 1))
      [ "$polls" -gt 30 ]
      ;;
    *) return 1 ;;
  esac
}

run_job() {
  is_read_only=$1
  options=$2
  in_namespace delete job/switch --cascade=foreground --ignore-not-found
  spec=$(in_namespace get deploy/builder --output 'jsonpath={.spec.template.spec}')
  printf '{"apiVersion":"batch/v1","kind":"Job","metadata":{"name":"switch"},"spec":{"template":{"spec":%s}}}' "$spec" |
    kubectl patch --local --filename - --type strategic --patch "$(job_with)" --output json |
    in_namespace create --filename -
  polls=0
  until is_over; do sleep 2; done
  in_namespace logs job/switch --container builder || true
  case $state in
    *Complete*) ;;
    *)
      in_namespace describe pod --selector app.kubernetes.io/component=switch
      exit 1
      ;;
  esac
  in_namespace delete job/switch --cascade=foreground
}

failed='the new image could not build the calendar. Nothing has been changed'
trap undo EXIT
trap 'exit 1' HUP INT TERM
builder_before=$(in_namespace get deploy/builder --output 'jsonpath={.spec.template.spec.containers[?(@.name=="builder")].image}')
# Empty without replicas.
replica_before=$(in_namespace get deploy/replica --ignore-not-found --output 'jsonpath={.spec.template.spec.containers[?(@.name=="replica")].image}')
run_job true '--trial, /trial'
if [ "$is_trial_only" ]; then
  trap - EXIT HUP INT TERM
  exit
fi
failed='the build was refused. The pods have not been changed'
run_job false '--wait, "60"'
failed='the builder did not become ready within five minutes'
is_set=builder
in_namespace set image deploy/builder "builder=$image"
in_namespace rollout status deploy/builder --timeout 5m
if [ "$replica_before" ]; then
  failed='the replicas did not become ready within half an hour'
  is_set='builder replica'
  in_namespace set image deploy/replica "replica=$image"
  in_namespace rollout status deploy/replica --timeout 30m
fi
trap - EXIT HUP INT TERM
