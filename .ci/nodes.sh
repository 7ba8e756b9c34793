#!/usr/bin/env bash
# nodes.sh FOLDER COMMAND…: starts Kubernetes with two nodes on this machine, runs the command, such as `bash .ci/cluster.sh`, and ends them. Run it
# as root, on Linux with version 1 of control groups.
#
# Everything is in namespaces of its own: a network for each node, and mounts. The command sees this machine's files, and the first node's network,
# in which the store of `.ci/store.mjs` is http://10.99.0.1:5000. FOLDER has:
#
#   bin/       kube-apiserver, kube-controller-manager, kube-scheduler, kube-proxy and kubelet, and a current kubectl. We have compiled all but
#              kubectl from the source package `kubernetes` of Debian 12, the last one with servers, with golang-1.19-go: GO111MODULE=off,
#              CGO_ENABLED=0, -tags providerless,dockerless. openapi-gen, in the source, first makes
#              pkg/generated/openapi/zz_generated.openapi.go. kubectl is that of Debian sid; kubectl-of-server, that of Debian 12.
#   root/      Debian 12 by debootstrap, with etcd-server, containerd, runc, containernetworking-plugins, iptables, conntrack, iproute2, dnsmasq-base
#   images/    archives of the images for cluster.sh, and of registry.example/pause:1, made of build/pause/linux/pause.c in the source
#
# dnsmasq takes the place of CoreDNS, and nine folders of the first node that of a storage class. There is no ingress controller or metrics-server,
# and the bridge plugin does not enforce network policies. Everyone in these networks is an administrator of the cluster.
set -euo pipefail
folder=$(realpath "$1")
shift

# This mount namespace gets Debian's root. With chroot, `kubectl exec` would enter the machine's root instead of the container's.
enter() {
  local root=$folder/root state=$folder/state/$NODE
  rm -rf "$state"
  mkdir -p "$state"/{containerd,kubelet,cni,pods,net.d,log} "$root"/{var/lib/{containerd,kubelet,cni},var/log/pods,etc/cni/net.d,cluster,before}
  mount --make-rprivate /
  mount --bind "$root" "$root"
  local name
  for name in sys dev; do mount --rbind "/$name" "$root/$name"; done
  mount -t proc proc "$root/proc"
  mount -t tmpfs tmpfs "$root/run"
  mount --bind "$folder" "$root/cluster"
  for name in containerd kubelet cni; do mount --bind "$state/$name" "$root/var/lib/$name"; done
  mount --bind "$state/net.d" "$root/etc/cni/net.d"
  mount --bind "$state/pods" "$root/var/log/pods"
  cd "$root"
  pivot_root . before
  umount --lazy /before
  mount --make-rshared /
  folder=/cluster
  export KUBECONFIG=/cluster/kubeconfig
}

configure() {
  : "${NUMBER:?expected the number of the node}"
  local state=/cluster/state/$NODE
  cat > "$state/net.d/10-bridge.conf" << END
{ "cniVersion": "0.3.1", "name": "pods", "type": "bridge", "bridge": "cni0", "isGateway": true, "hairpinMode": true,
  "ipam": { "type": "host-local", "subnet": "10.244.$NUMBER.0/24", "routes": [{ "dst": "0.0.0.0/0" }] } }
END
  cat > "$state/containerd.toml" << END
version = 2
[plugins."io.containerd.grpc.v1.cri"]
sandbox_image = "registry.example/pause:1"
# This machine may not let anyone lower it.
restrict_oom_score_adj = true
[plugins."io.containerd.grpc.v1.cri".cni]
bin_dir = "/usr/lib/cni"
END
  cat > "$state/kubelet.yaml" << END
apiVersion: kubelet.config.k8s.io/v1beta1
kind: KubeletConfiguration
authentication: { anonymous: { enabled: true } }
authorization: { mode: AlwaysAllow }
cgroupDriver: cgroupfs
cgroupRoot: /cluster-$NODE
clusterDNS: [10.99.0.1]
clusterDomain: cluster.local
resolvConf: /cluster/resolv.conf
failSwapOn: false
END
  local controller
  for controller in /sys/fs/cgroup/*/; do mkdir -p "$controller/cluster-$NODE"; done
  # A new cpuset has no processors.
  cat /sys/fs/cgroup/cpuset/cpuset.cpus > "/sys/fs/cgroup/cpuset/cluster-$NODE/cpuset.cpus"
  cat /sys/fs/cgroup/cpuset/cpuset.mems > "/sys/fs/cgroup/cpuset/cluster-$NODE/cpuset.mems"
  echo 1 > /proc/sys/net/ipv4/ip_forward
  echo 1 > /proc/sys/net/bridge/bridge-nf-call-iptables
}

# run NAME COMMAND…: in the background, with a log.
run() {
  local name=$1
  shift
  "$@" > "$folder/state/$NODE/log/$name" 2>&1 &
}

wait_for() {
  local tries=0
  until "$@" > /dev/null 2>&1; do
    tries=$((tries + 1))
    if [ $tries -gt 300 ]; then echo "nodes.sh: $* does not succeed" >&2; exit 1; fi
    sleep 1
  done
}

start_node() {
  run containerd containerd --config "/cluster/state/$NODE/containerd.toml"
  wait_for ctr version
  local image
  for image in "$folder"/images/*.tar; do ctr --namespace k8s.io images import "/cluster/images/${image##*/}"; done
  run kubelet /cluster/bin/kubelet --config "/cluster/state/$NODE/kubelet.yaml" --kubeconfig /cluster/kubeconfig --hostname-override "$NODE" \
    --node-ip "10.99.0.$NUMBER" --container-runtime remote --container-runtime-endpoint unix:///run/containerd/containerd.sock
  run proxy /cluster/bin/kube-proxy --kubeconfig /cluster/kubeconfig --hostname-override "$NODE" --cluster-cidr 10.244.0.0/16 \
    --proxy-mode iptables --conntrack-max-per-core 0 --conntrack-tcp-timeout-established 0 --conntrack-tcp-timeout-close-wait 0
}

