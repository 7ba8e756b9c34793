/**
 * The projection: object types as tables of ready-made JSON, and joining the selected parts into an answer. Selecting comes before writing
 * and reads no event, so that the size of an answer is known before its data is read (D2). Lists are written in pieces, between which
 * other work has its turn.
 */
import { planFirst } from '../query/plan.ts';
import type { Output } from './output.ts';
import type { SelectedField, Selections } from './selection.ts';

/** An object type's fields as they are answered. A leaf is finished JSON text; a link leads to other objects. */
export interface ObjectType<Source> {
  /** Name of the object type in the schema. */
  readonly name: string;
  readonly leaves: Leaves<Source>;
  readonly links?: Readonly<Record<string, Link<Source>>>;
}

export type Leaves<Source> = Readonly<Record<string, (source: Source) => string>>;

/** The leaf of each of these fields, by its name or its index among them. */
export function leavesOf<Name extends string, Source>(
  names: readonly Name[],
  leaf: (source: Source, name: Name, index: number) => string,
): Leaves<Source> {
  return Object.fromEntries(
    names.map((name, index) => [name, (source: Source) => leaf(source, name, index)]),
  );
}

/** A field whose type is an object or a list of objects, for a selection of it. The type of those is hidden inside. */
type Link<Source> = (field: SelectedField) => LinkPart<Source>;

/** Appends JSON. */
type Write<Source> = (source: Source, out: Output) => void;

/** The fields of an object type that an operation selects, with the code that writes them. */
interface Projection<Source> {
  readonly write: Write<Source>;
  /** D2: fields of one object at all levels; lists count with their typical numbers of entries. */
  readonly fields: number;
}

/** One object, or null. */
export function one<Source, Target>(
  type: ObjectType<Target>,
  get: (source: Source) => Target | null,
): Link<Source> {
  return ({ selections }) => {
    const { write, fields } = project(type, selections);
    return {
      fields: 1 + fields,
      write: (source, out) => {
        const target = get(source);
        if (target === null) out.text += 'null';
        else write(target, out);
      },
    };
  };
}

interface ListOptions {
  /** D2: its typical number of entries. */
  readonly entries?: number;
}

/** A list of objects, or null. `first`: its limit (C4). */
export function many<Source, Target>(
  type: ObjectType<Target>,
  get: (source: Source, first: number | null, out: Output) => readonly Target[] | null,
  { entries = 1 }: ListOptions = {},
): Link<Source> {
  return ({ selections, first }) => {
    const { write, fields } = project(type, selections);
    const limit = planFirst(first);
    return {
      fields: 1 + Math.min(entries, limit ?? entries) * fields,
      write: (source, out) => {
        const targets = get(source, limit, out);
        if (targets === null) {
          out.text += 'null';
          return;
        }
        for (let index = 0; index < targets.length; index++) {
          out.text += index === 0 ? '[' : ',';
          write(targets[index] as Target, out);
          out.settle();
        }
        out.text += targets.length === 0 ? '[]' : ']';
      },
    };
  };
}

/**
 * Equal selections of an operation share one projection: fragments spread in fragments stand for many more fields than they are written
 * with, and one closure for each expanded field would exhaust memory.
 */
export function project<Source>(type: ObjectType<Source>, selections: Selections): Projection<Source> {
  const byType = PROJECTIONS.get(selections) ?? new Map<ObjectType<never>, Projection<never>>();
  PROJECTIONS.set(selections, byType);
  // The projections of a shape all take its own source.
  const made = byType.get(type) as Projection<Source> | undefined;
  if (made !== undefined) return made;
  const parts = selections.map((field, index) => ({
    before: openingOf(field, index),
    ...partOf(type, field),
  }));
  const projection = { write: writeOf(parts), fields: parts.reduce((sum, { fields }) => sum + fields, 0) };
  byType.set(type, projection);
  return projection;
}

/** Projections live as long as their selections, which their document holds. */
const PROJECTIONS = new WeakMap<Selections, Map<ObjectType<never>, Projection<never>>>();

/** The constant text before a field's value, which has this index in its object. */
export function openingOf({ key }: SelectedField, index: number): string {
  return joinedFlat(index === 0 ? '{' : ',', JSON.stringify(key), ':');
}

/** For a text that is written many times: what `+` and templates join stays a tree in V8, which is walked each time. */
export const joinedFlat = (...parts: readonly string[]): string => parts.join('');

/** A selected field: a leaf or a link. */
type FieldPart<Source> = LeafPart<Source> | LinkPart<Source>;

interface LeafPart<Source> {
  readonly leaf: (source: Source) => string;
  readonly write?: undefined;
  readonly fields: 0 | 1;
}

interface LinkPart<Source> extends Part<Source, void> {
  readonly leaf?: undefined;
}

/** A selected field that leads to objects. `Done`: a promise if it reads or takes turns. */
export interface Part<Source, Done> {
  readonly write: (source: Source, out: Output) => Done;
  /** D2: itself, and fields of the objects that it leads to. */
  readonly fields: number;
}

export function partOf<Source>(
  { name, leaves, links }: ObjectType<Source>,
  field: SelectedField,
): FieldPart<Source> {
  if (field.name === '__typename') {
    const typename = JSON.stringify(name);
    return { leaf: () => typename, fields: 0 };
  }
  const link = links?.[field.name];
  if (link !== undefined) return link(field);
  const leaf = leaves[field.name];
  if (leaf !== undefined) return { leaf, fields: 1 };
  throw new Error(`expected a field of ${name} that can be answered, found "${field.name}"`);
}

/** UTF-16 units of a text that is appended at once. */
const LONGEST_APPENDED = 64 * 1_024;

function writeOf<Source>(parts: readonly (FieldPart<Source> & { readonly before: string })[]): Write<Source> {
  const end = parts.length === 0 ? '{}' : '}';
  return (source, out) => {
    let json = '';
    for (const { before, leaf, write } of parts) {
      json += before;
      if (leaf !== undefined) {
        json += leaf(source);
        if (json.length < LONGEST_APPENDED) continue;
      }
      out.text += json;
      json = '';
      out.settle();
      if (leaf === undefined) write(source, out);
    }
    out.text += json + end;
  };
}

/** The objects of a list. They are read while they are written: all of a long list at once would take much memory. */
export interface Items<Source> {
  readonly count: number;
  readonly read: (from: number, to: number) => readonly Source[] | Promise<readonly Source[]>;
}

/** A list that is in memory. */
export const itemsOf = <Source>(sources: readonly Source[]): Items<Source> => ({
  count: sources.length,
  read: (from, to) => sources.slice(from, to),
});

/** Objects that are read at a time. */
const BATCH = 100;

export async function writeList<Source>(
  { count, read }: Items<Source>,
  write: Write<Source>,
  out: Output,
): Promise<void> {
  out.text += '[';
  for (let from = 0; from < count; from += BATCH) {
    const sources = await read(from, Math.min(count, from + BATCH));
    // While the database read them, others had the thread.
    await out.nextTurn();
    for (let index = 0; index < sources.length; index++) {
      if (from + index > 0) out.text += ',';
      write(sources[index] as Source, out);
      const pausing = out.pause();
      if (pausing !== undefined) await pausing;
    }
  }
  out.text += ']';
}
