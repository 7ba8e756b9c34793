/** docs/kubernetes-small.yaml, with one pod, and docs/kubernetes-replicas.yaml, whose pods copy from it over HTTP. */
import { spawnSync } from 'node:child_process';
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { parse, parseAllDocuments } from 'yaml';
import { run as pull } from '../../jobs/annexes/pull/pull.ts';
import { readSettings } from '../../jobs/settings.ts';
import { packagePath } from '../../src/package.ts';
import { parseManifest } from '../../src/snapshot/manifest.ts';
import { sourceOfEvents } from '../helpers/build.ts';
import { NOW } from '../helpers/calendar.ts';
import { imageVariables } from '../helpers/containerfile.ts';
import { manifestTextIn, temporaryFolder } from '../helpers/folder.ts';
import {
  builder,
  type Named,
  objectNamed,
  replica,
  smallBuilder,
  smallObjects,
  smallReplica,
  smallReplicaObjects,
  variablesOf,
} from '../helpers/kubernetes.ts';
import { startBuilt } from '../helpers/running.ts';
import { isExpected, when } from '../helpers/when.ts';
import { blocksOf } from '../readme/blocks.ts';

const test = suite('kubernetes-small.yaml');

const SHARED = [
  ['Namespace', 'almanakk'],
  ['NetworkPolicy', 'metrics'],
  ['PersistentVolumeClaim', 'builder'],
  ['PersistentVolumeClaim', 'backup'],
  ['CronJob', 'backup'],
  ['CronJob', 'restore'],
  ['Ingress', 'almanakk'],
] as const;

test('should share volumes, backups and the address with docs/kubernetes.yaml, which may replace it', () => {
  for (const [kind, name] of SHARED)
    assert.equal(objectNamed(kind, name, smallObjects), objectNamed(kind, name), `${kind} ${name}`);
  // The selector of a deployment cannot change.
  assert.equal([smallBuilder.selector, smallReplica.selector], [builder.selector, replica.selector]);
  assert.equal(smallBuilder.strategy, { type: 'Recreate' });
  const volumesOf = ({ template }: typeof smallBuilder) =>
    template.spec.volumes.filter(({ name }: Named) => !['signing', 'keys'].includes(name));
  assert.equal(volumesOf(smallBuilder), volumesOf(builder));
  assert.equal(volumesOf(smallReplica), volumesOf(replica));
});

test('should lead callers to the pod that builds and, where there are any, to the replicas', () => {
  const { selector } = objectNamed('Service', 'almanakk', smallObjects).spec;
  const { podSelector, ingress } = objectNamed('NetworkPolicy', 'answers', smallObjects).spec;
  assert.equal(podSelector.matchLabels, selector);
  assert.equal(ingress, objectNamed('NetworkPolicy', 'answers').spec.ingress);
  const labelsOf = ({ template, selector: { matchLabels } }: typeof smallBuilder) => {
    assert.equal({ ...template.metadata.labels, ...matchLabels }, template.metadata.labels);
    return template.metadata.labels;
  };
  const [spread] = smallReplica.template.spec.topologySpreadConstraints;
  for (const deployment of [smallBuilder, smallReplica]) {
    const labels = labelsOf(deployment);
    assert.equal({ ...labels, ...selector }, labels);
    assert.equal({ ...labels, ...spread.labelSelector.matchLabels }, labels);
  }
  const { jobTemplate } = objectNamed('CronJob', 'backup', smallObjects).spec;
  assert.is(jobTemplate.spec.template.metadata.labels.serves, undefined, 'a backup answers nobody');
});

