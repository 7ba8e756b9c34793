// Runs the test files with uvu, some in one process, and ends with uvu's summary over all of them and the line
// `N passed, N failed`, and `, N skipped` behind it where some could not be run here. Whatever keeps a test from being
// counted (a crash, a hang, a forgotten `.run()`) is a failure of its file, and so is what a file leaves to the next.
//
// esbuild compiles all of them at once, with their packages: compiled by tsx, module by module, each process costs 0.2 to 0.6 s
// of CPU more, and 0.2 to 0.4 s with packages of hundreds of modules. The programs that they start are those of dist/, which is
// brought up to date before.
//
//   node test/run.mjs [--long] [--cpu] [--cpu-files 15] [pattern …]     other options: below, their defaults are meant to stay
//
// A pattern is a regular expression on the file's path. `--cpu` prints at the end the CPU seconds of all files together and of the most
// expensive ones; `--cpu-files` is the number of these. Files in test/heavy/ run last: they load the machine.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs, stripVTControlCharacters } from 'node:util';
import { isCompiled } from '../jobs/setup/steps.mjs';
import { compileTests } from './compile.mjs';
import { nameSources } from './name-sources.mjs';

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
/** The folder of compiled tests. It lies in this package, to find its modules. The process id follows, because two runs may go on at once. */
const COMPILED = '.tests-';

/** Processes side by side: two more than there are cores, because tests wait now and then. */
const LANES = `${Math.min(4, availableParallelism() + 2)}`;
/**
 * Files in one process: each process costs CPU to begin, to load what all need, and to make it fast. It ends with a file that
 * ends it, and another one goes on with the others.
 */
const TOGETHER = 100;
/** Files with a process of their own: they measure its heap. */
const ALONE = new Set(['src/serve/hostile-answers.test.ts']);
/**
 * Files that drive Chromium share the first process: loading the driver costs 0.5 s of CPU, and what it has begun makes every promise
 * of its process more expensive.
 */
const OF_BROWSER = "/browser.ts'";
/** `--long` sets ALMANAKK_TEST_LONG=1: more random cases, more kills. */
const LONG_FACTOR = 10;
/**
 * For Node: the lanes keep all cores busy, so threads that collect garbage and compile beside a process only cost more than they save.
 * Measured with Node 20 only: most code of tests runs too seldom to pay for its optimisation (bytes of bytecode; later versions have no
 * such budget), and young garbage is collected again and again until its space has grown from 1 MB (9 % of a mix of tests). So is old
 * garbage while the heap is small: with room for 256 MB, tests that build take 6 to 11 % less, and others as much as before.
 */
const SHORT_LIVED = [
  '--single-threaded',
  ...(process.versions.node.startsWith('20.')
    ? ['--interrupt-budget=500000', '--min-semi-space-size=16', '--initial-old-space-size=256']
    : []),
];
/** Young garbage of the tests themselves: 2 % less of the mix than with 16 MB. run-file.mjs takes it from the programs that they start. */
const OF_TESTS = ['--min-semi-space-size=64', '--max-semi-space-size=64'];
/** Linux's file system in memory. There, tests that build take 7 % less CPU than on a disk, because they make and remove many files. */
const IN_MEMORY = '/dev/shm';
/** Bytes that have to be free there, several times what all lanes need at once. In containers, the default is 64 MB. */
const LEAST_ROOM = 2 ** 31;
const SUMMARY_LINE = /^ {2}(Total|Passed|Skipped|Duration|CPU): +(\S+)$/;
const NOTHING = { total: 0, passed: 0, skipped: 0, cpu: 0, trouble: undefined };
const NOT_TESTS = new Set(['bench', 'fixtures', 'node_modules']);

