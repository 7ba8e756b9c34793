/** A source folder with its feeds: what a build reads. */

import { createHash } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { isObject } from '../../src/calendar/json.ts';
import { nameKey } from '../../src/calendar/text.ts';
import type { FeedHealth } from '../feed-health.ts';
import { readFeeds } from '../feeds/config.ts';
import { type RefreshedFeed, refreshFeeds } from '../feeds/refresh.ts';
import type { FeedRecord, Slice } from '../feeds/slice.ts';
import type { RawEntry, Reporter, Source } from '../records.ts';
import { documentImporter } from './documents.ts';
import { endedContainer } from './mirror/records.ts';
import { importMirror } from './mirror.ts';
import { openNativeSource } from './native.ts';

interface OpenSourceOptions {
  /** Snapshot folder, in which feeds' last good records are kept. Its lock must be held. */
  readonly target: string;
  /** Instant, whole seconds. */
  readonly now: number;
  /** A11: day number. */
  readonly horizonDay: number;
  /** Take what looks suspicious in a feed. */
  readonly force: boolean;
  readonly reporter: Pick<Reporter, 'addFinding'>;
  readonly feedSettings: FeedSettings;
  /** Told the size of each chunk of a list as it is read. */
  readonly onBytes?: ((count: number) => void) | undefined;
}

export interface FeedSettings {
  /** Whether feeds may be fetched from private and loopback addresses. */
  readonly allowPrivate: boolean;
  /** A variable of the environment, by the name that a feed's `apiKeyEnv` gives. */
  readonly variable: (name: string) => string | undefined;
  /** For all feeds together; unless said otherwise, two thirds of what a scheduled build may take. */
  readonly seconds?: number;
}

const USER_AGENT = 'almanakk (event calendar; feed reader)';

interface OpenedSource extends Source {
  readonly feeds: readonly FeedHealth[];
}

/** Fetches the feeds. Throws INVALID_SOURCE as the native source does, and for a `sources.json` that makes no sense. */
export async function openSource(folder: string, options: OpenSourceOptions): Promise<OpenedSource> {
  const { target, now, horizonDay, force, reporter, feedSettings, onBytes } = options;
  const feeds = await readFeeds(folder);
  const own = await openNativeSource(folder, onBytes === undefined ? {} : { onBytes });
  if (feeds.length === 0) return { ...own, feeds: [] };
  const world = {
    ...feedSettings,
    source: folder,
    userAgent: USER_AGENT,
    pause: (milliseconds: number) => pause(milliseconds),
  };
  const importers = {
    ical: documentImporter('ical'),
    csv: documentImporter('csv'),
    jsonld: documentImporter('jsonld'),
    graphql: importMirror,
  };
  const refreshed = await refreshFeeds(feeds, {
    world,
    seconds: feedSettings.seconds,
    target,
    now,
    horizonDay,
    force,
    importers,
    onBytes,
  });
  const merged = mergeSources({ own, feeds: refreshed, reporter });
  return { ...merged, feeds: refreshed.map(({ health }) => health) };
}

interface MergeOptions {
  readonly own: Source;
  readonly feeds: readonly RefreshedFeed[];
  readonly reporter: Pick<Reporter, 'addFinding'>;
}

type Entries = AsyncGenerator<RawEntry, void, undefined>;

