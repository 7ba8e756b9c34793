/**
 * Reads values out of a snapshot for lists. What the calendar leaves out is null. Everything else is there, because a snapshot is checked
 * before it is served. So a name that no field has, a text that is missing and an index beyond the end of a list are faults, and throw.
 */
import type { ObjectType } from '../../serve/graphql/project.ts';

/** Read the fields of one object by their names. */
interface FieldReaders {
  readonly json: (name: string) => unknown;
  readonly text: (name: string) => string;
  readonly textOrNull: (name: string) => string | null;
}

/** Values of the interface's fields, out of the JSON that each leaf writes. */
export function fieldsOf<Source>(
  { name: type, leaves }: Pick<ObjectType<Source>, 'name' | 'leaves'>,
  source: Source,
): FieldReaders {
  const json = (name: string): unknown => {
    const leaf = leaves[name];
    if (leaf === undefined) throw new Error(`expected a field of ${type}, found ${name}`);
    return JSON.parse(leaf(source));
  };
  const textOrNull = (name: string) => {
    const value = json(name);
    if (value === null || typeof value === 'string') return value;
    throw new Error(`expected a text or null in ${type}.${name}, found ${typeof value}`);
  };
  const text = (name: string) => {
    const value = textOrNull(name);
    if (value === null) throw new Error(`expected a text in ${type}.${name}, found null`);
    return value;
  };
  return { json, text, textOrNull };
}

/** The value of a row in a column, or the entity of an ordinal in a list. */
export function storedAt<Element>(list: ArrayLike<Element>, index: number): Element {
  const element = list[index];
  if (element !== undefined) return element;
  throw new Error(`expected an index below ${list.length}, found ${index}`);
}
