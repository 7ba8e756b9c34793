/**
 * The projection: object types as tables of ready-made JSON, and joining the selected parts into an answer. A root field is selected before
 * it is written: selecting reads no event, so that the size of an answer is known before its data is read (D2, cost before work). Lists are
 * written in pieces, between which other work has its turn.
 */
import { CalendarError } from '../../calendar/errors.ts';
import type { Hint } from '../query/hints.ts';
import { type Arguments, type FilterPlan, planFirst } from '../query/plan.ts';
import { type EventNode, readNodes } from '../query/select.ts';
import type { NodeSet, View } from '../query/view.ts';

/** Coerced values of an operation's variables. */
export type Variables = Readonly<Record<string, unknown>>;

/** An object type's fields as they are answered. A leaf is finished JSON text; a link leads to other objects. */
export interface Shape<Source> {
  /** Name of the object type in the schema. */
  readonly name: string;
  readonly leaves: Readonly<Record<string, (source: Source) => string>>;
  readonly links: Readonly<Record<string, Link<Source>>>;
}

/** A field whose type is an object or a list of objects, for a selection of it. The type of those is hidden inside. */
type Link<Source> = (field: SelectedField, projections: Projections) => LinkProjection<Source>;

interface LinkProjection<Source> {
  readonly write: Write<Source>;
  /** D2: how many objects it leads to, typically. */
  readonly entries: number;
  /** Fields of each of these objects, at all levels. */
  readonly each: number;
}

/** Appends JSON. */
type Write<Source> = (source: Source, out: Output) => void;

/** What an operation selects of an object type. */
interface Projection<Source> {
  readonly write: Write<Source>;
  /** D2: fields of one object at all levels; lists count with their typical numbers of entries. */
  readonly fields: number;
}

/**
 * The projections of one operation. Equal selections share one: fragments spread in fragments stand for many more fields than they are
 * written with, and one closure for each expanded field would exhaust memory.
 */
export type Projections = Map<Selections, Map<Shape<never>, Projection<never>>>;

/** Fields selected of an object, in the order of the answer. */
export type Selections = readonly SelectedField[];

export interface SelectedField {
  /** Alias or name. */
  readonly key: string;
  readonly name: string;
  /** Selected fields of the objects that it leads to; empty for a leaf. */
  readonly selections: Selections;
  /** C4, more facets, and first: the argument `first`, as it was sent. */
  readonly first?: unknown;
}

/** The fields of an object, as those of another one that holds it: copying hundreds of them for each answer takes most of its time. */
export function fieldsOf<Holder, Held>(
  { leaves, links }: Shape<Held>,
  get: (holder: Holder) => Held,
): Pick<Shape<Holder>, 'leaves' | 'links'> {
  const leafOf = (leaf: (held: Held) => string) => (holder: Holder) => leaf(get(holder));
  const linkOf =
    (link: Link<Held>): Link<Holder> =>
    (field, projections) => {
      const { write, ...counts } = link(field, projections);
      return { ...counts, write: (holder, out) => write(get(holder), out) };
    };
  return {
    leaves: Object.fromEntries(Object.entries(leaves).map(([name, leaf]) => [name, leafOf(leaf)])),
    links: Object.fromEntries(Object.entries(links).map(([name, link]) => [name, linkOf(link)])),
  };
}

