/** Content that a snapshot must not have: the errors, and the checks of stored JSON that throw one. */
import { beginningOf } from '../calendar/display-text.ts';
import { CalendarError } from '../calendar/errors.ts';
import { parsedJson } from '../calendar/json.ts';
import { type Shape, shapeFault } from '../calendar/shape.ts';

/** There is no verdict: the file could not be opened, or the process that verifies did not start, was killed, or took too long. */
export class Unverified extends CalendarError {}

/** `where`: the name of the part. */
export function unusable(where: string, expected: string, found: unknown, cause?: unknown): CalendarError {
  const written = typeof found === 'string' ? found : (JSON.stringify(found) ?? 'nothing');
  const shown = beginningOf(written, 80);
  return new CalendarError('SNAPSHOT_UNUSABLE', `${where}: expected ${expected}, found ${shown}`, { cause });
}

/** JSON of a snapshot. Its value is not judged: a signature says whose it is (J3). Throws SNAPSHOT_UNUSABLE for a text that is not JSON. */
export function parseStored<Value>(where: string, text: string): Value {
  const value = parsedJson(text);
  if (value === undefined) throw unusable(where, 'JSON', beginningOf(text, 40) || 'nothing');
  return value as Value;
}

/** Throws SNAPSHOT_UNUSABLE for a value of another shape. `where`: the name of the value. */
export function expectShape(value: unknown, shape: Shape, where: string): void {
  const fault = shapeFault(value, shape, where);
  if (fault !== null) throw unusable(fault.where, fault.expected, fault.found);
}

/** Throws an error without the file's name, which `verifyFile` adds. `expected`: undefined for anything. */
export function expectSame<Value>(what: string, expected: Value | undefined, found: Value): void {
  if (expected === undefined || expected === found) return;
  throw new Error(`expected ${what} ${expected}, found ${found}`);
}
