/** Sets of rows and of events as bitmaps, and ascending lists of numbers. */

/** Sets of numbers 0 … count - 1, one bit each, in words of 32 bits. */
export type Bitmap = Uint32Array<ArrayBuffer>;

export function emptyBitmap(count: number): Bitmap {
  return new Uint32Array(wordsFor(count));
}

export function wordsFor(count: number): number {
  return Math.ceil(count / 32);
}

export function setBit(bitmap: Bitmap, bit: number): void {
  const word = bit >>> 5;
  bitmap[word] = (bitmap[word] as number) | (1 << bit);
}

export function hasBit(bitmap: Bitmap, bit: number): boolean {
  return ((bitmap[bit >>> 5] as number) & (1 << bit)) !== 0;
}

/** The first bitmap keeps the numbers that both have. */
export function intersect(bitmap: Bitmap, others: Bitmap): void {
  for (let word = 0; word < bitmap.length; word++) {
    bitmap[word] = (bitmap[word] as number) & (others[word] as number);
  }
}

/** The first bitmap gets the numbers of the second. */
export function unite(bitmap: Bitmap, others: Bitmap): void {
  for (let word = 0; word < bitmap.length; word++) {
    bitmap[word] = (bitmap[word] as number) | (others[word] as number);
  }
}

/** The first bitmap loses the numbers of the second. */
export function subtract(bitmap: Bitmap, others: Bitmap): void {
  for (let word = 0; word < bitmap.length; word++) {
    bitmap[word] = (bitmap[word] as number) & ~(others[word] as number);
  }
}

export function isEmpty(bitmap: Bitmap): boolean {
  return bitmap.every((word) => word === 0);
}

/**
 * Numbers of a set, ascending: all of them, or at most `most` after the first `skip`. An array, so that callers loop over it by index,
 * without a call or an iterator for each number.
 */
export function bitsOf(bitmap: Bitmap, skip = 0, most = Number.POSITIVE_INFINITY): Int32Array {
  const wanted = Math.min(countBits(bitmap), skip + most);
  // With room for the rest of the last word.
  const bits = new Int32Array(wanted + 31);
  let found = 0;
  for (let word = 0; found < wanted; word++) {
    for (let rest = bitmap[word] as number; rest !== 0; rest &= rest - 1)
      bits[found++] = 32 * word + lowestBit(rest);
  }
  return bits.subarray(skip, wanted);
}

/** Index of the lowest bit that is set, 0 … 31; at least one must be set. */
export function lowestBit(word: number): number {
  return 31 - Math.clz32(word & -word);
}

export function countBits(bitmap: Bitmap): number {
  let count = 0;
  for (let word = 0; word < bitmap.length; word++) count += popCount(bitmap[word] as number);
  return count;
}

/** The size of the intersection. */
export function countCommon(bitmap: Bitmap, others: Bitmap): number {
  let count = 0;
  for (let word = 0; word < bitmap.length; word++)
    count += popCount((bitmap[word] as number) & (others[word] as number));
  return count;
}

/** The number of members from `first` to before `end`. */
export function countBetween(bitmap: Bitmap, first: number, end: number): number {
  let count = 0;
  for (let word = first >>> 5; 32 * word < end; word++) {
    const before = Math.max(0, first - 32 * word);
    const after = Math.max(0, 32 * word + 32 - end);
    count += popCount((((bitmap[word] as number) >>> before) << before) << after);
  }
  return count;
}

/** The number of members among these numbers, from one index to before another one. */
export function countMembers(bitmap: Bitmap, numbers: Int32Array, from: number, to: number): number {
  let count = 0;
  // Without a branch, which processors could not predict.
  for (let index = from; index < to; index++) {
    const number = numbers[index] as number;
    count += ((bitmap[number >>> 5] as number) >>> (number & 31)) & 1;
  }
  return count;
}

/** Keeps the numbers for which the test holds. */
export function keepBits(bitmap: Bitmap, holds: (bit: number) => boolean): void {
  for (let word = 0; word < bitmap.length; word++) {
    let kept = bitmap[word] as number;
    for (let rest = kept; rest !== 0; rest &= rest - 1)
      if (!holds(32 * word + lowestBit(rest))) kept ^= rest & -rest;
    bitmap[word] = kept;
  }
}

/** Bits that are set in a word of 32. */
function popCount(word: number): number {
  let pairs = word - ((word >>> 1) & 0x55555555);
  pairs = (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333);
  return Math.imul((pairs + (pairs >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}

/** The number of values that are at most `limit`, by binary search. */
export function countUpTo(ascending: Float64Array | Uint32Array | Int32Array, limit: number): number {
  let low = 0;
  let high = ascending.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((ascending[middle] as number) <= limit) low = middle + 1;
    else high = middle;
  }
  return low;
}
