/** docs/kustomization.yaml and docs/kustomization-small.yaml: what Kustomize makes of them, and of their optional parts. */
import { spawnSync } from 'node:child_process';
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { parse, parseAllDocuments } from 'yaml';
import { isObject } from '../../src/calendar/json.ts';
import { packagePath } from '../../src/package.ts';
import { temporaryFolder } from '../helpers/folder.ts';
import { egressObjects, objectNamed, objects, smallObjects } from '../helpers/kubernetes.ts';
import { isExpected, when } from '../helpers/when.ts';
import { theBlock } from '../readme/blocks.ts';

const test = suite('kustomizations');
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

test.run();
