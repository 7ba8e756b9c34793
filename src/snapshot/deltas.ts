/**
 * Whole numbers as bytes: each as its distance from the one before it, because neighbours in columns ascend or are near each other. The
 * distances of a block have the same width, so that reading them takes no decisions: 5 to 6 ns a number.
 */

/** A block is a byte with its width and so many distances; the last one may be shorter. */
const BLOCK = 128;
/** Distances of up to four bytes are integers of the engine; others, from instant to instant across millennia, take seven. */
const NARROW = 3;
const WIDE = 7;

export function writeDeltas(values: ArrayLike<number>): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(WIDE * values.length + Math.ceil(values.length / BLOCK));
  const codes = new Float64Array(BLOCK);
  let end = 0;
  let last = 0;
  for (let from = 0; from < values.length; from += BLOCK) {
    const count = Math.min(BLOCK, values.length - from);
    let most = 0;
    for (let place = 0; place < count; place++) {
      const value = values[from + place] as number;
      const code = codeOf(value - last);
      if (code > 0) last = value;
      if (code > most) most = code;
      codes[place] = code;
    }
    const width = widthOf(most);
    bytes[end++] = width;
    for (let place = 0; place < count; place++) {
      let rest = codes[place] as number;
      for (let byte = 0; byte < width; byte++, rest = Math.floor(rest / 0x100)) bytes[end++] = rest % 0x100;
    }
  }
  return bytes.slice(0, end);
}

/** 0 for the value -Infinity, which has no distance; then those of 0, -1, 1, -2 … */
function codeOf(distance: number): number {
  if (distance === Number.NEGATIVE_INFINITY) return 0;
  return distance < 0 ? -2 * distance : 2 * distance + 1;
}

function widthOf(code: number): number {
  for (let width = 0; width <= NARROW; width++) if (code < 0x100 ** width) return width;
  return WIDE;
}

type Numbers = Float64Array | Int32Array | Uint32Array | Uint16Array | Uint8Array;

/** Fills `values`; false if the bytes are not exactly so many numbers. */
export function readDeltas(bytes: Uint8Array, values: Numbers): boolean {
  let at = 0;
  let value = 0;
  for (let from = 0; from < values.length; from += BLOCK) {
    const count = Math.min(BLOCK, values.length - from);
    const width = bytes[at++] ?? WIDE;
    if ((width > NARROW && width !== WIDE) || at + count * width > bytes.length) return false;
    const [codes, distances] = [bytes.subarray(at, at + count * width), values.subarray(from, from + count)];
    value = (width <= NARROW ? addNarrow : addWide)(codes, distances, value);
    at += codes.length;
  }
  return at === bytes.length;
}

/** Takes no decision that depends on a distance. Like the other, it returns the last value. */
function addNarrow(codes: Uint8Array, values: Numbers, before: number): number {
  const width = codes.length / values.length;
  let value = before;
  for (let place = 0, at = 0; place < values.length; place++, at += width) {
    let code = width > 0 ? (codes[at] as number) : 0;
    if (width > 1) code |= (codes[at + 1] as number) << 8;
    if (width > 2) code |= (codes[at + 2] as number) << 16;
    const sign = (code & 1) - 1;
    value += ((code >> 1) ^ sign) - sign;
    values[place] = code === 0 ? Number.NEGATIVE_INFINITY : value;
  }
  return value;
}

function addWide(codes: Uint8Array, values: Numbers, before: number): number {
  let value = before;
  for (let place = 0; place < values.length; place++) {
    let code = 0;
    for (let byte = WIDE - 1; byte >= 0; byte--) code = code * 0x100 + (codes[place * WIDE + byte] as number);
    value += code % 2 === 1 ? (code - 1) / 2 : -code / 2;
    values[place] = code === 0 ? Number.NEGATIVE_INFINITY : value;
  }
  return value;
}
