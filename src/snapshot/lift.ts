/**
 * The arrays that a server loads of a snapshot, on their way to it from the process that has decoded and checked them: a line of JSON, in
 * which a `Stored` stands for each of them, then their bytes.
 */
import type { Readable } from 'node:stream';
import { COLUMN_NAMES, type Columns } from './columns.ts';
import type { SearchIndex } from './search.ts';

export interface Lift extends Pick<SearchIndex, 'words' | 'parts'> {
  readonly columns: Columns;
}

const ARRAYS = { Float64Array, Int32Array, Uint32Array, Uint16Array, Uint8Array } as const;

/** `at`: the array's place among the bytes, a multiple of eight. */
type Stored = readonly [kind: keyof typeof ARRAYS, at: number, length: number];

/** The parts to write, one after the other. */
export function storeLift(lift: Lift): readonly Uint8Array[] {
  const parts: Uint8Array[] = [];
  let size = 0;
  const line = JSON.stringify(lift, (_, value) => {
    if (!ArrayBuffer.isView(value)) return value;
    const [bytes, at] = [new Uint8Array(value.buffer, value.byteOffset, value.byteLength), size];
    size = 8 * Math.ceil((at + bytes.length) / 8);
    parts.push(bytes, new Uint8Array(size - at - bytes.length));
    return [value.constructor.name, at, 'length' in value ? value.length : 0];
  });
  return [Buffer.from(`${size} ${line}\n`), ...parts];
}

/** Null if the stream ends too early, or comes from another version of this program. */
export async function readLift(stream: Readable): Promise<Lift | null> {
  let head = Buffer.alloc(0);
  let bytes: Uint8Array<ArrayBuffer> | null = null;
  let at = 0;
  for await (const chunk of stream) {
    let part: Buffer = chunk;
    if (bytes === null) {
      head = Buffer.concat([head, part]);
      const end = head.indexOf('\n');
      if (end === -1) continue;
      // One piece of memory for all arrays: for each, V8 would collect the garbage of its heap.
      bytes = new Uint8Array(Number.parseInt(head.toString('latin1'), 10));
      part = head.subarray(end + 1);
      head = head.subarray(head.indexOf(' '), end);
    }
    bytes.set(part, at);
    at += part.length;
  }
  if (bytes === null || at < bytes.length) return null;
  const { buffer } = bytes;
  const arrayOf = ([kind, place, length]: Stored) => new ARRAYS[kind](buffer, place, length);
  const lift: Lift = JSON.parse(head.toString(), (_, value) =>
    Array.isArray(value) ? arrayOf(value as unknown as Stored) : value,
  );
  return COLUMN_NAMES.every((name) => name in lift.columns) ? lift : null;
}
