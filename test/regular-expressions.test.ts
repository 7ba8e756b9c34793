/**
 * G12, D2: work on a stranger's text is linear in it. Every regular expression in `src` and `jobs` is found in the code, and run on texts
 * that make a careless one slow: something repeated that nearly matches. Its time is compared with that of replacing each character of the
 * same text, beside it.
 */
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { packagePath } from '../src/package.ts';
import { assertAbove } from './helpers/assertions.ts';
import { SHORT_LIVED } from './helpers/program.ts';

const test = suite('regular expressions');

interface Found {
  readonly place: string;
  readonly expression: RegExp;
}

/** Each is tried on texts that grow up to this length, so that even exponential work ends soon; then on its slowest one at full size. */
const LENGTHS = [24, 400, 4_000];
const FULL_SIZE = 250_000;
/** Times the reference; quadratic work takes some 80 times as long at the last of `LENGTHS`, and grows with the square of the length. */
const MOST_TIMES = 30;

test('G12: should take linear time on any text, each of them', () => {
  const all = differing([...literals(), ...constructed()]);
  assertAbove(all.length, 300, 'expressions');
  // An expression without an unbounded repetition is linear by its form.
  const slow = all.filter(repeats).flatMap(({ place, expression }) => {
    const text = slowTextOf(expression);
    return text === null ? [] : [`${place}: ${expression} on ${JSON.stringify(text.slice(0, 20))}`];
  });
  assert.equal(slow, []);
});

/** One of equal expressions, which many files have. */
function differing(all: readonly Found[]): readonly Found[] {
  return [...new Map(all.map((found) => [String(found.expression), found])).values()];
}