const { values: options, positionals: patterns } = parseArgs({
  allowPositionals: true,
  options: {
    long: { type: 'boolean', default: false },
    cpu: { type: 'boolean', default: false },
    'cpu-files': { type: 'string', default: '15' },
    folder: { type: 'string', default: 'test' },
    lanes: { type: 'string', default: LANES },
    'file-seconds': { type: 'string', default: '240' },
    'all-seconds': { type: 'string', default: '1500' },
    'linger-seconds': { type: 'string', default: '60' },
  },
});
const scale = options.long ? 1_000 * LONG_FACTOR : 1_000;
const limits = {
  fileMs: options['file-seconds'] * scale,
  allMs: options['all-seconds'] * scale,
  /** How long a file may keep its process alive after its last test. */
  lingerMs: options['linger-seconds'] * 1_000,
};
const colours = Boolean(process.stdout.isTTY) && !process.env.CI && !process.env.NO_COLOR;
// Programs in Go collect garbage more seldom: esbuild, TypeScript and promtool take a fifth less CPU, and esbuild 10 % more memory.
process.env.GOGC ??= '400';
// With more certificates than its own, Node 20 reads all of them at each start: half of its CPU. Only heavy tests let npm ask its registry.
const { FORCE_COLOR: _, NODE_EXTRA_CA_CERTS: certificates, ...environment } = process.env;
if (environment.TMPDIR === undefined && canHoldTests(IN_MEMORY)) environment.TMPDIR = IN_MEMORY;

await main();

async function main() {
  const started = performance.now();
  const files = testFiles().filter(isWanted);
  const compiled = `${COMPILED}${process.pid}`;
  process.once('exit', () => rmSync(compiled, { recursive: true, force: true }));
  const problem = await compile(files, compiled);
  const running = new Set();
  const stopAll = (why) => {
    for (const stop of running) stop(why);
  };
  let outOfTime = false;
  const overall = setTimeout(() => {
    outOfTime = true;
    stopAll(`stopped: all files together took longer than ${limits.allMs / 1_000} s`);
  }, limits.allMs);
  for (const signal of ['SIGINT', 'SIGTERM']) {
    process.once(signal, () => {
      stopAll(signal);
      process.exit(130);
    });
  }

  const work = async (together) => {
    let output = '';
    const write = (text) => (output += nameSources(text));
    const results = await runFiles(together, { compiled, write, running, isLate: () => outOfTime });
    process.stdout.write(output);
    return results;
  };
  const results =
    problem === undefined ? (await inLanes(processesFor(files), Number(options.lanes), work)).flat() : [];
  if (problem !== undefined) results.push({ ...NOTHING, file: options.folder, trouble: problem });
  else if (files.length === 0) {
    const trouble = `no test was executed: no *.test.ts here matches ${patterns.join(' or ') || 'anything'}`;
    results.push({ ...NOTHING, file: options.folder, trouble });
  }
  clearTimeout(overall);
  report(results, performance.now() - started);
}

function isWanted(file) {
  const path = `${options.folder}/${file}`;
  return patterns.length === 0 || patterns.some((pattern) => new RegExp(pattern, 'i').test(path));
}

function testFiles() {
  return readdirSync(options.folder, { recursive: true })
    .filter((file) => file.endsWith('.test.ts') && !file.split('/').some((name) => NOT_TESTS.has(name)))
    .sort();
}

/** Compiles the files, and the programs in `fixtures/` that they start. Resolves to what is wrong, if anything is. */
async function compile(files, folder) {
  for (const name of readdirSync('.').filter((name) => name.startsWith(COMPILED))) {
    if (!isAlive(Number(name.slice(COMPILED.length)))) rmSync(name, { recursive: true, force: true });
  }
  if (!isCompiled(ROOT)) {
    const { status } = spawnSync(process.execPath, [join(ROOT, 'jobs/setup.mjs'), '--dev'], {
      stdio: 'inherit',
    });
    if (status !== 0) return 'dist/ cannot be compiled';
  }
  const isFixture = (name) => dirname(name) === 'fixtures' && name.endsWith('.ts');
  const programs = readdirSync(options.folder, { recursive: true }).filter(isFixture);
  try {
    const entryPoints = [...files, ...programs].map((file) => `${options.folder}/${file}`);
    await compileTests(process.cwd(), entryPoints, folder);
  } catch (error) {
    return `the tests do not compile: ${error.message}`;
  }
}

