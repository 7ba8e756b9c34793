/** What may reach the pods of docs/kubernetes.yaml and of the files beside it, and what they may reach. */
import { readFileSync } from 'node:fs';
import { BlockList } from 'node:net';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { packagePath } from '../../src/package.ts';
import {
  builder,
  egressObjects,
  jobs,
  type Kind,
  type Named,
  objectNamed,
  objects,
  replica,
  serverPods,
  smallBuilder,
  smallObjects,
  smallReplica,
  smallReplicaObjects,
  statusObjects,
} from '../helpers/kubernetes.ts';

const test = suite('network of the pods');

test('each pod should have the port of operators that its setting names', () => {
  for (const { name, pod } of serverPods) {
    const [{ env, ports }] = pod.containers;
    const admin = ports.find(({ name }: Named) => name === 'admin');
    const setting = env.find(({ name }: Named) => name === 'ALMANAKK_ADMIN_PORT');
    assert.is(`${admin.containerPort}`, setting.value, name);
  }
});

/** A rule for the pods of a namespace and one port. */
const fromNamespace = (name: string, port: string) => ({
  from: [{ namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': name } } }],
  ports: [{ port }],
});

test('only `monitoring` should reach the port of operators, and only `ingress` that of answers', () => {
  const policies = objects
    .filter(({ kind, spec }) => kind === 'NetworkPolicy' && spec.policyTypes.includes('Ingress'))
    .map(({ spec }) => spec);
  const allowed = policies.map(({ podSelector, ingress }) => [podSelector.matchLabels, ingress]);
  assert.equal(allowed, [
    [{ 'app.kubernetes.io/name': 'almanakk' }, [fromNamespace('monitoring', 'admin')]],
    [replica.template.metadata.labels, [fromNamespace('ingress', 'http')]],
  ]);
});

test('the service should lead to no other port than that of answers', () => {
  const { ports } = objectNamed('Service', 'almanakk').spec;
  assert.equal(
    ports.map((port: { readonly targetPort: unknown }) => port.targetPort),
    ['http'],
  );
});

const optional = (kind: Kind) => statusObjects.find((object) => object.kind === kind).spec;

test('docs/kubernetes-status.yaml should lead to the builder, also while it is not ready', () => {
  const { selector, ports, publishNotReadyAddresses } = optional('Service');
  assert.equal(selector, builder.template.metadata.labels);
  assert.equal(ports, [{ name: 'admin', port: 80, targetPort: 'admin' }]);
  assert.is(publishNotReadyAddresses, true);
});

test('docs/kubernetes-status.yaml should let the ingress controller reach the port of operators', () => {
  const { podSelector, ingress } = optional('NetworkPolicy');
  assert.equal(podSelector.matchLabels, builder.template.metadata.labels);
  assert.equal(ingress[0].from, objectNamed('NetworkPolicy', 'answers').spec.ingress[0].from);
  assert.equal(ingress[0].ports, [{ port: 'admin' }]);
});

test('docs/kubernetes-status.yaml should add /status alone to the public address', () => {
  const { rules, ...rest } = optional('Ingress');
  const { rules: publicRules, ...publicRest } = objectNamed('Ingress', 'almanakk').spec;
  assert.equal(rest, publicRest);
  const service = { name: 'builder', port: { name: 'admin' } };
  const paths = [{ path: '/status', pathType: 'Exact', backend: { service } }];
  assert.equal(rules, [{ host: publicRules[0].host, http: { paths } }]);
  // The port of operators refuses other names.
  const { ALMANAKK_PUBLIC_URL: url } = objectNamed('ConfigMap', 'almanakk').data;
  assert.is(rules[0].host, new URL(url).hostname);
});

type Labels = Readonly<Record<string, string>>;

interface Selector {
  readonly matchLabels: Labels;
  readonly matchExpressions?: readonly { readonly key: string; readonly values: readonly string[] }[];
}

interface Peer {
  readonly ipBlock?: { readonly cidr: string; readonly except?: readonly string[] };
  readonly podSelector?: Selector;
  readonly namespaceSelector?: Selector;
}

/** A pod of this or another namespace, or an address. */
type Destination = string | { readonly pod: Labels; readonly namespace?: string };

const selects = ({ matchLabels, matchExpressions = [] }: Selector, labels: Labels) =>
  Object.entries(matchLabels).every(([key, value]) => labels[key] === value) &&
  matchExpressions.every(({ key, values }) => values.includes(labels[key] ?? ''));

function isIn(cidr: string, address: string): boolean {
  const [network = '', bits] = cidr.split('/');
  const family = network.includes(':') ? 'ipv6' : 'ipv4';
  const list = new BlockList();
  list.addSubnet(network, Number(bits), family);
  return address.includes(':') === (family === 'ipv6') && list.check(address, family);
}

function isPeer({ ipBlock, podSelector, namespaceSelector }: Peer, to: Destination): boolean {
  if (typeof to === 'string')
    return ipBlock !== undefined && isIn(ipBlock.cidr, to) && !ipBlock.except?.some((part) => isIn(part, to));
  if (podSelector === undefined || !selects(podSelector, to.pod)) return false;
  const { namespace } = to;
  if (namespaceSelector === undefined) return namespace === undefined;
  return selects(namespaceSelector, { 'kubernetes.io/metadata.name': namespace ?? 'almanakk' });
}

/** Whether the policies, by default those of docs/kubernetes-egress.yaml, let a pod with these labels connect. One that none selects always may. */
function mayConnect(labels: Labels, to: Destination, port: number | string, among = egressObjects): boolean {
  const policies = among
    .filter(({ kind, spec }) => kind === 'NetworkPolicy' && spec.policyTypes.includes('Egress'))
    .map(({ spec }) => spec)
    .filter(({ podSelector }) => selects(podSelector, labels));
  const rules: readonly {
    readonly to: readonly Peer[];
    readonly ports: readonly { readonly port: unknown }[];
  }[] = policies.flatMap(({ egress = [] }) => egress);
  const isOpen = rules.some(
    ({ to: peers, ports }) =>
      peers.some((peer) => isPeer(peer, to)) && ports.some((other) => other.port === port),
  );
  return policies.length === 0 || isOpen;
}

const DNS = { pod: { 'k8s-app': 'kube-dns' }, namespace: 'kube-system' };
const BUILDER = { pod: smallBuilder.template.metadata.labels };
const STORE = '192.0.2.10';
const FEED = '198.51.100.7';
const FEED_6 = '2001:db8::7';
/** The cloud's metadata, the cluster's API and a machine of the network. */
const INSIDE = ['169.254.169.254', '10.96.0.1', '192.168.1.1', 'fd00::1'];

/** Connections by name: whether the pods with these labels may open them. */
const CONNECTIONS: Readonly<Record<string, (labels: Labels) => boolean>> = {
  dns: (labels) => mayConnect(labels, DNS, 53),
  'dns of another namespace': (labels) => mayConnect(labels, { ...DNS, namespace: 'shop' }, 53),
  store: (labels) => mayConnect(labels, STORE, 443),
  feeds: (labels) => mayConnect(labels, FEED, 443) && mayConnect(labels, FEED_6, 443),
  ssh: (labels) => mayConnect(labels, FEED, 22),
  mail: (labels) => mayConnect(labels, FEED, 587),
  builder: (labels) => mayConnect(labels, BUILDER, 'http'),
  'port of operators': (labels) => mayConnect(labels, BUILDER, 'admin'),
  inside: (labels) =>
    INSIDE.some((address) => mayConnect(labels, address, 443) || mayConnect(labels, address, 80)),
};

function reachedBy(labels: Labels): readonly string[] {
  return Object.entries(CONNECTIONS).flatMap(([name, mayOpen]) => (mayOpen(labels) ? [name] : []));
}

/** Those of a pod that docs/kubernetes-switch.sh starts. */
const LABELS_OF_SWITCH = {
  ...builder.template.metadata.labels,
  'app.kubernetes.io/component': 'switch',
};

const FOR_BUILDS = ['dns', 'store', 'feeds', 'mail'];
const FOR_COPIES = ['dns', 'store', 'builder'];

/** What the pods with these labels may reach by docs/kubernetes-egress.yaml: what they need, and nothing inside the network. */
const EGRESS: readonly {
  readonly who: string;
  readonly labels: Labels;
  readonly reached: readonly string[];
}[] = [
  { who: 'the builder', labels: builder.template.metadata.labels, reached: FOR_BUILDS },
  { who: 'the small builder', labels: smallBuilder.template.metadata.labels, reached: FOR_BUILDS },
  { who: 'the pod of a switch', labels: LABELS_OF_SWITCH, reached: FOR_BUILDS },
  { who: 'a replica', labels: replica.template.metadata.labels, reached: FOR_COPIES },
  { who: 'a small replica', labels: smallReplica.template.metadata.labels, reached: FOR_COPIES },
  ...jobs.map(({ metadata, spec }) => ({
    who: `the job ${metadata.name}`,
    labels: spec.jobTemplate.spec.template.metadata.labels,
    reached: [],
  })),
];

for (const { who, labels, reached } of EGRESS) {
  test(`docs/kubernetes-egress.yaml should let ${who} reach what it needs, and nothing inside`, () => {
    assert.equal(reachedBy(labels), reached);
  });
}

test('docs/kubernetes-switch.sh should start pods with the label that has its own rule', () => {
  const script = readFileSync(packagePath('docs/kubernetes-switch.sh'), 'utf8');
  assert.match(script, 'app.kubernetes.io/component: switch');
});

test('should let the jobs that back up and restore connect to nothing, and the other pods to everything', () => {
  for (const among of [objects, smallObjects]) {
    for (const { spec } of jobs)
      assert.not.ok(mayConnect(spec.jobTemplate.spec.template.metadata.labels, DNS, 53, among));
    for (const { template } of [builder, replica, smallBuilder, smallReplica])
      assert.ok(mayConnect(template.metadata.labels, FEED, 443, [...among, ...smallReplicaObjects]));
  }
});

test.run();
