/**
 * G10: the differences of an event to the previous snapshot, by the interface's fields. The clock alone changes nothing: dates that are
 * over, and dates by rules beyond the horizon of either build, are not compared.
 */
import type { Organizer, Venue } from '../../../src/calendar/model.ts';
import { ABSENT, EVENT_FLAGS, OCCURRENCE_FLAGS } from '../../../src/snapshot/columns.ts';
import { type BodyTexts, bodyOf, readBody } from '../../../src/snapshot/fragments.ts';
import type { Calendar } from '../../records.ts';
import { MOST_OCCURRENCES } from '../../recurrence/expand.ts';
import type { EventRow, WrittenEvent } from '../../write/tables.ts';
import type { ComparedColumns, Earlier, EarlierEvent } from './earlier.ts';

interface Compared {
  readonly calendar: Pick<Calendar, 'venues' | 'organizers'>;
  readonly columns: ComparedColumns;
  readonly earlier: Earlier;
  /** Instant of this build. */
  readonly now: number;
  /** Day number. */
  readonly horizonDay: number;
}

interface Difference {
  /** In alphabetical order; empty for an unchanged event. */
  readonly fields: readonly string[];
  /** I9: whether this changes all of its occurrences. */
  readonly isOfAll: boolean;
  readonly dates: DatesDifference;
}

interface DatesDifference {
  /** By row: the earlier row of the same occurrence, and whether they differ. */
  readonly pairs: readonly (readonly [row: number, earlier: number, differs: boolean])[];
  readonly added: readonly number[];
  readonly gone: readonly number[];
}

/** An event of this build. */
export interface LaterEvent extends Pick<WrittenEvent, 'ordinal'> {
  readonly row: EventRow;
}

export type Compare = (later: LaterEvent, before: EarlierEvent) => Difference;

/** Counters, which change constantly and which no calendar shows (I9). */
const COUNTERS: ReadonlySet<string> = new Set(['views', 'availableTickets', 'activeTickets']);

export function createCompare({ calendar, columns, earlier, now, horizonDay }: Compared): Compare {
  const venues = matchEntities(earlier.venues, calendar.venues);
  const organizers = matchEntities(earlier.organizers, calendar.organizers);
  const sides = { later: columns, before: earlier.columns };
  const lastDay = Math.min(earlier.horizonDay, horizonDay);

  return (later, before) => {
    const texts = { later: readBody(bodyOf(later.row)), before: readBody(before.body) };
    const fields = new Set([...ownFields(later, before), ...textFields(texts)]);
    const [now_, then] = [
      organizersOf(columns, later.ordinal),
      organizersOf(earlier.columns, before.ordinal),
    ];
    const areSame = now_.length === then.length && then.every((one, at) => organizers(one, now_[at] ?? -1));
    if (!areSame) fields.add('organizers');
    const flags =
      (columns.eventFlags[later.ordinal] ?? 0) ^ (earlier.columns.eventFlags[before.ordinal] ?? 0);
    if ((flags & EVENT_FLAGS.featuredInSpecialEvent) !== 0) fields.add('isFeaturedInSpecialEvent');
    const isOfAll = [...fields].some((field) => !COUNTERS.has(field));
    const rows = {
      later: rowsOf(columns, later.ordinal),
      before: rowsOf(earlier.columns, before.ordinal),
    };
    const dates = compareDates({
      sides,
      rows,
      texts,
      venues,
      now,
      until: untilOf(sides, rows, lastDay),
      fields,
    });
    return { fields: [...fields].sort(), isOfAll, dates };
  };
}

interface Both<Of> {
  readonly later: Of;
  readonly before: Of;
}

/** Whether an earlier ordinal and a present one belong to the same, unchanged entity; -1 is none. */
type IsSame = (before: number, later: number) => boolean;

function matchEntities(
  before: readonly (Venue | Organizer)[],
  later: readonly (Venue | Organizer)[],
): IsSame {
  const places = new Map(later.map(({ id }, place) => [id, place]));
  const same = before.map((entity) => {
    const place = places.get(entity.id) ?? -1;
    return JSON.stringify(later[place]) === JSON.stringify(entity) ? place : -2;
  });
  return (earlier, today) => (earlier === -1 ? today === -1 : same[earlier] === today);
}

/** Columns of `event` whose fields have another name in the interface. */
const FIELDS: Readonly<Record<string, string>> = {
  slug: 'event_slug',
  link: 'eventLink',
  tickets_information: 'ticketsInformation',
  publishing_date: 'publishingDate',
  is_super_event: 'isSuperEvent',
  is_featured: 'isFeaturedEvent',
};

function* ownFields({ row }: LaterEvent, before: EarlierEvent): Generator<string> {
  for (const [column, value] of Object.entries(row)) {
    if (column !== 'ordinal' && column !== 'body' && before.row[column] !== value)
      yield FIELDS[column] ?? column;
  }
}

function* textFields({ later, before }: Both<BodyTexts>): Generator<string> {
  for (const [field, text] of later.fields) if (before.fields.get(field) !== text) yield field;
}

