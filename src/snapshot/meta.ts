/** The facts about a snapshot, in its `meta` table and in the manifest. */
import { isObject } from '../calendar/json.ts';
import { type Licence, NOTICE_FIELDS, type Notice } from '../calendar/model.ts';
import { type Shaped, shapeText } from '../calendar/shape.ts';
import { parseStored, unusable } from './format.ts';
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
  const counts = await metaJson<unknown>(reader, 'counts');
  if (!isCounts(counts)) throw unusable('meta.counts', 'whole numbers of all kinds of records', counts);
  return {
    builtAt,
    sourceHash: await metaText(reader, 'sourceHash'),
    horizonDay: await metaText(reader, 'horizonDay'),
    format: Number(await metaText(reader, 'format')),
    shape: await metaText(reader, 'shape', ''),
    counts,
    licence: (await metaJson<Licence>(reader, 'licence')).id,
    feeds: await metaJson(reader, 'feeds', '[]'),
    notices: await metaJson(reader, 'notices', '[]'),
  };
}

/** One value of the `meta` table, parsed; the default is JSON text, too. */
async function metaJson<Value>(reader: Reader, key: string, otherwise?: string): Promise<Value> {
  return parseStored(`meta.${key}`, await metaText(reader, key, otherwise));
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
  if (!isObject(value)) return false;
  return COUNTED.every((name) => Number.isSafeInteger(value[name]) && Number(value[name]) >= 0);
}

export function isIsoSecond(value: unknown): value is string {
  return typeof value === 'string' && /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{3})?Z$/.test(value);
}

/** For the fingerprint of the format. */
export const META_SHAPES = [
  `counts: { ${COUNTED.map((name) => `${name}: count`).join(', ')} }`,
  `feeds: ${shapeText([FEED_STATE])}`,
  `notices: ${shapeText([NOTICE_FIELDS])}`,
].join(', ');
