import * as z from 'zod';
import { isObject } from '../../src/calendar/json.ts';
import { MOST_IN_DESCRIPTION, MOST_IN_NAME, readSlug, SLUG_FORM } from '../../src/calendar/text.ts';
import {
  type Action,
  excerpt,
  type Finding,
  type Origin,
  placeOf,
  type RawEntry,
  type Reporter,
  shorten,
} from '../records.ts';
import type { ListName, Report } from '../report.ts';
import { cutMarkup, cutText, MOST_IN_TEXT, MOST_IN_URL, MOST_ITEMS } from './lengths.ts';
import { bareOf, fieldName, type Path, salvage, type Wrong } from './salvage.ts';
import { plainText, type Safe, safeMarkup, webAddress } from './sanitize.ts';
import {
  capacitySchema,
  dateSchema,
  eventSchema,
  licenceSchema,
  organizerSchema,
  repeatSchema,
  venueSchema,
} from './schemas.ts';

/** A list of records and their schema. */
interface RecordList<Schema extends z.ZodType> {
  readonly kind: Extract<ListName, 'venues' | 'organizers' | 'events' | 'notices'>;
  readonly schema: Schema;
  readonly fields: Fields;
  readonly report: Report;
  /** For findings about an accepted record; the report by default. */
  readonly reporter?: Reporter;
  /** See `salvage`. */
  readonly needed?: ReadonlySet<PropertyKey>;
}

export interface ReadEntry<Raw> {
  readonly subject: Subject;
  readonly raw: Raw;
}

/** G2, as little as possible is dropped, and it is named: the entry as parsed by its schema; null, after a finding, if it is invalid. */
export function readEntry<Schema extends z.ZodType>(
  entry: RawEntry,
  { kind, schema, fields, report, reporter = report, needed }: RecordList<Schema>,
): ReadEntry<z.output<Schema>> | null {
  report.read(kind);
  const readable = readableSubject(entry, report);
  if (readable === null) return null;
  const subject = { origin: readable.origin, id: readable.id, reporter };
  countUnknownFields(kind, entry.value, { fields, reporter: report });
  const raw = readValue(entry.value, { schema, at: [], subject, lost: 'dropped record', needed });
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
    if (read === null || isTaken(ids, read.raw.id, read.subject)) continue;
    const item = make(read.raw, read.subject);
    if (item === null) continue;
    ids.set(read.raw.id, entry.origin);
    list.report.kept(list.kind);
    items.push(item);
  }
  return items;
}

/** For findings about the entry; null, after one, if it could not be read at all. */
export function readableSubject({ origin, value, problem }: RawEntry, reporter: Reporter): Subject | null {
  const id = isObject(value) && typeof value.id === 'string' ? shorten(value.id) : null;
  const subject = { origin, id, reporter };
  if (problem === undefined) return subject;
  reporter.addFinding({ action: 'dropped record', origin, id, field: null, ...problem });
  return null;
}

/** G2: of accepted records with the same id the first stays. True, after a finding, for any other. */
export function isTaken(ids: ReadonlyMap<string, Origin>, id: string, subject: Subject): boolean {
  const first = ids.get(id);
  if (first === undefined) return false;
  const { origin, reporter } = subject;
  const found = `${excerpt(id)}, which ${placeOf(first)} has`;
  const expected = 'an id of its own';
  reporter.addFinding({ action: 'dropped record', origin, id: subject.id, field: 'id', expected, found });
  return true;
}

/** The text, or null if it is missing or blank. */
export function written(text: string | null | undefined): string | null {
  return typeof text === 'string' && /\S/.test(text) ? text : null;
}

type Text = string | null | undefined;

/** G8, made safe at the build; G12, texts have lengths: a title or a name: a short text of one line, or null. */
export const shortLine = readerOf({ make: (text) => plainText(text, 'line'), most: MOST_IN_NAME });
/** Any other text of one line. */
export const oneLine = readerOf({ make: (text) => plainText(text, 'line'), most: MOST_IN_TEXT });
/** The same with line breaks. */
export const severalLines = readerOf({ make: (text) => plainText(text, 'lines'), most: MOST_IN_TEXT });
export const description = readerOf({
  make: safeMarkup,
  expected: 'markup that only formats text',
  most: MOST_IN_DESCRIPTION,
  cut: cutMarkup,
});

interface TextKind {
  readonly make: (text: string) => Safe;
  readonly expected?: string;
  /** Longest result. */
  readonly most: number;
  readonly cut?: (text: string, most: number) => string;
}

function readerOf({ make, expected = 'plain text', most, cut = cutText }: TextKind) {
  return (written: Text, at: Path, subject: Subject): string | null => {
    if (written == null) return null;
    const { text, taken } = make(written);
    if (taken.length > 0) addFinding(subject, 'made safe', { at, expected, found: taken.join(', ') });
    if (text.length <= most) return text;
    addCut(text, { most, at, subject });
    return cut(text, most);
  };
}

interface TooLong {
  readonly most: number;
  readonly at: Path;
  readonly subject: Subject;
}

/** G12: the report names what is cut. */
function addCut(text: string, { most, at, subject: { origin, id, reporter } }: TooLong): void {
  const field = fieldName(at);
  const found = `${text.length} of them: ${excerpt(text)}`;
  reporter.addFinding({
    action: 'cut text',
    origin,
    id,
    field,
    expected: `at most ${most} characters`,
    found,
  });
}

