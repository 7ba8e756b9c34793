/** A source folder with its feeds as one source: the folder's records first, then each feed's in the order of the list. */

import { createHash } from 'node:crypto';
import { isObject } from '../../../src/calendar/json.ts';
import type { EventSource } from '../../../src/calendar/model.ts';
import type { AddOptions, AddRecords, BuildPart, Variable } from '../../annex.ts';
import { roomOf } from '../../duplicates/places.ts';
import type { RawEntry, Source } from '../../records.ts';
import type { MergedId } from '../../slug-records.ts';
import { categoryNamesOf } from '../../validate/licence.ts';
import { type Feed, readFeeds } from './config.ts';
import { documentImporter } from './documents.ts';
import { removeOthers } from './feed-state.ts';
import type { FeedSettings } from './fetch.ts';
import { withCategories } from './imported-categories.ts';
import type { FeedRecord, LastGood } from './last-good.ts';
import { endedContainer } from './mirror/records.ts';
import { importMirror } from './mirror.ts';
import { createReaders, type Readers } from './reader-process.ts';
import { type RefreshedFeed, refreshFeeds } from './refresh.ts';
import { createPlaceMerger } from './same-place.ts';

const importersBy = (readers: Readers) => ({
  ical: documentImporter('ical', readers),
  csv: documentImporter('csv', readers),
  jsonld: documentImporter('jsonld', readers),
  graphql: importMirror,
});

/** Variables with the keys of feeds are read when the feed is. */
export function create(settings: AnnexSettings, variable: Variable): BuildPart {
  const { allowPrivateFeeds, sourceFiles, buildTimeoutSeconds } = settings;
  const seconds = buildTimeoutSeconds * SHARE_OF_BUILD;
  return { addRecords: addFeeds({ allowPrivate: allowPrivateFeeds, sourceFiles, variable, seconds }) };
}

/** The time of all feeds together, of that of a scheduled build: it is to go on without those that are late. */
const SHARE_OF_BUILD = 2 / 3;

interface AnnexSettings {
  readonly allowPrivateFeeds: boolean;
  readonly sourceFiles: readonly string[];
  readonly buildTimeoutSeconds: number;
}

/** Throws INVALID_SOURCE for an invalid `sources.json`. */
export function addFeeds(feedSettings: FeedSettings, createReader = createReaders): AddRecords {
  return async (native, { folder: source, reporter, isLocal, ...options }) => {
    const { value: licence } = await native.licence();
    const feeds = await readFeeds(source, categoryNamesOf(licence));
    const onPublished = () => removeOthers(options.target, feeds);
    if (feeds.length === 0) return { ...native, feeds: [], onPublished };
    const readers = createReader();
    const refreshing = {
      ...options,
      source,
      feedSettings: { ...feedSettings, isLocal },
      importers: importersBy(readers),
    };
    const refreshed = await refreshFeeds(feeds, refreshing).finally(readers.end);
    const merged = mergeSources(native, refreshed, reporter);
    return { ...merged, feeds: refreshed.map(({ health }) => health), onPublished };
  };
}

type Entries = AsyncGenerator<RawEntry, void, undefined>;

/** `native`: the folder's own records. */
function mergeSources(
  native: Source,
  feeds: readonly RefreshedFeed[],
  reporter: AddOptions['reporter'],
): Source {
  const usable = feeds.flatMap(({ feed, lastGood }) => (lastGood === null ? [] : [{ feed, lastGood }]));
  const venueIds: KnownVenues['venueIds'] = new Map();
  const merged: KnownVenues['merged'] = [];
  let specialEvent: string | null = null;

  async function licence(): Promise<RawEntry> {
    const imported = await categoriesIn(usable);
    const entry = await native.licence();
    const { value } = entry;
    specialEvent = isObject(value) && typeof value.specialEvent === 'string' ? value.specialEvent : null;
    return withCategories(entry, imported);
  }

  async function* events(): Entries {
    let isThere = specialEvent === null;
    let mirrored: string | null = null;
    for await (const entry of native.events()) {
      isThere ||= isObject(entry.value) && entry.value.id === specialEvent;
      yield entry;
    }
    for (const { feed, lastGood } of usable) {
      await passFindings(feed.id, lastGood, reporter);
      const ids = venueIds.get(feed.id) ?? new Map<string, Renamed>();
      for await (const record of lastGood.records('events')) {
        isThere ||= record.value.id === specialEvent;
        if (feed.kind === 'graphql' && record.value.isFeaturedInSpecialEvent === true) mirrored = feed.id;
        yield ids.size === 0 ? entryOf(feed.id, record) : withVenues(entryOf(feed.id, record), ids);
      }
      if (feed.series === null) continue;
      for await (const { id, survivor } of lastGood.merged()) merged.push({ kind: 'event', id, survivor });
    }
    // An endpoint with a featured event has a special event, whether it is over or not.
    if (!isThere && mirrored !== null) yield entryOf(mirrored, endedContainer(specialEvent ?? ''));
  }

  return {
    ...native,
    sources: feeds.flatMap(({ feed }) => sourceOf(feed) ?? []),
    licence,
    venues: () => venuesOf(native, usable, { venueIds, merged }),
    organizers: () => organizersOf(native, usable),
    events,
    merged: () => merged,
    hash: () => hashOfSources(native, feeds),
  };
}