function mergeSources({ own, feeds, reporter }: MergeOptions): Source {
  const sliced = feeds.flatMap(({ feed, slice }) => (slice === null ? [] : [{ feed, slice }]));
  /** By feed: under what id each of its venues is known here. */
  const venueIds = new Map<string, ReadonlyMap<string, string>>();

  let specialEvent: string | null = null;

  async function licence(): Promise<RawEntry> {
    const imported: unknown[] = [];
    for (const { feed, slice } of sliced) {
      if (!feed.importCategories) continue;
      for await (const { value } of slice.records('categories')) imported.push(value);
    }
    const entry = await own.licence();
    specialEvent = specialEventOf(entry);
    return withCategories(entry, imported);
  }

  async function* venues(): Entries {
    const merger = createVenueMerger();
    for await (const entry of own.venues()) {
      merger.addOwn(entry.value);
      yield entry;
    }
    for (const { feed, slice } of sliced) {
      const ids = new Map<string, string>();
      venueIds.set(feed.id, ids);
      for await (const record of slice.records('venues')) {
        const { id, isNew } = merger.add(feed.id, record.value);
        ids.set(String(record.value.id), id);
        if (isNew) yield entryOf(feed.id, record);
      }
    }
  }

  async function* organizers(): Entries {
    const ids = new Set<unknown>();
    for await (const entry of own.organizers()) {
      if (isObject(entry.value)) ids.add(entry.value.id);
      yield entry;
    }
    for (const { feed, slice } of sliced) {
      for await (const record of slice.records('organizers')) {
        if (!ids.has(record.value.id)) yield entryOf(feed.id, record);
        ids.add(record.value.id);
      }
    }
  }

  async function* events(): Entries {
    let isThere = specialEvent === null;
    let mirrored: string | null = null;
    for await (const entry of own.events()) {
      isThere ||= isObject(entry.value) && entry.value.id === specialEvent;
      yield entry;
    }
    for (const { feed, slice } of sliced) {
      await passFindings(feed.id, slice, reporter);
      const venueOf = (id: string) => venueIds.get(feed.id)?.get(id) ?? id;
      for await (const record of slice.records('events')) {
        isThere ||= record.value.id === specialEvent;
        if (feed.kind === 'graphql' && record.value.isFeaturedInSpecialEvent === true) mirrored = feed.id;
        yield entryOf(feed.id, withVenues(record, venueOf));
      }
    }
    // An endpoint that features events has a special event, whether or not that is still to come.
    if (!isThere && mirrored !== null) yield entryOf(mirrored, endedContainer(specialEvent ?? ''));
  }

  return {
    licence,
    venues,
    organizers,
    events,
    postalCodes: own.postalCodes,
    notices: own.notices,
    bytes: own.bytes + sliced.reduce((sum, { slice }) => sum + slice.bytes, 0),
    hash: () => hashOf(own, feeds),
  };
}

function specialEventOf({ value }: RawEntry): string | null {
  return isObject(value) && typeof value.specialEvent === 'string' ? value.specialEvent : null;
}

function entryOf(feed: string, { line, value: { series, ...value } }: FeedRecord): RawEntry {
  const origin = { file: fileOf(feed), ...(line === null ? {} : { line }) };
  return series === undefined ? { origin, value } : { origin, value, series };
}

/** What findings call a feed. */
function fileOf(feed: string): string {
  return `feed ${feed}`;
}

async function passFindings(feed: string, slice: Slice, reporter: MergeOptions['reporter']): Promise<void> {
  for await (const { list: _, line, ...finding } of slice.findings()) {
    reporter.addFinding({ ...finding, origin: { file: fileOf(feed), ...(line === null ? {} : { line }) } });
  }
}

/** With each venue, of the event, its dates and its series, under the id that it has here. */
function withVenues(record: FeedRecord, venueOf: (id: string) => string): FeedRecord {
  const renamed = (value: unknown): unknown =>
    isObject(value) && typeof value.venue === 'string' ? { ...value, venue: venueOf(value.venue) } : value;
  const renamedIn = (list: unknown, rename: (item: unknown) => unknown) =>
    Array.isArray(list) ? list.map(rename) : list;
  const value = renamed(record.value);
  if (!isObject(value)) return record;
  const { dates, series } = value;
  const changes = isObject(series)
    ? renamedIn(series.changes, (change) =>
        isObject(change) ? { ...change, own: renamed(change.own) } : change,
      )
    : null;
  return {
    ...record,
    value: {
      ...value,
      ...(dates === undefined ? {} : { dates: renamedIn(dates, renamed) }),
      ...(isObject(series) ? { series: { ...series, changes } } : {}),
    },
  };
}

/** A feed that begins or ceases to fail is news for whoever reads the snapshot, when exactly it was is not. */
async function hashOf(own: Source, feeds: readonly RefreshedFeed[]): Promise<string> {
  const hash = createHash('sha256').update(await own.hash());
  for (const { feed, health, slice } of feeds) {
    const content = slice === null ? 'none' : await slice.hash();
    hash.update(`\n${feed.id} ${content} ${health.state} ${health.reason ?? ''}`);
  }
  return hash.digest('hex');
}

/** One directory of venues out of many: the same place under two names of its own would split its events. */
interface VenueMerger {
  /** Venues of the folder itself: each is what it is. */
  readonly addOwn: (venue: unknown) => void;
  readonly add: (feed: string, venue: Value) => Added;
}

interface Added {
  /** Under which the venue is known from now on. */
  readonly id: string;
  /** False when it was known before. */
  readonly isNew: boolean;
}

