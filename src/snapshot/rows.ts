/** What a column of a row is expected to be. Each throws SNAPSHOT_UNUSABLE and says what it found instead. */
import { CalendarError } from '../calendar/errors.ts';
import type { Row } from './sqlite.ts';

export function textOf(row: Row, name: string): string {
  const value = row[name];
  if (typeof value !== 'string') throw unexpected(name, 'text', value);
  return value;
}

export function integerOf(row: Row, name: string): number {
  const value = row[name];
  if (typeof value !== 'number' || !Number.isSafeInteger(value)) throw unexpected(name, 'an integer', value);
  return value;
}

export function bytesOf(row: Row, name: string): Uint8Array {
  const value = row[name];
  if (!(value instanceof Uint8Array)) throw unexpected(name, 'a blob', value);
  return value;
}

function unexpected(name: string, expected: string, found: unknown): CalendarError {
  const kind = found === undefined ? 'no such column' : found === null ? 'null' : typeof found;
  return new CalendarError('SNAPSHOT_UNUSABLE', `expected ${name} to be ${expected}, found ${kind}`);
}
