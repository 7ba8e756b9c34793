import type * as z from 'zod';
import { OLDER_DATE_FIELDS, type Price } from '../../src/calendar/model.ts';
import { timeOfDay } from '../../src/calendar/time.ts';
import type {
  DateRecord,
  EventRecord,
  OwnValues,
  RepeatRecord,
  SeriesKind,
  SeriesRecord,
} from '../records.ts';
import {
  addFinding,
  firstItems,
  LOST,
  olderFields,
  oneLine,
  readValue,
  type Subject,
  shortLine,
  webUrl,
  written,
} from './entry.ts';
import type { Path } from './salvage.ts';
import {
  dateSchema,
  datetime,
  moment,
  type RawDate,
  type RawPrice,
  type RawRepeat,
  repeatSchema,
  spanOf,
  wallSpanOf,
} from './schemas.ts';

/** The values that the dates of an event inherit, and the event itself. */
export interface DatedEvent {
  readonly subject: Subject;
  readonly event: Pick<EventRecord, 'venue' | 'ticketsURL' | 'eventCancelled' | 'eventSoldOut'>;
  /** The id of an existing venue; null, after a finding, for any other. */
  readonly venueOf: (id: string | null | undefined, at: Path, subject: Subject) => string | null;
}

/** F4, F5: the listed dates with the event's values filled in. G2: an invalid one is dropped and reported. */
export function datesOf(raw: readonly unknown[], dated: DatedEvent): readonly DateRecord[] {
  return each(raw, { name: 'dates', schema: dateSchema, subject: dated.subject }, (date, at) => {
    const { start, end, minutes } = spanOf(date);
    const allDay = date.start.isDay;
    const startTime = timeGiven(date, at, dated.subject) ?? timeOfDay(date.start.wall);
    // The copied values come last: Node 20 takes 5 µs to add fields to a copy.
    return { start, end, duration: minutes, startTime, allDay, ...ownValues(date, at, dated) };
  });
}

/** F4: the rules with the values that all of their occurrences share. The rules themselves are parsed when they are expanded. */
export function repeatsOf(raw: readonly unknown[], dated: DatedEvent): readonly RepeatRecord[] {
  return each(raw, { name: 'repeats', schema: repeatSchema, subject: dated.subject }, (repeat, at) => {
    const wallSpan = wallSpanOf(repeat);
    return {
      field: `repeats[${at[1]}]`,
      rule: repeat.rule,
      startWall: repeat.start.wall,
      wallSpan,
      duration: wallSpan === null ? (repeat.duration ?? null) : null,
      startTime: timeGiven(repeat, at, dated.subject),
      allDay: repeat.start.isDay,
      except: exceptionsOf(repeat, at, dated.subject),
      ...ownValues(repeat, at, dated),
    };
  });
}

/** A recurrence of a feed's records, with the values of its dates; null, after a finding, if it is invalid. */
export function seriesOf(raw: unknown, { schema }: SeriesKind, dated: DatedEvent): SeriesRecord | null {
  const { subject } = dated;
  const series = readValue(raw, { schema, at: ['series'], subject, lost: 'dropped series' });
  if (series === null) return null;
  const own = [{}, ...series.changes.map((change) => change.own)];
  return { series, own: own.map((values) => ownValues(values, ['series'], dated)) };
}

interface DatedList<Schema> {
  readonly name: 'dates' | 'repeats';
  readonly schema: Schema;
  readonly subject: Subject;
}

type Place = readonly [list: string, place: number];

function each<Schema extends z.ZodType, Result>(
  raw: readonly unknown[],
  { name, schema, subject }: DatedList<Schema>,
  make: (item: z.output<Schema>, at: Place) => Result,
): readonly Result[] {
  return raw.flatMap((value, place) => {
    const at: Place = [name, place];
    const item = readValue(value, { schema, at, subject, lost: LOST[name] });
    return item === null ? [] : [make(item, at)];
  });
}

