/** An open snapshot: its columns and lists in memory, and the few queries that read the file. */
import { crc32 } from 'node:zlib';
import { LRUCache } from 'lru-cache';
import { isCalendarError } from '../calendar/errors.ts';
import { readJsonText, type TextName } from './checksums.ts';
import { readColumns, readIntegers } from './column-blobs.ts';
import { COLUMN_NAMES, type Columns, freeColumns } from './columns.ts';
import { eventKey, eventsWith, type KeyKind } from './event-keys.ts';
import type { FilterColumns } from './filters/filter.ts';
import { FILTER_COLUMN_NAMES } from './filters.ts';
import { FRAGMENT_SQL, NAME_SQL } from './fragments.ts';
import { type Lists, readLists } from './lists.ts';
import { type Meta, readMeta } from './meta.ts';
import { bytesOf, type Reader } from './reader.ts';
import { unusable } from './unusable.ts';

type Language = 'nb' | 'en';

/** Ordinals follow the order of event ids by code point: ascending ordinals are A8's second criterion. */
export interface Snapshot {
  readonly id: string;
  readonly meta: Meta;
  /** Instant at which it was built. */
  readonly builtAt: number;
  readonly columns: Columns;
  readonly filterColumns: FilterColumns;
  readonly lists: Lists;
  /** Fragments (see `fragments.ts`) in the order of the ordinals: cached, or read by one statement. */
  readonly eventBodies: (ordinals: readonly number[]) => Promise<readonly string[]>;
  /** Ids and links of events, like their bodies. */
  readonly eventNames: (ordinals: readonly number[]) => Promise<readonly EventName[]>;
  /** Also by ids that were merged into the event (G9). */
  readonly ordinalById: (id: string) => number | null;
  readonly ordinalByOwnId: (id: string) => number | null;
  readonly ordinalBySlug: (slug: string) => number | null;
  /** Ascending, each event once; unknown slugs are ignored. */
  readonly ordinalsBySlugs: (slugs: readonly string[]) => readonly number[];
  /** Ascending; titles compare exactly and are not unique. */
  readonly ordinalsByTitle: (title: string, language: Language) => readonly number[];
  /** A17: whether it belongs to an event that is no longer in the calendar. */
  readonly isGoneSlug: (slug: string) => boolean;
  /** One of the rarely read texts, parsed. */
  readonly json: (name: TextName) => Promise<unknown>;
  /** Waits for running statements, then frees its memory: nothing may be read of it any more. */
  readonly close: () => Promise<void>;
}

interface EventName {
  readonly id: string;
  readonly link: string;
}

export interface OpenOptions {
  /** H14: called when a statement finds something else than what was written, which a file that was verified can only be by damage. */
  readonly onDamage?: (reason: string) => void;
  /** Bytes of cached bodies of events, asked for when the first are read. None are cached by default. */
  readonly cacheBytes?: (() => number) | undefined;
}

/** Throws SNAPSHOT_UNUSABLE, and closes the reader, where something is missing that a server loads. */
export async function openSnapshot(reader: Reader, id: string, options: OpenOptions = {}): Promise<Snapshot> {
  try {
    const meta = await readMeta(reader);
    const lists = await readLists(reader);
    const columns = await readColumns(reader, COLUMN_NAMES);
    const filterColumns = await readIntegers(reader, FILTER_COLUMN_NAMES);
    const close = async () => {
      await reader.close();
      freeColumns(Object.values(columns));
      freeColumns(Object.values(filterColumns));
    };
    const builtAt = Math.floor(Date.parse(meta.builtAt) / 1_000);
    const lookups = lookupsIn(reader.all, columns, options);
    return { id, meta, builtAt, columns, filterColumns, lists, ...lookups, close };
  } catch (cause) {
    await reader.close();
    throw cause;
  }
}

type Query = Reader['all'];

