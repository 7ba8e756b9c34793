/** docs/kubernetes.yaml and the files beside it are valid by Kubernetes' own schemas, and have no field that it does not know. */
import { existsSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { packagePath } from '../../src/package.ts';
import { temporaryFolder } from '../helpers/folder.ts';
import { allObjects, documents, KINDS, type Kind, objectNamed, objects } from '../helpers/kubernetes.ts';
import { when } from '../helpers/when.ts';
import { runShell } from '../readme/shell.ts';

const test = suite('schemas of Kubernetes');
/** Kubernetes' schemas and types as a package. */
const MODELS = 'kubernetes-models';
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
  for (const object of [...allObjects, wrong]) {
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
  const found = await unknownFieldsIn([...allObjects, misspelt]);
  assert.match(found, /readinesProbe/);
  assert.equal(found.match(/^objects\.ts\(.*error/gm)?.length, 1, found);
});

test.run();
