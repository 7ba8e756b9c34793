/**
 * Validated records become the finished calendar: slugs and links (F6), occurrences (F4, A11, A12), containers (A10), and the
 * order of everything. What is over at the build is left out; slugs and containers count it nevertheless, so that they do not
 * depend on when the build runs. Records pass through one by one; of each, little more than its ids stays in memory.
 */
import { codePointOrder } from '../src/calendar/text.ts';
import { formatDay, overAt } from '../src/calendar/time.ts';
import { EVENT_FLAGS } from '../src/snapshot/columns.ts';
import { containerOccurrence } from './materialise/containers.ts';
import { createDating } from './materialise/dating.ts';
import { type Directories, orderDirectories } from './materialise/directories.ts';
import { type Entry, type Gathered, gather } from './materialise/gather.ts';
import { openSpool, type Spool } from './materialise/spool.ts';
import type { Calendar, CalendarEvent, EventTexts, Records, Reporter } from './records.ts';
import type { Allowance } from './recurrence/allowance.ts';

export interface MaterialiseOptions {
  /** Instant, whole seconds. */
  readonly now: number;
  /** A11. */
  readonly horizonMonths: number;
  /** What the rules of the whole build may cost. */
  readonly allowance: Allowance;
  readonly report: Reporter;
  /** Path of a file in which the texts wait for `read`. It must not exist, and loses its name at once. */
  readonly scratch: string;
}

export async function materialise(records: Records, options: MaterialiseOptions): Promise<Calendar> {
  const { report } = options;
  const directories = orderDirectories(records, report);
  const dating = createDating(options);
  const spool = openSpool(options.scratch);
  try {
    const gathered = await gather(records, { directories, dating, spool, report });
    const empty = placeContainers(gathered, options);
    const horizonDay = formatDay(dating.horizonDay);
    return { ...finish(gathered, { records, directories, spool, empty }), horizonDay, close: spool.close };
  } catch (thrown) {
    spool.close();
    throw thrown;
  }
}

/** A10. Gives the entries that have no occurrence that is not over. */
function placeContainers(
  { undated, programmes, rows }: Gathered,
  { now, report }: MaterialiseOptions,
): ReadonlySet<number> {
  const empty = new Set<number>();
  for (const container of undated) {
    const { origin, id, entry, places } = container;
    const span = programmes.spanOf(id);
    if (span === null) {
      const expected = 'a container with dates, or with a programme that has dates';
      report.complain({ action: 'dropped record', origin, id, field: 'dates', expected, found: 'neither' });
    }
    if (span === null || overAt(span.start, span.end) <= now) empty.add(entry);
    else rows.add(entry, containerOccurrence(span, container), places);
  }
  return empty;
}

interface Finishing {
  readonly records: Records;
  readonly directories: Directories;
  readonly spool: Spool;
  readonly empty: ReadonlySet<number>;
}

function finish(
  { entries, rows }: Gathered,
  { records, directories, spool, empty }: Finishing,
): Omit<Calendar, 'horizonDay' | 'close'> {
  const { superEvent, specialEvent } = records.references();
  const ordered = inOrder(entries, empty);
  const ordinals = new Int32Array(entries.length).fill(-1);
  for (const [ordinal, entry] of ordered.entries()) ordinals[entry] = ordinal;
  const hasSpecialEvent = specialEvent !== null;
  const kept = ordered.flatMap((entry) => entries[entry] ?? []);
  const events = kept.map((entry) => eventOf(entry, superEvent(entry), hasSpecialEvent));
  const texts = kept.map((entry) => entry.texts);
  return {
    licence: { ...records.licence, specialEvent },
    venues: directories.venues,
    organizers: directories.organizers,
    categories: records.categories,
    events,
    occurrences: rows.finish(ordinals),
    read: createReader({ events, texts, spool, hasSpecialEvent }),
  };
}

/** Numbers of entries, by id. */
function inOrder(entries: readonly Entry[], empty: ReadonlySet<number>): readonly number[] {
  const ids = entries.map(({ id }) => id);
  const compare = codePointOrder(ids);
  return [...entries.keys()]
    .filter((entry) => !empty.has(entry))
    .sort((left, right) => compare(ids[left] ?? '', ids[right] ?? ''));
}

interface Reading {
  readonly events: readonly CalendarEvent[];
  readonly texts: readonly number[];
  readonly spool: Spool;
  readonly hasSpecialEvent: boolean;
}

/** A function of its own, so that what it keeps in memory is only what it needs. */
function createReader({ events, texts, spool, hasSpecialEvent }: Reading): Calendar['read'] {
  return (ordinal) => {
    const [event, number] = [events[ordinal], texts[ordinal]];
    if (event === undefined || number === undefined) {
      throw new RangeError(`expected an event ordinal below ${events.length}, found ${ordinal}`);
    }
    const { fields, ...lists }: EventTexts = JSON.parse(spool.read(number));
    const isFeaturedInSpecialEvent = fields.isFeaturedInSpecialEvent && hasSpecialEvent;
    return { ...lists, fields: { ...fields, super_event: event.superEvent, isFeaturedInSpecialEvent } };
  };
}

function eventOf(entry: Entry, superEvent: string | null, hasSpecialEvent: boolean): CalendarEvent {
  const { id, slug, publishingDate, flags, isFeaturedInSpecialEvent, organizers, categories, tags } = entry;
  const special = isFeaturedInSpecialEvent && hasSpecialEvent ? EVENT_FLAGS.featuredInSpecialEvent : 0;
  return { id, slug, publishingDate, flags: flags | special, superEvent, organizers, categories, tags };
}
