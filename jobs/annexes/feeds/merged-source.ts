/** The records of the source folder and of its feeds as those of one source: the folder's first, then each feed's. */
import { createHash } from 'node:crypto';
import { isObject } from '../../../src/calendar/json.ts';
import type { EventSource } from '../../../src/calendar/model.ts';
import type { AddOptions } from '../../annex.ts';
import type { MergedRecord } from '../../records.ts';
import type { HeldBack, MergedSource, RawEntry, Source } from '../../source/source.ts';
import { createStreamEnd } from '../../source/stream-end.ts';
import { createApprovalAreas, type FindPlaces } from './approval-areas.ts';
import type { Feed } from './config.ts';
import { type CorrectionEntries, createSheets } from './corrections/sheet-entries.ts';
import { endedContainer } from './event-assembly.ts';
import { entryOf, originOf, type RawEntries, type UsableFeed } from './feed-entries.ts';
import { withCategories } from './imported-categories.ts';
import { hasDirectory } from './kinds.ts';
import type { LastGood } from './last-good.ts';
import { createMergedVenues } from './merged-venues.ts';
import type { RefreshedFeed } from './refresh.ts';

interface MergeOptions extends Pick<AddOptions, 'reporter'> {
  /** What the approvals leave of each feed. */
  readonly usable: readonly UsableFeed[];
  readonly heldBack: HeldBack;
  readonly specialEvent: string | null;
}

/** `native`: the folder's own records. As in every build, venues are read before events, which need their ids. */
export function mergeSources(
  native: Source,
  feeds: readonly RefreshedFeed[],
  { reporter, usable, heldBack, specialEvent }: MergeOptions,
): MergedSource {
  const venues = createMergedVenues(native, usable, reporter);
  const sheets = createSheets(usable, reporter);
  const organizersEnd = createStreamEnd<ReadonlySet<string>>('organizers');
  const eventsEnd = createStreamEnd<readonly MergedRecord[]>('events');

  async function licence(): Promise<RawEntry> {
    return withCategories(await native.licence(), await categoriesIn(usable));
  }

  /** F15: the operator's own corrections take precedence. */
  async function* corrections(): CorrectionEntries {
    yield* sheets.entries((await licence()).value);
    yield* native.corrections();
  }

  async function* events(): RawEntries {
    const isLimited = usable.some(({ feed }) => feed.kind === 'corrections' && feed.municipalities !== null);
    const areas = isLimited ? await createApprovalAreas(native, usable) : null;
    for await (const entry of native.events())
      yield areas === null ? entry : { ...entry, statedPlaces: areas.placesOfFolder(entry.value) };
    const merged: MergedRecord[] = [];
    for (const one of usable) {
      yield* eventsOfFeed(one, await areas?.placesOfFeed(one));
      if (one.feed.series === null) continue;
      for await (const { id, survivor } of one.lastGood.mergedIds())
        merged.push({ kind: 'event', id, survivor });
    }
    eventsEnd.reach(merged);
  }

  async function* eventsOfFeed({ feed, lastGood }: UsableFeed, placesOf?: FindPlaces): RawEntries {
    await passFindings(feed.id, lastGood, reporter);
    for await (const record of lastGood.records('events')) {
      const entry = venues.withVenueIds(entryOf(feed.id, record));
      // Of the whole record: its series have places, too.
      yield placesOf === undefined ? entry : { ...entry, statedPlaces: placesOf(record.value) };
    }
  }

  return {
    ...native,
    sources: feeds.flatMap(({ feed }) => sourceOf(feed) ?? []),
    licence,
    venues: sheets.withVenues(venues.entries()),
    organizers: sheets.withOrganizers(organizersOf(native, usable, organizersEnd.reach)),
    events: withSpecialEvent(events(), specialEvent, usable),
    corrections: corrections(),
    sheetDecisions: sheets.decisions(),
    heldBack,
    merged: () => [...venues.found().merged, ...eventsEnd.value()],
    defaultMunicipalities: () => venues.found().municipalities,
    namedByEvents: () => ({ venues: venues.found().ofEvents, organizers: organizersEnd.value() }),
    hash: () => hashOfSources(native, feeds),
  };
}

