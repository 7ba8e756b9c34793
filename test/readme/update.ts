/** Writes the parts of README.md and docs/ that are made from the code: `node --import tsx test/readme/update.ts`. */
import { writeFileSync } from 'node:fs';
import { packagePath } from '../../src/package.ts';
import { readPage, withTable } from './document.ts';
import { generatedTables } from './generated.ts';

for (const { page, heading, table } of await generatedTables()) {
  writeFileSync(packagePath(page), withTable(readPage(page), heading, table));
}