interface Known {
  readonly id: string;
  /** Null for the folder's own. */
  readonly feed: string | null;
  readonly point: readonly [latitude: number, longitude: number] | null;
}

function createVenueMerger(): VenueMerger {
  const byPlace = new Map<string, Known[]>();
  const ownByName = new Map<string, Known[]>();
  const ids = new Set<string>();

  function keep(map: Map<string, Known[]>, key: string, venue: Known): void {
    const same = map.get(key);
    if (same === undefined) map.set(key, [venue]);
    else if (same.length < MOST_NAMESAKES) same.push(venue);
  }

  function addOwn(venue: unknown): void {
    if (typeof venue !== 'object' || venue === null) return;
    const value: Value = { ...venue };
    const known = { id: textOf(value.id), feed: null, point: pointOf(value) };
    ids.add(known.id);
    keep(byPlace, placeOf(value), known);
    keep(ownByName, nameKey(textOf(value.name)), known);
  }

  function add(feed: string, venue: Value): Added {
    const id = textOf(venue.id);
    if (ids.has(id)) return { id, isNew: false };
    const point = pointOf(venue);
    // A feed's own venues are told apart by the feed; only others' are compared.
    const isSame = (known: Known) => known.feed !== feed && isNear(known.point, point);
    const same = (byPlace.get(placeOf(venue)) ?? []).find(isSame) ?? ownWithAddress(venue, isSame);
    if (same !== undefined) return { id: same.id, isNew: false };
    ids.add(id);
    keep(byPlace, placeOf(venue), { id, feed, point });
    return { id, isNew: true };
  }

  /** A name alone means the only venue that the folder knows by that name, whatever address it has there. */
  function ownWithAddress(venue: Value, isSame: (known: Known) => boolean): Known | undefined {
    if (nameKey(textOf(venue.address)) !== '') return undefined;
    const [only, ...more] = ownByName.get(nameKey(textOf(venue.name))) ?? [];
    return only !== undefined && more.length === 0 && isSame(only) ? only : undefined;
  }

  return { addOwn, add };
}

function placeOf({ name, address }: Value): string {
  return `${nameKey(textOf(name))}\n${nameKey(textOf(address))}`;
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function pointOf({ latitude, longitude }: Value): Known['point'] {
  return typeof latitude === 'number' && typeof longitude === 'number' ? [latitude, longitude] : null;
}

/** Venues of one name and address that another is compared with; all of them would take quadratic time. */
const MOST_NAMESAKES = 100;

/** Degrees; about two kilometres. Two parish halls of one name are further apart. */
const NEAR = 0.02;

function isNear(left: Known['point'], right: Known['point']): boolean {
  if (left === null || right === null) return true;
  return Math.abs(left[0] - right[0]) < NEAR && Math.abs(left[1] - right[1]) < NEAR * 2;
}

type Value = Readonly<Record<string, unknown>>;

/** Ids that the licence has, or has retired (G4), stay what they are; new subcategories join their category. */
function withCategories(licence: RawEntry, imported: readonly unknown[]): RawEntry {
  if (!isObject(licence.value) || imported.length === 0) return licence;
  const { categories, retiredCategories } = licence.value;
  if (!Array.isArray(categories)) return licence;
  const merged: unknown[] = [...categories];
  const places = new Map(merged.map((category, place) => [idOf(category), place] as const).reverse());
  const taken = new Set(isObject(retiredCategories) ? Object.keys(retiredCategories) : []);
  for (const id of merged.flatMap((category) => [idOf(category), ...childrenOf(category).map(idOf)]))
    taken.add(id);

  function claim(category: unknown): boolean {
    const isNew = !taken.has(idOf(category));
    taken.add(idOf(category));
    return isNew;
  }

  for (const category of imported) {
    const place = places.get(idOf(category)) ?? merged.length;
    const isNew = claim(category);
    const children = childrenOf(category).filter(claim);
    const known = merged[place];
    if (isNew && isObject(category)) {
      places.set(idOf(category), place);
      merged.push({ ...category, subcategories: children });
    } else if (isObject(known) && children.length > 0) {
      merged[place] = { ...known, subcategories: [...childrenOf(known), ...children] };
    }
  }
  return { ...licence, value: { ...licence.value, categories: merged } };
}

function idOf(category: unknown): string {
  return isObject(category) && typeof category.id === 'string' ? category.id : '';
}

function childrenOf(category: unknown): readonly unknown[] {
  return isObject(category) && Array.isArray(category.subcategories) ? category.subcategories : [];
}
