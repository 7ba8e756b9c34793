import type * as z from 'zod';
import type { RawEntry } from '../records.ts';
import type { ListName, Report } from '../report.ts';
import { complain, complainOfIssues, type Subject, subjectOf } from './complaints.ts';
import { countUnknownFields } from './fields.ts';

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
