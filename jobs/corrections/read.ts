/** F13: reads corrections. */
import { isEmpty } from '../../src/calendar/field.ts';
import { parseMinute } from '../../src/calendar/input-datetime.ts';
import { isObject } from '../../src/calendar/json.ts';
import { excerpt, type Reporter } from '../findings.ts';
import type { Area } from '../naming/areas.ts';
import type { NamedEvent } from '../naming/event-names.ts';
import type { Naming } from '../naming/naming.ts';
import { type EventRecord, type Municipality, NO_MUNICIPALITY } from '../records.ts';
import type { NewTime } from '../recurrence/retiming.ts';
import type { CorrectionEntry } from '../source/source.ts';
import { readValue } from '../validate/entry.ts';
import { addFinding, type Subject } from '../validate/entry-findings.ts';
import type { MunicipalityNamed } from '../validate/postal-codes.ts';
import { countUnknownFields, fieldsOf } from '../validate/unknown-fields.ts';
import type { ValidRecords } from '../validate/validate.ts';
import { effectsOf, invalidEntry, whereOf } from './entry-form.ts';
import {
  addSchema,
  correctionSchema,
  DATE_FIELDS,
  type RawAdd,
  type RawSet,
  type RawWhere,
  setSchema,
} from './schemas.ts';

export interface Correction {
  /** Its place in the file, from 0. A later one takes precedence. */
  readonly number: number;
  readonly subject: Subject;
  readonly note: string | null;
  readonly where: RawWhere;
  /** The event that the condition `id` names; null without that condition. */
  readonly event: NamedEvent | null;
  /** The feeds whose records it may correct; null for all records. */
  readonly onlyFeeds: readonly string[] | null;
  /** Where these events take place; null for everywhere. */
  readonly area: Area | null;
  readonly isHiding: boolean;
  /** F17: the decision on an event that needs approval, which was applied when its feed was read; null for none. */
  readonly isApproving: boolean | null;
  /** Values for the whole event, in the form of records and checked like them. */
  readonly eventValues: Partial<EventRecord>;
  /** Values that are added to the lists of the event. */
  readonly added: Pick<EventRecord, 'categories' | 'tags'>;
  /** Values for each date that matches. */
  readonly dateValues: DateValues;
  /** The municipality of the places of these dates; undefined if it stays. */
  readonly municipality: Municipality | undefined;
}

/** Null removes a value. */
export interface DateValues
  extends Partial<Pick<EventRecord, 'venue' | 'status' | 'ticketsURL' | 'eventSoldOut'>> {
  readonly start?: NewTime | undefined;
  readonly end?: NewTime | null | undefined;
}

interface ReadOptions extends Pick<Naming, 'readName' | 'findArea'> {
  /** Reads values of an event in the form of records. */
  readonly valuesOf: ValidRecords['valuesOf'];
  readonly municipalityNamed: MunicipalityNamed;
  readonly report: Pick<Reporter, 'addFinding' | 'countIgnored' | 'countFate'>;
}

/** Throws INVALID_SOURCE. */
export async function readCorrections(
  entries: AsyncIterable<CorrectionEntry>,
  options: ReadOptions,
): Promise<readonly Correction[]> {
  const corrections: Correction[] = [];
  for await (const entry of entries) corrections.push(correctionOf(entry, corrections.length, options));
  return corrections;
}

const FIELDS = fieldsOf([correctionSchema]);

function correctionOf(
  entry: CorrectionEntry,
  number: number,
  { valuesOf, municipalityNamed, findArea, readName, report }: ReadOptions,
): Correction {
  const { origin, value, problem, onlyFeeds = null, onlyIn = null, columns = {} } = entry;
  if (problem !== undefined) throw invalidEntry(entry, problem.expected, problem.found);
  if (!isObject(value)) throw invalidEntry(entry, 'an object with "where"', excerpt(value));
  const where = whereOf(entry, value.where);
  const { isHiding, isApproving } = effectsOf(entry, value, where);
  countUnknownFields('corrections', value, { fields: FIELDS, reporter: report });
  const subject: Subject = { origin, id: null, reporter: withColumns(report, columns) };
  const set = readPart(value.set, { schema: setSchema, name: 'set', subject }) ?? {};
  const add = readPart(value.add, { schema: addSchema, name: 'add', subject }) ?? {};
  const isForDates = where.date !== null;
  if (isForDates)
    for (const [part, given] of Object.entries({ set, add })) reportEventFields(part, given, subject);
  const values = valuesOf(inRecord(set), inPart(subject, 'set'));
  const added = valuesOf(add, inPart(subject, 'add'));
  return {
    number,
    subject,
    note: typeof value.note === 'string' ? value.note : null,
    where,
    event: where.id === null ? null : readName(where.id),
    onlyFeeds,
    area: onlyIn === null ? null : findArea(onlyIn),
    isHiding,
    isApproving,
    eventValues: isForDates ? {} : givenValues(values, set, (name) => !DATE_FIELDS.includes(name)),
    added: isForDates ? NO_ADDITIONS : { categories: added.categories, tags: added.tags },
    dateValues: {
      ...givenValues(values, set, (name) => DATE_FIELDS.includes(name)),
      ...timesOf(set, { isForDates, subject }),
    },
    municipality: municipalityIn(set, { municipalityNamed, subject }),
  };
}

