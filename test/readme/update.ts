/**
 * Rewrites the generated parts of README.md and docs/: reading times, tables, JSON Schemas and the file for the Prometheus Operator.
 * Run `node --import tsx test/readme/update.ts` after a change to settings, fields, metrics or alerts.
 */
import { writeFileSync } from 'node:fs';
import { packagePath } from '../../src/package.ts';
import { allPages, readPage, withTable } from './document.ts';
import { generatedTables } from './generated.ts';
import { nativeSchemas } from './native-schema.ts';
import { withMinutes } from './opening.ts';
import { prometheusOperatorFile } from './prometheus-operator.ts';

for (const page of allPages()) writeFileSync(packagePath(page), withMinutes(readPage(page)));

for (const { page, heading, table } of await generatedTables()) {
  writeFileSync(packagePath(page), withTable(readPage(page), heading, table));
}

for (const [name, text] of Object.entries(nativeSchemas())) writeFileSync(packagePath(`docs/${name}`), text);

writeFileSync(packagePath('docs/prometheus-operator.yaml'), prometheusOperatorFile());