/** E2: no feed becomes visible that its owner gave neither a name nor a link. */
function sourceOf({ id, name, link, licence }: Feed): EventSource | null {
  return name === null && link === null ? null : { id, name, url: link, licence };
}

/** The categories of all feeds that import theirs, with repetitions. */
async function categoriesIn(usable: readonly UsableFeed[]): Promise<readonly unknown[]> {
  const imported: unknown[] = [];
  for (const { feed, lastGood } of usable) {
    if (feed.categories !== 'import') continue;
    for await (const { value } of lastGood.records('categories')) imported.push(value);
  }
  return imported;
}

/** Returns the first record of each id. `end`: called at the end, with the ids that only events name. */
async function* organizersOf(
  native: Source,
  usable: readonly UsableFeed[],
  end: (ofEvents: ReadonlySet<string>) => void,
): RawEntries {
  const ids = new Set<unknown>();
  const ofEvents = new Set<string>();
  for await (const entry of native.organizers()) {
    if (isObject(entry.value)) ids.add(entry.value.id);
    yield entry;
  }
  for (const { feed, lastGood } of usable) {
    for await (const record of lastGood.records('organizers')) {
      const { id } = record.value;
      if (ids.has(id)) continue;
      ids.add(id);
      if (!hasDirectory(feed.kind)) ofEvents.add(String(id));
      yield entryOf(feed.id, record);
    }
  }
  end(ofEvents);
}

/** Reports a feed's findings again with each build that uses its records. */
async function passFindings(
  feed: string,
  lastGood: LastGood,
  reporter: AddOptions['reporter'],
): Promise<void> {
  for await (const { list: _, line, kind = 'events', ...finding } of lastGood.findings()) {
    reporter.addFinding({ ...finding, origin: originOf(feed, line) });
    const isListed = kind !== 'categories' && kind !== 'corrections' && kind !== 'feeds';
    if (finding.action === 'dropped record' && isListed) reporter.countDroppedByImporter(kind);
  }
}

/**
 * The events, and the special event if it is missing. An endpoint no longer lists a special event that is over, but still has the events of
 * its programme. Without it, the licence would name an unknown event.
 */
async function* withSpecialEvent(
  events: RawEntries,
  specialEvent: string | null,
  usable: readonly UsableFeed[],
): RawEntries {
  const mirrors = new Set(usable.filter(({ feed }) => hasDirectory(feed.kind)).map(({ feed }) => feed.id));
  let hasSpecialEvent = false;
  let mirrorOfSpecialEvent: string | null = null;
  for await (const entry of events) {
    const { feed = '', value } = entry;
    if (isObject(value) && value.id === specialEvent) hasSpecialEvent = true;
    const isFeatured = isObject(value) && value.isFeaturedInSpecialEvent === true;
    if (isFeatured && mirrors.has(feed)) mirrorOfSpecialEvent = feed;
    yield entry;
  }
  if (specialEvent !== null && !hasSpecialEvent && mirrorOfSpecialEvent !== null)
    yield entryOf(mirrorOfSpecialEvent, endedContainer(specialEvent));
}

/** A feed's records, its visible source, and whether it fails belong to the hash; when a failure began does not. */
async function hashOfSources(native: Source, feeds: readonly RefreshedFeed[]): Promise<string> {
  const hash = createHash('sha256').update(await native.hash());
  for (const { feed, health, lastGood } of feeds) {
    const content = lastGood === null ? 'none' : await lastGood.hash();
    hash.update(`\n${feed.id} ${content} ${health.state} ${health.reason ?? ''}`);
    const visible = sourceOf(feed);
    if (visible !== null) hash.update(JSON.stringify(visible));
  }
  return hash.digest('hex');
}