test('should let the replicas, and no other pods, copy from the pod that builds', () => {
  const origin = objectNamed('Service', 'origin', smallReplicaObjects).spec;
  const { podSelector, ingress } = objectNamed('NetworkPolicy', 'origin', smallReplicaObjects).spec;
  for (const selector of [origin.selector, podSelector.matchLabels])
    assert.equal(selector, smallBuilder.selector.matchLabels);
  const from = [{ podSelector: smallReplica.selector }];
  assert.equal(ingress, [{ from, ports: [{ port: 'http' }] }]);
  assert.equal(origin.ports, [{ name: 'http', port: 80, targetPort: 'http' }]);
  const { spec } = objectNamed('PodDisruptionBudget', 'replica', smallReplicaObjects);
  const { minReplicas } = objectNamed('HorizontalPodAutoscaler', 'replica', smallReplicaObjects).spec;
  assert.equal([spec.selector, spec.minAvailable], [smallReplica.selector, minReplicas - 1]);
});

test('should keep two replicas while docs/kubernetes.yaml takes their place', () => {
  // kubectl would reset a number that one file states and the next does not, to one replica.
  assert.equal([smallReplica.replicas, replica.replicas], [undefined, undefined]);
  const autoscalers = [smallReplicaObjects, undefined].map(
    (among) => objectNamed('HorizontalPodAutoscaler', 'replica', among).spec,
  );
  const [{ minReplicas, maxReplicas, scaleTargetRef }, larger] = autoscalers;
  assert.equal([minReplicas, maxReplicas, scaleTargetRef], [2, 2, larger.scaleTargetRef]);
});

/** Without an object store: the pod that builds, and then the replicas that copy from it. */
const UPGRADE = `kubectl apply --filename docs/kubernetes-small.yaml
kubectl --namespace almanakk rollout status deploy/builder
kubectl apply --filename docs/kubernetes-replicas.yaml
kubectl --namespace almanakk rollout status deploy/replica
`;

test('docs/scaling.md should upgrade the pod that builds before the replicas beside it', () => {
  const blocks = blocksOf('docs/scaling.md').map(({ text }) => text);
  assert.ok(blocks.includes(UPGRADE));
});

/** The secret that the page has created, with another token. */
function secretOf(name: string): Readonly<Record<string, string>> {
  const [{ text } = { text: '' }] = blocksOf('docs/scaling.md').filter((block) =>
    block.text.includes(`create secret generic ${name} `),
  );
  const pairs = text.matchAll(/--from-literal=(\w+)=(true|"\$\(openssl rand -hex 24\)")/g);
  return Object.fromEntries([...pairs].map(([, key = '', value]) => [key, value === 'true' ? value : TOKEN]));
}

const TOKEN = 'a'.repeat(48);

test('H6: should answer probes and the paths of callers, and copy with the token of the secret', async () => {
  const secret = secretOf('snapshots');
  const { data } = objectNamed('ConfigMap', 'almanakk', smallObjects);
  const shared = { ...imageVariables(), ...data, ALMANAKK_TRUST_PROXY: '10.0.0.0/8' };
  const { settings } = readSettings(
    { ...shared, ...variablesOf(smallBuilder.template.spec), ...secret },
    temporaryFolder(),
  );
  const { serveSnapshots, snapshotsToken, publicUrl, adminPort } = settings;
  assert.equal([serveSnapshots, snapshotsToken, adminPort], [true, TOKEN, 4_001]);
  const context = { settings: { serveSnapshots, snapshotsToken, publicUrl } };
  const running = await startBuilt(sourceOfEvents(1), NOW, { context });
  const statusOf = async (path: string) => (await running.send(path)).status;
  for (const { template } of [smallBuilder, smallReplica]) {
    const [{ readinessProbe, livenessProbe }] = template.spec.containers;
    for (const { httpGet } of [readinessProbe, livenessProbe]) assert.is(await statusOf(httpGet.path), 200);
  }
  const [{ http }] = objectNamed('Ingress', 'almanakk', smallObjects).spec.rules;
  assert.equal(
    http.paths.map(({ path, pathType }: Readonly<Record<string, unknown>>) => [path, pathType]),
    [['/', 'Prefix']],
  );
  for (const [path, status] of [
    ['/events.json', 200],
    ['/snapshots/manifest.json', 401],
  ] as const)
    assert.is(await statusOf(path), status, path);

  const variables = variablesOf(smallReplica.template.spec);
  const origin = new URL(variables.ALMANAKK_ORIGIN ?? '');
  assert.equal(
    [origin.protocol, origin.host],
    ['http:', objectNamed('Service', 'origin', smallReplicaObjects).metadata.name],
  );
  const snapshots = temporaryFolder();
  const copying = (token: string | undefined) => {
    const given = {
      ...shared,
      ...variables,
      ALMANAKK_ORIGIN: `${running.url}${origin.pathname}`,
      ALMANAKK_SNAPSHOTS_TOKEN: token,
      ALMANAKK_SNAPSHOTS: snapshots,
    };
    const replicaSettings = readSettings(given, temporaryFolder()).settings;
    return pull([], {
      settings: replicaSettings,
      print: () => undefined,
      keepCurrent: async () => undefined,
      now: new Date(NOW * 1_000),
    });
  };
  await copying('b'.repeat(48)).then(
    () => assert.unreachable('copied with another token'),
    (thrown: Error) => assert.match(thrown.message, '401'),
  );
  assert.is(await copying(secret[tokenKeyOf(smallReplica.template.spec)]), 0);
  const idOf = (text: string) => parseManifest(text).id;
  assert.is(idOf(manifestTextIn(snapshots)), running.keeper.state().current?.id);
  await running.close();
});

