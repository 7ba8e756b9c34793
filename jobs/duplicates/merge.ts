/** G9: merges several records of one event: the first takes precedence, its missing values are filled from the others, dates are joined. */
import { having, isEmpty, namesOf } from '../../src/calendar/field.ts';
import { EVENT } from '../../src/calendar/fields.ts';
import { addToGroup, groupBy } from '../../src/calendar/groups.ts';
import { isWhollyHidden } from '../corrections/hidden.ts';
import { momentOf } from '../event-dates.ts';
import type { DateRecord, EventRecord } from '../records.ts';
import { withoutEmptied } from './emptied.ts';
import { createDateTickets, ticketsOfEvent } from './tickets.ts';

/** A record with its dates by rules, for the records that are joined to another. */
export interface Member {
  /** Its number, in the order of the sources. */
  readonly number: number;
  readonly record: EventRecord;
  /** Occurrences of its series that are not over, up to the horizon. */
  readonly expanded: readonly DateRecord[];
}

/** The plain fields that are filled, in groups of those that belong together. */
const FILLED_PLAIN = having(EVENT, 'joined');
const PLAIN_GROUPS = [...groupBy(namesOf(FILLED_PLAIN), (name) => FILLED_PLAIN[name].joined).values()];

/** Null and empty values count as missing. Fields that belong together are filled in together. `tickets.ts` fills in the fields of tickets. */
const FILLED: readonly (readonly (keyof EventRecord)[])[] = [
  ['title_nb'],
  ['title_en'],
  ['desc_nb'],
  ['desc_en'],
  ['categories'],
  ['tags'],
  ['organizers'],
  ['images'],
  ['venue'],
  ...PLAIN_GROUPS,
];

/** The first member stays. The others are in the order of their sources. */
export function mergeRecords(corrected: readonly [Member, ...Member[]]): EventRecord {
  const members = withoutEmptied(corrected);
  const [first] = members;
  const filled = filledRecord(members, corrected[0].record);
  const valuesOf = createDateValues(members, createDateTickets(first, filled));
  // A date of its rules for which other records have more values becomes a listed one, and replaces the rule's.
  const replacing = first.expanded.flatMap((date) => {
    const merged = withPlace(valuesOf(date), filled);
    const isSame = JSON.stringify(merged) === JSON.stringify(withPlace(date, filled));
    return isSame ? [] : [merged];
  });
  const listed = [...first.record.dates.map(valuesOf), ...replacing, ...addedDates(members).map(valuesOf)];
  return {
    ...filled,
    dates: listed.map((date) => withPlace(date, filled)),
    series: filled.series.map((series) => ({
      ...series,
      phases: series.phases.map((phase) => ({ ...phase, own: withPlace(phase.own, filled) })),
      isReplaceable: series.isReplaceable || replacing.length > 0,
    })),
    ...hidingOf(members),
  };
}

/** The first record with the values that it lacks, as far as the others have them. `original`: the first as it was before values were emptied. */
function filledRecord(members: readonly [Member, ...Member[]], original: EventRecord): EventRecord {
  const [first, ...others] = members;
  let filled = first.record;
  for (const { record } of others) filled = { ...filled, ...missingFrom(filled, record) };
  return { ...withTitle(filled, original), ...ticketsOfEvent(members) };
}

/** F13: what corrections of any of the records hide. */
function hidingOf(members: readonly Member[]): Pick<EventRecord, 'hiddenDates' | 'isHidden'> {
  const hiddenDates = members.flatMap(({ record }) => record.hiddenDates ?? []);
  const isHidden = members.some(({ record }) => isWhollyHidden(record));
  return {
    ...(hiddenDates.length > 0 && { hiddenDates }),
    ...(isHidden && { isHidden }),
  };
}

/** Editors may have emptied the one title in one record and the other in another. */
function withTitle(record: EventRecord, { title_nb, title_en }: EventRecord): EventRecord {
  const isUntitled = record.title_nb === null && record.title_en === null;
  return isUntitled ? { ...record, title_nb, title_en } : record;
}

type Placed = Pick<DateRecord, 'venue' | 'ticketsURL'>;

/** A date without a venue or a ticket URL has its event's. */
function withPlace<Dated extends Placed>(dated: Dated, { venue, ticketsURL }: Placed): Dated {
  return { ...dated, venue: dated.venue ?? venue, ticketsURL: dated.ticketsURL ?? ticketsURL };
}

/** The dates of the other members whose start no earlier member has. */
function addedDates([first, ...others]: readonly [Member, ...Member[]]): readonly DateRecord[] {
  const earlierKeys = new Set(datesOf(first).map(startKey));
  return others.flatMap((member) => {
    const added = datesOf(member).filter((date) => !earlierKeys.has(startKey(date)));
    for (const date of added) earlierKeys.add(startKey(date));
    return added;
  });
}

/** Creates the function that merges the members' values of one date: the first source takes precedence, and the others fill in missing values. */
function createDateValues(
  members: readonly [Member, ...Member[]],
  withTickets: (date: DateRecord, member: Member) => DateRecord,
): (date: DateRecord) => DateRecord {
  const [first] = members;
  const inOrder = [...members].sort((left, right) => left.number - right.number);
  const datesByKey = new Map<number, DateRecord[]>();
  for (const member of inOrder) {
    for (const date of datesOf(member)) addToGroup(datesByKey, startKey(date), withTickets(date, member));
  }
  const ambiguous = repeated(datesOf(first).map(startKey));
  return (date) => {
    const all = datesByKey.get(startKey(date)) ?? [];
    // The record has two dates in one minute: nothing shows which of them the others mean.
    if (ambiguous.has(startKey(date))) return all.filter((other) => other !== date).reduce(withMissing, date);
    const [earliest = date, ...rest] = all;
    const { start, end, ...values } = rest.reduce(withMissing, earliest);
    return {
      ...values,
      start: date.start,
      end: date.start + (end - start),
      startTime: date.startTime,
      allDay: date.allDay,
    };
  };
}

/** The keys that occur more than once. */
function repeated(keys: readonly number[]): ReadonlySet<number> {
  const seen = new Set<number>();
  const again = new Set<number>();
  for (const key of keys) {
    if (seen.has(key)) again.add(key);
    seen.add(key);
  }
  return again;
}

function datesOf({ record, expanded }: Member): readonly DateRecord[] {
  return [...record.dates, ...expanded];
}

/** The values of another record that a record lacks. */
function missingFrom(record: EventRecord, other: EventRecord): Partial<EventRecord> {
  const names = FILLED.filter((together) => together.every((name) => isEmpty(record[name]))).flat();
  const values: Partial<EventRecord> = Object.fromEntries(names.map((name) => [name, other[name]]));
  return hasNorwegianText(record) ? values : { ...values, norwegian: other.norwegian };
}

/** I16: then its other texts cannot change which Norwegian it is in. */
function hasNorwegianText({ title_nb, desc_nb, summary_nb }: EventRecord): boolean {
  return title_nb !== null || desc_nb !== null || summary_nb !== null;
}

function startKey({ start, allDay }: DateRecord): number {
  return momentOf(start, allDay);
}

/** A date without an end or a place takes the other's. */
function withMissing(date: DateRecord, other: DateRecord): DateRecord {
  const length = other.end - other.start;
  const isOpen = date.duration === null && other.duration !== null;
  return {
    ...date,
    end: isOpen ? date.start + length : date.end,
    duration: isOpen ? other.duration : date.duration,
    venue: date.venue ?? other.venue,
    ticketsURL: date.ticketsURL ?? other.ticketsURL,
    prices: date.prices ?? other.prices,
  };
}
