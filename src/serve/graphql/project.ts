/** The projection: object types as tables of ready-made JSON, and joining the selected parts into an answer. */
import { CalendarError } from '../../calendar/errors.ts';

/** Coerced values of an operation's variables. */
export type Variables = Readonly<Record<string, unknown>>;

/** An object type's fields as they are answered. A leaf is finished JSON text; a link leads to other objects. */
export interface Shape<Source> {
  /** Name of the object type in the schema. */
  readonly name: string;
  readonly leaves: Readonly<Record<string, (source: Source) => string>>;
  readonly links: Readonly<Record<string, Link<Source>>>;
}

/** A field whose type is an object or a list of objects. The type of those is hidden inside. */
export interface Link<Source> {
  /** Creates the writer of the field's JSON for a selection. */
  readonly write: (field: Selected, writers: Writers) => Write<Source>;
  /** The same for the outer levels of an answer, whose lists may be long. */
  readonly slices: (field: Selected, writers: Writers) => WriteSlices<Source>;
}

type Selected = Pick<SelectedField, 'selections' | 'first'>;

type Write<Source> = (source: Source, out: Output) => void;

/** Yields after each complete slice and before each read: the caller decides when to continue. */
type WriteSlices<Source> = (source: Source, out: Output) => Generator<Pause>;

/** A read to wait for before the next slice; undefined after a complete slice. */
type Pause = Promise<void> | undefined;

/**
 * The writers of one operation. Equal selections share a writer: fragments spread in fragments stand for many more fields
 * than they are written with, and one closure for each expanded field would exhaust memory.
 */
export type Writers = Map<Selections, Map<Shape<never>, Write<never>>>;

/** Fields selected of an object, in the order of the answer. */
export type Selections = readonly SelectedField[];

export interface SelectedField {
  /** Alias or name. */
  readonly key: string;
  readonly name: string;
  /** Selected fields of the objects that it leads to; empty for a leaf. */
  readonly selections: Selections;
  /** The argument `first`; null if it is not given. */
  readonly first: FirstArgument | null;
}

/** A number, or the name of the variable that holds it. */
export type FirstArgument = number | string;

/** Null if the argument is not given. */
export function firstIn(values: Variables, first: FirstArgument | null): number | null {
  const value = typeof first === 'string' ? values[first] : first;
  return typeof value === 'number' ? value : null;
}

/** One object, or null. */
export function one<Source, Target>(
  shape: Shape<Target>,
  get: (source: Source) => Target | null,
): Link<Source> {
  return {
    write: ({ selections }, writers) => {
      const write = project(shape, selections, writers);
      return (source, out) => {
        const target = get(source);
        if (target === null) out.text += 'null';
        else write(target, out);
      };
    },
    slices: ({ selections }, writers) => {
      const parts = selections.map((field, place) => ({
        before: beforeValue(field, place),
        ...sliceWriterOf(shape, field, writers),
      }));
      return function* (source, out) {
        const target = get(source);
        if (target === null) out.text += 'null';
        else yield* writeParts(parts, target, out);
      };
    },
  };
}

/** A list of objects, or null. `first`: its limit (C4). */
export function many<Source, Target>(
  shape: Shape<Target>,
  get: (source: Source, first: number | null) => readonly Target[] | null,
): Link<Source> {
  const slices: Link<Source>['slices'] = ({ selections, first }, writers) => {
    const write = project(shape, selections, writers);
    return function* (source, out) {
      const targets = get(source, firstIn(out.values, first));
      if (targets === null) {
        out.text += 'null';
        return;
      }
      out.text += '[';
      for (let place = 0; place < targets.length; place++) {
        if (place > 0) out.text += ',';
        write(targets[place] as Target, out);
        if (out.settle()) yield undefined;
      }
      out.text += ']';
    };
  };
  return {
    slices,
    write: (...selected) => {
      const inSlices = slices(...selected);
      return (source, out) => {
        for (const _ of inSlices(source, out));
      };
    },
  };
}

/** A list whose entries are read while it is written; only on the outer levels of an answer. */
export function paged<Source, Target>(
  shape: Shape<Target>,
  get: (source: Source) => Page<Target>,
): Link<Source> {
  return {
    slices: ({ selections }, writers) => {
      const write = project(shape, selections, writers);
      return function* (source, out) {
        const page = get(source);
        out.text += '[';
        for (let place = 0; place < page.length; place++) {
          const reading = page.prepare(place);
          if (reading !== undefined) yield reading;
          if (place > 0) out.text += ',';
          write(page.at(place), out);
          if (out.settle()) yield undefined;
        }
        out.text += ']';
      };
    },
    write: () => {
      throw new Error(`expected a list of ${shape.name} on an outer level, found it within another`);
    },
  };
}

interface Page<Target> {
  readonly length: number;
  /** Loads the entry at an index; undefined if it is loaded already. */
  readonly prepare: (place: number) => Promise<void> | undefined;
  readonly at: (place: number) => Target;
}