/** Whether a folder has room, and lets programs run: tests write scripts. */
function canHoldTests(folder) {
  try {
    const { bavail, bsize } = statfsSync(folder);
    if (bavail * bsize < LEAST_ROOM) return false;
    const own = mkdtempSync(join(folder, 'almanakk-'));
    const script = join(own, 'script');
    writeFileSync(script, '#!/bin/sh\n', { mode: 0o755 });
    const { status } = spawnSync(script);
    rmSync(own, { recursive: true });
    return status === 0;
  } catch {
    return false;
  }
}

function isAlive(pid) {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return error.code === 'EPERM';
  }
}

/** Which files share a process: neighbours. The heavy ones come last. */
function processesFor(files) {
  const heavy = files.filter(isHeavy);
  const light = files.filter((file) => !isHeavy(file));
  const alone = light.filter((file) => ALONE.has(file));
  const together = light.filter((file) => !ALONE.has(file));
  const ofBrowser = together.filter(drivesBrowser);
  const others = together.filter((file) => !ofBrowser.includes(file));
  const most = Math.min(TOGETHER, Math.ceil(together.length / Number(options.lanes)));
  const shared = [...inParts(ofBrowser, most), ...inParts(others, most)];
  return [...shared, ...[...alone, ...heavy].map((file) => [file])];
}

function isHeavy(file) {
  return file.startsWith('heavy/');
}

function drivesBrowser(file) {
  return readFileSync(join(options.folder, file), 'utf8').includes(OF_BROWSER);
}

function inParts(files, most) {
  const parts = [];
  for (let at = 0; at < files.length; at += most) parts.push(files.slice(at, at + most));
  return parts;
}