function organizersOf({ organizers, organizersAt }: ComparedColumns, event: number): Int32Array {
  return organizers.subarray(organizersAt[event], organizersAt[event + 1]);
}

function rowsOf({ occurrences, occurrencesAt }: ComparedColumns, event: number): Int32Array {
  return occurrences.subarray(occurrencesAt[event], occurrencesAt[event + 1]);
}

/** Limits beyond which the occurrences of rules are not known to both builds. */
interface Until {
  readonly day: number;
  readonly start: number;
}

function untilOf(sides: Both<ComparedColumns>, rows: Both<Int32Array>, day: number): Until {
  const lastStart = ({ start, occurrenceFlags }: ComparedColumns, all: Int32Array) => {
    const byRule = all.filter((row) => hasFlag(occurrenceFlags, row, 'byRule'));
    return byRule.length < MOST_OCCURRENCES ? Number.POSITIVE_INFINITY : (start[byRule.at(-1) ?? 0] ?? 0);
  };
  return { day, start: Math.min(lastStart(sides.later, rows.later), lastStart(sides.before, rows.before)) };
}

interface ComparedDates {
  readonly sides: Both<ComparedColumns>;
  readonly rows: Both<Int32Array>;
  readonly texts: Both<BodyTexts>;
  readonly venues: IsSame;
  readonly now: number;
  readonly until: Until;
  readonly fields: Set<string>;
}

/** Occurrences are the same if they agree in start and in number among those with that start (A16), which is the order of rows. */
function compareDates(compared: ComparedDates): DatesDifference {
  const { sides, rows, fields } = compared;
  const [pairs, added, gone]: [[number, number, boolean][], number[], number[]] = [[], [], []];
  let [at, before] = [0, 0];
  while (at < rows.later.length || before < rows.before.length) {
    const [row, earlier] = [rows.later[at] ?? -1, rows.before[before] ?? -1];
    const order = row === -1 ? 1 : earlier === -1 ? -1 : compareKeys(sides, row, earlier);
    if (order <= 0) at++;
    if (order >= 0) before++;
    if (order === 0) {
      const differing = [...pairFields(compared, row, earlier)];
      for (const field of differing) fields.add(field);
      pairs.push([row, earlier, differing.length > 0]);
      continue;
    }
    (order < 0 ? added : gone).push(order < 0 ? row : earlier);
    if (order < 0 ? isCompared(sides.later, row, compared) : isCompared(sides.before, earlier, compared)) {
      fields.add('dates');
    }
  }
  return { pairs, added, gone };
}

function compareKeys({ later, before }: Both<ComparedColumns>, row: number, earlier: number): number {
  return (
    (later.start[row] ?? 0) - (before.start[earlier] ?? 0) ||
    (later.nth[row] ?? 0) - (before.nth[earlier] ?? 0)
  );
}

function isCompared(columns: ComparedColumns, row: number, { now, until }: ComparedDates): boolean {
  if ((columns.over[row] ?? 0) <= now) return false;
  if (!hasFlag(columns.occurrenceFlags, row, 'byRule')) return true;
  return (columns.day[row] ?? 0) <= until.day && (columns.start[row] ?? 0) <= until.start;
}

/** Properties of an occurrence with fields of their own, besides its times. */
const FLAGS = { cancelled: 'eventCancelled', soldOut: 'eventSoldOut', allDay: 'dates' } as const;
const TEXTS = { ticketsURL: 'ticketsURL', prices: 'prices', olderTexts: 'dates' } as const;

function* pairFields(
  { sides: { later, before }, texts, venues }: ComparedDates,
  row: number,
  earlier: number,
): Generator<string> {
  const isOpen =
    hasFlag(later.occurrenceFlags, row, 'endsByRule') &&
    hasFlag(before.occurrenceFlags, earlier, 'endsByRule');
  const isMoved = later.end[row] !== before.end[earlier] || later.duration[row] !== before.duration[earlier];
  if ((isMoved && !isOpen) || later.startTime[row] !== before.startTime[earlier]) yield 'dates';
  for (const flag of ['cancelled', 'soldOut', 'allDay'] as const) {
    if (hasFlag(later.occurrenceFlags, row, flag) !== hasFlag(before.occurrenceFlags, earlier, flag))
      yield FLAGS[flag];
  }
  if (!venues(before.venue[earlier] ?? -1, later.venue[row] ?? -1)) yield 'venue';
  for (const name of ['ticketsURL', 'prices', 'olderTexts'] as const) {
    const text = textAt(texts.later[name], later[name][row]);
    if (text !== textAt(texts.before[name], before[name][earlier])) yield TEXTS[name];
  }
}

function textAt(list: readonly string[], place: number = ABSENT): string | null {
  return place === ABSENT ? null : (list[place] ?? null);
}

function hasFlag(flags: Uint8Array, row: number, name: keyof typeof OCCURRENCE_FLAGS): boolean {
  return ((flags[row] ?? 0) & OCCURRENCE_FLAGS[name]) !== 0;
}