/** One object, or null. */
export function one<Source, Target>(
  shape: Shape<Target>,
  get: (source: Source) => Target | null,
): Link<Source> {
  return ({ selections }, projections) => {
    const { write, fields } = project(shape, selections, projections);
    return {
      entries: 1,
      each: fields,
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
  return ({ selections, first }, projections) => {
    const { write, fields } = project(shape, selections, projections);
    const limit = planFirst(first);
    return {
      entries: Math.min(entries, limit ?? entries),
      each: fields,
      write: (source, out) => {
        const targets = get(source, limit);
        if (targets === null) out.text += 'null';
        else writeList(targets, write, out);
      },
    };
  };
}

function writeList<Target>(targets: readonly Target[], write: Write<Target>, out: Output): void {
  out.text += '[';
  for (let index = 0; index < targets.length; index++) {
    if (index > 0) out.text += ',';
    write(targets[index] as Target, out);
    out.settle();
  }
  out.text += ']';
}

export function project<Source>(
  shape: Shape<Source>,
  selections: Selections,
  projections: Projections,
): Projection<Source> {
  const byShape = projections.get(selections) ?? new Map<Shape<never>, Projection<never>>();
  projections.set(selections, byShape);
  // The projections of a shape all take its own source.
  const known = byShape.get(shape) as Projection<Source> | undefined;
  if (known !== undefined) return known;
  const parts = selections.map((field, index) => ({
    before: openingOf(field, index),
    ...partOf(shape, field, projections),
  }));
  const projection = { write: writeOf(parts), fields: parts.reduce((sum, { fields }) => sum + fields, 0) };
  byShape.set(shape, projection);
  return projection;
}

/** The constant text before a field's value, which has this index in its object. */
export function openingOf({ key }: SelectedField, index: number): string {
  return `${index === 0 ? '{' : ','}${JSON.stringify(key)}:`;
}

/** A selected field: a leaf or a link. */
interface Part<Source> {
  readonly leaf?: (source: Source) => string;
  readonly write?: Write<Source>;
  readonly fields: number;
}

export function partOf<Source>(
  { name, leaves, links }: Shape<Source>,
  field: SelectedField,
  projections: Projections,
): Part<Source> {
  if (field.name === '__typename') {
    const typename = JSON.stringify(name);
    return { leaf: () => typename, fields: 0 };
  }
  const link = links[field.name];
  if (link !== undefined) {
    const { write, entries, each } = link(field, projections);
    return { write, fields: 1 + entries * each };
  }
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

/** D10, size of answers: bytes of an answer's JSON before compression, extensions included. */
export const MAX_ANSWER_BYTES = 32 * 1_024 * 1_024;

/** UTF-16 units of an answer that are written without a pause. */
const SLICE = 64 * 1_024;

/** An answer's JSON while it is written: complete slices as UTF-8, and the text after them. */
export class Output {
  /** Writers append to it. */
  text = '';
  /** Each of SLICE bytes or more, but for the last one. */
  readonly #slices: Buffer[] = [];
  #length = 0;

  /** Encodes the text if it is a slice. Throws QUERY_TOO_COMPLEX if the answer exceeds its limit. */
  settle(): void {
    if (this.text.length >= SLICE) this.#encode();
  }

  /** Bytes of all slices so far. */
  get length(): number {
    return this.#length;
  }

  /** The place reached, for `rewind`. */
  mark(): OutputMark {
    return { slices: this.#slices.length, length: this.#length, text: this.text };
  }

  /** Removes all that was written since. */
  rewind({ slices, length, text }: OutputMark): void {
    this.#slices.length = slices;
    this.#length = length;
    this.text = text;
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

interface OutputMark {
  readonly slices: number;
  readonly length: number;
  readonly text: string;
}

/** The error that a client gets in place of an answer that is too large, whichever way it was made. */
export function tooLarge(): CalendarError {
  const most = MAX_ANSWER_BYTES / (1_024 * 1_024);
  return new CalendarError(
    'QUERY_TOO_COMPLEX',
    `The answer would be larger than ${most} MiB: ask for fewer fields, or for a smaller page.`,
  );
}

export interface RootRequest {
  readonly args: Arguments;
  readonly view: View;
  readonly now: number;
  readonly shared: Shared;
}

/** What the root fields of one operation share. */
export interface Shared {
  /** Filters by their JSON: equal ones are read, and their nodes selected, once. */
  readonly filters: Map<string, KnownFilter>;
  /** B12, free and period: whether the answer depends on the date. Set while root fields are selected. */
  dependsOnDay: boolean;
  /** B14, hints: at most MOST_HINTS. */
  readonly hints: Hint[];
}

export interface KnownFilter {
  readonly plan: FilterPlan;
  set?: Promise<NodeSet>;
}

/** A root field with what it holds. */
export interface SelectedValue {
  /** D2: its fields at all levels. */
  readonly fields: number;
  /** Events that are read while it is written. */
  readonly events: number;
  readonly write: WriteInPieces;
}

type WriteInPieces = (out: Output, pause: Pause) => Promise<void>;

/** Called between two entries of a list: other work has its turn if there is a new slice. */
export type Pause = () => Promise<void> | undefined;

export type SelectValue = (request: RootRequest) => Promise<SelectedValue>;

/** Makes what selects the value of a root field, for a selection of its fields. The type of its source is hidden inside. */
export type Root = (selections: Selections, projections: Projections) => SelectValue;

/** Nodes of a list, read while they are written: all of a long one at once would take much memory. */
interface EventList extends Pick<NodeSet, 'validAt' | 'byDay'> {
  readonly view: View;
  readonly rows: readonly number[];
}

/** Nodes that are read at a time. */
const BATCH = 100;

export async function writeEvents(
  { view, rows, ...set }: EventList,
  writing: Writing<EventNode>,
): Promise<void> {
  writing.out.text += '[';
  for (let first = 0; first < rows.length; first += BATCH) {
    const nodes = await readNodes(view, rows.slice(first, first + BATCH), set);
    await writeEntries(nodes, first === 0, writing);
  }
  writing.out.text += ']';
}

export async function writeAll<Source>(sources: readonly Source[], writing: Writing<Source>): Promise<void> {
  writing.out.text += '[';
  await writeEntries(sources, true, writing);
  writing.out.text += ']';
}

interface Writing<Source> {
  readonly write: Write<Source>;
  readonly out: Output;
  readonly pause: Pause;
}

/** `isFirst`: whether these begin their list. */
async function writeEntries<Source>(
  sources: readonly Source[],
  isFirst: boolean,
  { write, out, pause }: Writing<Source>,
): Promise<void> {
  for (let index = 0; index < sources.length; index++) {
    if (index > 0 || !isFirst) out.text += ',';
    write(sources[index] as Source, out);
    out.settle();
    const pausing = pause();
    if (pausing !== undefined) await pausing;
  }
}
