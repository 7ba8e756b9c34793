/** docs/kubernetes.yaml and the smaller files are valid by Kubernetes' own schemas, and agree with the image and the settings. */
import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { BlockList } from 'node:net';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { parse, parseAllDocuments } from 'yaml';
import { readSettings } from '../../jobs/settings.ts';
import { isObject } from '../../src/calendar/json.ts';
import { packagePath } from '../../src/package.ts';
import { assertAtLeast, assertBelow, assertIncludes } from '../helpers/assertions.ts';
import { imageVariables, instructionsOf } from '../helpers/containerfile.ts';
import { temporaryFolder } from '../helpers/folder.ts';
import {
  builder,
  documents,
  egressObjects,
  KINDS,
  type Kind,
  type Named,
  objectNamed,
  objects,
  replica,
  smallBuilder,
  smallObjects,
  smallReplica,
  smallReplicaObjects,
  statusObjects,
  variablesOf,
} from '../helpers/kubernetes.ts';
import { isExpected, when } from '../helpers/when.ts';
import { blocksOf, theBlock } from '../readme/blocks.ts';
import { runShell } from '../readme/shell.ts';

const test = suite('kubernetes.yaml');
/** Kubernetes' schemas and types as a package. */
const MODELS = 'kubernetes-models';
/** Those of all files, each once: the files share some. */
const DISTINCT = [
  ...objects,
  ...statusObjects,
  ...egressObjects,
  ...smallObjects,
  ...smallReplicaObjects,
].filter((object, at, all) => all.findIndex((other) => isDeepStrictEqual(object, other)) === at);
const withModels = when(
  existsSync(packagePath(`node_modules/${MODELS}`)),
  `${MODELS} is not installed`,
  test,
);

test('should be YAML without errors, with an object of each kind, in its version', () => {
  for (const { errors } of documents) assert.equal(errors, []);
  assert.equal([...new Set(objects.map(({ kind }) => kind))].sort(), Object.keys(KINDS));
  for (const { kind, apiVersion } of objects) assert.is(apiVersion, KINDS[kind as Kind], kind);
});

withModels('each object should be valid by the schemas of Kubernetes', async () => {
  const wrong = structuredClone(objectNamed('Deployment', 'replica'));
  delete wrong.spec.selector;
  for (const object of [...DISTINCT, wrong]) {
    const { [object.kind]: Model } = await import(`${MODELS}/${KINDS[object.kind as Kind]}`);
    const check = () => new Model(object).validate();
    if (object === wrong) assert.throws(check, /selector/);
    else assert.not.throws(check, `${object.kind} ${object.metadata.name}`);
  }
});

/** The schemas let unknown fields pass, as the API server's own would not: the types of the same package do not. */
async function unknownFieldsIn(all: readonly { readonly kind: string }[]): Promise<string> {
  const folder = temporaryFolder();
  symlinkSync(packagePath('node_modules'), join(folder, 'node_modules'));
  const lines = all.map((object, at) => {
    const { kind } = object;
    const path = KINDS[kind as Kind];
    return `import type { I${kind} as T${at} } from '${MODELS}/${path}';
export const o${at}: T${at} = ${JSON.stringify(object, null, 1)};`;
  });
  writeFileSync(join(folder, 'objects.ts'), lines.join('\n'));
  const options =
    '--ignoreConfig --types "" --noEmit --strict --skipLibCheck --module nodenext --target esnext';
  const tsc = packagePath('node_modules/.bin/tsc');
  const { stdout, stderr } = await runShell(`${tsc} ${options} objects.ts`, { folder });
  return stdout + stderr;
}

