// Runs compiled test files with uvu, as uvu's own command does, one after the other. Each ends with uvu's summary and a line of
// the CPU that it took, in seconds, once nothing of it goes on.
//
//   node test/run-file.mjs <folder> <name.test.ts> …
import { once } from 'node:events';
import { readFileSync, writeSync } from 'node:fs';
import { resolve } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import fc from 'fast-check';
import { run } from 'uvu/run';

/** A second, as /proc counts. */
const TICKS = 100;
/** Globals that a file may replace, and has to put back. */
const SHARED = ['Date', 'setTimeout', 'setInterval', 'fetch', 'performance'];

/** An ordinary run tries the same random cases each time, so that a failure is the change's own; `--long` tries others. */
if (process.env.ALMANAKK_TEST_LONG !== '1') fc.configureGlobal({ seed: 1905 });

// Programs that tests start end too soon to pay for so much memory: with it, swaps.test.ts takes 14 % more.
process.execArgv = process.execArgv.filter((option) => !/-semi-space-size=64$/.test(option));

const [folder, ...names] = process.argv.slice(2);
// From Node 22 on, a process whose own module still waits ends without `beforeExit`.
runAll().catch(fail);

async function runAll() {
  let spent = 0;
  for (const name of names) {
    // Node emits `beforeExit` again only after another turn of the event loop.
    await nextTurn();
    const before = state();
    globalThis.UVU_QUEUE = [];
    await run([{ name, file: resolve(folder, name.replace(/\.ts$/, '.js')) }]);
    // Node emits it as soon as nothing keeps the process alive.
    await once(process, 'beforeExit');
    const after = state();
    const changed = Object.keys(before).filter((key) => before[key] !== after[key]);
    if (changed.length > 0) throw new Error(`${name} has changed ${changed.join(', ')} and not put it back`);
    const all = cpuSeconds();
    writeSync(1, `  CPU:       ${all - spent}\n`);
    spent = all;
  }
}

/** After `beforeExit`, Node 24 ends before it would notice that nobody has caught an error. */
function fail(error) {
  console.error(error);
  process.exit(1);
}

function state() {
  return {
    ...Object.fromEntries(SHARED.map((name) => [name, globalThis[name]])),
    'process.env': JSON.stringify(process.env),
    'process.cwd()': process.cwd(),
  };
}

/** CPU of this process and of its ended children, where Linux counts them; else of this process. */
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
