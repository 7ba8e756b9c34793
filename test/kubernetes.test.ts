/** docs/kubernetes.yaml is valid by Kubernetes' own schemas, and agrees with the image and the settings. */
import { existsSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { parseAllDocuments } from 'yaml';
import { readSettings } from '../jobs/settings.ts';
import { packagePath } from '../src/package.ts';
import { assertAtLeast, assertBelow, assertIncludes } from './helpers/assertions.ts';
import { imageVariables, instructionsOf } from './helpers/containerfile.ts';
import { temporaryFolder } from './helpers/folder.ts';
import { when } from './helpers/when.ts';
import { runShell } from './readme/shell.ts';

/** The version of each kind. */
const KINDS = {
  ConfigMap: 'v1',
  Deployment: 'apps/v1',
  HorizontalPodAutoscaler: 'autoscaling/v2',
  Ingress: 'networking.k8s.io/v1',
  Namespace: 'v1',
  PersistentVolumeClaim: 'v1',
  PodDisruptionBudget: 'policy/v1',
  Service: 'v1',
} as const;

type Kind = keyof typeof KINDS;

const documents = parseAllDocuments(readFileSync(packagePath('docs/kubernetes.yaml'), 'utf8'));
const objects = documents.map((document) => document.toJS());
const named = (kind: Kind, name: string) =>
  objects.find((object) => object.kind === kind && object.metadata.name === name);
const builder = named('Deployment', 'builder').spec;
const replica = named('Deployment', 'replica').spec;

const test = suite('kubernetes.yaml');
/** Kubernetes' schemas and types as a package. */
const MODELS = 'kubernetes-models';
const withModels = when(
  existsSync(packagePath(`node_modules/${MODELS}`)),
  `${MODELS} is not installed`,
  test,
);

test('should have all kinds that are promised, in their versions', () => {
  for (const { errors } of documents) assert.equal(errors, []);
  assert.equal([...new Set(objects.map(({ kind }) => kind))].sort(), Object.keys(KINDS));
  for (const { kind, apiVersion } of objects) assert.is(apiVersion, KINDS[kind as Kind]);
});

withModels('should be valid for Kubernetes', async () => {
  const wrong = structuredClone(named('Deployment', 'replica'));
  delete wrong.spec.selector;
  for (const object of [...objects, wrong]) {
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

withModels('should have no field that Kubernetes does not know', async () => {
  const misspelt = structuredClone(named('Deployment', 'replica'));
  misspelt.spec.template.spec.containers[0].readinesProbe = {};
  const found = await unknownFieldsIn([...objects, misspelt]);
  assert.match(found, /readinesProbe/);
  assert.equal(found.match(/^objects\.ts\(.*error/gm)?.length, 1, found);
});

const CONTAINERS = [
  ['builder', builder.template.spec],
  ['replica', replica.template.spec],
] as const;

for (const [name, { containers, initContainers = [], volumes, ...pod }] of CONTAINERS) {
  const [container] = containers;
  const environment = Object.fromEntries(
    container.env.map((one: { readonly name: string; readonly value: string }) => [one.name, one.value]),
  );

  test(`${name}: should give only known settings, with valid values`, () => {
    const { data } = named('ConfigMap', 'almanakk');
    const keys = { AWS_ACCESS_KEY_ID: 'a', AWS_SECRET_ACCESS_KEY: 'b' };
    const { warnings } = readSettings(
      { ...imageVariables(), ...data, ...keys, ...environment },
      temporaryFolder(),
    );
    assert.equal(warnings, []);
  });

  test(`${name}: should run as the image's user, and write to volumes alone`, () => {
    const [user] = instructionsOf('USER');
    const { runAsUser, runAsGroup, runAsNonRoot } = pod.securityContext;
    assert.equal([`${runAsUser}:${runAsGroup}`, runAsNonRoot], [user, true]);
    for (const { securityContext } of [...containers, ...initContainers])
      assert.equal(securityContext, {
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      });
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
    assert.is(limits.memory, `${(2 * megabytes) / 1_024}Gi`);
    const delay = Number(environment.ALMANAKK_STOP_DELAY ?? 0);
    assertAtLeast(pod.terminationGracePeriodSeconds, delay + 10, 'seconds');
  });
}

test('should start the builder as the image starts a server, and replicas by the image’s own command', () => {
  const command: readonly string[] = JSON.parse(instructionsOf('CMD')[0] ?? '');
  assert.equal(builder.template.spec.containers[0].args, [...command.slice(0, -1), 'schedule']);
  assert.is(replica.template.spec.containers[0].args, undefined);
});

test('should find the pods that are meant, at the port that the image has', () => {
  const { labels } = replica.template.metadata;
  const selectors = [
    replica.selector.matchLabels,
    named('Service', 'almanakk').spec.selector,
    named('PodDisruptionBudget', 'replica').spec.selector.matchLabels,
  ];
  for (const selector of selectors) assert.equal(selector, labels);
  assert.equal(builder.selector.matchLabels, builder.template.metadata.labels);
  assert.not.equal(builder.selector.matchLabels, labels);
  const [port] = replica.template.spec.containers[0].ports;
  assert.is(`${port.containerPort}`, instructionsOf('EXPOSE')[0]);
  const { minReplicas, scaleTargetRef } = named('HorizontalPodAutoscaler', 'replica').spec;
  assert.is(scaleTargetRef.name, 'replica');
  assertBelow(named('PodDisruptionBudget', 'replica').spec.minAvailable, minReplicas, 'replicas');
});

test('should keep what operators see away from the service and the ingress', () => {
  const [{ env, ports }] = replica.template.spec.containers;
  const admin = ports.find(({ name }: { readonly name: string }) => name === 'admin');
  const setting = env.find(({ name }: { readonly name: string }) => name === 'ALMANAKK_ADMIN_PORT');
  assert.is(`${admin.containerPort}`, setting.value);
  const led = named('Service', 'almanakk').spec.ports.map(
    (port: { readonly targetPort: unknown }) => port.targetPort,
  );
  assert.equal(led, ['http']);
});

test('should take from the store what the builder puts there, and trust its key alone', () => {
  const settingOf = (spec: typeof builder, wanted: string) =>
    spec.template.spec.containers[0].env.find(({ name }: { readonly name: string }) => name === wanted).value;
  assert.is(settingOf(replica, 'ALMANAKK_ORIGIN'), settingOf(builder, 'ALMANAKK_PUBLISH'));
  assert.is(settingOf(replica, 'ALMANAKK_TRUST'), `${settingOf(builder, 'ALMANAKK_SIGNING_KEY')}.pub`);
});

test.run();
