// Plants one fault after another in a copy of the tree and runs the tests of the folder that it stands in: each has to be found within
// a minute of CPU. Not a part of `npm test`: it takes half an hour. A run with all faults writes result.md.
//
//   npm run mutants [-- WORD …]     only faults whose file or text has one of the words; exits 1 if more than one in twenty is not found
import { spawn, spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { stripVTControlCharacters } from 'node:util';
import { describeMachine } from '../bench/provenance.ts';
import { markdownTable } from '../bench/tables.ts';
import { FAULTS } from './faults.mjs';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const LEFT_OUT = /^(?:node_modules|dist|data|\.git|\.core-.*|\.tests-.*)$/;
/** Seconds of CPU. */
const LONGEST = 60;
const MISSED_SHARE = 1 / 20;
const RESULT = 'test/mutants/result.md';

const words = process.argv.slice(2);
const faults = FAULTS.filter(
  ({ file, find }) => words.length === 0 || words.some((word) => `${file} ${find}`.includes(word)),
);
const commit = commitOfCheckout();
const copy = mkdtempSync(join(tmpdir(), 'almanakk-mutants-'));
process.on('exit', () => rmSync(copy, { recursive: true, force: true }));
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(130));
for (const path of [...readdirSync(ROOT).filter((name) => !LEFT_OUT.test(name)), 'data/sample'])
  cpSync(join(ROOT, path), join(copy, path), { recursive: true });
symlinkSync(join(ROOT, 'node_modules'), join(copy, 'node_modules'));

const moved = [];
for (const { file, find } of faults) {
  const times = readFileSync(join(copy, file), 'utf8').split(find).length - 1;
  if (times !== 1) moved.push(`${file}: expected once, found ${times} times: ${find}`);
}
if (moved.length > 0) throw new Error(moved.join('\n'));
for (const tests of new Set(faults.map((fault) => fault.tests))) {
  const { code, output } = await runTests(tests);
  if (code !== 0) throw new Error(`the tests of ${tests} fail without any fault:\n${output.slice(-3_000)}`);
}
const tried = [];
for (const fault of faults) {
  const by = await findBy(fault);
  const { file, find, put } = fault;
  const outcome = by === undefined ? 'NOT FOUND' : `found by "${by}"`;
  console.log(`${file}: ${oneLine(find)} -> ${oneLine(put)}: ${outcome}`);
  tried.push({ fault, by });
}
const missed = tried.filter(({ by }) => by === undefined).length;
const found = `${tried.length - missed} of ${tried.length}`;
console.log(`${found} found`);
if (words.length === 0) writeFileSync(join(ROOT, RESULT), result());
if (missed > tried.length * MISSED_SHARE) process.exitCode = 1;

/** What a reader needs to judge it, and each fault with the test that found it. */
function result() {
  const facts = [
    ['command', '`npm run mutants`'],
    ['measured', `${new Date().toISOString().slice(0, 16).replace('T', ' ')} UTC`],
    ['commit', commit],
    ['Node', process.versions.node],
    ['machine', describeMachine()],
    ['faults found', found],
  ];
  const code = (text) => (text.trim() === '' ? 'nothing' : `\`${oneLine(text).replaceAll('|', '\\|')}\``);
  const rows = tried.map(({ fault: { file, find, put }, by = '**not found**' }) => [
    `\`${file}\``,
    code(find),
    code(put),
    by.replaceAll('|', '\\|'),
  ]);
  return `# Planted faults

${markdownTable(['', 'this result'], facts, 2)}

Each of these faults was put into a copy of the code, alone. Then the tests of its folder ran, until the first one failed or they had used
${LONGEST} seconds of CPU. We chose the faults by hand (\`faults.mjs\`), so this share says little about other faults.

${markdownTable(['file', 'code', 'replaced with', 'found by'], rows, 4)}
`;
}

/** With `-dirty` if the code or the tests differ from the commit; `none` outside of Git. */
function commitOfCheckout() {
  const git = (...args) => spawnSync('git', args, { cwd: ROOT, encoding: 'utf8' });
  const head = git('rev-parse', '--short=8', 'HEAD');
  if (head.status !== 0) return 'none';
  const changed = git(
    'status',
    '--porcelain',
    '--',
    'src',
    'jobs',
    'data',
    'test',
    'package.json',
    `:!${RESULT}`,
  );
  return head.stdout.trim() + (changed.stdout === '' ? '' : '-dirty');
}

/** The title of the test that found it; undefined if none did in time. A test that waits for ever ends its process without a title. */
async function findBy({ file, find, put, tests }) {
  const path = join(copy, file);
  const text = readFileSync(path, 'utf8');
  writeFileSync(path, text.split(find).join(put));
  const { code, output } = await runTests(tests);
  writeFileSync(path, text);
  if (code === 0 || code === null) return undefined;
  return (
    /FAIL.*?"(.*)"/.exec(stripVTControlCharacters(output))?.[1]?.trim() ?? 'an early end of the test process'
  );
}

function oneLine(code) {
  return code.trim() === '' ? 'nothing' : code.trim().replaceAll(/\s+/g, ' ');
}

/** The exit code of uvu, which ends with the first test that fails; null where it took too long. */
function runTests(pattern) {
  const uvu = `ulimit -t ${LONGEST} && exec "$0" --import tsx node_modules/uvu/bin.js test "$1" --bail`;
  const child = spawn('sh', ['-c', uvu, process.execPath, pattern], {
    cwd: copy,
    detached: true, // A group of its own, so that what the tests started ends with them.
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk));
  return new Promise((resolve) => {
    child.on('exit', (code) => {
      try {
        process.kill(-child.pid, 'SIGKILL');
      } catch {
        // All of it has ended.
      }
      resolve({ code, output });
    });
  });
}
