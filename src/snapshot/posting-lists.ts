/**
 * Posting lists: many ascending lists of whole numbers in one run of bytes, each number as its distance from the one before,
 * less one, as a varint (groups of seven bits, the lowest first).
 */
export interface PostingLists {
  /** Where each list ends in `bytes`; it begins where the one before ends. */
  readonly ends: Uint32Array;
  readonly bytes: Uint8Array;
}

export function eachPosting(
  { ends, bytes }: PostingLists,
  list: number,
  visit: (value: number) => void,
): void {
  eachPostingIn(bytes, startOf(ends, list), ends[list] as number, visit);
}

/** A list that stands alone, or the stretch of the bytes that holds it. */
export function eachPostingIn(
  bytes: Uint8Array,
  from: number,
  to: number,
  visit: (value: number) => void,
): void {
  let value = -1;
  for (let at = from; at < to; ) {
    let byte = bytes[at++] as number;
    let distance = byte & 0x7f;
    for (let shift = 7; byte > 0x7f; shift += 7) {
      byte = bytes[at++] as number;
      distance |= (byte & 0x7f) << shift;
    }
    value += distance + 1;
    visit(value);
  }
}

/** Writes a number that follows another in its list, and gives the place behind it. At most five bytes. */
export function writeVarint(bytes: Uint8Array, at: number, distance: number): number {
  let rest = distance - 1;
  let place = at;
  for (; rest > 0x7f; rest >>>= 7) bytes[place++] = (rest & 0x7f) | 0x80;
  bytes[place++] = rest;
  return place;
}

export const LONGEST_VARINT = 5;

/** Where a stretch begins, given where each one ends. */
export function startOf(ends: Uint32Array, at: number): number {
  return at === 0 ? 0 : (ends[at - 1] as number);
}

/** Bytes of a list: about as many as it has entries. */
export function sizeOf({ ends }: PostingLists, list: number): number {
  return (ends[list] as number) - startOf(ends, list);
}