/** The reporter of a row of a sheet: its findings name the row's columns instead of the fields of an entry. */
function withColumns(report: ReadOptions['report'], columns: Readonly<Record<string, string>>) {
  const addFinding: Subject['reporter']['addFinding'] = ({ field, ...finding }) => {
    const path = field?.replace(/\[\d+\]/g, '') ?? '';
    // A column may give a list of values that have parts: `set.prices[0].name_nb`.
    const whole = path.replace(/\.[^.]+$/, '');
    report.addFinding({ ...finding, field: columns[path] ?? columns[whole] ?? field });
  };
  return { addFinding };
}

const NO_ADDITIONS = { categories: [], tags: [] };

interface PartOptions<Schema> {
  readonly schema: Schema;
  readonly name: string;
  readonly subject: Subject;
}

/** The values in the part `set` or `add`; null if the correction lacks that part. */
function readPart<Schema extends typeof setSchema | typeof addSchema>(
  value: unknown,
  { schema, name, subject }: PartOptions<Schema>,
) {
  return value == null ? null : readValue(value, { schema, at: [name], subject, lost: 'dropped value' });
}

/** A subject whose findings name the part of the correction, `set` or `add`. */
function inPart({ reporter, ...subject }: Subject, part: string): Subject {
  const addFinding: Subject['reporter']['addFinding'] = (finding) =>
    reporter.addFinding({ ...finding, field: `${part}.${finding.field}` });
  return { ...subject, reporter: { addFinding } };
}

/** Reports the fields that a correction of dates alone may not have. */
function reportEventFields(part: string, given: RawSet | RawAdd, subject: Subject): void {
  const expected = `one of ${DATE_FIELDS.join(', ')}, because "date" in "where" makes it a correction of dates alone`;
  for (const [name, found] of Object.entries(given))
    if (part === 'add' || !DATE_FIELDS.includes(name))
      addFinding(subject, 'dropped value', { at: [part, name], expected, found });
}

/** The values that an event's record has in the same form. */
function inRecord(set: RawSet): Omit<RawSet, 'start' | 'end' | 'municipality'> {
  return without(set, ['start', 'end', 'municipality']);
}

function without<Values extends object, Name extends keyof Values>(
  values: Values,
  names: readonly Name[],
): Omit<Values, Name> {
  const rest: Partial<Values> = { ...values };
  for (const name of names) delete rest[name];
  return rest as Omit<Values, Name>;
}

interface MunicipalityReading {
  readonly municipalityNamed: MunicipalityNamed;
  readonly subject: Subject;
}

/** Null and a blank text remove the municipality. */
function municipalityIn(
  { municipality }: RawSet,
  { municipalityNamed, subject }: MunicipalityReading,
): Municipality | undefined {
  if (municipality === undefined) return undefined;
  if (municipality === null || municipality.trim() === '') return NO_MUNICIPALITY;
  return municipalityNamed(municipality, subject, ['set', 'municipality']) ?? undefined;
}

/** The accepted values of the given fields; an empty one only if it was given as empty. */
function givenValues(values: EventRecord, given: RawSet, isWanted: (name: string) => boolean): object {
  const read = new Map<string, unknown>(Object.entries(values));
  const wanted = Object.entries(given).filter(([name]) => isWanted(name) && read.has(name));
  const accepted = wanted.filter(([name, written]) => !isEmpty(read.get(name)) || isEmpty(written));
  return Object.fromEntries(accepted.map(([name]) => [name, read.get(name)]));
}

interface TimeReading {
  readonly isForDates: boolean;
  readonly subject: Subject;
}

function timesOf({ start, end }: RawSet, reading: TimeReading): Pick<DateValues, 'start' | 'end'> {
  const newStart = start == null ? undefined : timeOf(start, { name: 'start', ...reading });
  const removesEnd = end === null;
  const newEnd = end == null ? undefined : timeOf(end, { name: 'end', ...reading });
  return {
    start: newStart,
    end: removesEnd ? null : newEnd,
  };
}

/** Undefined, after a finding, for a datetime that would give all dates of an event one and the same. */
function timeOf(
  time: NonNullable<RawSet['start']>,
  { name, isForDates, subject }: TimeReading & { readonly name: string },
): NewTime | undefined {
  if (typeof time === 'string') return { minute: parseMinute(time) ?? 0 };
  if (isForDates) return time;
  const expected = 'a time of day such as "19:30", or a "date" in "where" that selects the date';
  addFinding(subject, 'dropped value', { at: ['set', name], expected, foundText: 'a datetime' });
  return undefined;
}
