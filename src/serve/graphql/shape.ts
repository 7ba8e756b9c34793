import { checkRoom, LONG_TEXT, type Output } from './output.ts';

/**
 * Object types as they are answered. A leaf is finished JSON text; a link leads to other objects. Both ways of answering
 * read the same table: the projection joins the texts, the executor's resolvers parse them.
 */
export interface Shape<Source> {
  /** Name of the object type in the schema. */
  readonly name: string;
  readonly leaves: Readonly<Record<string, (source: Source) => string>>;
  readonly links: Readonly<Record<string, Link<Source>>>;
}

/** A field whose type is an object or a list of objects. The type it leads to is known inside only. */
export interface Link<Source> {
  readonly shape: () => { readonly name: string };
  /** Writes the field's JSON, given what of the objects behind it is selected. */
  readonly write: (project: Project, selection: Selections) => Write<Source>;
  /** The objects behind it, for resolvers. */
  readonly follow: (source: Source) => unknown;
}

/** Fields selected of an object, in the order of the answer. */
export type Selections = readonly SelectedField[];

export interface SelectedField {
  /** Alias or name. */
  readonly key: string;
  readonly name: string;
  /** Of the objects behind it; empty for a leaf. */
  readonly selections: Selections;
}

export type Write<Source> = (source: Source, out: Output) => void;

/** Makes the writer of an object's JSON. */
type Project = <Source>(shape: Shape<Source>, selections: Selections) => Write<Source>;

/** One object, or null. */
export function one<Source, Target>(
  shape: () => Shape<Target>,
  get: (source: Source) => Target | null,
): Link<Source> {
  return {
    shape,
    follow: get,
    write: (project, selections) => {
      const write = project(shape(), selections);
      return (source, out) => {
        const target = get(source);
        if (target === null) out.text += 'null';
        else write(target, out);
      };
    },
  };
}

/** A list of objects, or null. */
export function many<Source, Target>(
  shape: () => Shape<Target>,
  get: (source: Source) => readonly Target[] | null,
): Link<Source> {
  return {
    shape,
    follow: get,
    write: (project, selections) => {
      const write = project(shape(), selections);
      return (source, out) => {
        const targets = get(source);
        if (targets === null) out.text += 'null';
        else writeList(targets, write, out);
      };
    },
  };
}

export function writeList<Target>(targets: readonly Target[], write: Write<Target>, out: Output): void {
  out.text += '[';
  for (let place = 0; place < targets.length; place++) {
    if (place > 0) out.text += ',';
    write(targets[place] as Target, out);
    checkRoom(out);
  }
  out.text += ']';
}

/**
 * Fragments that are spread in fragments stand for many more fields than they are written with: selections that are the
 * same have one writer, which as many closures as fields would not fit the memory.
 */
export const project: Project = <Source>(shape: Shape<Source>, selections: Selections) => {
  let byShape = writers.get(selections);
  if (byShape === undefined) {
    byShape = new Map();
    writers.set(selections, byShape);
  }
  // Under a shape there are only writers of what it reads from.
  const known = byShape.get(shape) as Write<Source> | undefined;
  if (known !== undefined) return known;
  const write = writerOfObjects(shape, selections);
  byShape.set(shape, write);
  return write;
};

const writers = new WeakMap<Selections, Map<Shape<never>, Write<never>>>();

/** The projection itself: constant text between the values, decided once a selection. */
function writerOfObjects<Source>(shape: Shape<Source>, selections: Selections): Write<Source> {
  const parts = selections.map((field, place) => ({
    before: `${place === 0 ? '{' : ','}${JSON.stringify(field.key)}:`,
    ...writerOf(shape, field),
  }));
  const end = parts.length === 0 ? '{}' : '}';
  return (source, out) => {
    let json = '';
    for (const { before, leaf, write } of parts) {
      json += leaf === undefined ? before : before + leaf(source);
      if (write === undefined && json.length < LONG_TEXT) continue;
      out.text += json;
      json = '';
      checkRoom(out);
      write?.(source, out);
    }
    out.text += json + end;
  };
}

/** A leaf's text, or what writes the objects behind a field. */
type Writer<Source> =
  | { readonly leaf: (source: Source) => string; readonly write?: undefined }
  | { readonly leaf?: undefined; readonly write: Write<Source> };

function writerOf<Source>(shape: Shape<Source>, field: SelectedField): Writer<Source> {
  if (field.name === '__typename') {
    const name = JSON.stringify(shape.name);
    return { leaf: () => name };
  }
  const leaf = shape.leaves[field.name];
  if (leaf !== undefined) return { leaf };
  const link = shape.links[field.name];
  if (link !== undefined) return { write: link.write(project, field.selections) };
  throw new Error(`expected a field of ${shape.name} that can be answered, got "${field.name}"`);
}
