/** docs/limits.md: each row names a test that is there, and a number that the code has. */
import { readdirSync, readFileSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { SETTINGS } from '../jobs/settings.ts';
import { packagePath } from '../src/package.ts';
import { assertAtLeast, assertExists } from './helpers/assertions.ts';

interface Row {
  readonly limit: string;
  /** The name of a constant, an option or a setting; null for a limit without one. */
  readonly name: string | null;
  readonly number: string;
  readonly heldBy: readonly string[];
}

const rows = readFileSync(packagePath('docs/limits.md'), 'utf8').split('\n').flatMap(rowOf);
const code = ['src', 'jobs'].flatMap(textsIn).join('\n');

const limits = suite('docs/limits.md');

limits('each row should name files of tests that exist', () => {
  assertAtLeast(rows.length, 40, 'rows');
  for (const { heldBy } of rows) for (const file of heldBy) assertExists(packagePath(file));
});

limits('each row should have the number that its constant or setting has in the code', () => {
  for (const { limit, name, number } of rows) {
    if (name === null) continue;
    const values = valuesOf(name);
    assert.ok(values.length > 0, `${limit}: expected a number called ${name} in the code, found none`);
    const meanings = meaningsOf(number);
    assert.ok(
      values.some((value) => meanings.some((meaning) => Math.abs(meaning - value) < 1e-9)),
      `${limit}: expected ${name} to be ${number}, found ${values.join(' and ')}`,
    );
  }
});

limits.run();

function rowOf(line: string): readonly Row[] {
  const [limit, number, , heldBy] = line
    .split('|')
    .slice(1, -1)
    .map((cell) => cell.trim());
  if (limit === undefined || number === undefined || heldBy === undefined) return [];
  if (limit === 'limit' || /^-+$/.test(limit)) return [];
  const name = /\(`(\w+)`\)$/.exec(limit)?.[1] ?? null;
  return [{ limit, name, number, heldBy: [...heldBy.matchAll(/`([^`]+)`/g)].map(([, file = '']) => file) }];
}

/** Several constants may have one name. A setting's value is its default, and so is that of a feed's: `or(…, 50)`. */
function valuesOf(name: string): readonly number[] {
  const setting = Object.values(SETTINGS).find((candidate) => candidate.name === name);
  if (setting !== undefined) return [Number(setting.fallback)];
  const written = new RegExp(
    `\\b${name}\\b(?:: number)?(?: =|:| \\?\\?)? *(?:or\\(.*, )?\\(?([\\d_][\\d_ .*/<()+-]*)`,
    'g',
  );
  return [...code.matchAll(written)].map(([, expression = '']) => resultOf(expression));
}

/** The value of an expression of whole numbers with `*`, `/`, `<<`, `**`, `+` and `-`. */
function resultOf(expression: string): number {
  const plain = expression.replaceAll('_', '').replace(/[^\d]*$/, '');
  return Number(new Function(`return ${plain}`)());
}

const UNITS: Readonly<Record<string, readonly number[]>> = {
  KiB: [1_024],
  MiB: [1_024 ** 2, 1],
  GiB: [1_024 ** 3, 1_024],
  ms: [1, 1e-3],
  s: [1, 1_000],
  min: [60, 60_000],
  h: [3_600, 3_600_000],
};

/** The number in each unit that code counts it in: milliseconds or seconds, bytes or MiB. */
function meaningsOf(text: string): readonly number[] {
  const [, figure = '', over = '1', unit = ''] = /^([\d.,]+)(?:\/(\d+))? ?(\w*)/.exec(text) ?? [];
  const number = Number(figure.replaceAll(',', '')) / Number(over);
  return (UNITS[unit] ?? [1]).map((factor) => number * factor);
}

function textsIn(folder: string): readonly string[] {
  return readdirSync(packagePath(folder), { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory()) return entry.name === 'assets' ? [] : textsIn(path);
    return path.endsWith('.ts') ? [readFileSync(packagePath(path), 'utf8')] : [];
  });
}
