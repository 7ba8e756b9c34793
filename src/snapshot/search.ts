/**
 * The search index within a snapshot: its tables, and how they are read. The two lexicons are loaded into memory. They may come from
 * elsewhere (H7): the ends of lists are checked against their bytes, or the file is refused.
 */
import { addBits, setBit, somePlace } from './bitmaps.ts';
import { unusable } from './format.ts';
import {
  eachPostingIn,
  type Hits,
  LENGTHS,
  type Lexicon,
  LONGEST_VARINT,
  type Marks,
  type PostingLists,
  writeVarint,
} from './lexicon.ts';
import { bytesOf, integerOf, type Reader, type Row, textOf } from './sqlite.ts';

export const SEARCH_TABLES = `
create table search_part (name text not null, part integer not null, bytes blob not null, primary key (name, part));
create table search_short (key integer primary key, encoding text not null, events blob not null);
`;

export const INSERT_PART = 'insert into search_part (name, part, bytes) values (?, ?, ?)';
export const INSERT_SHORT = 'insert into search_short (key, encoding, events) values (?, ?, ?)';

/** Bytes of a part: reading one blocks the event loop for well under a millisecond. */
export const PART = 1024 * 1024;

export interface SearchIndex {
  /** Runs of letters and digits. */
  readonly words: Lexicon;
  /** Runs of non-blank characters that contain any character but letters and digits. */
  readonly parts: Lexicon;
  /** The events that contain a short needle; undefined if it has no set. */
  readonly short: (needle: Uint8Array) => Promise<EventSet | undefined>;
}

type Query = Reader['all'];

type Lexicons = Pick<SearchIndex, 'words' | 'parts'>;

/** `lexicons`: null if they are to be read. Throws SNAPSHOT_UNUSABLE. */
export async function readSearchIndex(query: Query, lexicons: Lexicons | null = null): Promise<SearchIndex> {
  const { words, parts } = lexicons ?? (await readLexicons(query));
  return { words, parts, short: async (needle) => (await query(SHORT, [needleKey(needle)], setOf))[0] };
}

async function readLexicons(query: Query): Promise<Lexicons> {
  const sizes = await query(SIZES, [], (row) => [textOf(row, 'name'), integerOf(row, 'size')] as const);
  const columns = new Map<string, Uint8Array<ArrayBuffer>>();
  for (const [name, size] of sizes) columns.set(name, await readColumn(query, name, size));
  return { words: lexiconOf('words', columns), parts: lexiconOf('parts', columns) };
}

const SIZES = 'select name, sum(length(bytes)) as size from search_part group by name order by name';
const BYTES = 'select bytes from search_part where name = ? and part = ?';
const SHORT = 'select encoding, events from search_short where key = ?';

/** A lexicon's arrays by the names of their parts in the table. */
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
  | Exclude<keyof Lexicon, 'events' | 'trigramEntries'>
  | `${'events' | 'trigramEntries'}.${'ends' | 'bytes'}`;

function lexiconOf(name: string, columns: ReadonlyMap<string, Uint8Array<ArrayBuffer>>): Lexicon {
  const u8 = (column: Column) => {
    const bytes = columns.get(`${name}.${column}`);
    if (bytes !== undefined) return bytes;
    throw unusable(`search_part ${name}.${column}`, 'to be there', 'nothing');
  };
  const u32 = (column: Column) => {
    const bytes = u8(column);
    if (bytes.length % 4 !== 0)
      throw unusable(`search_part ${name}.${column}`, 'words of 4 bytes', `${bytes.length} bytes`);
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
  };
}

/** Checks that lists end within their bytes. Throws SNAPSHOT_UNUSABLE. */
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
    if (found !== expected) throw unusable(`search_part ${name}.${column}`, `${expected} entries`, found);
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
      throw unusable(
        `search_part ${name}.${column}`,
        `numbers that ascend to ${last}`,
        `${values[at]} at ${at}`,
      );
    }
  }
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
      throw unusable(
        `search_part ${name}, part ${at / PART}`,
        `${expected} bytes`,
        `${bytes?.length ?? 'none'}`,
      );
    }
    column.set(bytes, at);
  }
  return column;
}

