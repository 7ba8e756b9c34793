/** Sets of numbers 0 … count - 1, one bit each, in words of 32 bits: a set of 200,000 takes 25 KB, and joining two takes microseconds. */
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

export function keepCommon(bitmap: Bitmap, others: Bitmap): void {
  for (let word = 0; word < bitmap.length; word++)
    bitmap[word] = (bitmap[word] as number) & (others[word] as number);
}

export function removeBits(bitmap: Bitmap, others: Bitmap): void {
  for (let word = 0; word < bitmap.length; word++)
    bitmap[word] = (bitmap[word] as number) & ~(others[word] as number);
}

export function isEmpty(bitmap: Bitmap): boolean {
  return bitmap.every((word) => word === 0);
}

/** Calls back with each number of the set, ascending, until a call returns true; returns whether one did. */
export function someBit(bitmap: Bitmap, test: (bit: number) => boolean): boolean {
  for (let word = 0; word < bitmap.length; word++) {
    for (let rest = bitmap[word] as number; rest !== 0; rest &= rest - 1) {
      if (test(32 * word + lowest(rest))) return true;
    }
  }
  return false;
}

/** All numbers of a set, ascending: loops over them are faster than calls for each. */
export function bitsOf(bitmap: Bitmap): Int32Array {
  const bits = new Int32Array(countBits(bitmap));
  let found = 0;
  for (let word = 0; word < bitmap.length; word++) {
    for (let rest = bitmap[word] as number; rest !== 0; rest &= rest - 1)
      bits[found++] = 32 * word + lowest(rest);
  }
  return bits;
}

/** Numbers of a set, ascending: all of them, or at most `count` after the first `skip`. */
export function placesOf(bitmap: Bitmap, skip = 0, count = Number.POSITIVE_INFINITY): readonly number[] {
  const places: number[] = [];
  let toSkip = skip;
  for (let word = 0; word < bitmap.length && places.length < count; word++) {
    const found = countIn(bitmap[word] as number);
    if (found <= toSkip) {
      toSkip -= found;
      continue;
    }
    for (let rest = bitmap[word] as number; rest !== 0 && places.length < count; rest &= rest - 1) {
      if (toSkip > 0) toSkip--;
      else places.push(32 * word + lowest(rest));
    }
  }
  return places;
}

/** Index of the lowest bit that is set, 0 … 31; at least one must be set. */
function lowest(word: number): number {
  return 31 - Math.clz32(word & -word);
}

export function countBits(bitmap: Bitmap): number {
  let count = 0;
  for (let word = 0; word < bitmap.length; word++) count += countIn(bitmap[word] as number);
  return count;
}

/** The size of the intersection. */
export function countCommon(bitmap: Bitmap, others: Bitmap): number {
  let count = 0;
  for (let word = 0; word < bitmap.length; word++)
    count += countIn((bitmap[word] as number) & (others[word] as number));
  return count;
}

function countIn(word: number): number {
  let pairs = word - ((word >>> 1) & 0x55555555);
  pairs = (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333);
  return Math.imul((pairs + (pairs >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}

/** How many of the ascending values are at most `limit`. */
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
