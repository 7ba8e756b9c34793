/**
 * One entry of a source, read by its schema. G2: of an invalid record as little as possible is removed; only an invalid required field
 * costs the whole record.
 */
import * as z from 'zod';
import type { Action } from '../../src/calendar/actions.ts';
import { isObject } from '../../src/calendar/json.ts';
import { excerpt, type Origin, originText, type Reporter, shorten } from '../findings.ts';
import type { Report } from '../report/report.ts';
import type { ListName } from '../report/summary.ts';
import type { RawEntry } from '../source/source.ts';
import { addFinding, type Subject } from './entry-findings.ts';
import { type InvalidValue, type Path, salvage, valueAt } from './salvage.ts';
import { countUnknownFields, type Fields, missingFrom } from './unknown-fields.ts';

/** A list of records and their schema. */
export interface RecordList<Schema extends z.ZodType> {
  readonly kind: Extract<ListName, 'venues' | 'organizers' | 'events' | 'notices'>;
  readonly schema: Schema;
  readonly fields: Fields;
  /** Counts the entries, and receives the findings about those that cannot be read at all. */
  readonly report: Report;
  /** Receives all other findings; the report by default. */
  readonly findings?: Subject['reporter'];
}

export interface ReadEntry<Raw> {
  readonly subject: Subject;
  readonly raw: Raw;
}

/** G2: the entry as parsed by its schema; null, after a finding, if it is invalid. */
export function readEntry<Schema extends z.ZodType>(
  entry: RawEntry,
  { kind, schema, fields, report, findings = report }: RecordList<Schema>,
): ReadEntry<z.output<Schema>> | null {
  report.countRead(kind);
  const readable = readableSubject(entry, report);
  if (readable === null) return null;
  const subject = { ...readable, reporter: findings };
  countUnknownFields(kind, entry.value, { fields, reporter: report });
  const raw = readValue(entry.value, { schema, at: [], subject, lost: 'dropped record' });
  return raw === null ? null : { subject, raw };
}

/** The items of a list, each id once (G2), that `make` accepts. */
export async function readList<Schema extends z.ZodType<{ readonly id: string }>, Item>(
  entries: AsyncIterable<RawEntry>,
  list: RecordList<Schema>,
  make: (raw: z.output<Schema>, subject: Subject) => Item | null,
): Promise<readonly Item[]> {
  const items: Item[] = [];
  const ids = new Map<string, Origin>();
  for await (const entry of entries) {
    const read = readEntry(entry, list);
    if (read === null || reportIfTaken(ids, read.raw.id, read.subject)) continue;
    const item = make(read.raw, read.subject);
    if (item === null) continue;
    ids.set(read.raw.id, entry.origin);
    list.report.countKept(list.kind);
    items.push(item);
  }
  return items;
}

/** The entry, as findings name it; null, after a finding, if it could not be read at all. */
export function readableSubject(
  { origin, value, problem, repeated }: RawEntry,
  reporter: Reporter,
): Subject | null {
  const id = isObject(value) && typeof value.id === 'string' ? shorten(value.id) : null;
  const subject = { origin, id, reporter };
  if (repeated !== undefined) addRepeated(repeated, subject);
  if (problem === undefined) return subject;
  reporter.addFinding({ action: 'dropped record', origin, id, field: null, ...problem });
  return null;
}

/** G2: reports a field that an entry has twice. JSON silently uses the last one. */
export function addRepeated(repeated: string, subject: Subject): void {
  const foundText = `${excerpt(repeated)} more than once; the last one is used`;
  addFinding(subject, 'changed value', { at: [], expected: 'each field once', foundText });
}

/** G2: of accepted records with the same id, the first stays; any other is reported. Returns whether the id is taken. */
export function reportIfTaken(ids: ReadonlyMap<string, Origin>, id: string, subject: Subject): boolean {
  const first = ids.get(id);
  if (first === undefined) return false;
  const foundText = `${excerpt(id)}, which ${originText(first)} has`;
  addFinding(subject, 'dropped record', { at: ['id'], expected: 'a unique id', foundText });
  return true;
}

/** Wrong fields of an entirely invalid record that are reported. */
const MOST_PER_ENTRY = 10;

/** The action for an event with an invalid list of times. */
export const LOST = { dates: 'dropped date', repeats: 'dropped series' } as const;

interface ValueOptions<Schema extends z.ZodType> {
  readonly schema: Schema;
  /** Path of the value in the entry. */
  readonly at: Path;
  readonly subject: Subject;
  /** The action if the whole value is lost. */
  readonly lost: Action;
}

/** G2: a value as parsed by its schema, without its invalid parts; null if they cost all of it. Reports either. */
export function readValue<Schema extends z.ZodType>(
  value: unknown,
  { schema, at, subject, lost }: ValueOptions<Schema>,
): z.output<Schema> | null {
  const { raw, invalid, rewritten } = salvage(schema, value);
  for (const path of rewritten)
    addFinding(subject, 'changed value', {
      at: [...at, ...path],
      expected: EXPECTED_DATES,
      found: valueAt(value, path),
    });
  const reported = raw === null ? invalid.slice(0, MOST_PER_ENTRY) : invalid;
  for (const part of reported) {
    const { path, expected, found, isFurther } = part;
    const foundText = missingText(value, part, schema);
    const action = raw === null ? lost : actionForPart(path);
    addFinding(subject, action, { at: [...at, ...path], expected, found, foundText, isFurther });
  }
  return raw;
}

/** What is found in place of a missing field of an object, such as a misspelt one; undefined for any other invalid value. */
function missingText(value: unknown, { path, found }: InvalidValue, schema: z.ZodType): string | undefined {
  const [field, ...deeper] = path;
  const isMissing = found === undefined && deeper.length === 0;
  if (!isMissing || !(schema instanceof z.ZodObject)) return undefined;
  return missingFrom(value, String(field), Object.keys(schema.shape));
}

/** The action for a part that is removed, by its path. */
function actionForPart([field, ...deeper]: Path): Action {
  const isTimes = deeper.length === 0 && (field === 'dates' || field === 'repeats');
  return isTimes ? LOST[field] : 'dropped value';
}

/** For a date in the Norwegian form, such as `13.12.2026 18:00`, which is read anyway. */
const EXPECTED_DATES = 'dates in the form "2026-12-13 18:00" (read as Norwegian time)';
