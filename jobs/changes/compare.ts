/**
 * G10: what the interface shows of an event, as values by its fields, compared with the same in the snapshot before. The clock alone
 * changes nothing: dates that are over, and dates by rules beyond the horizon of either build, are not compared.
 */
import { OLDER_EVENT_FIELDS, type Organizer, type Venue } from '../../src/calendar/model.ts';
import { compactUtc } from '../../src/calendar/time.ts';
import { ABSENT, type Columns, listAt, previousStartOf } from '../../src/snapshot/columns.ts';
import { EVENT_FLAGS, OCCURRENCE_FLAGS, statusOf } from '../../src/snapshot/flags.ts';
import { BODY_SCALARS, type EventFragment, readFragment } from '../../src/snapshot/fragments.ts';
import { MOST_OCCURRENCES } from '../recurrence/allowance.ts';

export const COMPARED_COLUMNS = [
  'start',
  'end',
  'over',
  'venue',
  'day',
  'startTime',
  'duration',
  'occurrenceFlags',
  'nth',
  'ticketsURL',
  'prices',
  'olderTexts',
  'sequence',
  'eventFlags',
  'occurrencesAt',
  'occurrences',
  'organizersAt',
  'organizers',
  'publishing',
  'eventOver',
  'changed',
  'movedRow',
  'movedFrom',
] as const;

type ComparedColumns = Pick<Columns, (typeof COMPARED_COLUMNS)[number]>;

/** A snapshot whose events are compared. */
interface Side {
  readonly columns: ComparedColumns;
  readonly venues: readonly Pick<Venue, 'id'>[];
  readonly organizers: readonly Pick<Organizer, 'id'>[];
  /** G15: compares by this alone, because the other side has another format. */
  readonly isShared?: boolean;
}

interface StoredEvent {
  readonly ordinal: number;
  /** Its row of `event`. */
  readonly row: object;
  readonly body: string;
}

/** `fields`: values, or their JSON, by the interface's fields. */
export type PublicEvent = ReturnType<ReturnType<typeof publicEventsOf>>;

/** `id`: as in A16. `fields`: what of it is compared. */
export type PublicDate = ReturnType<typeof publicDate>;

const DATE_FIELDS = [
  'dates',
  'venue',
  'eventCancelled',
  'status',
  'eventSoldOut',
  'ticketsURL',
  'prices',
] as const;

/** Returns the values that a snapshot shows of an event. */
export function publicEventsOf(side: Side) {
  return side.isShared === true ? sharedEventsOf(side) : wholeEventsOf(side);
}

function wholeEventsOf({ columns, ...lists }: Side) {
  const venues = lists.venues.map((venue) => JSON.stringify(venue));
  const organizers = lists.organizers.map((organizer) => JSON.stringify(organizer));
  return ({ ordinal, row, body }: StoredEvent) => {
    const texts = readFragment(body, BODY_SCALARS);
    const flags = columns.eventFlags[ordinal] ?? 0;
    const cells = Object.entries(row).filter(([column]) => !NO_FIELDS.has(column));
    const ordinals = listAt(columns.organizers, columns.organizersAt, ordinal);
    const fields = new Map<string, unknown>([
      ...cells.map(([column, value]) => [FIELDS[column] ?? column, value] as const),
      ...BODY_SCALARS.map((name, line) => [name, texts.scalars[line]] as const),
      ...OLDER_EVENT_FIELDS.map((name, part) => [name, texts.older[part] ?? 'null'] as const),
      ['images', JSON.stringify(texts.images)],
      ['prices', JSON.stringify(texts.prices)],
      ['organizers', Array.from(ordinals, (index) => organizers[index]).join()],
      ['isFeaturedInSpecialEvent', flags & EVENT_FLAGS.featuredInSpecialEvent],
    ]);
    const id = String(fields.get('id'));
    return {
      id,
      title: String(fields.get('title_nb') ?? fields.get('title_en') ?? ''),
      fields,
      dates: Array.from(listAt(columns.occurrences, columns.occurrencesAt, ordinal), (date) =>
        publicDate(id, date, { columns, venues, texts }),
      ),
    };
  };
}

/** G15: the columns of `event` that every format has. */
const SHARED_COLUMNS: ReadonlySet<string> = new Set([
  'id',
  'slug',
  'link',
  'title_nb',
  'title_en',
  'desc_nb',
  'desc_en',
  'mode',
  'tickets_information',
  'super_event',
  'is_super_event',
  'is_featured',
  'tags',
  'minimum_age',
  'maximum_age',
  'accessibility',
]);

/** The same of what every format has. */
function sharedEventsOf({ columns, ...lists }: Side): ReturnType<typeof wholeEventsOf> {
  const venues = lists.venues.map(({ id }) => id);
  return ({ ordinal, row }: StoredEvent) => {
    const cells = Object.entries(row).filter(([column]) => SHARED_COLUMNS.has(column));
    const fields = new Map<string, unknown>([
      ...cells.map(([column, value]) => [FIELDS[column] ?? column, value] as const),
      ['publishingDate', columns.publishing[ordinal]],
    ]);
    // The end of a programme may move with the horizon, which other formats say elsewhere.
    const isWithoutEnd = Boolean(fields.get('isSuperEvent'));
    const id = String(fields.get('id'));
    return {
      id,
      title: String(fields.get('title_nb') ?? fields.get('title_en') ?? ''),
      fields,
      dates: Array.from(listAt(columns.occurrences, columns.occurrencesAt, ordinal), (date) =>
        publicDate(id, date, { columns, venues, texts: NO_TEXTS, isShared: true, isWithoutEnd }),
      ),
    };
  };
}

