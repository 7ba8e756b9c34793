/** Writes what of README.md and docs/ is made from the code: `node --import tsx test/readme/update.ts`. */
import { writeFileSync } from 'node:fs';
import { packagePath } from '../../src/package.ts';
import { pagesThereAre, readPage, withMinutes, withTable } from './document.ts';
import { generatedTables } from './generated.ts';
import { nativeSchemas } from './native-schema.ts';
import { prometheusOperatorFile } from './prometheus-operator.ts';

for (const page of pagesThereAre()) writeFileSync(packagePath(page), withMinutes(readPage(page)));

for (const { page, heading, table } of await generatedTables()) {
  writeFileSync(packagePath(page), withTable(readPage(page), heading, table));
}

for (const [name, text] of Object.entries(nativeSchemas())) writeFileSync(packagePath(`docs/${name}`), text);

writeFileSync(packagePath('docs/prometheus-operator.yaml'), prometheusOperatorFile());