const repeats = ({ expression }: Found) => /[*+]|\{\d*,/.test(expression.source);

/** A text on which the expression takes more than linear time; null if none was found. */
function slowTextOf(expression: RegExp): string | null {
  let slowest = { make: (length: number) => 'a'.repeat(length), times: 0 };
  for (const make of textsFor(expression)) {
    for (const length of LENGTHS) {
      const times = timesOf(expression, make(length));
      if (times > MOST_TIMES && isGrowing(expression, make, length)) return make(length);
      if (length === LENGTHS.at(-1) && times > slowest.times) slowest = { make, times };
    }
  }
  const text = slowest.make(FULL_SIZE);
  return timesOf(expression, text) > MOST_TIMES && isGrowing(expression, slowest.make, FULL_SIZE)
    ? text
    : null;
}

/** Linear work takes four times as long for four times the text, quadratic work sixteen times, exponential work for a few characters. */
function isGrowing(expression: RegExp, make: MakeText, length: number): boolean {
  const shorter = Math.min(length - 6, Math.max(length / 4, 18));
  return leastOf(() => costOf(expression, make(length)) / costOf(expression, make(shorter)), 9) > 9;
}

const EACH_CHARACTER = /[^€]/gu;

/** Beside a reference of the same text, unless it is cheap by the least that texts of this length cost. */
function timesOf(expression: RegExp, text: string): number {
  const times = costOf(expression, text) / leastReference(text.length);
  if (times <= MOST_TIMES) return times;
  return leastOf(() => costOf(expression, text) / costOf(EACH_CHARACTER, text), MOST_TIMES);
}

const references = new Map<number, number>();

function leastReference(length: number): number {
  const known = references.get(length);
  if (known !== undefined) return known;
  const measured = leastOf(() => costOf(EACH_CHARACTER, 'a'.repeat(length)));
  references.set(length, measured);
  return measured;
}

/** The least of a few measurements, because the machine may be busy. */
function leastOf(measure: () => number, enough = 0): number {
  let least = Number.POSITIVE_INFINITY;
  for (let round = 0; round < 5 && least > enough; round++) least = Math.min(least, measure());
  return least;
}

/** Microseconds of CPU. */
function costOf(expression: RegExp, text: string): number {
  const begun = process.cpuUsage();
  if (expression.global) text.replace(expression, '');
  else expression.test(text);
  const { user, system } = process.cpuUsage(begun);
  // The clock's own step, so that short texts do not divide by nothing.
  return user + system + 2;
}

type MakeText = (length: number) => string;

/** Repeated characters and pairs that the expression may accept, after each beginning, with an end that it does not accept. */
function* textsFor({ source }: RegExp): Generator<MakeText> {
  const own = [...new Set(source.replace(/\\[a-zA-Z]/g, '').replace(/[\\?+*|^$()[\]{}]/g, ''))].slice(0, 8);
  const escaped = [...new Set(source.match(/\\[^a-zA-Z\d]/g))].map((pair) => pair.slice(1)).slice(0, 5);
  const letters = [...new Set([...own, ...escaped, 'a', 'Z', '5', ' ', '\n', 'å', '\u202e', '\u0301'])];
  const literal = literalBeginning(source);
  const begins = [
    '',
    ...letters.filter((letter) => /[^\w\s]/.test(letter)).slice(0, 2),
    literal || source.replace(/[^\w<&"'(-]/g, '').slice(0, 8),
  ];
  for (const begin of begins) for (const letter of letters) yield repeated(begin, letter);
  const few = letters.slice(0, 5);
  for (const one of few) for (const two of few) if (one !== two) yield repeated(literal, one + two);
}

/** The characters with which an expression begins as they stand: `www.` of `/^www\.[^/]+/`; empty if it begins otherwise. */
function literalBeginning(source: string): string {
  const [, written = '', quantifier] =
    /^\^?((?:\\[^a-zA-Z\d]|[^\\^$.*+?()[\]{}|])*)([*+?{|])?/.exec(source) ?? [];
  const characters = [...written.matchAll(/\\?(.)/gs)].map(([, character = '']) => character);
  // The last one may be missing, and an alternative may begin otherwise.
  if (quantifier === '|') return '';
  return characters.slice(0, quantifier === undefined ? undefined : -1).join('');
}

/** Neither a class of characters, nor a dot, accepts all of the end. */
function repeated(begin: string, unit: string): MakeText {
  return (length) => `${begin}${unit.repeat(Math.ceil(length / unit.length))}\0 \n\0`;
}

/** As Biome formats them, a literal follows a bracket, an operator, a comma or `return`; lines of comments begin as such. */
const LITERAL =
  /(?<=[=(:,!&|?[{>] ?|^\s*|return )\/((?![*/\s])(?:\\.|\[(?:\\.|[^\]\\])*\]|[^/\\[])+)\/([dgimsuvy]*)(?=[\s.,;)\]}]|$)/g;

function literals(): readonly Found[] {
  return sources().flatMap((place) => {
    const lines = readFileSync(packagePath(place), 'utf8').split('\n');
    return lines
      .filter((line) => !/^\s*(?:\/\/|\/?\*)/.test(line))
      .flatMap((line) => [...line.matchAll(LITERAL)])
      .map(([, source = '', flags]) => ({ place, expression: new RegExp(source, flags) }));
  });
}

/** Loads modules, and prints each expression that they put together. */
const LOADING = `
const found = [];
const Original = globalThis.RegExp;
for (const path of process.argv.slice(1)) {
  globalThis.RegExp = new Proxy(Original, {
    construct(target, args, newTarget) {
      const expression = Reflect.construct(target, args, newTarget);
      found.push({ place: path, source: expression.source, flags: expression.flags });
      return expression;
    },
  });
  await import(path);
  globalThis.RegExp = Original;
}
console.log(JSON.stringify(found));
process.exit();
`;

/** Expressions that modules put together when they are loaded: in a process that loads them from their sources. */
function constructed(): readonly Found[] {
  const paths = sources()
    .map((path) => packagePath(path))
    .filter((path) => readFileSync(path, 'utf8').includes('new RegExp('));
  const args = [...SHORT_LIVED, '--import', 'tsx', '--input-type=module', '--eval', LOADING, ...paths];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, {
    cwd: packagePath('.'),
    encoding: 'utf8',
  });
  assert.is(status, 0, stderr);
  const found: readonly { place: string; source: string; flags: string }[] = JSON.parse(stdout);
  return found.map(({ place, source, flags }) => ({ place, expression: new RegExp(source, flags) }));
}

function sources(): readonly string[] {
  return ['src', 'jobs'].flatMap((folder) =>
    readdirSync(packagePath(folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.(?:ts|mjs)$/.test(name))
      .map((name) => join(folder, name)),
  );
}

test.run();
