/**
 * `npm run test:record`: runs the whole suite, or with `stable` only the tests of the stable parts in a copy without the others
 * (`.ci/stable.mjs`), and writes what a reader needs to judge the run to `test/results/`, in a file for each version of Node. Its exit code is
 * that of the tests.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { stripVTControlCharacters } from 'node:util';
import { packagePath } from '../src/package.ts';
import { commitOf, describeMachine } from './bench/provenance.ts';
import { markdownTable } from './bench/tables.ts';

interface Kind {
  readonly title: string;
  readonly command: string;
  readonly program: string;
  /** The beginning of a file's name in `test/results/`. */
  readonly name: string;
}

const ALL: Kind = {
  title: 'The whole suite',
  command: 'npm run test:record',
  program: 'test/run.mjs',
  name: 'all',
};
const STABLE: Kind = {
  title: 'The tests of the stable parts, without the other parts',
  command: 'npm run test:record -- stable',
  program: '.ci/stable.mjs',
  name: 'stable',
};
const MS_A_MINUTE = 60_000;

const kind = process.argv.includes('stable') ? STABLE : ALL;
const startedAt = new Date();
const commit = commitOf(packagePath('dist'));
const { code, output } = await run(kind.program);
const [summary] = /^\d+ passed, \d+ failed.*$/m.exec(output) ?? [];
if (summary === undefined)
  throw new Error(`expected a line such as "12 passed, 0 failed" from ${kind.program}`);
mkdirSync(packagePath('test/results'), { recursive: true });
const [node] = process.versions.node.split('.');
writeFileSync(packagePath(`test/results/${kind.name}-node${node}.md`), result(summary));
process.exitCode = code ?? 1;

function result(summary: string): string {
  const minutes = (Date.now() - startedAt.getTime()) / MS_A_MINUTE;
  const [, cpuSeconds = 'not measured'] = /^ {2}CPU: +(\S+) s$/m.exec(output) ?? [];
  const failed = output.match(/^ {2}✘ .*$/gm) ?? [];
  const facts = [
    ['command', `\`${kind.command}\``],
    ['begun', `${startedAt.toISOString().slice(0, 16).replace('T', ' ')} UTC`],
    ['commit', commit],
    ['Node', process.versions.node],
    ['machine', describeMachine()],
    ['tests', summary],
    ['minutes', minutes.toFixed(1)],
    ['CPU seconds', cpuSeconds],
  ];
  const table = markdownTable(['', 'this result'], facts, 2);
  const lines = [
    ...failed.map((line) => `- ${line.trim()}`),
    ...reasonsToSkip().map((reason) => `- skipped: ${reason}`),
  ];
  const parts = [`# ${kind.title}`, table, lines.join('\n')].filter((part) => part !== '');
  return `${parts.join('\n\n')}\n`;
}

/** Why tests were skipped, each reason once. That parts are missing is the purpose of the copy with the stable parts, and goes without saying. */
function reasonsToSkip(): readonly string[] {
  const reasons = output.match(/(?<=^ {2}skipped: ).*$/gm) ?? [];
  const isByDesign = (reason: string) => kind === STABLE && reason.startsWith('without ');
  return [...new Set(reasons)].filter((reason) => !isByDesign(reason));
}

/** Prints what the program prints, and returns it. */
async function run(program: string): Promise<{ code: number | null; output: string }> {
  const child = spawn(process.execPath, [packagePath(program), '--cpu', '--cpu-files', '30'], {
    cwd: packagePath('.'),
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (part: string) => {
    process.stdout.write(part);
    text += part;
  });
  const [exitCode] = await once(child, 'close');
  return { code: exitCode, output: stripVTControlCharacters(text) };
}
