/**
 * Rewrites the generated parts of README.md and docs/: reading times, tables, rates, numbers of lines, JSON Schemas and the file for the
 * Prometheus Operator.
 * Run `node --import tsx test/readme/update.ts` after a change to settings, fields, metrics or alerts.
 */
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { packagePath } from '../../src/package.ts';
import { withRates } from './bench-results.ts';
import { allPages, readPage, tableIn, withTable } from './document.ts';
import { generatedTables } from './generated.ts';
import { nativeSchemas } from './native-schema.ts';
import { withMinutes } from './opening.ts';
import { prometheusOperatorFile } from './prometheus-operator.ts';

const ARCHITECTURE = 'docs/architecture.md';

for (const page of allPages()) writeFileSync(packagePath(page), withMinutes(readPage(page)));

for (const { page, heading, table } of await generatedTables()) {
  writeFileSync(packagePath(page), withTable(readPage(page), heading, table));
}

writeFileSync(packagePath('README.md'), withRates(readPage('README.md')));

for (const [name, text] of Object.entries(nativeSchemas())) writeFileSync(packagePath(`docs/${name}`), text);

writeFileSync(packagePath('docs/prometheus-operator.yaml'), prometheusOperatorFile());

writeFileSync(packagePath(ARCHITECTURE), withTable(readPage(ARCHITECTURE), 'Size', sizes()));

/** The table of sizes with new numbers, which the commands below it print. Rounded, so that few commits change them. */
function sizes(): string {
  const page = readPage(ARCHITECTURE);
  const [commands = ''] = /^find .*\n(?:find .*\n)+/m.exec(page) ?? [];
  const { stdout } = spawnSync('sh', ['-c', commands], { cwd: packagePath('.'), encoding: 'utf8' });
  const counts = stdout.trim().split('\n').map(Number);
  return tableIn(page, 'Size').replace(/[\d,]+(?= \|$)/gm, () => {
    const thousands = Math.round((counts.shift() ?? 0) / 1_000);
    return `${thousands},000`;
  });
}
