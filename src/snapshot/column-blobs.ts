/** The columns of a file: each is one blob of the table `column_blob`. */
import { COLUMNS, type ColumnName, type Columns, isColumnName, KINDS, type Kind } from './columns.ts';
import { bytesOf, integerOf, type Reader, type Row, textOf } from './reader.ts';
import { unusable } from './unusable.ts';

type ColumnValues = InstanceType<(typeof KINDS)[Kind]>;

/** The columns with these names. Throws SNAPSHOT_UNUSABLE for one that is missing or of another kind. */
export async function readColumns<Name extends ColumnName>(
  reader: Pick<Reader, 'all'>,
  names: readonly Name[],
): Promise<Pick<Columns, Name>> {
  const columns = await readAll(reader, names, (name) => COLUMNS[name]);
  return columns as Pick<Columns, Name>;
}

/** The same for columns of whole numbers of 32 bits with any names. */
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
  where name in (select value from json_each(?)) and length(bytes) <= ${SMALL_BYTES}`;
const ONE = 'select name, kind, length, bytes from column_blob where name = ?';

/** The values of each column, which are of one of its kinds. */
async function readAll<Name extends string>(
  reader: Pick<Reader, 'all'>,
  names: readonly Name[],
  kindsOf: (name: Name) => readonly Kind[],
): Promise<Readonly<Record<string, ColumnValues>>> {
  const kinds = new Map<string, readonly Kind[]>(names.map((name) => [name, kindsOf(name)]));
  const read = (row: Row) => {
    const name = textOf(row, 'name');
    return [name, valuesOf(name, kinds.get(name) ?? [], row)] as const;
  };
  const small = await reader.all(SMALL, [JSON.stringify(names)], read);
  const known = new Map(small);
  const large = names
    .filter((name) => !known.has(name))
    .map(async (name) => {
      const [found] = await reader.all(ONE, [name], read);
      if (found === undefined) throw unusable(`column_blob ${name}`, 'to be there', 'nothing');
      return found;
    });
  return Object.fromEntries([...small, ...(await Promise.all(large))]);
}

function valuesOf(name: string, kinds: readonly Kind[], row: Row): ColumnValues {
  const written = textOf(row, 'kind');
  const length = integerOf(row, 'length');
  const bytes = bytesOf(row, 'bytes');
  const kind = kinds.find((allowed) => allowed === written);
  if (kind === undefined) throw unusable(`column_blob ${name}`, `kind ${kinds.join(' or ')}`, written);
  const Column = KINDS[kind];
  if (bytes.byteLength !== length * Column.BYTES_PER_ELEMENT)
    throw unusable(`column_blob ${name}`, `${length} values`, `${bytes.byteLength} bytes`);
  // A typed array needs an aligned start; the driver gives each blob its own buffer, but does not promise it.
  const isAligned = bytes.byteOffset % Column.BYTES_PER_ELEMENT === 0;
  // The copy is no Buffer, whose `slice` would copy nothing.
  const { buffer, byteOffset } = isAligned ? bytes : new Uint8Array(bytes);
  if (!(buffer instanceof ArrayBuffer))
    throw new TypeError(`expected memory of this thread alone, found ${buffer.constructor.name}`);
  return new Column(buffer, byteOffset, length);
}

interface StoredColumn {
  readonly kind: Kind;
  readonly length: number;
  readonly bytes: Uint8Array;
}

/** A column as the table `column_blob` stores it. */
export function storeColumn(name: string, values: ColumnValues): StoredColumn {
  const kinds: readonly Kind[] = isColumnName(name) ? COLUMNS[name] : INTEGERS;
  const kind = kinds.find((allowed) => values instanceof KINDS[allowed]);
  if (kind === undefined)
    throw new TypeError(`expected ${name} as ${kinds.join(' or ')}, found ${values.constructor.name}`);
  const { buffer, byteOffset, byteLength, length } = values;
  return { kind, length, bytes: new Uint8Array(buffer, byteOffset, byteLength) };
}
