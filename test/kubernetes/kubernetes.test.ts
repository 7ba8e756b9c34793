import { readFileSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { readSettings } from '../../jobs/settings.ts';
import { packagePath } from '../../src/package.ts';
import { assertAtLeast, assertBelow, assertIncludes } from '../helpers/assertions.ts';
import { imageVariables, instructionsOf } from '../helpers/containerfile.ts';
import { temporaryFolder } from '../helpers/folder.ts';
import {
  allObjects,
  builder,
  jobs,
  objectNamed,
  objects,
  replica,
  serverPods,
  smallBuilder,
  smallObjects,
  smallReplica,
  variablesOf,
} from '../helpers/kubernetes.ts';
import { blocksOf } from '../readme/blocks.ts';

const test = suite('kubernetes.yaml');
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

for (const { name, role, pod, among } of serverPods) {
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

/** The pods of all deployments and jobs. */
const ALL_PODS = [
  ...serverPods,
  ...jobs.map(({ metadata, spec }) => ({ name: metadata.name, pod: spec.jobTemplate.spec.template.spec })),
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
  const owners = allObjects.filter(({ kind }) => kind === 'Deployment' || kind === 'CronJob');
  assert.is(owners.length, ALL_PODS.length);
});

test('should probe each server, and spread the replicas over the nodes', () => {
  for (const { name, pod } of serverPods)
    assert.is(pod.containers[0].livenessProbe.httpGet.path, '/healthz', name);
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
  for (const { name, pod } of serverPods) assert.is(pod.containers[0].args, undefined, name);
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
  assert.match(script, `in_builder touch ${value}\n`);
});

test('replicas should pull from the store to which the builder publishes, and trust its key alone', () => {
  const settingOf = (spec: typeof builder, wanted: string) =>
    spec.template.spec.containers[0].env.find(({ name }: { readonly name: string }) => name === wanted).value;
  assert.is(settingOf(replica, 'ALMANAKK_ORIGIN'), settingOf(builder, 'ALMANAKK_PUBLISH'));
  assert.is(settingOf(replica, 'ALMANAKK_TRUST'), `${settingOf(builder, 'ALMANAKK_SIGNING_KEY')}.pub`);
});

test.run();
