/**
 * The search index within a snapshot: its tables, and how they are read. The two lexicons are lifted into memory. They may be
 * a stranger's (H7): what a list ends at lies within its bytes, or the file is refused.
 */
import { CalendarError } from '../calendar/errors.ts';
import { LENGTHS, type Lexicon } from './lexicon.ts';
import { eachPostingIn, type PostingLists, startOf } from './posting-lists.ts';
import { type EventSet, isEncoding, needleKey } from './short-needles.ts';
import { bytesOf, integerOf, type Reader, type Row, textOf } from './sqlite.ts';

export const SEARCH_TABLES = `
create table search_part (name text not null, part integer not null, bytes blob not null, primary key (name, part));
create table search_short (key integer primary key, encoding text not null, events blob not null);
`;

export const INSERT_PART = 'insert into search_part (name, part, bytes) values (?, ?, ?)';
export const INSERT_SHORT = 'insert into search_short (key, encoding, events) values (?, ?, ?)';

/** Bytes of a part: handing one over keeps the event loop busy for well under a millisecond. */
export const PART = 1024 * 1024;

export interface SearchIndex {
  /** Runs of letters and digits. */
  readonly words: Lexicon;
  /** Parts between white space that hold any other character. */
  readonly parts: Lexicon;
  /** The events that hold a short needle; undefined when the set is not there. */
  readonly short: (needle: Uint8Array) => Promise<EventSet | undefined>;
}

type Query = Reader['all'];

/** Throws SNAPSHOT_UNUSABLE. */
export async function readSearchIndex(query: Query): Promise<SearchIndex> {
  const sizes = await query(SIZES, [], (row) => [textOf(row, 'name'), integerOf(row, 'size')] as const);
  const columns = new Map<string, Uint8Array<ArrayBuffer>>();
  for (const [name, size] of sizes) columns.set(name, await readColumn(query, name, size));
  return {
    words: lexiconOf('words', columns),
    parts: lexiconOf('parts', columns),
    short: async (needle) => (await query(SHORT, [needleKey(needle)], setOf))[0],
  };
}

const SIZES = 'select name, sum(length(bytes)) as size from search_part group by name order by name';
const BYTES = 'select bytes from search_part where name = ? and part = ?';
const SHORT = 'select encoding, events from search_short where key = ?';

/** A lexicon's columns by the names of their parts in the table. */
export function columnsOf(name: string, lexicon: Lexicon): readonly (readonly [string, Uint8Array])[] {
  const { text, ends, letters, lengths, events, trigrams, trigramEntries } = lexicon;
  const columns = {
    text,
    ends,
    letters,
    lengths,
    trigrams,
    'events.ends': events.ends,
    'events.bytes': events.bytes,
    'trigramEntries.ends': trigramEntries.ends,
    'trigramEntries.bytes': trigramEntries.bytes,
  } satisfies Record<Column, Uint8Array | Uint32Array>;
  return Object.entries(columns).map(([column, { buffer, byteOffset, byteLength }]) => [
    `${name}.${column}`,
    new Uint8Array(buffer, byteOffset, byteLength),
  ]);
}

type Column =
  | Exclude<keyof Lexicon, 'events' | 'trigramEntries' | 'frequent'>
  | `${'events' | 'trigramEntries'}.${'ends' | 'bytes'}`;

function lexiconOf(name: string, columns: ReadonlyMap<string, Uint8Array<ArrayBuffer>>): Lexicon {
  const u8 = (column: Column) => {
    const bytes = columns.get(`${name}.${column}`);
    if (bytes !== undefined) return bytes;
    throw unusable(`${name}.${column}`, 'to be there', 'nothing');
  };
  const u32 = (column: Column) => {
    const bytes = u8(column);
    if (bytes.length % 4 !== 0)
      throw unusable(`${name}.${column}`, 'words of 4 bytes', `${bytes.length} bytes`);
    return new Uint32Array(bytes.buffer);
  };
  return {
    text: u8('text'),
    ends: u32('ends'),
    letters: u32('letters'),
    lengths: u32('lengths'),
    trigrams: u32('trigrams'),
    events: { ends: u32('events.ends'), bytes: u8('events.bytes') },
    trigramEntries: { ends: u32('trigramEntries.ends'), bytes: u8('trigramEntries.bytes') },
    frequent: new Map(),
  };
}

