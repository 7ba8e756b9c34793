/** What is wrong with a source: findings, which the report of a build lists (G2), and faults, which stop the build. */
import type { Action } from '../src/calendar/actions.ts';
import { detached, shortened } from '../src/calendar/display-text.ts';
import { CalendarError } from '../src/calendar/errors.ts';

/** The place of an entry in its source, for the report (G2). */
export interface Origin {
  readonly file: string;
  /** 1-based: where the entry begins. */
  readonly line?: number;
}

/** Such as `events.json:14`. */
export function originText({ file, line }: Origin): string {
  return line === undefined ? file : `${file}:${line}`;
}

export interface Finding {
  readonly action: Action;
  readonly origin: Origin;
  readonly id: string | null;
  /** Path within the entry, such as `dates[2].start`; null for the entry as a whole. */
  readonly field: string | null;
  readonly expected: string;
  readonly found: string;
  /** A further reason for an earlier finding, which is counted once. */
  readonly isFurther?: true;
  /** ISO 8601: when a build first dropped it, for dropped entries. */
  readonly since?: string;
  /** On the first of more than three similar findings: their number. Further examples follow it. */
  readonly alike?: number;
}

type ShownFinding = Pick<Finding, 'origin' | 'id' | 'field' | 'expected' | 'found'> & {
  readonly action: string;
};

/** Place, action and reason: `events.ndjson:14 "e-12" dates[2].start: dropped date, expected …, found …`. */
export function findingLine(finding: ShownFinding): string {
  const { action, expected, found } = finding;
  return `${whereOf(finding)}: ${action}, expected ${expected}, found ${found}`;
}

export function whereOf({ origin, id, field }: ShownFinding): string {
  return [originText(origin), id === null ? '' : JSON.stringify(id), field ?? '']
    .filter((part) => part !== '')
    .join(' ');
}

export type Flaw = Pick<Finding, 'field' | 'expected' | 'found'>;

/** G2: an event that is dropped because of its dates is reported once, with the flaw of the first date. */
export function withCause<Found extends Flaw>(finding: Found, [cause, ...more]: readonly Flaw[]): Found {
  if (cause === undefined) return finding;
  const { field, expected, found } = cause;
  const others = more.length === 0 ? '' : `; ${more.length} more of its dates cannot be used either`;
  return { ...finding, field, expected, found: `${found}${others}` };
}

/** The `expected` of findings about a word that may mean that a row is not to be shown. Those about the same word are alike (G2). */
export const WORDS_OF_VISIBILITY = {
  private: 'ja, nei or a word such as Normal or Privat',
  published: 'ja, nei, a date or a word such as Publisert, Synlig, Utkast or Skjult',
} as const;

/** UTF-16 units of a value that a finding shows. */
const SHOWN = 80;

/** A value as short JSON for a finding's `found`; `nothing` if it is missing. */
export function excerpt(value: unknown): string {
  const json = JSON.stringify(value);
  if (json === undefined) return 'nothing';
  return shorten(json);
}

/** The text, or its beginning if it is long: this bounds reports, however long a source's ids and names are. */
export function shorten(text: string): string {
  return text.length <= SHOWN ? text : detached(shortened(text, SHOWN - 1));
}

/** Collects findings during a build; `addFinding` never throws. */
export interface Reporter {
  readonly addFinding: (finding: Finding) => void;
  /** Unknown fields are ignored and counted by `list.field` name, such as `events.colour`; `nearest`: the known one that is probably meant. */
  readonly countIgnored: (name: string, nearest?: string | null) => void;
  /** An accepted event was dropped later, is over, was merged with another, or is hidden (F13). */
  readonly countFate: (fate: 'dropped' | 'over' | 'merged' | 'hidden') => void;
}

/** A fault that stops a build. Its message may quote records, which may not be public. */
interface Fault {
  /** The file, with its line if there is one. */
  readonly place: string;
  /** `expected JSON`. */
  readonly expected: string;
  /** `found "x"`, or `but …`: anything that may quote a record. */
  readonly found: string;
  /** `wait until the file is complete`. */
  readonly advice?: string;
}

/** INVALID_SOURCE. H9: its public message leaves out what was found. */
export function sourceFault({ place, expected, found, advice }: Fault): CalendarError {
  const ending = advice === undefined ? '' : `; ${advice}`;
  return new CalendarError('INVALID_SOURCE', `${place}: ${expected}, ${found}${ending}`, {
    publicMessage: `${place}: ${expected}${ending}`,
  });
}

/** INVALID_SOURCE with a message that is public as a whole: it quotes nothing but the licence. */
export function publicFault(file: string, message: string): CalendarError {
  return new CalendarError('INVALID_SOURCE', `${file}: ${message}`);
}
