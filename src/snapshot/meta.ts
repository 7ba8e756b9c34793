/** What a snapshot says about itself, in its `meta` table and in the manifest. */
import { CalendarError } from '../calendar/errors.ts';
import { isObject } from '../calendar/json.ts';
import { isNotice, MOST_NOTICES, type Notice } from '../calendar/notices.ts';
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
  /** `YYYY-MM-DD`, A11. */
  readonly horizonDay: string;
  readonly format: number;
  readonly counts: Counts;
  /** Id of the calendar's licence. */
  readonly licence: string;
  readonly feeds: readonly FeedState[];
  /** K2: the planned changes of the calendar, in the source's order. */
  readonly notices: readonly Notice[];
}

/** How a feed of the source was at the build. */
export interface FeedState {
  readonly id: string;
  /** `ok`; `stale`: failing, its last good records are shown; `failed`: without any. */
  readonly state: string;
  /** Since when it has been failing, ISO 8601 in UTC, and why; null while it is not. */
  readonly since: string | null;
  readonly why: string | null;
}

const COUNT_NAMES = ['events', 'occurrences', 'venues', 'organizers', 'categories'] as const;

export async function readMeta(reader: Reader): Promise<Meta> {
  const builtAt = await metaText(reader, 'builtAt');
  if (!isIsoSecond(builtAt)) throw unusable('builtAt', 'an ISO 8601 moment in UTC', builtAt);
  const counts: unknown = parseJson('counts', await metaText(reader, 'counts'));
  if (!isCounts(counts)) throw unusable('counts', `whole numbers named ${COUNT_NAMES.join(', ')}`, counts);
  return {
    builtAt,
    sourceHash: await metaText(reader, 'sourceHash'),
    horizonDay: await metaText(reader, 'horizonDay'),
    format: Number(await metaText(reader, 'format')),
    counts,
    licence: await readLicence(reader),
    feeds: await readFeeds(reader),
    notices: await readNotices(reader),
  };
}

async function readLicence(reader: Reader): Promise<string> {
  const licence = parseJson('licence', await metaText(reader, 'licence'));
  const id = isObject(licence) ? licence.id : undefined;
  if (typeof id !== 'string') throw unusable('licence', 'a licence with an id', licence);
  return id;
}

async function readFeeds(reader: Reader): Promise<readonly FeedState[]> {
  const feeds = await readList(reader, 'feeds');
  if (!Array.isArray(feeds) || !feeds.every(isFeedState)) throw unusable('feeds', 'a list of feeds', feeds);
  return feeds.map(({ id, state, since, why }) => ({ id, state, since, why }));
}

async function readNotices(reader: Reader): Promise<readonly Notice[]> {
  const notices = await readList(reader, 'notices');
  if (Array.isArray(notices) && notices.length <= MOST_NOTICES && notices.every(isNotice)) return notices;
  throw unusable('notices', `at most ${MOST_NOTICES} notices`, notices);
}

/** What should be a list, still to be looked at. A snapshot that says nothing of it has none. */
async function readList(reader: Reader, key: string): Promise<unknown> {
  return parseJson(key, (await readValue(reader, key)) ?? '[]');
}

/** One value of the `meta` table as it was written. */
export async function metaText(reader: Pick<Reader, 'all'>, key: string): Promise<string> {
  const value = await readValue(reader, key);
  if (value === undefined) throw unusable(key, 'to be there', 'nothing');
  return value;
}

async function readValue(reader: Pick<Reader, 'all'>, key: string): Promise<string | undefined> {
  const [value] = await reader.all('select value from meta where key = ?', [key], (row) =>
    textOf(row, 'value'),
  );
  return value;
}

export function isCounts(value: unknown): value is Counts {
  if (typeof value !== 'object' || value === null) return false;
  const found = new Map<string, unknown>(Object.entries(value));
  return COUNT_NAMES.every((name) => isCount(found.get(name)));
}

export function isIsoSecond(value: unknown): value is string {
  return typeof value === 'string' && /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{3})?Z$/.test(value);
}

function isFeedState(value: unknown): value is FeedState {
  if (typeof value !== 'object' || value === null) return false;
  const found = new Map<string, unknown>(Object.entries(value));
  const isText = (name: string) => typeof found.get(name) === 'string';
  return (
    ['id', 'state'].every(isText) &&
    ['since', 'why'].every((name) => isText(name) || found.get(name) === null)
  );
}

function isCount(value: unknown): boolean {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}

function parseJson(key: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new CalendarError('SNAPSHOT_UNUSABLE', `meta.${key}: expected JSON, found ${text.slice(0, 40)}`, {
      cause,
    });
  }
}

function unusable(key: string, expected: string, found: unknown): CalendarError {
  const shown = JSON.stringify(found)?.slice(0, 80);
  return new CalendarError('SNAPSHOT_UNUSABLE', `meta.${key}: expected ${expected}, found ${shown}`);
}
