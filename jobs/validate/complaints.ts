import type * as z from 'zod';
import { isObject } from '../../src/calendar/json.ts';
import type { Action, Origin, RawEntry, Reporter } from '../records.ts';
import { excerpt, shorten } from '../report/excerpt.ts';

/** The entry that is being read, as complaints about it name it. */
export interface Subject {
  readonly origin: Origin;
  readonly id: string | null;
  readonly reporter: Reporter;
}

export type Path = readonly PropertyKey[];

export function subjectOf({ origin, value }: RawEntry, reporter: Reporter): Subject {
  const id = isObject(value) && typeof value.id === 'string' ? shorten(value.id) : null;
  return { origin, id, reporter };
}

export interface Grievance {
  readonly at: Path;
  readonly expected: string;
  readonly found: unknown;
}

export function complain({ origin, id, reporter }: Subject, action: Action, grievance: Grievance): void {
  const { at, expected, found } = grievance;
  reporter.complain({ action, origin, id, field: fieldName(at), expected, found: excerpt(found) });
}

/** A record that is wrong all over is named by its first wrong fields. */
const MOST_PER_ENTRY = 10;

export interface Refused {
  /** What the schema refused, and where in the entry it stands. */
  readonly value: unknown;
  readonly at: Path;
  readonly error: z.ZodError;
}

/** One complaint for each field that a schema refused. The schemas' messages are what they expect. */
export function complainOfIssues(subject: Subject, action: Action, { value, at, error }: Refused): void {
  for (const issue of error.issues.slice(0, MOST_PER_ENTRY)) {
    const found = valueAt(value, issue.path);
    complain(subject, action, { at: [...at, ...issue.path], expected: issue.message, found });
  }
}

/** `dates[2].start`; null for the entry as a whole. */
export function fieldName(path: Path): string | null {
  if (path.length === 0) return null;
  return path
    .map((step) => (typeof step === 'number' ? `[${step}]` : `.${String(step)}`))
    .join('')
    .replace(/^\./, '');
}

export function valueAt(value: unknown, path: Path): unknown {
  let inner = value;
  for (const step of path) {
    if (typeof inner !== 'object' || inner === null) return undefined;
    inner = Reflect.get(inner, step);
  }
  return inner;
}