async function inLanes(parts, lanes, work) {
  const results = [];
  const left = parts.entries();
  const lane = async () => {
    for (const [at, part] of left) results[at] = await work(part);
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  return results;
}

/** Files in one process of uvu, one after the other. Resolves to their counts and, where one did not end as it should, the trouble. */
async function runFiles(files, context) {
  const { compiled, write, running, isLate } = context;
  if (isLate()) return files.map((file) => ({ ...NOTHING, file, trouble: 'not begun: out of time' }));
  const child = startUvu(files, compiled);
  const results = files.map((file) => ({ ...NOTHING, file }));
  let at = 0;
  let summed = false;
  let timer;
  const stop = (trouble) => {
    (results[at] ?? results.at(-1)).trouble ??= trouble;
    killGroup(child.pid);
  };
  const within = (ms, trouble) => {
    clearTimeout(timer);
    timer = setTimeout(() => stop(trouble), ms);
  };
  const begin = () => {
    summed = false;
    within(limits.fileMs, `stopped: not done after ${limits.fileMs / 1_000} s`);
  };
  const beginToEnd = () =>
    within(limits.lingerMs, `still alive ${limits.lingerMs / 1_000} s after its last test`);
  running.add(stop);
  begin();

  byLine(child.stdout, (line) => {
    const [, name, value] = SUMMARY_LINE.exec(stripVTControlCharacters(line)) ?? [];
    if (name === undefined || at === files.length) return write(`${line}\n`);
    if (name !== 'Duration') results[at][name.toLowerCase()] = Number(value);
    else {
      summed = true;
      beginToEnd();
    }
    if (name !== 'CPU') return;
    // The last line of each file.
    at++;
    if (at < files.length) begin();
    else beginToEnd();
  });
  byLine(child.stderr, (line) => write(`${line}\n`));

  const end = await endOf(child);
  clearTimeout(timer);
  running.delete(stop);
  const done = results.slice(0, at + 1);
  for (const result of done) {
    const isLast = result === done.at(-1);
    result.trouble ??= troubleOf(result, isLast ? { summed, ...end } : { summed: true, code: 0 });
    if (result.trouble !== undefined) write(`  ${result.file}: ${result.trouble}\n\n`);
  }
  const rest = files.slice(done.length);
  return rest.length === 0 ? done : [...done, ...(await runFiles(rest, context))];
}

function startUvu(files, compiled) {
  return spawn(
    process.execPath,
    [...SHORT_LIVED, ...OF_TESTS, join(ROOT, 'test/run-file.mjs'), join(compiled, options.folder), ...files],
    {
      detached: true, // A group of its own, so that what the tests started can be stopped with them.
      stdio: ['ignore', 'pipe', 'pipe'],
      env: {
        ...environment,
        ...(certificates && files.some(isHeavy) && { NODE_EXTRA_CA_CERTS: certificates }),
        ...(colours && { FORCE_COLOR: '1' }),
        ...(options.long && { ALMANAKK_TEST_LONG: '1' }),
        ALMANAKK_TEST_PROGRAMS: resolve(compiled, options.folder, 'fixtures'),
      },
    },
  );
}

async function endOf(child) {
  const closed = once(child, 'close');
  const [code, signal] = await once(child, 'exit');
  killGroup(child.pid);
  // A process that a test set loose may hold the pipes open for ever: then they are cut.
  const cut = setTimeout(() => {
    child.stdout.destroy();
    child.stderr.destroy();
  }, limits.lingerMs);
  await closed;
  clearTimeout(cut);
  return { code, signal };
}

function troubleOf({ total, passed, skipped }, { summed, code, signal }) {
  if (!summed) return `ended before its tests did (${signal ?? `exit code ${code}`})`;
  if (total + skipped === 0) return 'no test was executed (is a `.run()` missing?)';
  if (code !== 0 && passed === total) return `all tests passed, but the process ended with ${signal ?? code}`;
  return undefined;
}

function byLine(stream, read) {
  let rest = '';
  stream.setEncoding('utf8').on('data', (text) => {
    const lines = (rest + text).split('\n');
    rest = lines.pop();
    for (const line of lines) read(line);
  });
  stream.on('end', () => rest && read(rest));
}

function killGroup(pid) {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // Gone already.
  }
}

function report(results, ms) {
  const passed = sum(results.map((result) => result.passed));
  const failed = sum(results.map(failures));
  const skipped = sum(results.map((result) => result.skipped));
  for (const result of results.filter(failures)) {
    // uvu says nothing of a `before` hook that threw, and counts none of the suite's tests as passed.
    console.log(`  ✘ ${result.file}: ${result.trouble ?? `${failures(result)} of ${result.total} failed`}`);
  }
  if (options.cpu) reportCpu(results);
  const counts = { Total: passed + failed, Passed: passed, Skipped: skipped, Duration: `${ms.toFixed(2)}ms` };
  console.log();
  for (const [name, count] of Object.entries(counts)) console.log(`  ${`${name}:`.padEnd(11)}${count}`);
  console.log(`\n${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`);
  process.exitCode = failed > 0 ? 1 : 0;
}

function reportCpu(results) {
  console.log(`\n  CPU:       ${sum(results.map(({ cpu }) => cpu)).toFixed(1)} s`);
  const mostExpensive = [...results]
    .sort((left, right) => right.cpu - left.cpu)
    .slice(0, Number(options['cpu-files']));
  for (const { file, cpu } of mostExpensive) console.log(`  ${cpu.toFixed(1).padStart(8)} s  ${file}`);
}

/** Trouble counts as one more failure than the tests that ran and failed. */
function failures({ total, passed, trouble }) {
  return total - passed + (trouble === undefined ? 0 : 1);
}

function sum(numbers) {
  return numbers.reduce((total, number) => total + number, 0);
}