/** The key in the secret `snapshots` that a replica's token comes from. */
function tokenKeyOf({ containers }: typeof smallReplica.template.spec): string {
  const [{ env }] = containers;
  const { valueFrom } = env.find(({ name }: Named) => name === 'ALMANAKK_SNAPSHOTS_TOKEN');
  assert.is(valueFrom.secretKeyRef.name, 'snapshots');
  return valueFrom.secretKeyRef.key;
}

test('H9: should offer no snapshots without the secret, and start no replica then', () => {
  const [{ envFrom }] = smallBuilder.template.spec.containers;
  assert.equal(envFrom.slice(1), [
    { secretRef: { name: 'builder', optional: true } },
    { secretRef: { name: 'snapshots', optional: true } },
  ]);
  const { settings } = readSettings(
    { ...imageVariables(), ...variablesOf(smallBuilder.template.spec) },
    temporaryFolder(),
  );
  assert.is(settings.serveSnapshots, false);
  assert.equal(Object.keys(secretOf('snapshots')).sort(), [
    'ALMANAKK_SERVE_SNAPSHOTS',
    'ALMANAKK_SNAPSHOTS_TOKEN',
  ]);
});

when(
  isExpected('kubectl'),
  'kubectl is not installed',
  test,
)('docs/kustomization-small.yaml should be accepted, and change nothing before it is edited', () => {
  const folder = temporaryFolder();
  const text = readFileSync(packagePath('docs/kustomization-small.yaml'), 'utf8');
  assert.match(text, / +# - kubernetes-replicas\.yaml\n/);
  writeFileSync(join(folder, 'kustomization.yaml'), text.replaceAll(/# (?=- \S+\.yaml)/g, ''));
  const { resources } = parse(text.replaceAll(/# (?=- \S+\.yaml)/g, ''));
  for (const name of resources) copyFileSync(packagePath(`docs/${name}`), join(folder, name));
  const { status, stdout, stderr } = spawnSync('kubectl', ['kustomize', folder], { encoding: 'utf8' });
  assert.is(status, 0, stderr);
  const made = parseAllDocuments(stdout).map((document) => document.toJS());
  for (const object of [...smallObjects, ...smallReplicaObjects]) {
    const { kind, metadata } = object;
    assert.equal(
      made.find((other) => other.kind === kind && other.metadata.name === metadata.name),
      object,
      `${kind} ${metadata.name}`,
    );
  }
  const { images, patches } = parse(text);
  assert.equal(images[0].newName, images[0].name);
  assert.is(`${images[0].name}:${images[0].newTag}`, smallBuilder.template.spec.containers[0].image);
  assert.is(patches.length, 4);
});

test.run();