/** The functions that read an event's texts from the file, or look events up in the columns. */
function lookupsIn(all: Query, columns: Columns, { onDamage = () => undefined, cacheBytes }: OpenOptions) {
  const report = (cause: unknown): never => {
    if (isCalendarError(cause) && cause.code === 'SNAPSHOT_UNUSABLE') onDamage(cause.message);
    throw cause;
  };
  const ordinals = (kind: KeyKind, text: string) => eventsWith(columns, eventKey(kind, text));
  return {
    eventBodies: cached(
      (wanted) => readChecked(all, BODIES, { wanted, checks: columns.bodyCheck }).catch(report),
      cacheBytes,
    ),
    eventNames: (wanted: readonly number[]) => readNames(all, wanted, columns.nameCheck).catch(report),
    ordinalById: (id: string) => ordinals('id', id)[0] ?? ordinals('merged', id)[0] ?? null,
    ordinalByOwnId: (id: string) => ordinals('id', id)[0] ?? null,
    ordinalBySlug: (slug: string) => ordinals('slug', slug)[0] ?? null,
    ordinalsBySlugs: (slugs: readonly string[]) => {
      const found = new Set(slugs.flatMap((slug) => ordinals('slug', slug)));
      return [...found].sort((left, right) => left - right);
    },
    ordinalsByTitle: (title: string, language: Language) => ordinals(language, title),
    isGoneSlug: (slug: string) => ordinals('gone', slug).length > 0,
    json: (name: TextName) => readJsonText(all, name, columns.textCheck).catch(report),
  };
}

type ReadBodies = Snapshot['eventBodies'];

/** A longer list is an export: it would only evict what other requests need. */
const CACHED_UP_TO = 200;
/** V8 has two bytes for each character of a text where one is above U+00FF. */
const WIDE = /[^\0-\xff]/;
/** Bytes that an entry takes besides its characters. */
const ENTRY_BYTES = 100;

function cached(read: ReadBodies, cacheBytes: OpenOptions['cacheBytes']): ReadBodies {
  if (cacheBytes === undefined) return read;
  let cache: LRUCache<number, string> | undefined;
  return async (wanted) => {
    cache ??= new LRUCache({
      maxSize: Math.max(1, cacheBytes()),
      sizeCalculation: (body) => (WIDE.test(body) ? 2 : 1) * body.length + ENTRY_BYTES,
    });
    const bodies = cache;
    const found = wanted.map((ordinal) => bodies.get(ordinal));
    const missing = wanted.filter((_, index) => found[index] === undefined);
    const rest = await read(missing);
    if (wanted.length <= CACHED_UP_TO) {
      for (const [index, ordinal] of missing.entries()) bodies.set(ordinal, rest[index]);
    }
    let next = 0;
    return found.flatMap((body) => body ?? rest[next++] ?? []);
  };
}

/**
 * One text for any number of ordinals, so that it is prepared once. The rows come in the order of the list without a sort.
 */
const sqlForEvents = (sql: string) => `select ${sql} as value from json_each(?) as wanted
  cross join event on event.ordinal = wanted.value
  order by wanted.rowid`;
const BODIES = sqlForEvents(FRAGMENT_SQL);
const NAMES = sqlForEvents(NAME_SQL);

const UTF_8 = new TextDecoder();

interface CheckedRows {
  /** Ordinals of events. */
  readonly wanted: readonly number[];
  /** The checksum of each event's row. */
  readonly checks: Uint32Array;
}

/** H14: no answer is made of a row that is not what was written, or of another event's. */
async function readChecked(
  all: Query,
  sql: string,
  { wanted, checks }: CheckedRows,
): Promise<readonly string[]> {
  if (wanted.length === 0) return [];
  const found = await all(sql, [JSON.stringify(wanted)], (row) => bytesOf(row, 'value'));
  if (found.length !== wanted.length) throw unusable('event', `${wanted.length} events`, found.length);
  return found.map((bytes, index) => {
    const ordinal = wanted[index] as number;
    if (crc32(bytes) === checks[ordinal]) return UTF_8.decode(bytes);
    throw unusable(`event ${ordinal}`, `the checksum ${checks[ordinal]}`, crc32(bytes));
  });
}

const NAMES_AT_ONCE = 1_000;

/** In parts, between which other requests have their turn. */
async function readNames(
  all: Query,
  ordinals: readonly number[],
  checks: Columns['nameCheck'],
): Promise<readonly EventName[]> {
  const names: EventName[] = [];
  for (let first = 0; first < ordinals.length; first += NAMES_AT_ONCE) {
    const wanted = ordinals.slice(first, first + NAMES_AT_ONCE);
    for (const name of await readChecked(all, NAMES, { wanted, checks })) {
      const [id = '', link = ''] = name.split('\n');
      names.push({ id, link });
    }
  }
  return names;
}
