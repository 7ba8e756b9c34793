/**
 * The facts about a snapshot, in its `meta` table and in the manifest, and its lists: the directories, and the short texts that columns
 * index.
 */
import { holdsOf, ORGANIZER, VENUE } from '../calendar/fields.ts';
import {
  type Holds,
  isCount,
  isFlag,
  isObject,
  isText,
  matching,
  objectOf,
  orNull,
  parsedJson,
  shapeOf,
} from '../calendar/json.ts';
import {
  type Category,
  type Contact,
  type DataLicence,
  isNotice,
  type Licence,
  type Location,
  MOST_NOTICES,
  type Notice,
  type Organizer,
  type Venue,
} from '../calendar/model.ts';
import { unusable } from './format.ts';
import { type Reader, textOf } from './sqlite.ts';

export interface Counts {
  readonly events: number;
  readonly occurrences: number;
  readonly venues: number;
  readonly organizers: number;
  readonly categories: number;
}

export interface Meta {
  /** ISO 8601 in UTC, whole seconds. */
  readonly builtAt: string;
  /** SHA-256 (hex) of the source. */
  readonly sourceHash: string;
  /** `YYYY-MM-DD`, A11, horizon. */
  readonly horizonDay: string;
  readonly format: number;
  /** Fingerprint of the file's form; blank in a file without one. */
  readonly shape: string;
  readonly counts: Counts;
  /** Id of the calendar's licence. */
  readonly licence: string;
  readonly feeds: readonly FeedState[];
  /** K2, planned changes: the planned changes of the calendar, in the source's order. */
  readonly notices: readonly Notice[];
}

/** The state of a source's feed at the build. */
export interface FeedState {
  readonly id: string;
  /** `ok`; `stale`: failing, its last good records are shown; `failed`: without any. */
  readonly state: string;
  /** When it began to fail, ISO 8601 in UTC, and why; null while it works. */
  readonly since: string | null;
  readonly why: string | null;
}

/** Throws SNAPSHOT_UNUSABLE. */
export async function readMeta(reader: Reader): Promise<Meta> {
  const builtAt = await metaText(reader, 'builtAt');
  if (!isIsoSecond(builtAt)) throw unusable('meta.builtAt', 'an ISO 8601 moment in UTC', builtAt);
  const counts = await readJson(reader, 'counts');
  if (!isCounts(counts)) throw unusable('meta.counts', 'whole numbers of all kinds of records', counts);
  return {
    builtAt,
    sourceHash: await metaText(reader, 'sourceHash'),
    horizonDay: await metaText(reader, 'horizonDay'),
    format: Number(await metaText(reader, 'format')),
    shape: await metaText(reader, 'shape', ''),
    counts,
    licence: await readLicence(reader),
    feeds: await readFeeds(reader),
    notices: await readNotices(reader),
  };
}

async function readLicence(reader: Reader): Promise<string> {
  const licence = await readJson(reader, 'licence');
  const id = isObject(licence) ? licence.id : undefined;
  if (typeof id !== 'string') throw unusable('meta.licence', 'a licence with an id', licence);
  return id;
}

async function readFeeds(reader: Reader): Promise<readonly FeedState[]> {
  const feeds = await readJson(reader, 'feeds', '[]');
  if (!Array.isArray(feeds) || !feeds.every(isFeedState))
    throw unusable('meta.feeds', 'a list of feeds', feeds);
  return feeds.map(({ id, state, since, why }) => ({ id, state, since, why }));
}

async function readNotices(reader: Reader): Promise<readonly Notice[]> {
  const notices = await readJson(reader, 'notices', '[]');
  if (Array.isArray(notices) && notices.length <= MOST_NOTICES && notices.every(isNotice)) return notices;
  throw unusable('meta.notices', `at most ${MOST_NOTICES} notices`, notices);
}

/** The caller checks the value. The default is JSON text, too. */
async function readJson(reader: Reader, key: string, otherwise?: string): Promise<unknown> {
  return parseJson(`meta.${key}`, await metaText(reader, key, otherwise));
}

/** One value of the `meta` table as it was written. */
export async function metaText(
  reader: Pick<Reader, 'all'>,
  key: string,
  otherwise?: string,
): Promise<string> {
  const sql = 'select value from meta where key = ?';
  const [value = otherwise] = await reader.all(sql, [key], (row) => textOf(row, 'value'));
  if (value === undefined) throw unusable(`meta.${key}`, 'to be there', 'nothing');
  return value;
}

