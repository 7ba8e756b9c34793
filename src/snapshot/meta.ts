/**
 * The facts about a snapshot, in its `meta` table and in the manifest, and its lists: the directories, and the short texts that columns
 * index.
 */
import { namesOf, shapesOf } from '../calendar/field.ts';
import { ORGANIZER, VENUE } from '../calendar/fields.ts';
import { isObject, parsedJson } from '../calendar/json.ts';
import {
  CATEGORY_FIELDS,
  type Category,
  type EventSource,
  LICENCE_FIELDS,
  type Licence,
  NAME_FIELDS,
  NOTICE_FIELDS,
  type Notice,
  type Organizer,
  PLACE_FIELDS,
  type Shape,
  type Shaped,
  SOURCE_FIELDS,
  type Venue,
} from '../calendar/model.ts';
import { shapeText, unusable } from './format.ts';
import { type Reader, textOf } from './reader.ts';

const COUNTED = ['events', 'occurrences', 'venues', 'organizers', 'categories'] as const;
export type Counts = Readonly<Record<(typeof COUNTED)[number], number>>;

export interface Meta {
  /** ISO 8601 in UTC, whole seconds. */
  readonly builtAt: string;
  /** SHA-256 (hex) of the source. */
  readonly sourceHash: string;
  /** `YYYY-MM-DD`, A11. */
  readonly horizonDay: string;
  readonly format: number;
  /** Fingerprint of the file's form; blank in a file without one. */
  readonly shape: string;
  readonly counts: Counts;
  /** Id of the calendar's licence. */
  readonly licence: string;
  readonly feeds: readonly FeedState[];
  /** K2: the planned changes of the calendar, in the source's order. */
  readonly notices: readonly Notice[];
}

/** The state of a source's feed at the build. */
const FEED_STATE = {
  id: 'text',
  /** `ok`; `stale`: failing, its last good records are shown; `failed`: without any. */
  state: 'text',
  /** When it began to fail, ISO 8601 in UTC, and why; null while it works. */
  since: 'text?',
  why: 'text?',
} as const;

export type FeedState = Shaped<typeof FEED_STATE>;

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
  /** E2: in the order of `sources.json`, those alone that it says something of. */
  readonly sources: readonly EventSource[];
  readonly containers: readonly string[];
  /** Folded tags. */
  readonly tags: readonly string[];
  /** Tags as written, in Norwegian alphabetical order. */
  readonly spellings: readonly string[];
  readonly earlierSlugs: readonly EarlierSlug[];
}

/** A17: a former slug of a venue or an organizer that has another one now. */
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

/** The value is not judged: a signature says whose it is (J3). */
function parseJson<Value>(where: string, text: string): Value {
  const value = parsedJson(text);
  if (value === undefined) throw unusable(where, 'JSON', text.slice(0, 40) || 'nothing');
  return value as Value;
}

/** H7: throws SNAPSHOT_UNUSABLE for lists of another form, or of other lengths. */
export function checkLists(lists: Lists, counts: Counts): void {
  for (const name of LISTS) {
    const fault = faultIn(lists[name], SHAPES[name], name);
    if (fault !== null) throw unusable(`list_json ${fault.where}`, fault.expected, fault.found);
  }
  for (const name of ['venues', 'organizers', 'categories'] as const) {
    const { length } = lists[name];
    if (length !== counts[name]) throw unusable(`list_json ${name}`, `${counts[name]} entries`, length);
  }
  for (const [ordinal, { parent }] of lists.categories.entries())
    if (parent < -1 || parent >= ordinal)
      throw unusable(`list_json categories[${ordinal}].parent`, `from -1 to below ${ordinal}`, parent);
  for (const { kind, place } of lists.earlierSlugs)
    if (place < 0 || place >= (kind === 'venue' ? counts.venues : counts.organizers))
      throw unusable('list_json earlierSlugs', `the place of a ${kind}`, place);
}

interface Fault {
  readonly where: string;
  readonly expected: string;
  readonly found: unknown;
}

/** JSON of a shape. A number too large for one is none. */
function faultIn(value: unknown, shape: Shape, where: string, isField = false): Fault | null {
  if (typeof shape === 'string') return isA(shape, value) ? null : { where, expected: shape, found: value };
  if (isField && value === null && isObject(shape)) return null;
  if (!isObject(shape)) {
    if (!Array.isArray(value)) return { where, expected: 'a list', found: value };
    return firstFault(value.entries(), (item, at) => faultIn(item, shape[0], `${where}[${at}]`));
  }
  if (!isObject(value)) return { where, expected: 'an object', found: value };
  return firstFault(Object.entries(shape), (of, name) => faultIn(value[name], of, `${where}.${name}`, true));
}

function firstFault<Key, Item>(
  items: Iterable<readonly [Key, Item]>,
  faultOf: (item: Item, key: Key) => Fault | null,
): Fault | null {
  for (const [key, item] of items) {
    const fault = faultOf(item, key);
    if (fault !== null) return fault;
  }
  return null;
}

function isA(shape: string, value: unknown): boolean {
  if (shape.endsWith('?')) return value === null || isA(shape.slice(0, -1), value);
  if (shape.startsWith('[')) return Array.isArray(value) && value.every((item) => typeof item === 'string');
  if (shape === 'flag') return typeof value === 'boolean';
  if (shape === 'number') return Number.isFinite(value);
  if (shape === 'integer' || shape === 'count') return Number.isSafeInteger(value);
  return typeof value === 'string';
}

/** The shape of each list's JSON. */
const SHAPES: Readonly<Record<keyof Lists, Shape>> = {
  licence: LICENCE_FIELDS,
  venues: [{ ...NAME_FIELDS, ...shapesOf(VENUE), ...PLACE_FIELDS }],
  organizers: [{ ...NAME_FIELDS, ...shapesOf(ORGANIZER) }],
  categories: [CATEGORY_FIELDS],
  sources: [SOURCE_FIELDS],
  containers: '[text]',
  tags: '[text]',
  spellings: '[text]',
  earlierSlugs: [{ kind: 'text /^(?:venue|organizer)$/', slug: 'text', place: 'count' }],
};

export const LISTS = namesOf(SHAPES);

/** For the fingerprint of the format. */
export const LIST_SHAPES = LISTS.map((name) => `${name}: ${shapeText(SHAPES[name])}`).join(', ');
export const META_SHAPES = [
  `counts: { ${COUNTED.map((name) => `${name}: count`).join(', ')} }`,
  `feeds: ${shapeText([FEED_STATE])}`,
  `notices: ${shapeText([NOTICE_FIELDS])}`,
].join(', ');