withModels('no object should have a field that Kubernetes does not know', async () => {
  const misspelt = structuredClone(objectNamed('Deployment', 'replica'));
  misspelt.spec.template.spec.containers[0].readinesProbe = {};
  const found = await unknownFieldsIn([...DISTINCT, misspelt]);
  assert.match(found, /readinesProbe/);
  assert.equal(found.match(/^objects\.ts\(.*error/gm)?.length, 1, found);
});

const PODS = [
  { name: 'builder', role: 'builder', pod: builder.template.spec, among: objects },
  { name: 'replica', role: 'replica', pod: replica.template.spec, among: objects },
  { name: 'small builder', role: 'builder', pod: smallBuilder.template.spec, among: smallObjects },
  { name: 'small replica', role: 'replica', pod: smallReplica.template.spec, among: smallObjects },
] as const;

/** The operator replaces this placeholder. */
const NETWORK = 'NETWORK-OF-YOUR-INGRESS';

function withNetwork(variables: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const isMissing = variables.ALMANAKK_TRUST_PROXY === NETWORK;
  return isMissing ? { ...variables, ALMANAKK_TRUST_PROXY: '10.0.0.0/8' } : variables;
}

test('should start no server without the network of the ingress controller', () => {
  const { data } = objectNamed('ConfigMap', 'almanakk', smallObjects);
  for (const { ALMANAKK_TRUST_PROXY } of [variablesOf(replica.template.spec), data])
    assert.throws(
      () => readSettings({ ALMANAKK_TRUST_PROXY }, temporaryFolder()),
      /ALMANAKK_TRUST_PROXY.*found "NETWORK-OF-YOUR-INGRESS"/s,
    );
});

for (const { name, role, pod, among } of PODS) {
  const { containers, initContainers = [], volumes } = pod;
  const [container] = containers;
  const environment = variablesOf(pod);

  test(`${name}: should give only known settings, with valid values`, () => {
    const { data } = objectNamed('ConfigMap', 'almanakk', among);
    const keys = { AWS_ACCESS_KEY_ID: 'a', AWS_SECRET_ACCESS_KEY: 'b' };
    const all = { ...imageVariables(), ...data, ...keys, ...environment };
    const { warnings } = readSettings(withNetwork(all), temporaryFolder());
    assert.equal(warnings, []);
  });

  test(`${name}: should have a volume for each folder that it writes to`, () => {
    const names = volumes.map((volume: { readonly name: string }) => volume.name);
    for (const { volumeMounts } of [...containers, ...initContainers])
      for (const mount of volumeMounts) assertIncludes(names, mount.name);
    const paths = container.volumeMounts.map((mount: { readonly mountPath: string }) => mount.mountPath);
    for (const path of [...instructionsOf('VOLUME'), '/tmp']) assertIncludes(paths, path);
  });

  test(`${name}: should have the memory of its settings, and time to stop`, () => {
    const { requests, limits } = container.resources;
    const megabytes = Number(environment.ALMANAKK_MEMORY_MB ?? 512);
    assert.is(requests.memory, `${megabytes}Mi`);
    // Beside a server, a replica checks a file, and a builder builds.
    assert.is(
      limits.memory,
      { replica: `${(2 * megabytes) / 1_024}Gi`, builder: `${3 * megabytes}Mi` }[role],
    );
    const delay = Number(environment.ALMANAKK_STOP_DELAY ?? 0);
    assertAtLeast(pod.terminationGracePeriodSeconds, delay + 10, 'seconds');
  });
}

const JOBS = objects.filter(({ kind }) => kind === 'CronJob');
/** The pods of all deployments and jobs. */
const ALL_PODS = [
  ...PODS,
  ...JOBS.map(({ metadata, spec }) => ({ name: metadata.name, pod: spec.jobTemplate.spec.template.spec })),
];

interface Volume {
  readonly emptyDir?: { readonly sizeLimit?: string; readonly medium?: string };
}

/** The kubelet keeps five files of 10 MiB for each container. */
const MOST_LOG = 50;

/** Throws if there is no size. */
function mebibytes(size = ''): number {
  const [, digits, unit] = /^(\d+)(Mi|Gi)$/.exec(size) ?? [];
  if (digits === undefined) throw new Error(`expected a size such as 5Gi, found "${size}"`);
  return Number(digits) * (unit === 'Gi' ? 1_024 : 1);
}

for (const { name, pod } of ALL_PODS) {
  const { containers, initContainers = [], securityContext, ...rest } = pod;

  test(`${name}: should run as the image's user, with no more rights than it needs`, () => {
    const [user] = instructionsOf('USER');
    const { runAsUser, runAsGroup, runAsNonRoot, seccompProfile } = securityContext;
    assert.equal([`${runAsUser}:${runAsGroup}`, runAsNonRoot], [user, true]);
    assert.is(seccompProfile.type, 'RuntimeDefault');
    assert.equal([rest.automountServiceAccountToken, rest.enableServiceLinks], [false, false]);
    for (const container of [...containers, ...initContainers])
      assert.equal(container.securityContext, {
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      });
  });

  test(`${name}: should state what it needs, and no CPU limit, which would slow it down`, () => {
    for (const { resources } of [...containers, ...initContainers]) {
      assert.equal(Object.keys(resources.requests).sort(), ['cpu', 'ephemeral-storage', 'memory']);
      assert.equal(Object.keys(resources.limits).sort(), ['ephemeral-storage', 'memory']);
    }
    // Kubernetes evicts the pod if its volumes on the node's disk and its log exceed the limit.
    const sizes = rest.volumes
      .filter(({ emptyDir }: Volume) => emptyDir !== undefined && emptyDir.medium !== 'Memory')
      .map(({ emptyDir }: Volume) => mebibytes(emptyDir?.sizeLimit));
    const sum = sizes.reduce((total: number, size: number) => total + size, MOST_LOG);
    assertAtLeast(mebibytes(containers[0].resources.limits['ephemeral-storage']), sum, 'MiB');
  });
}

test('should have no other pods in any file', () => {
  const owners = DISTINCT.filter(({ kind }) => kind === 'Deployment' || kind === 'CronJob');
  assert.is(owners.length, ALL_PODS.length);
});

test('should probe each server, and spread the replicas over the nodes', () => {
  for (const { name, pod } of PODS) assert.is(pod.containers[0].livenessProbe.httpGet.path, '/healthz', name);
  // Without it, a rollout of a builder that ends at once would succeed.
  for (const { template } of [builder, replica, smallBuilder, smallReplica])
    assert.is(template.spec.containers[0].readinessProbe.httpGet.path, '/readyz');
  const [{ labelSelector, topologyKey }] = replica.template.spec.topologySpreadConstraints;
  assert.equal(labelSelector.matchLabels, replica.template.metadata.labels);
  assert.is(topologyKey, 'kubernetes.io/hostname');
});

test('H1: builder and replica should start by the command of the image, `start`', () => {
  const command: readonly string[] = JSON.parse(instructionsOf('CMD')[0] ?? '');
  assert.is(command.at(-1), 'start');
  for (const { name, pod } of PODS) assert.is(pod.containers[0].args, undefined, name);
});

test('the service, the budget and the autoscaler should select the replicas, at the port of the image', () => {
  const { labels } = replica.template.metadata;
  const selectors = [
    replica.selector.matchLabels,
    objectNamed('Service', 'almanakk').spec.selector,
    objectNamed('PodDisruptionBudget', 'replica').spec.selector.matchLabels,
  ];
  for (const [at, selector] of selectors.entries()) assert.equal(selector, labels, `selector ${at}`);
  assert.equal(builder.selector.matchLabels, builder.template.metadata.labels);
  assert.not.equal(builder.selector.matchLabels, labels);
  const [port] = replica.template.spec.containers[0].ports;
  assert.is(`${port.containerPort}`, instructionsOf('EXPOSE')[0]);
  const { minReplicas, scaleTargetRef } = objectNamed('HorizontalPodAutoscaler', 'replica').spec;
  assert.is(scaleTargetRef.name, 'replica');
  assertBelow(objectNamed('PodDisruptionBudget', 'replica').spec.minAvailable, minReplicas, 'replicas');
});

test('only pods of the namespace `monitoring` should reach the port of operators', () => {
  for (const { name, pod } of PODS) {
    const [{ env, ports }] = pod.containers;
    const admin = ports.find(({ name }: Named) => name === 'admin');
    const setting = env.find(({ name }: Named) => name === 'ALMANAKK_ADMIN_PORT');
    assert.is(`${admin.containerPort}`, setting.value, name);
  }
  const policies = objects
    .filter(({ kind, spec }) => kind === 'NetworkPolicy' && spec.policyTypes.includes('Ingress'))
    .map(({ spec }) => spec);
  const allowed = policies.map(({ podSelector, ingress }) => [podSelector.matchLabels, ingress]);
  assert.equal(allowed, [
    [
      { 'app.kubernetes.io/name': 'almanakk' },
      [
        {
          from: [{ namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'monitoring' } } }],
          ports: [{ port: 'admin' }],
        },
      ],
    ],
    [
      replica.template.metadata.labels,
      [
        {
          from: [{ namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'ingress' } } }],
          ports: [{ port: 'http' }],
        },
      ],
    ],
  ]);
  const led = objectNamed('Service', 'almanakk').spec.ports.map(
    (port: { readonly targetPort: unknown }) => port.targetPort,
  );
  assert.equal(led, ['http']);
});