interface SlicePart<Source> {
  readonly before: string;
  readonly leaf?: (source: Source) => string;
  readonly slices?: WriteSlices<Source>;
}

function* writeParts<Source>(
  parts: readonly SlicePart<Source>[],
  source: Source,
  out: Output,
): Generator<Pause> {
  for (const { before, leaf, slices } of parts) {
    out.text += leaf === undefined ? before : before + leaf(source);
    if (slices !== undefined) yield* slices(source, out);
  }
  out.text += endOf(parts);
}

function sliceWriterOf<Source>(
  shape: Shape<Source>,
  field: SelectedField,
  writers: Writers,
): Omit<SlicePart<Source>, 'before'> {
  const link = shape.links[field.name];
  return link === undefined ? { leaf: leafOf(shape, field) } : { slices: link.slices(field, writers) };
}

/** Makes the writer of an object's JSON. */
export function project<Source>(
  shape: Shape<Source>,
  selections: Selections,
  writers: Writers,
): Write<Source> {
  const byShape = writers.get(selections) ?? new Map<Shape<never>, Write<never>>();
  writers.set(selections, byShape);
  // The writers of a shape all take its own source.
  const known = byShape.get(shape) as Write<Source> | undefined;
  if (known !== undefined) return known;
  const write = writerOfObjects(shape, selections, writers);
  byShape.set(shape, write);
  return write;
}

/** The projection itself: the constant text between values is computed once for each selection. */
function writerOfObjects<Source>(
  shape: Shape<Source>,
  selections: Selections,
  writers: Writers,
): Write<Source> {
  const parts = selections.map((field, place) => {
    const link = shape.links[field.name];
    const before = beforeValue(field, place);
    return link === undefined
      ? { before, leaf: leafOf(shape, field), write: undefined }
      : { before, leaf: undefined, write: link.write(field, writers) };
  });
  const end = endOf(parts);
  return (source, out) => {
    let json = '';
    for (const { before, leaf, write } of parts) {
      json += leaf === undefined ? before : before + leaf(source);
      if (write === undefined && json.length < SLICE) continue;
      out.text += json;
      json = '';
      out.settle();
      write?.(source, out);
    }
    out.text += json + end;
  };
}

const beforeValue = ({ key }: SelectedField, place: number): string =>
  `${place === 0 ? '{' : ','}${JSON.stringify(key)}:`;

const endOf = (parts: readonly unknown[]): string => (parts.length === 0 ? '{}' : '}');

function leafOf<Source>(shape: Shape<Source>, { name }: SelectedField): (source: Source) => string {
  if (name === '__typename') {
    const typename = JSON.stringify(shape.name);
    return () => typename;
  }
  const leaf = shape.leaves[name];
  if (leaf !== undefined) return leaf;
  throw new Error(`expected a field of ${shape.name} that can be answered, got "${name}"`);
}

/** D10: bytes of an answer's JSON before compression, extensions included. */
export const MAX_ANSWER_BYTES = 32 * 1_024 * 1_024;

/** UTF-16 units of an answer that are written without a pause: some 0.5 ms. */
const SLICE = 64 * 1_024;

/** An answer's JSON while it is written: complete slices as UTF-8, and the text after them. */
export class Output {
  /** Writers append to it. */
  text = '';
  /** Whether a slice was completed since the last pause. */
  isDue = false;
  /** The operation's variables. */
  readonly values: Variables;
  /** Each of SLICE bytes or more, but for the last one. */
  readonly #slices: Buffer[] = [];
  #length = 0;

  constructor(values: Variables) {
    this.values = values;
  }

  /** Called for each entry of a long list; returns whether a pause is due. Throws QUERY_TOO_COMPLEX if the answer exceeds its limit. */
  settle(): boolean {
    if (this.text.length >= SLICE) {
      this.#encode();
      this.isDue = true;
    }
    return this.isDue;
  }

  /** Bytes so far. */
  get length(): number {
    return this.#length;
  }

  /** All that was written, as UTF-8; a short answer is one slice. Throws QUERY_TOO_COMPLEX. */
  end(): readonly Buffer[] {
    if (this.text !== '' || this.#slices.length === 0) this.#encode();
    return this.#slices;
  }

  #encode(): void {
    // With memory of its own: a short one would share Node's pool, and keep it as long as it is cached.
    const slice = Buffer.allocUnsafeSlow(Buffer.byteLength(this.text));
    slice.write(this.text);
    this.text = '';
    this.#length += slice.length;
    if (this.#length > MAX_ANSWER_BYTES) throw tooLarge();
    this.#slices.push(slice);
  }
}

/** The error that a client gets in place of an answer that is too large, whichever way it was made. */
export function tooLarge(): CalendarError {
  const most = MAX_ANSWER_BYTES / (1_024 * 1_024);
  return new CalendarError(
    'QUERY_TOO_COMPLEX',
    `The answer would be larger than ${most} MiB: ask for fewer fields, or for a smaller page.`,
  );
}