function setOf(row: Row): EventSet {
  const encoding = textOf(row, 'encoding');
  if (isEncoding(encoding)) return { encoding, bytes: bytesOf(row, 'events') };
  throw unusable('search_short', 'encoding list or bits', encoding);
}

/**
 * Short needles are in so many entries that the build computes their events: one set each, in the encoding with fewer bytes. There is a
 * set for every needle of one or two bytes, and for needles of three bytes that many entries and events contain.
 */

/** `list`: packed like a lexicon's events. `bits`: both bitmaps of Hits, concatenated. */
type Encoding = 'list' | 'bits';

export interface EventSet {
  readonly encoding: Encoding;
  readonly bytes: Uint8Array;
}

function isEncoding(encoding: string): encoding is Encoding {
  return Object.hasOwn(DECODE, encoding);
}

export const LONGEST_SHORT = 3;

/** A needle of up to so many bytes without a set is in no entry; a longer one may be. */
export const ALWAYS_SET = 2;

/** A needle's key: shorter needles first, those of equal length in byte order. */
export function needleKey(needle: Iterable<number>): number {
  let key = 0;
  for (const byte of needle) key = keyWith(key, byte);
  return key;
}

/** The key of a needle with another byte appended; 0 is the key of the empty one. */
export function keyWith(key: number, byte: number): number {
  return 0x100 * key + byte + 1;
}

/** The needle of a key. */
export function needleOf(key: number): Uint8Array {
  const bytes: number[] = [];
  for (let rest = key; rest > 0; rest = Math.floor((rest - 1) / 0x100)) bytes.unshift((rest - 1) % 0x100);
  return Uint8Array.from(bytes);
}

/** Undefined if no event contains it. */
export function encodeHits(hits: Hits): EventSet | undefined {
  const { anywhere, inTexts } = hits;
  const list = encodeList(hits, 2 * anywhere.byteLength);
  if (list !== undefined) return list.length === 0 ? undefined : { encoding: 'list', bytes: list };
  const both = new Uint32Array(2 * anywhere.length);
  both.set(anywhere);
  both.set(inTexts, anywhere.length);
  return { encoding: 'bits', bytes: new Uint8Array(both.buffer) };
}

/** Undefined if it takes more than `most` bytes. */
function encodeList({ anywhere, inTexts }: Hits, most: number): Uint8Array | undefined {
  const bytes = new Uint8Array(most + LONGEST_VARINT);
  let end = 0;
  let last = -1;
  const isTooLong = somePlace(anywhere, (event) => {
    const elsewhere = 1 - (((inTexts[event >>> 5] as number) >>> (event & 31)) & 1);
    const value = 2 * event + elsewhere;
    end = writeVarint(bytes, end, value - last);
    last = value;
    return end > most;
  });
  return isTooLong ? undefined : bytes.slice(0, end);
}

export function markSet({ encoding, bytes }: EventSet, marks: Marks): void {
  DECODE[encoding](bytes, marks);
}

const DECODE = {
  list: (bytes: Uint8Array, { events, textsOnly }: Marks) =>
    eachPostingIn(bytes, 0, bytes.length, (value) => {
      if (!textsOnly || (value & 1) === 0) setBit(events, value >> 1);
    }),
  bits: (bytes: Uint8Array, { events, textsOnly }: Marks) => {
    // A copy: a typed array of words must begin at a multiple of four in its buffer.
    const both = new Uint32Array(bytes.slice().buffer);
    addBits(events, both.subarray(textsOnly ? events.length : 0));
  },
} satisfies Record<Encoding, (bytes: Uint8Array, marks: Marks) => void>;
