/**
 * The facts about a snapshot, in its `meta` table and in the manifest, and its lists: the directories, and the short texts that columns
 * index.
 */
import { namesOf, ORGANIZER, shapesOf, VENUE } from '../calendar/fields.ts';
import { isObject, parsedJson } from '../calendar/json.ts';
import {
  type Category,
  type Contact,
  type DataLicence,
  type Licence,
  type Location,
  NOTICE_ID,
  type Notice,
  type Organizer,
  type RetiringCategory,
  type Venue,
} from '../calendar/model.ts';
import { shapeOf, unusable } from './format.ts';
import { type Reader, textOf } from './sqlite.ts';

const COUNTED = ['events', 'occurrences', 'venues', 'organizers', 'categories'] as const;
export type Counts = Readonly<Record<(typeof COUNTED)[number], number>>;

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
  const counts = await readJson<unknown>(reader, 'counts');
  if (!isCounts(counts)) throw unusable('meta.counts', 'whole numbers of all kinds of records', counts);
  return {
    builtAt,
    sourceHash: await metaText(reader, 'sourceHash'),
    horizonDay: await metaText(reader, 'horizonDay'),
    format: Number(await metaText(reader, 'format')),
    shape: await metaText(reader, 'shape', ''),
    counts,
    licence: (await readJson<Licence>(reader, 'licence')).id,
    feeds: await readJson(reader, 'feeds', '[]'),
    notices: await readJson(reader, 'notices', '[]'),
  };
}

/** What a build wrote there; the default is JSON text, too. */
async function readJson<Value>(reader: Reader, key: string, otherwise?: string): Promise<Value> {
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

export function isCounts(value: unknown): value is Counts {
  return (
    isObject(value) && COUNTED.every((name) => Number.isSafeInteger(value[name]) && Number(value[name]) >= 0)
  );
}

export function isIsoSecond(value: unknown): value is string {
  return typeof value === 'string' && /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{3})?Z$/.test(value);
}

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

/** Throws SNAPSHOT_UNUSABLE. */
export async function readLists(reader: Reader): Promise<Lists> {
  const lists: Partial<Record<keyof Lists, unknown>> = {};
  for (const name of LISTS) {
    const sql = 'select body from list_json where name = ?';
    const [body = ''] = await reader.all(sql, [name], (row) => textOf(row, 'body'));
    lists[name] = parseJson(`list_json ${name}`, body);
  }
  return lists as Lists;
}

/** The value is not judged: a signature says whose it is (J3, signatures). */
function parseJson<Value>(where: string, text: string): Value {
  const value = parsedJson(text);
  if (value === undefined) throw unusable(where, 'JSON', text.slice(0, 40) || 'nothing');
  return value as Value;
}

const NAMED = { id: 'text', name: 'text', slug: 'text' };

/** The shape of each list's JSON. */
const SHAPES: Readonly<Record<keyof Lists, string>> = {
  licence: shapeOf<Licence>({
    id: 'text',
    name: 'text',
    siteUrl: 'text',
    portalUrl: 'text?',
    specialEvent: 'text?',
    registration: 'flag',
    dataLicence: `${shapeOf<DataLicence>({ name: 'text', url: 'text?' })}?`,
    attribution: 'text?',
    contact: `${shapeOf<Contact>({ name: 'text?', email: 'text?', url: 'text?' })}?`,
  }),
  venues: listOf<Venue>({
    ...NAMED,
    ...shapesOf(VENUE),
    municipalityNumber: 'text?',
    location: `${shapeOf<Location>({ latitude: 'number', longitude: 'number' })}?`,
  }),
  organizers: listOf<Organizer>({ ...NAMED, ...shapesOf(ORGANIZER) }),
  categories: listOf<Category>({
    id: 'text',
    name_nb: 'text',
    name_en: 'text',
    slug_nb: 'text',
    slug_en: 'text',
    visible: 'flag',
    parent: 'integer',
  }),
  containers: '[text]',
  tags: '[text]',
  spellings: '[text]',
  earlierSlugs: listOf<EarlierSlug>({ kind: 'text /^(?:venue|organizer)$/', slug: 'text', place: 'count' }),
};

export const LISTS = namesOf(SHAPES);

function listOf<Of>(fields: Readonly<Record<keyof Of, string>>): string {
  return `[${shapeOf<Of>(fields)}]`;
}

const PLAIN = String.raw`text /^\P{Cc}*$/u`;

/** For the fingerprint of the format. */
export const LIST_SHAPES = LISTS.map((name) => `${name}: ${SHAPES[name]}`).join(', ');
export const META_SHAPES = [
  `counts: { ${COUNTED.map((name) => `${name}: count`).join(', ')} }`,
  `feeds: ${listOf<FeedState>({ id: 'text', state: 'text', since: 'text?', why: 'text?' })}`,
  `notices: ${listOf<Notice>({
    id: `text ${NOTICE_ID}`,
    // Texts with bounds of their own.
    from: 'other',
    title_nb: 'other',
    title_en: 'other',
    text_nb: 'other',
    text_en: 'other',
    categories: listOf<RetiringCategory>({ id: PLAIN, replacements: `[${PLAIN}]` }),
  })}`,
].join(', ');
