/** Writes the parts of README.md that are made from the code: `node --import tsx test/readme/update.ts`. */
import { writeFileSync } from 'node:fs';
import { README, readReadme, withTable } from './document.ts';
import { generatedTables } from './generated.ts';

let text = readReadme();
for (const [heading, table] of Object.entries(await generatedTables()))
  text = withTable(text, heading, table);
writeFileSync(README, text);