/** E2: no feed becomes visible that its owner gave neither a name nor a link. */
function sourceOf({ id, name, link, licence }: Feed): EventSource | null {
  return name === null && link === null ? null : { id, name, url: link, licence };
}

interface Usable extends Pick<RefreshedFeed, 'feed'> {
  readonly lastGood: LastGood;
}

async function categoriesIn(usable: readonly Usable[]): Promise<readonly unknown[]> {
  const imported: unknown[] = [];
  for (const { feed, lastGood } of usable) {
    if (feed.categories !== 'import') continue;
    for await (const { value } of lastGood.records('categories')) imported.push(value);
  }
  return imported;
}

/** A venue of a feed under the id of another. */
interface Renamed {
  readonly id: string;
  /** The room that the venue's text names besides the house; empty for none. */
  readonly room: string;
}

/** The venues that have been read. */
interface KnownVenues {
  /** By feed: the ids of its venues that are called otherwise here. */
  readonly venueIds: Map<string, ReadonlyMap<string, Renamed>>;
  readonly merged: (MergedId & { readonly kind: 'venue' | 'event' })[];
}

/** Fills in the fields that are known of them. */
async function* venuesOf(
  native: Source,
  usable: readonly Usable[],
  { venueIds, merged }: KnownVenues,
): Entries {
  const merger = createPlaceMerger();
  for await (const entry of native.venues()) {
    merger.addOfFolder(entry.value);
    yield entry;
  }
  for (const { feed, lastGood } of usable) {
    const ids = new Map<string, Renamed>();
    venueIds.set(feed.id, ids);
    for await (const record of lastGood.records('venues')) {
      const source = { id: feed.id, hasVenueIds: feed.kind === 'graphql' };
      const { id, isNew } = merger.add(source, record.value);
      const feedsId = String(record.value.id);
      if (feedsId !== id) {
        ids.set(feedsId, { id, room: roomOf(record.value) });
        merged.push({ kind: 'venue', id: feedsId, survivor: id });
      }
      if (isNew) yield entryOf(feed.id, record);
    }
  }
}

/** Each id once: its first record counts. */
async function* organizersOf(native: Source, usable: readonly Usable[]): Entries {
  const ids = new Set<unknown>();
  for await (const entry of native.organizers()) {
    if (isObject(entry.value)) ids.add(entry.value.id);
    yield entry;
  }
  for (const { feed, lastGood } of usable) {
    for await (const record of lastGood.records('organizers')) {
      if (!ids.has(record.value.id)) yield entryOf(feed.id, record);
      ids.add(record.value.id);
    }
  }
}

function entryOf(feed: string, { line, value: { series, ...value } }: FeedRecord): RawEntry {
  return { origin: originOf(feed, line), feed, value, ...(series !== undefined && { series }) };
}

/** The origin that findings have for a feed, and a place in it. */
function originOf(feed: string, line: number | null): RawEntry['origin'] {
  return { file: `feed ${feed}`, ...(line === null ? {} : { line }) };
}

async function passFindings(
  feed: string,
  lastGood: LastGood,
  reporter: AddOptions['reporter'],
): Promise<void> {
  for await (const { list: _, line, kind = 'events', ...finding } of lastGood.findings()) {
    reporter.addFinding({ ...finding, origin: originOf(feed, line) });
    if (finding.action === 'dropped record' && kind !== 'categories') reporter.countDroppedByImporter(kind);
  }
}

/** With each venue of the event, its dates, repeats and series under its id in this calendar, and the rooms in them. */
function withVenues(entry: RawEntry, ids: ReadonlyMap<string, Renamed>): RawEntry {
  const rooms: Record<string, string> = {};
  const renamed = (name: string, value: unknown) => {
    const renaming = name === 'venue' && typeof value === 'string' ? ids.get(value) : undefined;
    if (renaming === undefined) return value;
    // An event in several rooms of one house is in none of them in particular.
    rooms[renaming.id] = (rooms[renaming.id] ?? renaming.room) === renaming.room ? renaming.room : '';
    return renaming.id;
  };
  const { value, series } = JSON.parse(JSON.stringify({ value: entry.value, series: entry.series }), renamed);
  return { ...entry, value, ...(series !== undefined && { series }), rooms };
}

/** Whether a feed fails belongs to the hash; when that began does not. */
async function hashOfSources(native: Source, feeds: readonly RefreshedFeed[]): Promise<string> {
  const hash = createHash('sha256').update(await native.hash());
  for (const { feed, health, lastGood } of feeds) {
    const content = lastGood === null ? 'none' : await lastGood.hash();
    hash.update(`\n${feed.id} ${content} ${health.state} ${health.reason ?? ''}`);
    const shown = sourceOf(feed);
    if (shown !== null) hash.update(JSON.stringify(shown));
  }
  return hash.digest('hex');
}
