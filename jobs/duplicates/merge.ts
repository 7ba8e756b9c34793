/** G9: merges several records of one event: the first takes precedence, its missing values are filled from the others, dates are joined. */
import { EVENT, having, namesOf } from '../../src/calendar/fields.ts';
import type { DateRecord, EventRecord } from '../records.ts';
import { momentOf } from './alike.ts';

/** A record with its dates by rules, for the records that are joined to another. */
export interface Member {
  readonly record: EventRecord;
  /** Occurrences of its series that are not over, up to the horizon. */
  readonly expanded: readonly DateRecord[];
}

/** The plain fields that are filled, grouped by what belongs together. */
const FILLED_PLAIN = having(EVENT, 'joined');
const JOINED = [...new Set(Object.values(FILLED_PLAIN).map(({ joined }) => joined))].map((word) =>
  namesOf(FILLED_PLAIN).filter((name) => FILLED_PLAIN[name].joined === word),
);

const TEXTS = ['title_nb', 'title_en', 'desc_nb', 'desc_en'] as const;
const REFERENCES = ['categories', 'tags', 'organizers', 'images', 'venue', 'ticketsURL'] as const;

/** Null and empty values count as missing. Fields that belong together are filled together. */
const FILLED: readonly (readonly (keyof EventRecord)[])[] = [
  ...[...TEXTS, ...REFERENCES].map((name) => [name]),
  ...JOINED,
];

/** The first one stays. */
export function mergeRecords([first, ...others]: readonly [Member, ...Member[]]): EventRecord {
  const merged = others.reduce((whole, other) => joined({ ...first, record: whole }, other), first.record);
  return others.some(({ record }) => record.isHidden === true) ? { ...merged, isHidden: true } : merged;
}

function joined({ record, expanded }: Member, other: Member): EventRecord {
  const filled: EventRecord = { ...record, ...missingFrom(record, other.record) };
  const { venue, ticketsURL } = filled;
  const withPlace = <Dated extends { readonly venue: string | null; readonly ticketsURL: string | null }>(
    dated: Dated,
  ): Dated => ({ ...dated, venue: dated.venue ?? venue, ticketsURL: dated.ticketsURL ?? ticketsURL });
  const theirs = [...other.record.dates, ...other.expanded].map((date) => withoutTickets(date, record));
  const ownKeys = new Set([...record.dates, ...expanded].map(keyOf));
  const counterparts = new Map(theirs.map((date) => [keyOf(date), date]));
  return {
    ...filled,
    dates: [
      ...record.dates.map((date) => withPlace(withEnd(date, counterparts.get(keyOf(date))))),
      ...theirs.filter((date) => !ownKeys.has(keyOf(date))).map(withPlace),
    ],
    series: record.series.map((series) => ({
      ...series,
      phases: series.phases.map((phase) => ({ ...phase, own: withPlace(phase.own) })),
    })),
  };
}

function missingFrom(record: EventRecord, other: EventRecord): Partial<EventRecord> {
  const names = FILLED.filter((together) => together.every((name) => isMissing(record[name]))).flat();
  const entries = names.map((name) => [name, other[name]] as const);
  const { ticketsInformation, prices } = other;
  return { ...Object.fromEntries(entries), ...(!hasPrices(record) && { ticketsInformation, prices }) };
}

function hasPrices({ ticketsInformation, prices }: EventRecord): boolean {
  return ticketsInformation !== 'noTicketsInfo' || prices.length > 0;
}

/** The next date's tickets are shown as the event's: a date of another record does not replace those that this one names. */
function withoutTickets(date: DateRecord, record: EventRecord): DateRecord {
  return {
    ...date,
    ticketsURL: record.ticketsURL ?? date.ticketsURL,
    prices: hasPrices(record) ? null : date.prices,
  };
}

function isMissing(value: unknown): boolean {
  return value == null || value === '' || (Array.isArray(value) && value.length === 0);
}

function keyOf({ start, allDay }: DateRecord): number {
  return momentOf(start, allDay);
}

/** A date without an end takes the other's, and its place if it has none. */
function withEnd(date: DateRecord, other: DateRecord | undefined): DateRecord {
  if (other === undefined) return date;
  const { end, duration } = date.duration === null && other.duration !== null ? other : date;
  return {
    ...date,
    end,
    duration,
    venue: date.venue ?? other.venue,
    ticketsURL: date.ticketsURL ?? other.ticketsURL,
  };
}
