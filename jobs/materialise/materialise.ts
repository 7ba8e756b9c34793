/**
 * Turns validated records into the finished calendar: slugs and links (F6), occurrences (F4, A11, A12), containers (A10), and the order of
 * everything. Occurrences that are over at the build are left out; slugs and containers still count them, so that they do not depend on
 * when the build runs. Records pass through one by one; little more than their ids stays in memory.
 */
import { compareCodePoints } from '../../src/calendar/text.ts';
import { formatDay, overAt } from '../../src/calendar/time.ts';
import { EVENT_FLAGS, OCCURRENCE_FLAGS } from '../../src/snapshot/flags.ts';
import type { Calendar } from '../calendar.ts';
import { leftOutIds } from '../corrections/hidden.ts';
import { correctedVenues } from '../corrections/places.ts';
import { createSearchIndexer } from '../indexes/search.ts';
import type { EventReferences, EventsEnd, Records } from '../records.ts';
import { createSlugRegister, type PreviousSlugs } from '../slugs/ledger.ts';
import { createEventLinks, type Linked } from '../slugs/links.ts';
import type { SlugKind, SlugLedger } from '../slugs/records.ts';
import { orderDirectories, type Registers } from './directories.ts';
import {
  type CollectedEvent,
  type Gathered,
  type GatherOptions,
  gather,
  overOf,
  type SpooledTexts,
} from './gather.ts';
import { containerOccurrence } from './programmes.ts';
import { openSpool, type Spool } from './spool.ts';

interface MaterialiseOptions extends GatherOptions {
  /** A17: the slugs of the previous snapshot. */
  readonly slugs: PreviousSlugs;
  /** Path of a file that stores the texts until `read`. It must not exist; it is unlinked at once. */
  readonly scratch: string;
}

/** Reads all events, and returns the finished calendar, which the caller closes. */
export async function materialise(records: Records, options: MaterialiseOptions): Promise<Calendar> {
  const registers = registersOf(options);
  const directories = orderDirectories(records, registers);
  const spool = openSpool(options.scratch);
  const indexer = createSearchIndexer(directories);
  try {
    const gathered = await gather(records, { ...options, registers, directories, spool, indexer });
    const withoutRow = placeContainers(gathered, { ...options, registers });
    const end = records.finish();
    const venues = correctedVenues(directories.venues, end);
    const ordered = inOrder(gathered.collected, withoutRow);
    const events = ordered.flatMap((collectedAt) => gathered.collected[collectedAt] ?? []);
    for (const event of events) resolveReferences(event, end.references);
    const ordinals = new Int32Array(gathered.collected.length).fill(-1);
    for (const [ordinal, collectedAt] of ordered.entries()) ordinals[collectedAt] = ordinal;
    return {
      licence: { ...records.licence, specialEvent: end.references.specialEvent },
      venues,
      organizers: directories.organizers,
      namedByEvents: records.namedByEvents,
      sources: records.sources,
      categories: records.categories,
      horizonDay: formatDay(options.horizonDay),
      events,
      occurrences: gathered.rows.finish(ordinals),
      slugs: ledgerOf(end, registers, { ...directories, events }),
      read: createReader(events, spool, createEventLinks(records, venues)),
      searchIndex: indexer.finish(ordinals),
      close: spool.close,
    };
  } catch (thrown) {
    spool.close();
    throw thrown;
  }
}

/** Completes an event with the references that are only known once all events are read. In place: there are many. */
function resolveReferences(event: CollectedEvent, { superEvent, specialEvent }: EventReferences): void {
  event.superEvent = superEvent({ id: event.id, super_event: event.superEvent });
  if (specialEvent !== null && event.isFeaturedInSpecialEvent)
    event.flags |= EVENT_FLAGS.featuredInSpecialEvent;
}

function registersOf({ slugs: previous, now, report }: MaterialiseOptions): Registers {
  const registerOf = (kind: SlugKind) => createSlugRegister({ kind, previous, now, report });
  return { event: registerOf('event'), venue: registerOf('venue'), organizer: registerOf('organizer') };
}

/** A17: the slugs for the next build, once it is known which ids this one publishes. */
function ledgerOf(
  end: EventsEnd,
  registers: Registers,
  { events, venues, organizers }: Pick<Calendar, 'events' | 'venues' | 'organizers'>,
): SlugLedger {
  for (const { kind, id, survivor } of end.merged) registers[kind].merge(id, survivor);
  return {
    event: registers.event.ledgerOf(new Set(events.map(({ id }) => id)), leftOutIds(end)),
    venue: registers.venue.ledgerOf(new Set(venues.map(({ id }) => id))),
    organizer: registers.organizer.ledgerOf(new Set(organizers.map(({ id }) => id))),
  };
}

/** A10: adds a row for each container that takes its dates from its programme. Returns where those that get none were collected. */
function placeContainers(
  { undated, programmes, rows }: Gathered,
  { now, report, registers }: MaterialiseOptions & { readonly registers: Registers },
): ReadonlySet<number> {
  const withoutRow = new Set<number>();
  for (const container of undated) {
    const { origin, id, collectedAt, indexes } = container;
    const span = programmes.spanOf(id);
    if (span === null) {
      const expected = 'a container with dates, or with a programme that has dates';
      report.addFinding({ action: 'dropped record', origin, id, field: 'dates', expected, found: 'neither' });
      report.countFate('dropped');
      withoutRow.add(collectedAt);
    } else if (overAt(span.start, span.end) <= now) {
      if (!registers.event.isKnown(id)) report.addFinding(overOf(container, span.end));
      report.countFate('over');
      withoutRow.add(collectedAt);
    } else {
      const ruleFlags = span.isByRule ? OCCURRENCE_FLAGS.endsByRule : 0;
      rows.add(collectedAt, containerOccurrence(span, container), { ...indexes, ruleFlags });
    }
  }
  return withoutRow;
}

/** The positions at which the published events were collected, in the order of their ids. `excluded`: the positions of the others. */
function inOrder(collected: readonly CollectedEvent[], excluded: ReadonlySet<number>): readonly number[] {
  const ids = collected.map(({ id }) => id);
  return [...collected.keys()]
    .filter((collectedAt) => !excluded.has(collectedAt))
    .sort((left, right) => compareCodePoints(ids[left] ?? '', ids[right] ?? ''));
}

/** Creates the function that reads the texts of an event. It is apart, so that its closure holds only what it needs. */
function createReader(
  events: readonly CollectedEvent[],
  spool: Spool,
  linkOf: (event: Linked) => string,
): Calendar['read'] {
  return (ordinal) => {
    const event = events[ordinal];
    if (event === undefined)
      throw new RangeError(`expected an event ordinal below ${events.length}, found ${ordinal}`);
    const { named, ...texts }: SpooledTexts = JSON.parse(spool.read(event.spooledAt));
    return { ...texts, link: { slug: named.slug, link: linkOf(named) } };
  };
}