test('docs/kubernetes-status.yaml should lead from /status alone, at the public address, to the builder', () => {
  const optional = (kind: Kind) => statusObjects.find((object) => object.kind === kind).spec;
  const { selector, ports, publishNotReadyAddresses } = optional('Service');
  assert.equal(selector, builder.template.metadata.labels);
  assert.equal(ports, [{ name: 'admin', port: 80, targetPort: 'admin' }]);
  assert.is(publishNotReadyAddresses, true);
  const { podSelector, ingress } = optional('NetworkPolicy');
  assert.equal(podSelector.matchLabels, selector);
  assert.equal(ingress[0].from, objectNamed('NetworkPolicy', 'answers').spec.ingress[0].from);
  assert.equal(ingress[0].ports, [{ port: 'admin' }]);
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

test('docs/kubernetes-egress.yaml should let each pod reach what it needs, and nothing inside', () => {
  const labelsOf = (component: string) => ({
    ...builder.template.metadata.labels,
    'app.kubernetes.io/component': component,
  });
  const reached = (labels: Labels) =>
    [
      ...[DNS, { ...DNS, namespace: 'shop' }].map((to, at) => [`dns ${at}`, mayConnect(labels, to, 53)]),
      ['store', mayConnect(labels, STORE, 443)],
      ['feed', mayConnect(labels, FEED, 443) && mayConnect(labels, FEED_6, 443)],
      ['ssh', mayConnect(labels, FEED, 22)],
      ['mail', mayConnect(labels, FEED, 587)],
      ['builder', mayConnect(labels, BUILDER, 'http')],
      ['admin', mayConnect(labels, BUILDER, 'admin')],
      [
        'inside',
        INSIDE.some((address) => mayConnect(labels, address, 443) || mayConnect(labels, address, 80)),
      ],
    ].flatMap(([name, isReached]) => (isReached === true ? [name] : []));
  const building = ['dns 0', 'store', 'feed', 'mail'];
  for (const { template } of [builder, smallBuilder])
    assert.equal(reached(template.metadata.labels), building);
  assert.equal(reached(labelsOf('switch')), building);
  assert.match(
    readFileSync(packagePath('docs/kubernetes-switch.sh'), 'utf8'),
    'app.kubernetes.io/component: switch',
  );
  for (const { template } of [replica, smallReplica])
    assert.equal(reached(template.metadata.labels), ['dns 0', 'store', 'builder']);
  for (const { spec } of JOBS) assert.equal(reached(spec.jobTemplate.spec.template.metadata.labels), []);
});

test('should let the jobs that back up and restore connect to nothing, and the other pods to everything', () => {
  for (const among of [objects, smallObjects]) {
    for (const { spec } of JOBS)
      assert.not.ok(mayConnect(spec.jobTemplate.spec.template.metadata.labels, DNS, 53, among));
    for (const { template } of [builder, replica, smallBuilder, smallReplica])
      assert.ok(mayConnect(template.metadata.labels, FEED, 443, [...among, ...smallReplicaObjects]));
  }
});

const withKubectl = when(isExpected('kubectl'), 'kubectl is not installed', test);

interface Group {
  readonly rules: readonly {
    readonly alert: string;
    readonly labels: Readonly<Record<string, string>>;
    readonly annotations: Readonly<Record<string, string>>;
  }[];
}

/** docs/kustomization.yaml with all of its optional parts, for another host. */
const WHOLE = readFileSync(packagePath('docs/kustomization.yaml'), 'utf8')
  .replaceAll(/^( *)# (?=- |replacements:| +\S)/gm, '$1')
  .replace('- host: kalender.example', '- host: by.example');

/** The objects that kubectl makes of it. */
function kustomized(kustomization: string) {
  const folder = temporaryFolder();
  for (const name of ['kubernetes', 'kubernetes-status', 'kubernetes-egress', 'prometheus-operator'])
    copyFileSync(packagePath(`docs/${name}.yaml`), join(folder, `${name}.yaml`));
  writeFileSync(join(folder, 'kustomization.yaml'), kustomization);
  const { status, stdout, stderr } = spawnSync('kubectl', ['kustomize', folder], { encoding: 'utf8' });
  assert.is(status, 0, stderr);
  return parseAllDocuments(stdout).map((document) => document.toJS());
}

withKubectl('docs/kustomization.yaml should be accepted with all of its optional parts', () => {
  const built = kustomized(WHOLE);
  const { spec } = built.find(({ kind }) => kind === 'PrometheusRule');
  const folder = 'https://forge.example/lillevik/almanakk/blob/main/docs';
  for (const { alert, annotations } of spec.groups.flatMap(({ rules }: Group) => rules))
    assert.is(annotations.runbook_url, `${folder}/on-call.md#${alert.toLowerCase()}`);
  const [{ authorization }] = built.find(({ kind }) => kind === 'PodMonitor').spec.podMetricsEndpoints;
  assert.equal(authorization, { credentials: { name: 'builder', key: 'ALMANAKK_METRICS_TOKEN' } });
  const probed = built
    .filter(({ kind }) => kind === 'Probe')
    .map((object) => object.spec.targets.staticConfig.static);
  assert.equal(probed.flat().sort(), ['https://by.example/graphQL', 'https://by.example/readyz']);
  const ingresses = built.filter(({ kind }) => kind === 'Ingress').map(({ metadata }) => metadata.name);
  assert.equal(ingresses, ['almanakk', 'status']);
  const namesOf = (among: typeof objects) => among.map(({ metadata }) => metadata.name).sort();
  const outgoing = built.filter(({ kind, spec }) => kind === 'NetworkPolicy' && !('ingress' in spec));
  assert.equal(namesOf(outgoing), [...namesOf(egressObjects), 'jobs']);
});

withKubectl(
  'H12: a second calendar should have all objects in its own namespace, and no rules of its own',
  () => {
    const { text } = theBlock({ language: 'yaml', says: /^namespace: /m });
    const { namespace, patches } = parse(text);
    const { patches: others, ...rest } = parse(readFileSync(packagePath('docs/kustomization.yaml'), 'utf8'));
    const resources = [...rest.resources, 'kubernetes-status.yaml', 'prometheus-operator.yaml'];
    const built = kustomized(
      JSON.stringify({ ...rest, resources, namespace, patches: [...others, ...patches] }),
    );
    const [owned, ...found] = [
      ...new Set(
        built.map(({ kind, metadata }) => (kind === 'Namespace' ? metadata.name : metadata.namespace)),
      ),
    ];
    assert.equal([owned, found], [namespace, []]);
    const kinds = new Set(built.map(({ kind }) => kind));
    assert.equal([kinds.has('PodMonitor'), kinds.has('PrometheusRule')], [true, false]);
  },
);

/** Whether a patch is in the object already. Its parts of a list are the first ones there: Kustomize puts them first. */
function isPartOf(patch: unknown, whole: unknown): boolean {
  if (Array.isArray(patch) && Array.isArray(whole))
    return patch.every((part, at) => isPartOf(part, whole[at]));
  if (!isObject(patch) || !isObject(whole)) return patch === whole;
  return Object.entries(patch).every(([name, part]) => isPartOf(part, whole[name]));
}

test('kustomizations should patch objects that exist, and change nothing before they are edited', () => {
  for (const [name, among] of [
    ['', objects],
    ['-small', smallObjects],
  ] as const) {
    const kustomization = parse(readFileSync(packagePath(`docs/kustomization${name}.yaml`), 'utf8'));
    assert.equal(kustomization.resources, [`kubernetes${name}.yaml`]);
    for (const { patch } of kustomization.patches) {
      const part = parse(patch);
      assert.ok(isPartOf(part, objectNamed(part.kind, part.metadata.name, among)), patch);
    }
    const [{ name: image, newName, newTag }] = kustomization.images;
    assert.is(newName, image);
    const images = [...JSON.stringify(among).matchAll(/"image":"([^"]+)"/g)].map(([, found]) => found);
    assert.equal([...new Set(images)], [`${image}:${newTag}`]);
  }
});

test('the commands of docs/scaling.md should name deployments and containers that exist', () => {
  const text = blocksOf('docs/scaling.md')
    .filter(({ text }) => /^kubectl /m.test(text))
    .map(({ text }) => text)
    .join('');
  const commands = [...text.matchAll(/^kubectl .*\bdeploy\/(\w+).*$/gm)];
  assertAtLeast(commands.length, 10, 'commands');
  for (const [line, name = ''] of commands) {
    const { metadata } = objectNamed('Deployment', name).spec.template;
    assert.match(line, `--namespace ${objectNamed('Deployment', name).metadata.namespace} `);
    assert.is(metadata.labels['app.kubernetes.io/component'], name);
  }
  const applied = [...text.matchAll(/^kubectl apply .* --selector app\.kubernetes\.io\/component=(\w+)$/gm)];
  const found = applied.map(([, component]) =>
    objects
      .filter(({ metadata }) => metadata.labels?.['app.kubernetes.io/component'] === component)
      .map(({ kind, metadata }) => `${kind} ${metadata.name}`),
  );
  assert.equal(found, [
    ['Deployment builder'],
    ['PersistentVolumeClaim builder', 'PersistentVolumeClaim backup'],
  ]);
});

test('commands that describe all pods should show events, which a current kubectl leaves out by default', () => {
  for (const name of ['on-call.md', 'watching.md', 'scaling.md', 'alerts.yml'])
    for (const [, option] of readFileSync(packagePath(`docs/${name}`), 'utf8').matchAll(
      /describe\s+pods\b(\s+\S+)/g,
    ))
      assert.match(option ?? '', /^ --show-events\b/, name);
});

test('H12: the builder should look for the mark that kubernetes-backup.sh leaves', () => {
  const environment: readonly { readonly name: string; readonly value: string }[] =
    builder.template.spec.containers[0].env;
  const { value } = environment.find(({ name }) => name === 'ALMANAKK_BACKUP_MARK') ?? {};
  const script = readFileSync(packagePath('docs/kubernetes-backup.sh'), 'utf8');
  assert.match(script, `deploy/builder -- touch ${value}\n`);
});

test('replicas should pull from the store to which the builder publishes, and trust its key alone', () => {
  const settingOf = (spec: typeof builder, wanted: string) =>
    spec.template.spec.containers[0].env.find(({ name }: { readonly name: string }) => name === wanted).value;
  assert.is(settingOf(replica, 'ALMANAKK_ORIGIN'), settingOf(builder, 'ALMANAKK_PUBLISH'));
  assert.is(settingOf(replica, 'ALMANAKK_TRUST'), `${settingOf(builder, 'ALMANAKK_SIGNING_KEY')}.pub`);
});

test.run();