/** A15: the `startTime` of a date that has a time. A time for a date without one is dropped and reported. */
function timeGiven(raw: RawDate | RawRepeat, at: Path, subject: Subject): string | null {
  if (!raw.start.isDay) return raw.startTime ?? null;
  const expected = 'nothing, because the start is a date alone';
  for (const field of ['startTime', 'duration'] as const) {
    const found = raw[field] ?? null;
    if (found !== null) addFinding(subject, 'changed value', { at: [...at, field], expected, found });
  }
  return null;
}

/** An invalid exception is dropped alone: the rest of the rule remains (G2). */
function exceptionsOf({ start, except }: RawRepeat, at: Path, subject: Subject): readonly number[] {
  const schema = start.isDay ? moment : datetime;
  return (except ?? []).flatMap((value, place) => {
    const read = readValue(value, { schema, at: [...at, 'except', place], subject, lost: 'dropped date' });
    return read === null ? [] : [read.wall];
  });
}

type RawOwnValues = Partial<
  Pick<
    RawDate,
    'venue' | 'ticketsURL' | 'eventCancelled' | 'eventSoldOut' | 'prices' | 'mode' | 'streamingURL'
  >
>;

function ownValues(raw: RawOwnValues, at: Path, { event, subject, venueOf }: DatedEvent): OwnValues {
  return {
    venue: venueOf(raw.venue, [...at, 'venue'], subject) ?? event.venue,
    ticketsURL:
      raw.ticketsURL == null ? event.ticketsURL : webUrl(raw.ticketsURL, [...at, 'ticketsURL'], subject),
    eventCancelled: raw.eventCancelled ?? event.eventCancelled,
    eventSoldOut: raw.eventSoldOut ?? event.eventSoldOut,
    prices: raw.prices ? pricesOf(raw.prices, [...at, 'prices'], subject) : null,
    ...olderFields(raw, OLDER_DATE_FIELDS, { at, subject }),
  };
}

/** F7. A price that is not a number becomes null, which is reported, so that its author learns why. */
export function pricesOf(raw: readonly RawPrice[], at: Path, subject: Subject): readonly Price[] {
  return firstItems(raw, at, subject).map(({ type, price, name_nb, name_en }, place) => {
    const whole = wholePrice(price);
    if (whole === null && !isEmpty(price)) {
      addFinding(subject, 'changed value', { at: [...at, place, 'price'], expected: PRICE, found: price });
    }
    return {
      type: oneLine(type, [...at, place, 'type'], subject) ?? '',
      price: whole,
      name_nb: shortLine(name_nb, [...at, place, 'name_nb'], subject),
      name_en: shortLine(name_en, [...at, place, 'name_en'], subject),
    };
  });
}

const PRICE = 'a number, or digits with an optional "." fraction, from 0 to 2147483647 (without one: null)';
const LARGEST = 2 ** 31 - 1;
const DECIMAL = /^(\d+)(?:\.(\d)\d*)?$/;

/** F7: rounded half up; null if it is not a number, negative, or beyond 32 bits. */
function wholePrice(price: unknown): number | null {
  const rounded =
    typeof price === 'string' ? roundText(price) : typeof price === 'number' ? round(price) : null;
  return rounded === null || rounded > LARGEST ? null : rounded;
}

function round(price: number): number | null {
  // Plus zero: a price of -0 is 0.
  return price < 0 ? null : Math.round(price) + 0;
}

/** By its digits, because the nearest double of a long fraction may be on the other side of a half. */
function roundText(price: string): number | null {
  const match = DECIMAL.exec(price);
  if (match === null) return null;
  return Number(match[1]) + (Number(match[2] ?? 0) >= 5 ? 1 : 0);
}

function isEmpty(price: unknown): boolean {
  return price === null || price === undefined || (typeof price === 'string' && written(price) === null);
}