/** What its lists end at lies within their bytes. Throws SNAPSHOT_UNUSABLE. */
export function checkSearchIndex({ words, parts }: SearchIndex): void {
  for (const [name, lexicon] of Object.entries({ words, parts })) checkLexicon(name, lexicon);
}

function checkLexicon(name: string, lexicon: Lexicon): void {
  const { text, ends, letters, lengths, events, trigrams, trigramEntries } = lexicon;
  const entries = ends.length;
  for (const [column, expected, found] of [
    ['letters', entries, letters.length],
    ['lengths', LENGTHS, lengths.length],
    ['events.ends', entries, events.ends.length],
    ['trigramEntries.ends', trigrams.length, trigramEntries.ends.length],
  ] as const) {
    if (found !== expected) throw unusable(`${name}.${column}`, `${expected} entries`, String(found));
  }
  for (const [column, values, last] of [
    ['ends', ends, text.length],
    ['lengths', lengths, entries],
    ['trigrams', trigrams, 0xffffff],
    ...endsOf('events', events),
    ...endsOf('trigramEntries', trigramEntries),
  ] as const) {
    const at = values.findIndex((value, place) => value < (values[place - 1] ?? 0) || value > last);
    if (at !== -1) {
      throw unusable(`${name}.${column}`, `numbers that ascend to ${last}`, `${values[at]} at ${at}`);
    }
  }
}

/** H7: every posting is of an event, or of an entry, that is there. Follows all of them: 50 ms for each 30 MB. */
export async function checkPostings(
  { words, parts }: SearchIndex,
  query: Query,
  events: number,
): Promise<void> {
  for (const [name, lexicon] of Object.entries({ words, parts })) {
    checkLists(`${name}.events`, lexicon.events, 2 * events);
    checkLists(`${name}.trigramEntries`, lexicon.trigramEntries, lexicon.ends.length);
  }
  const lists = await query(
    "select key, encoding, events from search_short where encoding = 'list'",
    [],
    (row) => ({
      key: integerOf(row, 'key'),
      bytes: bytesOf(row, 'events'),
    }),
  );
  for (const { key, bytes } of lists) checkList(`search_short ${key}`, bytes, [0, bytes.length, 2 * events]);
}

function checkLists(name: string, { ends, bytes }: PostingLists, end: number): void {
  for (let list = 0; list < ends.length; list++) {
    checkList(name, bytes, [startOf(ends, list), ends[list] as number, end]);
  }
}

function checkList(
  name: string,
  bytes: Uint8Array,
  [from, to, end]: readonly [from: number, to: number, end: number],
): void {
  const last = bytes[to - 1] ?? 0;
  if (to > from && last > 0x7f) throw unusable(name, 'whole numbers', `half of one at ${to - 1}`);
  eachPostingIn(bytes, from, to, (value) => {
    if (value < 0 || value >= end) throw unusable(name, `numbers below ${end}`, String(value));
  });
}

function endsOf(name: string, { ends, bytes }: PostingLists) {
  return [[`${name}.ends`, ends, bytes.length] as const];
}

async function readColumn(query: Query, name: string, size: number): Promise<Uint8Array<ArrayBuffer>> {
  const column = new Uint8Array(size);
  for (let at = 0; at < size; at += PART) {
    const [bytes] = await query(BYTES, [name, at / PART], (row) => bytesOf(row, 'bytes'));
    const expected = Math.min(PART, size - at);
    if (bytes?.length !== expected) {
      throw unusable(`${name}, part ${at / PART}`, `${expected} bytes`, `${bytes?.length ?? 'none'}`);
    }
    column.set(bytes, at);
  }
  return column;
}

function setOf(row: Row): EventSet {
  const encoding = textOf(row, 'encoding');
  if (isEncoding(encoding)) return { encoding, bytes: bytesOf(row, 'events') };
  throw new CalendarError(
    'SNAPSHOT_UNUSABLE',
    `search_short: expected encoding list or bits, found ${encoding}`,
  );
}

function unusable(name: string, expected: string, found: string): CalendarError {
  return new CalendarError('SNAPSHOT_UNUSABLE', `search_part ${name}: expected ${expected}, found ${found}`);
}
