/**
 * A source folder with its feeds as one source: the folder's records first, then each feed's in the order of `sources.json`, and then those of
 * lists.
 */
import { createHash } from 'node:crypto';
import { isObject } from '../../../src/calendar/json.ts';
import type { EventSource } from '../../../src/calendar/model.ts';
import type { AddOptions, AddRecords, BuildPart, EventFeed, Variable } from '../../annex.ts';
import { type HeldBack, type MergedSource, type RawEntry, type Source, withoutFeeds } from '../../records.ts';
import type { MergedId } from '../../slug-records.ts';
import { categoryNamesOf } from '../../validate/taxonomy.ts';
import { createApprovalAreas } from './approval-areas.ts';
import { holdBack } from './approvals.ts';
import { type Feed, readFeeds } from './config.ts';
import { type CorrectionEntries, createSheets } from './corrections/sheet-entries.ts';
import { documentImporter } from './documents.ts';
import { entryOf, originOf, type RawEntries, type UsableFeed, usableFeeds } from './feed-entries.ts';
import { removeOthers } from './feed-state.ts';
import type { FeedSettings } from './fetch.ts';
import { withCategories } from './imported-categories.ts';
import { hasDirectory, isSheet, takes } from './kinds.ts';
import type { LastGood } from './last-good.ts';
import { feedsOfLists, withFeedsOfLists } from './lists/listed-feeds.ts';
import { createMergedVenues } from './merged-venues.ts';
import { endedContainer } from './mirror/records.ts';
import { importMirror } from './mirror.ts';
import { createReaders, type Readers } from './reader-pool.ts';
import { type Importer, type RefreshedFeed, refreshFeeds } from './refresh.ts';

interface AnnexSettings {
  readonly allowPrivateFeeds: boolean;
  readonly sourceFiles: readonly string[];
  readonly buildTimeoutSeconds: number;
}

/** Feeds together may take this share of a scheduled build's time: the build then goes on without those that are late. */
const SHARE_OF_BUILD = 2 / 3;

/** The annex. `variable`: keys of feeds are read from the environment only when their feed is. */
export function create(settings: AnnexSettings, variable: Variable): BuildPart {
  const { allowPrivateFeeds, sourceFiles, buildTimeoutSeconds } = settings;
  const seconds = buildTimeoutSeconds * SHARE_OF_BUILD;
  return { addRecords: addFeeds({ allowPrivate: allowPrivateFeeds, sourceFiles, variable, seconds }) };
}

/**
 * The step of a build that reads all feeds, and adds their records to those of the source folder. It throws INVALID_SOURCE for an invalid
 * `sources.json`. A feed that fails does not stop it.
 */
export function addFeeds(feedSettings: FeedSettings, createReader = createReaders): AddRecords {
  return async (native, { folder: source, reporter, isLocal, ...options }) => {
    const { value: licence } = await native.licence();
    const feeds = await readFeeds(source, categoryNamesOf(licence));
    if (feeds.length === 0) {
      const onPublished = () => removeOthers(options.target, []);
      return { ...withoutFeeds(native), feeds: [], eventFeeds: [], onPublished };
    }
    const readers = createReader();
    const refreshing = {
      ...options,
      source,
      feedSettings: { ...feedSettings, isLocal },
      importers: importersBy(readers),
      feedsOfLists: (read: readonly RefreshedFeed[]) => feedsOfLists(read, reporter),
    };
    const refreshed = withFeedsOfLists(await refreshFeeds(feeds, refreshing).finally(readers.end));
    const all = refreshed.map(({ feed }) => feed);
    const { usable, heldBack, waiting } = await holdBack(usableFeeds(refreshed), {
      native,
      now: options.now,
      reporter,
    });
    const withApproval = all.filter(({ kind, needsApproval }) => needsApproval && !isSheet(kind));
    reporter.setWaiting(
      waiting,
      withApproval.map(({ id }) => id),
    );
    const specialEvent = specialEventIn(licence);
    const merged = mergeSources(native, refreshed, { reporter, usable, heldBack, specialEvent });
    return {
      ...merged,
      feeds: refreshed.map(({ health }) => health),
      eventFeeds: eventFeedsOf(all),
      onPublished: () => removeOthers(options.target, all),
    };
  };
}

function importersBy(readers: Readers): Readonly<Record<Feed['kind'], Importer>> {
  return {
    ical: documentImporter('ical', readers),
    csv: documentImporter('csv', readers),
    jsonld: documentImporter('jsonld', readers),
    corrections: documentImporter('corrections', readers),
    venues: documentImporter('venues', readers),
    feeds: documentImporter('feeds', readers),
    graphql: importMirror,
  };
}

function eventFeedsOf(feeds: readonly Feed[]): readonly EventFeed[] {
  const withEvents = feeds.filter(({ kind }) => !isSheet(kind));
  return withEvents.map(({ id, kind, needsApproval, list }) => {
    const takesSeries = takes(kind, 'series') && !needsApproval && list === null;
    return { id, takesSeries, needsApproval };
  });
}

/** The id of the licence's special event; null for none. */
function specialEventIn(licence: unknown): string | null {
  return isObject(licence) && typeof licence.specialEvent === 'string' ? licence.specialEvent : null;
}

interface MergeOptions extends Pick<AddOptions, 'reporter'> {
  /** What the approvals leave of each feed. */
  readonly usable: readonly UsableFeed[];
  readonly heldBack: HeldBack;
  readonly specialEvent: string | null;
}

/** `native`: the folder's own records. As in every build, venues are read before events, which need their ids. */
function mergeSources(
  native: Source,
  feeds: readonly RefreshedFeed[],
  { reporter, usable, heldBack, specialEvent }: MergeOptions,
): MergedSource {
  const venues = createMergedVenues(native, usable, reporter);
  const sheets = createSheets(usable, reporter);
  const organizersOfEvents = new Set<string>();
  const mergedEvents: (MergedId & { readonly kind: 'event' })[] = [];

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
    for (const one of usable) {
      const { feed, lastGood } = one;
      await passFindings(feed.id, lastGood, reporter);
      const placesOf = await areas?.placesOfFeed(one);
      for await (const record of lastGood.records('events')) {
        const entry = venues.withVenueIds(entryOf(feed.id, record));
        // Of the whole record: its series have places, too.
        yield placesOf === undefined ? entry : { ...entry, statedPlaces: placesOf(record.value) };
      }
      if (feed.series === null) continue;
      for await (const { id, survivor } of lastGood.merged())
        mergedEvents.push({ kind: 'event', id, survivor });
    }
  }

  return {
    ...native,
    sources: feeds.flatMap(({ feed }) => sourceOf(feed) ?? []),
    licence,
    venues: () => sheets.withVenues(venues.entries()),
    organizers: () => sheets.withOrganizers(organizersOf(native, usable, organizersOfEvents)),
    events: () => withSpecialEvent(events(), specialEvent, usable),
    corrections,
    sheetDecisions: sheets.decisions,
    heldBack,
    merged: () => [...venues.merged, ...mergedEvents],
    defaultMunicipalities: () => venues.municipalities,
    namedByEvents: () => ({ venues: venues.ofEvents, organizers: organizersOfEvents }),
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

/** Each id once: its first record counts. Adds the ids of those that only events name. */
async function* organizersOf(
  native: Source,
  usable: readonly UsableFeed[],
  ofEvents: Set<string>,
): RawEntries {
  const ids = new Set<unknown>();
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
  const mirrors = new Set(usable.filter(({ feed }) => feed.kind === 'graphql').map(({ feed }) => feed.id));
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
