import type * as z from 'zod';
import { readSlug, SLUG_FORM } from '../../src/calendar/text.ts';
import type { RawEntry } from '../records.ts';
import type { ListName, Report } from '../report.ts';
import { complain, complainOfIssues, type Path, type Subject, subjectOf } from './complaints.ts';
import { countUnknownFields } from './fields.ts';
import { plainText, type Safe, safeMarkup, webAddress } from './sanitize.ts';

/** A list of records and what each must look like. */
export interface RecordList<Schema extends z.ZodType> {
  readonly kind: Extract<ListName, 'venues' | 'organizers' | 'events'>;
  readonly schema: Schema;
  readonly report: Report;
}

export interface ReadEntry<Raw> {
  readonly subject: Subject;
  readonly raw: Raw;
}

/** G2: the entry as its schema understands it; null, after a complaint, when it does not. */
export function readEntry<Schema extends z.ZodType>(
  entry: RawEntry,
  { kind, schema, report }: RecordList<Schema>,
): ReadEntry<z.output<Schema>> | null {
  const subject = subjectOf(entry, report);
  if (entry.problem !== undefined) {
    const { origin, id } = subject;
    report.complain({ action: 'dropped record', origin, id, field: null, ...entry.problem });
    return null;
  }
  countUnknownFields(kind, entry.value, report);
  const parsed = schema.safeParse(entry.value);
  if (parsed.success) return { subject, raw: parsed.data };
  complainOfIssues(subject, 'dropped record', { value: entry.value, at: [], error: parsed.error });
  return null;
}

/** G2: of records with the same id the first that is kept stays. True, after a complaint, for any other. */
export function isTaken(ids: ReadonlySet<string>, id: string, subject: Subject): boolean {
  if (!ids.has(id)) return false;
  const expected = 'an id that no record before it has';
  complain(subject, 'dropped record', { at: ['id'], expected, found: id });
  return true;
}

/** Text that is there and says something, else null. */
export function written(text: string | null | undefined): string | null {
  return typeof text === 'string' && /\S/.test(text) ? text : null;
}

type Text = string | null | undefined;

/** G8: text of one line. Null when there is none. */
export function oneLine(text: Text, at: Path, subject: Subject): string | null {
  return text === null || text === undefined
    ? null
    : madeSafe(plainText(text, 'line'), { at, subject, expected: PLAIN });
}

/** The same where line breaks stay. */
export function severalLines(text: Text, at: Path, subject: Subject): string | null {
  return text === null || text === undefined
    ? null
    : madeSafe(plainText(text, 'lines'), { at, subject, expected: PLAIN });
}

/** G8: a description. */
export function description(text: Text, at: Path, subject: Subject): string | null {
  return text === null || text === undefined
    ? null
    : madeSafe(safeMarkup(text), { at, subject, expected: FORMATTING });
}

/** G8: an absolute http or https URL, else null; anything else that was written is reported. */
export function webUrl(text: Text, at: Path, subject: Subject): string | null {
  const found = written(text);
  if (found === null) return null;
  const url = webAddress(found);
  if (url === null) complain(subject, 'made safe', { at, expected: 'an absolute http or https URL', found });
  return url;
}

/** G8: an own slug. Null when there is none, or when nothing of it can be one. */
export function slug(text: Text, at: Path, subject: Subject): string | null {
  const found = written(text);
  if (found === null) return null;
  const made = readSlug(found);
  if (made !== found) complain(subject, 'made safe', { at, expected: SLUG_FORM, found });
  return made === '' ? null : made;
}

const PLAIN = 'plain text';
const FORMATTING = 'markup that only formats text';

interface Place {
  readonly at: Path;
  readonly subject: Subject;
  readonly expected: string;
}

function madeSafe({ text, taken }: Safe, { at, subject, expected }: Place): string {
  if (taken.length > 0) complain(subject, 'made safe', { at, expected, found: taken.join(', ') });
  return text;
}