/** G8: an absolute http or https URL, or null; any other text is reported. */
export function webUrl(text: Text, at: Path, subject: Subject): string | null {
  const found = written(text);
  if (found === null) return null;
  const url = webAddress(found);
  if (url === null)
    addFinding(subject, 'made safe', { at, expected: 'an absolute http or https URL', found });
  if (url === null || url.length <= MOST_IN_URL) return url;
  addCut(url, { most: MOST_IN_URL, at, subject });
  return null;
}

/** G12: the first items of a list; the report says how many there were. */
export function firstItems<Item>(items: readonly Item[], at: Path, subject: Subject): readonly Item[] {
  if (items.length <= MOST_ITEMS) return items;
  addFinding(subject, 'dropped value', { at, expected: `at most ${MOST_ITEMS}`, found: items.length });
  return items.slice(0, MOST_ITEMS);
}

/** G8: the record's own slug. Null if it is missing, or if no part of it is valid. */
export function slug(text: Text, at: Path, subject: Subject): string | null {
  const found = written(text);
  if (found === null) return null;
  const made = readSlug(found);
  if (made !== found) addFinding(subject, 'made safe', { at, expected: SLUG_FORM, found });
  return made === '' ? null : made;
}

/** The present entry, as findings name it. */
export interface Subject {
  readonly origin: Origin;
  readonly id: string | null;
  readonly reporter: Reporter;
}

interface Detail {
  readonly at: Path;
  readonly expected: string;
  readonly found: unknown;
}

export function addFinding({ origin, id, reporter }: Subject, action: Action, detail: Detail): void {
  const { at, expected, found } = detail;
  reporter.addFinding({ action, origin, id, field: fieldName(at), expected, found: excerpt(found) });
}

/** An entirely invalid record is reported by its first wrong fields. */
const MOST_PER_ENTRY = 10;

/** The action for an event with an invalid list of times. */
export const LOST = { dates: 'dropped date', repeats: 'dropped series' } as const;

interface Reading<Schema extends z.ZodType> {
  readonly schema: Schema;
  /** Path of the value in the entry. */
  readonly at: Path;
  readonly subject: Subject;
  /** The action if the whole value is lost. */
  readonly lost: Action;
  /** See `salvage`. */
  readonly needed?: ReadonlySet<PropertyKey> | undefined;
}

/** G2: a value as parsed by its schema, without its invalid parts; null if they cost all of it. Reports either. */
export function readValue<Schema extends z.ZodType>(
  value: unknown,
  { schema, at, subject, lost, needed }: Reading<Schema>,
): z.output<Schema> | null {
  const { raw, wrong } = salvage(schema, value, needed);
  for (const flaw of raw === null ? wrong.slice(0, MOST_PER_ENTRY) : wrong)
    subject.reporter.addFinding(findingOf(flaw, { at, subject, lost: raw === null ? lost : null }));
  return raw;
}

interface About {
  readonly at: Path;
  readonly subject: Pick<Subject, 'origin' | 'id'>;
  /** Null: only this value is lost. */
  readonly lost: Action | null;
}

function findingOf({ path, expected, found, isFurther }: Wrong, about: About): Finding {
  const { origin, id } = about.subject;
  const field = fieldName([...about.at, ...path]);
  const action = about.lost ?? actionOf(path);
  return { action, origin, id, field, expected, found: excerpt(found), ...(isFurther && { isFurther }) };
}

/** For a value that is dropped from a record. */
function actionOf([field, ...deeper]: Path): Action {
  if (deeper.length === 0 && (field === 'dates' || field === 'repeats')) return LOST[field];
  return 'dropped value';
}

/** The fields that an object may have, and those of them that hold a further object or a list of them. */
interface Fields {
  readonly known: ReadonlySet<string>;
  readonly inner: readonly (readonly [name: string, fields: Fields])[];
}

/** Those of each kind of record by its name in the report. */
export const FIELDS = {
  licence: fieldsOf([licenceSchema]),
  venues: fieldsOf([venueSchema]),
  organizers: fieldsOf([organizerSchema]),
  events: fieldsOf([eventSchema, capacitySchema], {
    dates: fieldsOf([dateSchema]),
    repeats: fieldsOf([repeatSchema]),
  }),
} as const satisfies Readonly<Record<string, Fields>>;

/** Unknown fields are ignored and counted, as `events.colour` or `events.dates.colour` (F). */
export function countUnknownFields(
  kind: string,
  value: unknown,
  { fields, reporter }: { readonly fields: Fields; readonly reporter: Reporter },
): void {
  count(value, kind, fields);

  function count(object: unknown, name: string, fields: Fields): void {
    if (!isObject(object)) return;
    for (const field in object) {
      if (!fields.known.has(field) && field !== SCHEMA) reporter.ignored(`${name}.${shorten(field)}`);
    }
    for (const [field, inner] of fields.inner) {
      const found = object[field];
      for (const item of Array.isArray(found) ? found : [found]) count(item, `${name}.${field}`, inner);
    }
  }
}

/** A file names the JSON Schema for its editor in this field. */
const SCHEMA = '$schema';

/** `apart`: of lists whose items are checked one by one. */
export function fieldsOf(
  schemas: readonly { readonly shape: object }[],
  apart: Readonly<Record<string, Fields>> = {},
): Fields {
  const fields = schemas.flatMap(({ shape }) => Object.entries(shape));
  const inner = fields.flatMap(([name, schema]) => {
    const bare = bareOf(schema);
    const item = bare instanceof z.ZodArray ? bareOf(bare.element) : bare;
    return item instanceof z.ZodObject ? [[name, fieldsOf([item])] as const] : [];
  });
  return { known: new Set(fields.map(([name]) => name)), inner: [...inner, ...Object.entries(apart)] };
}
