/**
 * `npm run generate`: rewrites all that is generated and committed: parts of README.md and docs/, the JSON Schemas, the file for the
 * Prometheus Operator, and the fingerprints in CHANGELOG.md with the number of the snapshot format. With `--check`, it only names the files
 * that are out of date, and exits with 1 if there are any.
 */
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { packagePath } from '../src/package.ts';
import { readPage } from './readme/document.ts';
import { allGeneratedFiles, generatedFiles, staleLines } from './readme/generated-files.ts';

const { values: options } = parseArgs({ options: { check: { type: 'boolean', default: false } } });

if (options.check) {
  const stale = staleLines(await generatedFiles());
  for (const line of stale) console.error(line);
  if (stale.length > 0) process.exitCode = 1;
} else {
  for (const [path, text] of await allGeneratedFiles()) {
    if (text === readPage(path)) continue;
    writeFileSync(packagePath(path), text);
    console.log(`${path}: written`);
  }
}