export const isCounts = objectOf<Counts>({
  events: isCount,
  occurrences: isCount,
  venues: isCount,
  organizers: isCount,
  categories: isCount,
});

export function isIsoSecond(value: unknown): value is string {
  return typeof value === 'string' && /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{3})?Z$/.test(value);
}

const isFeedState = objectOf<FeedState>({
  id: isText,
  state: isText,
  since: orNull(isText),
  why: orNull(isText),
});

export interface Lists {
  readonly licence: Licence;
  readonly venues: readonly Venue[];
  readonly organizers: readonly Organizer[];
  readonly categories: readonly Category[];
  readonly containers: readonly string[];
  /** Folded tags. */
  readonly tags: readonly string[];
  /** Tags as written, in Norwegian alphabetical order. */
  readonly spellings: readonly string[];
  readonly earlierSlugs: readonly EarlierSlug[];
}

/** A17, a published slug stays with its id: a former slug of a venue or an organizer that has another one now. */
export interface EarlierSlug {
  readonly kind: 'venue' | 'organizer';
  readonly slug: string;
  /** Its ordinal. */
  readonly place: number;
}

export const LISTS = [
  'licence',
  'venues',
  'organizers',
  'categories',
  'containers',
  'tags',
  'spellings',
  'earlierSlugs',
] as const satisfies readonly (keyof Lists)[];

/** Throws SNAPSHOT_UNUSABLE. */
export async function readLists(reader: Reader): Promise<Lists> {
  const lists: Partial<Record<keyof Lists, unknown>> = {};
  for (const name of LISTS) {
    const sql = 'select body from list_json where name = ?';
    const [body = ''] = await reader.all(sql, [name], (row) => textOf(row, 'body'));
    lists[name] = parseJson(`list_json ${name}`, body);
  }
  expectLists(lists);
  return lists;
}

const ENTRIES = {
  venues: objectOf<Venue>({
    id: isText,
    name: isText,
    slug: isText,
    ...holdsOf(VENUE),
    municipalityNumber: orNull(isText),
    location: orNull(objectOf<Location>({ latitude: Number.isFinite, longitude: Number.isFinite })),
  }),
  organizers: objectOf<Organizer>({
    id: isText,
    name: isText,
    slug: isText,
    ...holdsOf(ORGANIZER),
  }),
  categories: objectOf<Category>({
    id: isText,
    name_nb: isText,
    name_en: isText,
    slug_nb: isText,
    slug_en: isText,
    visible: isFlag,
    parent: Number.isInteger,
  }),
  containers: isText,
  tags: isText,
  spellings: isText,
  earlierSlugs: objectOf<EarlierSlug>({
    kind: matching(/^(?:venue|organizer)$/),
    slug: isText,
    place: isCount,
  }),
} satisfies Readonly<Record<Exclude<keyof Lists, 'licence'>, Holds>>;

const isLicence = objectOf<Licence>({
  id: isText,
  name: isText,
  siteUrl: isText,
  portalUrl: orNull(isText),
  specialEvent: orNull(isText),
  registration: isFlag,
  dataLicence: orNull(objectOf<DataLicence>({ name: isText, url: orNull(isText) })),
  attribution: orNull(isText),
  contact: orNull(objectOf<Contact>({ name: orNull(isText), email: orNull(isText), url: orNull(isText) })),
});

/** For the fingerprint of the format. */
export const LIST_SHAPES = [
  `licence: ${shapeOf(isLicence)}`,
  ...Object.entries<Holds>(ENTRIES).map(([name, holds]) => `${name}: [${shapeOf(holds)}]`),
].join(', ');
export const META_SHAPES = `feeds: [${shapeOf(isFeedState)}], notices: [${shapeOf(isNotice)}]`;

function expectLists(lists: Partial<Record<keyof Lists, unknown>>): asserts lists is Lists {
  if (!isLicence(lists.licence)) throw unusable('list_json licence', 'a licence', lists.licence);
  for (const [name, holds] of Object.entries<Holds>(ENTRIES)) {
    const list = lists[name as keyof typeof ENTRIES];
    if (!Array.isArray(list) || !list.every(holds)) throw unusable(`list_json ${name}`, `${name}`, list);
  }
}

function parseJson(where: string, text: string): unknown {
  const value = parsedJson(text);
  if (value === undefined) throw unusable(where, 'JSON', text.slice(0, 40) || 'nothing');
  return value;
}
