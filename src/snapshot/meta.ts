/** The facts about a snapshot, in its `meta` table and in the manifest. */
import { BRAND_FIELDS, type Brand } from '../calendar/brand.ts';
import { isObject } from '../calendar/json.ts';
import { NOTICE_FIELDS, type Notice } from '../calendar/notice.ts';
import { type Shaped, shapeText } from '../calendar/shape.ts';
import { type Reader, textOf } from './reader.ts';
import { expectShape, parseStored, unusable } from './unusable.ts';

export const COUNTED = ['events', 'occurrences', 'venues', 'organizers', 'categories'] as const;
export type SnapshotCounts = Readonly<Record<(typeof COUNTED)[number], number>>;

export interface Meta {
  /** ISO 8601 in UTC. A build writes whole seconds; milliseconds are accepted. */
  readonly builtAt: string;
  /** SHA-256 (hex) of the source. */
  readonly sourceHash: string;
  /** `YYYY-MM-DD`, A11. */
  readonly horizonDay: string;
  readonly format: number;
  /** Fingerprint of the file's format; blank in a file without one. */
  readonly shape: string;
  readonly counts: SnapshotCounts;
  /** Id of the calendar's licence. */
  readonly licence: string;
  readonly feeds: readonly FeedState[];
  /** K2: the planned changes of the calendar, in the source's order. */
  readonly notices: readonly Notice[];
  /** I15: null without a design of its own. */
  readonly brand: Brand | null;
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

/**
 * Reads files of earlier formats, too, for the next build: `checkMeta` checks the parts whose shape may differ between formats. Throws
 * SNAPSHOT_UNUSABLE.
 */
export async function readMeta(reader: Reader): Promise<Meta> {
  const builtAt = await metaText(reader, 'builtAt');
  if (!isIsoInstant(builtAt)) throw unusable('meta.builtAt', 'an ISO 8601 moment in UTC', builtAt);
  const format = await metaText(reader, 'format');
  if (!/^\d+$/.test(format)) throw unusable('meta.format', 'a whole number', format);
  const counts = await metaJson<unknown>(reader, 'counts');
  if (!isCounts(counts)) throw unusable('meta.counts', 'whole numbers of all kinds of records', counts);
  const licence = await metaJson<unknown>(reader, 'licence');
  if (!hasId(licence)) throw unusable('meta.licence', 'an object with an id', licence);
  return {
    builtAt,
    sourceHash: await metaText(reader, 'sourceHash'),
    horizonDay: await metaText(reader, 'horizonDay'),
    format: Number(format),
    shape: await metaText(reader, 'shape', ''),
    counts,
    licence: licence.id,
    feeds: await metaJson(reader, 'feeds', '[]'),
    notices: await metaJson(reader, 'notices', '[]'),
    brand: await metaJson(reader, 'brand', 'null'),
  };
}

/** H7: throws SNAPSHOT_UNUSABLE for facts that are not of the present format. */
export function checkMeta({ horizonDay, feeds, notices, brand }: Meta): void {
  if (Number.isNaN(Date.parse(horizonDay))) throw unusable('meta.horizonDay', 'a day', horizonDay);
  expectShape(feeds, [FEED_STATE], 'meta.feeds');
  expectShape(notices, [NOTICE_FIELDS], 'meta.notices');
  if (brand !== null) expectShape(brand, BRAND_FIELDS, 'meta.brand');
}

/** One value of the `meta` table, parsed but not checked; the fallback is JSON text, too. */
async function metaJson<Value>(reader: Reader, key: string, fallback?: string): Promise<Value> {
  return parseStored(`meta.${key}`, await metaText(reader, key, fallback));
}

/** One value of the `meta` table as it was written. */
export async function metaText(reader: Pick<Reader, 'all'>, key: string, fallback?: string): Promise<string> {
  const sql = 'select value from meta where key = ?';
  const [value = fallback] = await reader.all(sql, [key], (row) => textOf(row, 'value'));
  if (value === undefined) throw unusable(`meta.${key}`, 'to be there', 'nothing');
  return value;
}

export function isCounts(value: unknown): value is SnapshotCounts {
  if (!isObject(value)) return false;
  return COUNTED.every((name) => Number.isSafeInteger(value[name]) && Number(value[name]) >= 0);
}

function hasId(value: unknown): value is { readonly id: string } {
  return isObject(value) && typeof value.id === 'string';
}

/** ISO 8601 in UTC, with seconds or milliseconds. */
export function isIsoInstant(value: unknown): value is string {
  if (typeof value !== 'string') return false;
  const isInForm = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{3})?Z$/.test(value);
  return isInForm && !Number.isNaN(Date.parse(value));
}

/** For the fingerprint of the format. */
export const META_SHAPES = [
  `counts: { ${COUNTED.map((name) => `${name}: count`).join(', ')} }`,
  `feeds: ${shapeText([FEED_STATE])}`,
  `notices: ${shapeText([NOTICE_FIELDS])}`,
  `brand: ${shapeText(BRAND_FIELDS)}`,
].join(', ');
