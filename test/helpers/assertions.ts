/** Assertions whose failure says what was expected and what was found, where `assert.ok` would say "truthy". */
import { existsSync, readdirSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import * as assert from 'uvu/assert';

/** `what` names the number in the message of a failure, such as `bytes of /events.ics`. */
export function assertAtMost(found: number, most: number, what = ''): void {
  assert.ok(found <= most, `expected at most ${most}, found ${found} ${what}`.trim());
}

export function assertAtLeast(found: number, least: number, what = ''): void {
  assert.ok(found >= least, `expected at least ${least}, found ${found} ${what}`.trim());
}

export function assertBelow(found: number, bound: number, what = ''): void {
  assert.ok(found < bound, `expected less than ${bound}, found ${found} ${what}`.trim());
}

export function assertAbove(found: number, bound: number, what = ''): void {
  assert.ok(found > bound, `expected more than ${bound}, found ${found} ${what}`.trim());
}

export function assertDefined<T>(found: T, what: string): asserts found is NonNullable<T> {
  assert.ok(found !== undefined && found !== null, `expected ${what}, found ${found}`);
}

/** Expects that a text contains this part, or that a list has this element. */
export function assertIncludes<T>(found: string | readonly T[], expected: T): void {
  const isIn = typeof found === 'string' ? found.includes(String(expected)) : found.includes(expected);
  const shown = typeof found === 'string' ? found : found.join(', ');
  assert.ok(isIn, `expected ${expected}, found ${shown || 'nothing'}`);
}

/** Expects that no line contains this part. A failure shows those that do. */
export function assertExcludes(lines: readonly string[], part: string): void {
  assert.equal(
    lines.filter((line) => line.includes(part)),
    [],
    `expected no line with ${part}`,
  );
}

export function assertOneOf<T>(found: T, allowed: readonly T[], what = ''): void {
  assert.ok(allowed.includes(found), `expected one of ${allowed.join(', ')}, found ${found} ${what}`.trim());
}

/** Compares bytes, where a failure would print them all: it gives their lengths and the first difference in their place. */
export function assertSameBytes(found: Buffer, expected: Buffer): void {
  const at = expected.findIndex((byte, place) => found[place] !== byte);
  const difference = at < 0 ? 'the same beginning' : `another byte at ${at}`;
  assert.ok(
    found.equals(expected),
    `expected ${expected.length} bytes, found ${found.length} with ${difference}`,
  );
}

/** Expects the file or folder. A failure lists what its folder has in its place. */
export function assertExists(path: string): void {
  assert.ok(existsSync(path), `expected ${path}, found ${beside(path)}`);
}

export function assertMissing(path: string): void {
  assert.ok(!existsSync(path), `expected no ${basename(path)}, found ${beside(path)}`);
}

function beside(path: string): string {
  const folder = dirname(path);
  if (!existsSync(folder)) return `no folder ${folder}`;
  return readdirSync(folder).sort().join(', ') || `an empty folder ${folder}`;
}