/** Columns that are no fields, or that are read line by line. */
const NO_FIELDS: ReadonlySet<string> = new Set(['ordinal', 'body']);

/** Columns of `event` whose fields have another name in the interface. */
const FIELDS: Readonly<Record<string, string>> = {
  slug: 'event_slug',
  link: 'eventLink',
  tickets_information: 'ticketsInformation',
  minimum_age: 'minimumAge',
  maximum_age: 'maximumAge',
  is_super_event: 'isSuperEvent',
  is_featured: 'isFeaturedEvent',
};

interface DateTexts {
  readonly columns: ComparedColumns;
  /** JSON; ids where formats differ. */
  readonly venues: readonly string[];
  readonly texts: Pick<EventFragment, 'ticketsURLs' | 'priceLists' | 'olderTexts'>;
  readonly isShared?: boolean;
  readonly isWithoutEnd?: boolean;
}

const NO_TEXTS = { ticketsURLs: [], priceLists: [], olderTexts: [] };

function publicDate(event: string, row: number, side: DateTexts) {
  const { columns, venues, texts, isShared = false, isWithoutEnd = false } = side;
  const flags = columns.occurrenceFlags[row] ?? 0;
  const start = columns.start[row] ?? 0;
  const number = columns.nth[row] ?? 1;
  // The end of a container whose programme goes by rules moves with the horizon.
  const isOpen = isWithoutEnd || (flags & OCCURRENCE_FLAGS.endsByRule) !== 0;
  const end = isOpen ? [] : [columns.end[row], columns.duration[row]];
  const isAllDay = flags & OCCURRENCE_FLAGS.allDay;
  const older = isShared ? undefined : textAt(texts.olderTexts, columns.olderTexts[row]);
  return {
    row,
    id: `${event}@${compactUtc(start)}${number > 1 ? `-${number}` : ''}`,
    start,
    over: columns.over[row] ?? 0,
    day: columns.day[row] ?? 0,
    isByRule: (flags & OCCURRENCE_FLAGS.byRule) !== 0,
    fields: {
      dates: [columns.startTime[row], isAllDay, ...end, older].join(),
      venue: venues[columns.venue[row] ?? -1],
      eventCancelled: flags & OCCURRENCE_FLAGS.cancelled,
      status: isShared ? undefined : `${statusOf(flags)} ${previousStartOf(columns, row)}`,
      eventSoldOut: flags & OCCURRENCE_FLAGS.soldOut,
      ticketsURL: isShared ? undefined : textAt(texts.ticketsURLs, columns.ticketsURL[row]),
      prices: isShared ? undefined : textAt(texts.priceLists, columns.prices[row]),
    },
  };
}

function textAt(list: readonly unknown[], index: number = ABSENT): string | undefined {
  return index === ABSENT ? undefined : JSON.stringify(list[index]);
}

/** Counters, which change constantly and which no calendar shows (I9). */
const COUNTERS: ReadonlySet<string> = new Set(['views', 'availableTickets', 'activeTickets']);

interface Moment {
  /** Instant of this build. */
  readonly now: number;
  /** Day number: the earlier horizon of the two. */
  readonly lastDay: number;
}

/**
 * The fields that differ, in alphabetical order: none for an unchanged event. The dates that are in both, and whether they differ; those
 * that were added, and those that are gone. I9: `isOfAll`, whether this changes all occurrences.
 */
export function differenceOf(event: PublicEvent, previous: PublicEvent, { now, lastDay }: Moment) {
  const differing = [...event.fields].filter(([name, value]) => previous.fields.get(name) !== value);
  const fields = new Set(differing.map(([name]) => name));
  const isOfAll = [...fields].some((field) => !COUNTERS.has(field));
  const lastStart = Math.min(lastStartOf(event), lastStartOf(previous));
  const isKnownToBoth = ({ over, isByRule, day, start }: PublicDate) =>
    over > now && (!isByRule || (day <= lastDay && start <= lastStart));

  const unmatched = new Map(previous.dates.map((date) => [date.id, date]));
  const pairs: (readonly [date: PublicDate, previous: PublicDate, differs: boolean])[] = [];
  const added: PublicDate[] = [];
  for (const date of event.dates) {
    const same = unmatched.get(date.id);
    unmatched.delete(date.id);
    if (same === undefined) added.push(date);
    else {
      const differingFields = DATE_FIELDS.filter((name) => date.fields[name] !== same.fields[name]);
      for (const name of differingFields) fields.add(name);
      pairs.push([date, same, differingFields.length > 0]);
    }
  }
  const gone = [...unmatched.values()];
  if ([...added, ...gone].some(isKnownToBoth)) fields.add('dates');
  return { fields: [...fields].sort(), isOfAll, pairs, added, gone };
}

/** Later occurrences of rules are not known to a build that stopped at their greatest number. */
function lastStartOf({ dates }: PublicEvent): number {
  const byRule = dates.filter(({ isByRule }) => isByRule);
  return byRule.length < MOST_OCCURRENCES ? Number.POSITIVE_INFINITY : (byRule.at(-1)?.start ?? 0);
}
