/**
 * Short needles are in so many entries that their events are worked out ahead of time: a set each, in whichever encoding takes
 * fewer bytes. All of one and two bytes are there, and of three bytes those that many events hold by many entries.
 */
import { addBits, setBit, somePlace } from './bitmaps.ts';
import type { Hits, Marks } from './lexicon.ts';
import { eachPostingIn, LONGEST_VARINT, writeVarint } from './posting-lists.ts';

/** `list`: packed like a lexicon's events. `bits`: both sets of Hits, one behind the other. */
type Encoding = 'list' | 'bits';

export interface EventSet {
  readonly encoding: Encoding;
  readonly bytes: Uint8Array;
}

export function isEncoding(encoding: string): encoding is Encoding {
  return encoding in DECODE;
}

export const LONGEST_SHORT = 3;

/** Without a set, needles of so many bytes are in no entry; longer ones may be. */
export const ALWAYS_SET = 2;

/** A needle's key: shorter needles come first, those of the same length in order of their bytes. */
export function needleKey(needle: Iterable<number>): number {
  let key = 0;
  for (const byte of needle) key = keyWith(key, byte);
  return key;
}

/** The key of a needle that goes on with another byte; 0 is the key of the empty one. */
export function keyWith(key: number, byte: number): number {
  return 0x100 * key + byte + 1;
}

/** The needle of a key. */
export function needleOf(key: number): Uint8Array {
  const bytes: number[] = [];
  for (let rest = key; rest > 0; rest = Math.floor((rest - 1) / 0x100)) bytes.unshift((rest - 1) % 0x100);
  return Uint8Array.from(bytes);
}

/** Undefined when no event holds it. */
export function encodeHits(hits: Hits): EventSet | undefined {
  const { anywhere, inTexts } = hits;
  const list = encodeList(hits, 2 * anywhere.byteLength);
  if (list !== undefined) return list.length === 0 ? undefined : { encoding: 'list', bytes: list };
  const both = new Uint32Array(2 * anywhere.length);
  both.set(anywhere);
  both.set(inTexts, anywhere.length);
  return { encoding: 'bits', bytes: new Uint8Array(both.buffer) };
}

/** Undefined when it takes more than so many bytes. */
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
    // A copy: words have to begin at a multiple of four in their buffer.
    const both = new Uint32Array(bytes.slice().buffer);
    addBits(events, both.subarray(textsOnly ? events.length : 0));
  },
} satisfies Record<Encoding, (bytes: Uint8Array, marks: Marks) => void>;
