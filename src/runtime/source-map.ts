/**
 * Positions in sources, by a source map (ECMA-426). Node's own class makes an object of each segment at once: for the largest map of this
 * program, with 1.1 MB, it takes 150 ms, in which a server answers nobody. Here, the first position takes 17 to 30 ms on the same machine.
 */

/** Both from zero. */
interface Position {
  /** As the map names it. */
  readonly source: string;
  readonly line: number;
  readonly column: number;
}

interface RawMap {
  readonly sources: readonly string[];
  readonly mappings: string;
}

/** Finds the source of a position in the compiled file, from zero; null for text without a source. */
export type FindSource = (line: number, column: number) => Position | null;

/** Throws for a text that is no source map. */
export function readSourceMap(text: string): FindSource {
  const { sources, mappings }: RawMap = JSON.parse(text);
  const starts = lineStarts(mappings);
  return (line, column) => {
    const start = starts[line];
    if (start === undefined) return null;
    let found: Segment | null = null;
    readLine(mappings, start, (segment) => {
      if (segment.generated <= column) found = segment;
    });
    return positionOf(found, sources);
  };
}

function positionOf(segment: Segment | null, sources: readonly string[]): Position | null {
  if (segment === null || !segment.hasSource) return null;
  const { line, column } = segment;
  const source = sources[segment.source];
  return source === undefined ? null : { source, line, column };
}

/** Where a line of the compiled file begins in the mappings, and the sums of the fields before it. */
interface Start {
  readonly at: number;
  readonly source: number;
  readonly line: number;
  readonly column: number;
}

interface Segment extends Omit<Start, 'at'> {
  /** Column in the compiled file. */
  readonly generated: number;
  readonly hasSource: boolean;
}

function lineStarts(mappings: string): readonly Start[] {
  const starts: Start[] = [];
  let next: Start = { at: 0, source: 0, line: 0, column: 0 };
  while (next.at <= mappings.length) {
    starts.push(next);
    next = readLine(mappings, next);
  }
  return starts;
}

const COMMA = 0x2c;
const SEMICOLON = 0x3b;
const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
/** The value of each digit by its code. */
const VALUES = Int8Array.from({ length: 128 }, (_, code) => DIGITS.indexOf(String.fromCharCode(code)));
/** The bit of a digit that another one follows. */
const CONTINUES = 0b100000;
/** The position of the last digit of a number of 32 bits. */
const MOST_SHIFT = 30;
/** A column in the compiled file, which begins anew on each line; a source, its line and column; and a name, which nobody needs. */
const FIELDS = 5;

/** Reads the segments of a line: sums of numbers in base 64, the lowest digits first, with the sign in the lowest bit. Returns the next start. */
function readLine(mappings: string, from: Start, visit?: (segment: Segment) => void): Start {
  const sums = [0, from.source, from.line, from.column, 0];
  let { at } = from;
  let field = 0;
  let number = 0;
  let shift = 0;
  for (; at < mappings.length; at++) {
    const code = mappings.charCodeAt(at);
    if (code === SEMICOLON) break;
    if (code === COMMA) {
      visit?.(segmentOf(sums, field));
      field = 0;
      continue;
    }
    const digit = VALUES[code] ?? -1;
    if (digit < 0 || field === FIELDS || shift > MOST_SHIFT)
      throw new Error(`expected mappings of a source map, found something else at ${at}`);
    number |= (digit & ~CONTINUES) << shift;
    shift += 5;
    if ((digit & CONTINUES) !== 0) continue;
    const size = number >>> 1;
    sums[field] = (sums[field] ?? 0) + ((number & 1) === 1 ? -size : size);
    field++;
    number = 0;
    shift = 0;
  }
  if (field > 0) visit?.(segmentOf(sums, field));
  return { at: at + 1, source: sums[1] ?? 0, line: sums[2] ?? 0, column: sums[3] ?? 0 };
}

function segmentOf(sums: readonly number[], fields: number): Segment {
  const [generated = 0, source = 0, line = 0, column = 0] = sums;
  return { generated, hasSource: fields > 1, source, line, column };
}
