/**
 * The columns of a file. The table `column_blob` has each in parts: SQLite and the driver copy a value up to three times at once, and the
 * longest column of a million occurrences has 120 MB.
 */
import { COLUMNS, type ColumnName, type Columns, isColumnName, KINDS, type Kind } from './columns.ts';
import { bytesOf, integerOf, type Reader, type Row, textOf } from './reader.ts';
import { unusable } from './unusable.ts';

type ColumnValues = InstanceType<(typeof KINDS)[Kind]>;

/** The columns with these names. Throws SNAPSHOT_UNUSABLE for one that is missing or of another kind. */
export async function readColumns<Name extends ColumnName>(
  reader: Pick<Reader, 'all'>,
  names: readonly Name[],
): Promise<Pick<Columns, Name>> {
  const columns = await readAll(reader, names, (name) => COLUMNS[name].kinds);
  return columns as Pick<Columns, Name>;
}

/** Columns of whole numbers of 32 bits, with any names. Throws SNAPSHOT_UNUSABLE like `readColumns`. */
export async function readIntegers(
  reader: Pick<Reader, 'all'>,
  names: readonly string[],
): Promise<Readonly<Record<string, Int32Array<ArrayBuffer>>>> {
  const columns = await readAll(reader, names, () => INTEGERS);
  return columns as Record<string, Int32Array<ArrayBuffer>>;
}

const INTEGERS: readonly Kind[] = ['i32'];

/** Bytes up to which a column is read together with others: each call goes through the driver's thread pool, which costs more than the reading. */
const SMALL_BYTES = 65_536;
const SMALL = `select name, kind, length, bytes from column_blob
  where name in (select value from json_each(?)) and part = 0 and length(bytes) <= ${SMALL_BYTES}`;

/** The values of each column, which are of one of its kinds. */
async function readAll<Name extends string>(
  reader: Pick<Reader, 'all'>,
  names: readonly Name[],
  kindsOf: (name: Name) => readonly Kind[],
): Promise<Readonly<Record<string, ColumnValues>>> {
  const kinds = new Map<string, readonly Kind[]>(names.map((name) => [name, kindsOf(name)]));
  const small = await reader.all(SMALL, [JSON.stringify(names)], (row) => {
    const name = textOf(row, 'name');
    return [name, valuesOf(name, kinds.get(name) ?? [], row)] as const;
  });
  const known = new Map(small);
  const large = names
    .filter((name) => !known.has(name))
    .map(async (name) => [name, await readParts(reader, name, kinds.get(name) ?? [])] as const);
  return Object.fromEntries([...small, ...(await Promise.all(large))]);
}

function valuesOf(name: string, kinds: readonly Kind[], row: Row): ColumnValues {
  const bytes = bytesOf(row, 'bytes');
  const Column = arrayOf(name, kinds, { kind: textOf(row, 'kind'), length: integerOf(row, 'length'), bytes });
  // A typed array needs an aligned start; the driver gives each blob its own buffer, but does not promise it.
  const isAligned = bytes.byteOffset % Column.BYTES_PER_ELEMENT === 0;
  // The copy is no Buffer, whose `slice` would copy nothing.
  const { buffer, byteOffset, byteLength } = isAligned ? bytes : new Uint8Array(bytes);
  if (!(buffer instanceof ArrayBuffer))
    throw new TypeError(`expected memory of this thread alone, found ${buffer.constructor.name}`);
  return new Column(buffer, byteOffset, byteLength / Column.BYTES_PER_ELEMENT);
}

interface WrittenColumn {
  readonly kind: string;
  readonly length: number;
  readonly bytes: Pick<Uint8Array, 'byteLength'>;
}

/** The kind of array of a column's values, which have these bytes. */
function arrayOf(name: string, kinds: readonly Kind[], { kind: written, length, bytes }: WrittenColumn) {
  const kind = kinds.find((allowed) => allowed === written);
  if (kind === undefined) throw unusable(`column_blob ${name}`, `kind ${kinds.join(' or ')}`, written);
  const Column = KINDS[kind];
  if (bytes.byteLength !== length * Column.BYTES_PER_ELEMENT)
    throw unusable(`column_blob ${name}`, `${length} values`, `${bytes.byteLength} bytes`);
  return Column;
}

const SIZES = `select count(*) as parts, min(kind) as kind, sum(length) as length, sum(length(bytes)) as bytes
  from column_blob where name = ? having count(*) > 0`;
const PART = 'select bytes from column_blob where name = ? and part = ?';

/** A column that is too large to be read together with others: part by part, so that only one of them is in memory besides. */
async function readParts(
  { all }: Pick<Reader, 'all'>,
  name: string,
  kinds: readonly Kind[],
): Promise<ColumnValues> {
  const [sizes] = await all(SIZES, [name], (row) => ({
    parts: integerOf(row, 'parts'),
    kind: textOf(row, 'kind'),
    length: integerOf(row, 'length'),
    bytes: { byteLength: integerOf(row, 'bytes') },
  }));
  if (sizes === undefined) throw unusable(`column_blob ${name}`, 'to be there', 'nothing');
  const Column = arrayOf(name, kinds, sizes);
  const column = new Column(sizes.length);
  const bytes = new Uint8Array(column.buffer);
  let end = 0;
  for (let part = 0; part < sizes.parts; part++) {
    const [piece] = await all(PART, [name, part], (row) => bytesOf(row, 'bytes'));
    if (piece === undefined) throw unusable(`column_blob ${name}`, `part ${part}`, 'none');
    bytes.set(piece, end);
    end += piece.byteLength;
  }
  return column;
}

/** Bytes of a part: a multiple of those of each kind of value. */
const PART_BYTES = 1_024 * 1_024;

/** One row of the table `column_blob`. */
interface StoredPart {
  readonly part: number;
  readonly kind: Kind;
  readonly length: number;
  readonly bytes: Uint8Array;
}

/** A column as the table stores it. One without values has a part, too. */
export function storedParts(name: string, values: ColumnValues): readonly StoredPart[] {
  const kinds: readonly Kind[] = isColumnName(name) ? COLUMNS[name].kinds : INTEGERS;
  const kind = kinds.find((allowed) => values instanceof KINDS[allowed]);
  if (kind === undefined)
    throw new TypeError(`expected ${name} as ${kinds.join(' or ')}, found ${values.constructor.name}`);
  const { buffer, byteOffset, byteLength, BYTES_PER_ELEMENT: valueBytes } = values;
  const whole = new Uint8Array(buffer, byteOffset, byteLength);
  const parts = Math.max(1, Math.ceil(byteLength / PART_BYTES));
  return Array.from({ length: parts }, (_, part) => {
    const bytes = whole.subarray(part * PART_BYTES, (part + 1) * PART_BYTES);
    return { part, kind, length: bytes.length / valueBytes, bytes };
  });
}
