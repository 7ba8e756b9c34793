// Runs one compiled test file with uvu, as uvu's own command does.
//
//   node test/run-file.mjs <name to show> <file>

import { readFileSync, writeSync } from 'node:fs';
import { resolve } from 'node:path';
import { run } from 'uvu/run';

/** A second, as /proc counts. */
const TICKS = 100;

const [name, file] = process.argv.slice(2);
process.once('exit', () => writeSync(1, `  CPU:       ${cpuSeconds()}\n`));
await run([{ name, file: resolve(file) }]);

/** Of this process and of those that it has started and that have ended, where Linux counts them; else of this one. */
function cpuSeconds() {
  const { user, system } = process.cpuUsage();
  try {
    const fields = readFileSync('/proc/self/stat', 'latin1')
      .replace(/^.*\) /s, '')
      .split(' ');
    return (user + system) / 1e6 + (Number(fields[13]) + Number(fields[14])) / TICKS;
  } catch {
    return (user + system) / 1e6;
  }
}
