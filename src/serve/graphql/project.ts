/**
 * The projection: object types as tables of ready-made JSON, and joining the selected parts into an answer. A root field is selected before
 * it is written: selecting reads no event, so that the size of an answer is known before its data is read (D2). Lists are
 * written in pieces, between which other work has its turn.
 */

import { CalendarError } from '../../calendar/errors.ts';
import { UNBOUNDED, type Work } from '../admission/admission.ts';
import { planFirst } from '../query/plan.ts';
import type { SelectedField, Selections } from './selection.ts';

/** An object type's fields as they are answered. A leaf is finished JSON text; a link leads to other objects. */
export interface Shape<Source> {
  /** Name of the object type in the schema. */
  readonly name: string;
  readonly leaves: Leaves<Source>;
  readonly links?: Readonly<Record<string, Link<Source>>>;
}

export type Leaves<Source> = Readonly<Record<string, (source: Source) => string>>;

/** The leaf of each of these fields, by its name or its place among them. */
export function leavesOf<Name extends string, Source>(
  names: readonly Name[],
  leaf: (source: Source, name: Name, place: number) => string,
): Leaves<Source> {
  return Object.fromEntries(
    names.map((name, place) => [name, (source: Source) => leaf(source, name, place)]),
  );
}

/** A field whose type is an object or a list of objects, for a selection of it. The type of those is hidden inside. */
type Link<Source> = (field: SelectedField) => Part<Source>;

/** Appends JSON. */
type Write<Source> = (source: Source, out: Output) => void;

/** What an operation selects of an object type. */
interface Projection<Source> {
  readonly write: Write<Source>;
  /** D2: fields of one object at all levels; lists count with their typical numbers of entries. */
  readonly fields: number;
}

/** One object, or null. */
export function one<Source, Target>(
  shape: Shape<Target>,
  get: (source: Source) => Target | null,
): Link<Source> {
  return ({ selections }) => {
    const { write, fields } = project(shape, selections);
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

/** A list of objects, or null. `first`: its limit (C4). `entries`: how many there are, typically (D2). */
export function many<Source, Target>(
  shape: Shape<Target>,
  get: (source: Source, first: number | null) => readonly Target[] | null,
  entries = 1,
): Link<Source> {
  return ({ selections, first }) => {
    const { write, fields } = project(shape, selections);
    const limit = planFirst(first);
    return {
      fields: 1 + Math.min(entries, limit ?? entries) * fields,
      write: (source, out) => {
        const targets = get(source, limit);
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
export function project<Source>(shape: Shape<Source>, selections: Selections): Projection<Source> {
  const byShape = PROJECTIONS.get(selections) ?? new Map<Shape<never>, Projection<never>>();
  PROJECTIONS.set(selections, byShape);
  // The projections of a shape all take its own source.
  const made = byShape.get(shape) as Projection<Source> | undefined;
  if (made !== undefined) return made;
  const parts = selections.map((field, index) => ({
    before: openingOf(field, index),
    ...partOf(shape, field),
  }));
  const projection = { write: writeOf(parts), fields: parts.reduce((sum, { fields }) => sum + fields, 0) };
  byShape.set(shape, projection);
  return projection;
}

/** They live as long as the selections, which their document holds. */
const PROJECTIONS = new WeakMap<Selections, Map<Shape<never>, Projection<never>>>();

/** The constant text before a field's value, which has this index in its object. */
export function openingOf({ key }: SelectedField, index: number): string {
  return `${index === 0 ? '{' : ','}${JSON.stringify(key)}:`;
}

/** A selected field: a leaf or a link. */
interface Part<Source> {
  readonly leaf?: (source: Source) => string;
  readonly write?: Write<Source>;
  /** D2: itself, and fields of the objects that it leads to. */
  readonly fields: number;
}

export function partOf<Source>({ name, leaves, links }: Shape<Source>, field: SelectedField): Part<Source> {
  if (field.name === '__typename') {
    const typename = JSON.stringify(name);
    return { leaf: () => typename, fields: 0 };
  }
  const link = links?.[field.name];
  if (link !== undefined) return link(field);
  const leaf = leaves[field.name];
  if (leaf !== undefined) return { leaf, fields: 1 };
  throw new Error(`expected a field of ${name} that can be answered, got "${field.name}"`);
}

function writeOf<Source>(parts: readonly (Part<Source> & { readonly before: string })[]): Write<Source> {
  const end = parts.length === 0 ? '{}' : '}';
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

/** D10: bytes of an answer's JSON before compression, extensions included. */
export const MAX_ANSWER_BYTES = 32 * 1_024 * 1_024;

/** UTF-16 units of an answer that are written without a pause. */
const SLICE = 64 * 1_024;

/** Bytes reserved at a time once an answer exceeds its estimate. */
const MORE_BYTES = 1_024 * 1_024;

/** An answer's JSON while it is written: complete slices as UTF-8, and the text after them. */
export class Output {
  /** Writers append to it. */
  text = '';
  /** Each of SLICE bytes or more, but for the last one. */
  readonly #slices: Buffer[] = [];
  readonly #work: Work;
  #reserved: number;
  /** Bytes of all slices so far, and at the latest pause. */
  #length = 0;
  #paused = 0;

  /** `reserved`: the estimated bytes, which were reserved before (D14). */
  constructor(work = UNBOUNDED, reserved = 0) {
    this.#work = work;
    this.#reserved = reserved;
  }

  /** Encodes the text if it is a slice. Throws QUERY_TOO_COMPLEX if the answer exceeds its limit. */
  settle(): void {
    if (this.text.length >= SLICE) this.#encode();
  }

  /** Between two entries of a list: after each slice, other work has its turn. Reserves more bytes if the answer exceeds its estimate. */
  pause(): Promise<void> | undefined {
    this.settle();
    if (this.#length === this.#paused) return undefined;
    this.#paused = this.#length;
    return this.#length > this.#reserved ? this.#reserveMore() : this.#work.nextTurn();
  }

  /** A pause where no more may have been written, but time has passed. */
  nextTurn(): Promise<void> | undefined {
    return this.#work.nextTurn();
  }

  async #reserveMore(): Promise<void> {
    this.#reserved += MORE_BYTES;
    await this.#work.reserve(MORE_BYTES);
    await this.#work.nextTurn();
  }

  /** The returned function removes all that is written from here on. */
  mark(): () => void {
    const { text } = this;
    const slices = this.#slices.length;
    const length = this.#length;
    return () => {
      this.text = text;
      this.#slices.length = slices;
      this.#length = length;
    };
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

/** The objects that a field leads to. They are read while they are written: all of a long list at once would take much memory. */
export interface Held<Source> {
  readonly count: number;
  readonly read: (from: number, to: number) => readonly Source[] | Promise<readonly Source[]>;
}

/** Objects that are read at a time. */
const BATCH = 100;

export async function writeList<Source>(
  { count, read }: Held<Source>,
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
