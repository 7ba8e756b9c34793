// Runs one compiled test file with uvu, as uvu's own command does.
//
//   node test/run-file.mjs <name to show> <file>

import { resolve } from 'node:path';
import { run } from 'uvu/run';

const [name, file] = process.argv.slice(2);
await run([{ name, file: resolve(file) }]);
