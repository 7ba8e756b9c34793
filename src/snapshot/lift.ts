/** Lifts a snapshot's columns and lists into memory, one blob at a time, so that nothing else waits for long. */
import { CalendarError } from '../calendar/errors.ts';
import { COLUMNS, type ColumnName, type Columns, KINDS, type Kind, type Lists } from './columns.ts';
import { bytesOf, integerOf, textOf } from './rows.ts';
import type { Reader } from './sqlite.ts';

export const LISTS = ['licence', 'venues', 'organizers', 'categories', 'containers', 'tags'] as const;

export async function liftColumns(reader: Reader): Promise<Columns> {
  const lifted: Partial<Record<ColumnName, ArrayBufferView>> = {};
  for (const name of COLUMN_NAMES) lifted[name] = viewOf(name, await readBlob(reader, name));
  if (!isColumns(lifted)) throw new CalendarError('SNAPSHOT_UNUSABLE', 'expected every column, found fewer');
  return lifted;
}

export async function liftLists(reader: Reader): Promise<Lists> {
  const lifted: Partial<Record<keyof Lists, unknown>> = {};
  for (const name of LISTS) {
    const sql = 'select body from list_json where name = ?';
    const [body] = await reader.all(sql, [name], (row) => textOf(row, 'body'));
    lifted[name] = parse(name, body ?? '');
  }
  if (!isLists(lifted))
    throw new CalendarError('SNAPSHOT_UNUSABLE', `expected the lists ${LISTS.join(', ')}`);
  return lifted;
}

interface Blob {
  readonly kind: string;
  readonly length: number;
  readonly bytes: Uint8Array;
}

async function readBlob(reader: Reader, name: string): Promise<Blob> {
  const sql = 'select kind, length, bytes from column_blob where name = ?';
  const [blob] = await reader.all(sql, [name], (row) => ({
    kind: textOf(row, 'kind'),
    length: integerOf(row, 'length'),
    bytes: bytesOf(row, 'bytes'),
  }));
  if (blob === undefined) throw unusable(name, 'to be there', 'nothing');
  return blob;
}

const VIEWS = {
  f64: (buffer, offset, length) => new Float64Array(buffer, offset, length),
  i32: (buffer, offset, length) => new Int32Array(buffer, offset, length),
  u16: (buffer, offset, length) => new Uint16Array(buffer, offset, length),
  u8: (buffer, offset, length) => new Uint8Array(buffer, offset, length),
} satisfies Record<Kind, (buffer: ArrayBufferLike, offset: number, length: number) => ArrayBufferView>;

function viewOf(name: ColumnName, { kind, length, bytes }: Blob): ArrayBufferView {
  const expected = COLUMNS[name];
  if (kind !== expected) throw unusable(name, `kind ${expected}`, kind);
  const width = KINDS[expected].BYTES_PER_ELEMENT;
  if (bytes.byteLength !== length * width) throw unusable(name, `${length * width} bytes`, bytes.byteLength);
  // A view needs an aligned beginning; the driver gives each blob a buffer of its own, but does not promise it.
  const aligned = bytes.byteOffset % width === 0 ? bytes : bytes.slice();
  return VIEWS[expected](aligned.buffer, aligned.byteOffset, length);
}

const isColumnName = (name: string): name is ColumnName => name in COLUMNS;
export const COLUMN_NAMES: readonly ColumnName[] = Object.keys(COLUMNS).filter(isColumnName);

function isColumns(lifted: Partial<Record<ColumnName, ArrayBufferView>>): lifted is Columns {
  return COLUMN_NAMES.every((name) => lifted[name] instanceof KINDS[COLUMNS[name]]);
}

/** The file's SHA-256 vouches for what is inside the documents; this catches a writer that left one out. */
function isLists(lifted: Partial<Record<keyof Lists, unknown>>): lifted is Lists {
  const { licence, ...rest } = lifted;
  return typeof licence === 'object' && licence !== null && Object.values(rest).every(Array.isArray);
}

function parse(name: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new CalendarError(
      'SNAPSHOT_UNUSABLE',
      `list_json ${name}: expected JSON, found ${text.slice(0, 40) || 'nothing'}`,
      { cause },
    );
  }
}

function unusable(name: string, expected: string, found: string | number): CalendarError {
  return new CalendarError('SNAPSHOT_UNUSABLE', `column_blob ${name}: expected ${expected}, found ${found}`);
}