start_control_plane() {
  echo 'token,admin,admin,system:masters' > "$folder/tokens.csv"
  openssl genrsa -out "$folder/accounts.pem" 2048 2> /dev/null
  cat > "$folder/kubeconfig" << END
apiVersion: v1
kind: Config
clusters: [{ name: here, cluster: { server: "https://10.99.0.1:6443", insecure-skip-tls-verify: true } }]
users: [{ name: admin, user: { token: token } }]
contexts: [{ name: here, context: { cluster: here, user: admin } }]
current-context: here
END
  printf 'nameserver 10.99.0.1\n' > "$folder/resolv.conf"
  run etcd etcd --data-dir /run/etcd
  run apiserver /cluster/bin/kube-apiserver --etcd-servers http://127.0.0.1:2379 --advertise-address 10.99.0.1 --cert-dir /run/apiserver \
    --service-cluster-ip-range 10.96.0.0/16 --token-auth-file /cluster/tokens.csv --authorization-mode Node,RBAC \
    --kubelet-preferred-address-types InternalIP \
    --service-account-issuer https://here --service-account-key-file /cluster/accounts.pem --service-account-signing-key-file /cluster/accounts.pem
  wait_for "$folder/bin/kubectl" get --raw /readyz
  run controller-manager /cluster/bin/kube-controller-manager --kubeconfig /cluster/kubeconfig \
    --service-account-private-key-file /cluster/accounts.pem
  run scheduler /cluster/bin/kube-scheduler --kubeconfig /cluster/kubeconfig
}

# Names of services.
serve_names() {
  mkdir -p "$folder/names"
  run dnsmasq dnsmasq --keep-in-foreground --no-resolv --no-hosts --hostsdir /cluster/names --listen-address 10.99.0.1 --bind-interfaces \
    --local /local/ --user=root
  while sleep 2; do
    "$folder/bin/kubectl" get services --all-namespaces --output \
      'jsonpath={range .items[*]}{.spec.clusterIP} {.metadata.name}.{.metadata.namespace}.svc.cluster.local{"\n"}{end}' \
      > "$folder/names.new" 2> /dev/null || continue
    cmp --silent "$folder/names.new" "$folder/names/services" || cp "$folder/names.new" "$folder/names/services"
  done
}

# A claim gets one of these. The kubelet gives it to the group of the pod, as for other kinds of volumes.
make_volumes() {
  local number
  rm -rf "$folder/root/volumes"
  for number in 1 2 3 4 5 6 7 8 9; do
    mkdir -p "$folder/root/volumes/$number"
    kubectl apply --filename - << END
apiVersion: v1
kind: PersistentVolume
metadata: { name: volume-$number }
spec:
  accessModes: [ReadWriteOnce]
  capacity: { storage: 5Gi }
  local: { path: /volumes/$number }
  nodeAffinity:
    required: { nodeSelectorTerms: [{ matchExpressions: [{ key: kubernetes.io/hostname, operator: In, values: [one] }] }] }
END
  done
}

export KUBECONFIG=$folder/kubeconfig PATH=$folder/bin:$PATH
case ${NODE:-} in
  '')
    # Everything ends with the first process of this namespace.
    NODE=none exec unshare --net --mount --pid --fork --kill-child --mount-proc bash "$0" "$folder" "$@"
    ;;
  none)
    ip link set lo up
    ip link add nodes type bridge
    ip address add 10.99.0.1/24 dev nodes
    ip link set nodes up
    ip route add 10.96.0.0/16 dev nodes
    rm -f "$folder/kubeconfig"
    NODE=one NUMBER=1 unshare --mount bash "$0" "$folder" &
    NODE=two NUMBER=2 unshare --mount --net bash "$0" "$folder" &
    second=$!
    sleep 2
    ip link add two type veth peer name uplink netns "$second"
    ip link set two master nodes up
    ip route add 10.244.2.0/24 via 10.99.0.2
    ready() { [ "$(kubectl get nodes | grep --count --word-regexp Ready)" = 2 ]; }
    wait_for ready
    make_volumes
    "$@"
    ;;
  one)
    enter
    configure
    start_control_plane
    serve_names &
    start_node
    wait
    ;;
  two)
    enter
    configure
    ip link set lo up
    wait_for ip link show uplink
    ip address add 10.99.0.2/24 dev uplink
    ip link set uplink up
    ip route add default via 10.99.0.1
    wait_for test -s /cluster/kubeconfig
    start_node
    wait
    ;;
esac
