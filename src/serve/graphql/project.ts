/**
 * The projection: object types as tables of ready-made JSON, and joining what is selected of them into an answer. Both
 * ways of answering read the same tables: the projection joins the texts, graphql-js's resolvers parse them.
 */
import { CalendarError } from '../../calendar/errors.ts';

/** Values of an operation's variables, and of the parameters that stand for its literals; coerced. */
export type Variables = Readonly<Record<string, unknown>>;

/** An object type as it is answered. A leaf is finished JSON text; a link leads to other objects. */
export interface Shape<Source> {
  /** Name of the object type in the schema. */
  readonly name: string;
  readonly leaves: Readonly<Record<string, (source: Source) => string>>;
  readonly links: Readonly<Record<string, Link<Source>>>;
}

/** A field whose type is an object or a list of objects. The type it leads to is known inside only. */
export interface Link<Source> {
  /** Writes the field's JSON, given how it is selected. */
  readonly write: (field: Pick<SelectedField, 'selections' | 'first'>) => Write<Source>;
  /** The objects behind it, for resolvers. `first`: only so many of a list (C4). */
  readonly follow: (source: Source, first: number | null) => unknown;
}

/** Fields selected of an object, in the order of the answer. */
export type Selections = readonly SelectedField[];

export interface SelectedField {
  /** Alias or name. */
  readonly key: string;
  readonly name: string;
  /** Of the objects behind it; empty for a leaf. */
  readonly selections: Selections;
  /** The argument of that name; null when it is not given. */
  readonly first: FirstArgument | null;
}

/** A number, or the name of the variable that has it. */
export type FirstArgument = number | string;

/** Null when it is not given. */
export function firstIn(values: Variables, first: FirstArgument | null): number | null {
  const value = typeof first === 'string' ? values[first] : first;
  return typeof value === 'number' ? value : null;
}

type Write<Source> = (source: Source, out: Output) => void;

/** One object, or null. */
export function one<Source, Target>(
  shape: Shape<Target>,
  get: (source: Source) => Target | null,
): Link<Source> {
  return {
    follow: get,
    write: ({ selections }) => {
      const write = project(shape, selections);
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
  shape: Shape<Target>,
  get: (source: Source, first: number | null) => readonly Target[] | null,
): Link<Source> {
  return {
    follow: get,
    write: ({ selections, first }) => {
      const write = project(shape, selections);
      return (source, out) => {
        const targets = get(source, firstIn(out.values, first));
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
 * Makes the writer of an object's JSON. Fragments that are spread in fragments stand for many more fields than they are written with: selections that are the
 * same have one writer, which as many closures as fields would not fit the memory.
 */
export function project<Source>(shape: Shape<Source>, selections: Selections): Write<Source> {
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
}

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
  if (link !== undefined) return { write: link.write(field) };
  throw new Error(`expected a field of ${shape.name} that can be answered, got "${field.name}"`);
}

/**
 * An answer's JSON while it is written: text that is joined as text, and bytes that were ready before. All answers are
 * written into the same memory, one after the other, so an answer has to be begun and ended without a pause.
 */
export interface Output {
  /** To be appended to. */
  text: string;
  /** How much of the memory is written. */
  length: number;
  /** Has no part of the memory: all of it stays text. */
  readonly isAside: boolean;
  /** Of the operation. */
  readonly values: Variables;
}

/** D10: bytes of an answer as JSON, before it is compressed; extensions are part of it. */
export const MAX_ANSWER_BYTES = 32 * 1_024 * 1_024;

export const beginOutput = (values: Variables): Output => ({ text: '', length: 0, isAside: false, values });

/** For a piece of text that is written while an answer is. */
export const beginAside = ({ values }: Output): Output => ({ text: '', length: 0, isAside: true, values });

/**
 * To be called for each entry of whatever is long. Throws QUERY_TOO_COMPLEX once there is more than an answer may hold;
 * text that has become long goes into the memory, because joining and encoding all of it at the end would take a
 * multiple of its size at once.
 */
function checkRoom(out: Output): void {
  const { text, length } = out;
  if (text.length < LONG_TEXT) return;
  // A unit of UTF-16 takes a byte at least.
  if (length + text.length > MAX_ANSWER_BYTES) abandonOutput();
  if (!out.isAside) settleText(out);
}

/** UTF-16 units. */
const LONG_TEXT = 64 * 1_024;

/** Makes room behind all that is there: the first of so many bytes, all of which are to be written. */
export function takeRoom(out: Output, size: number): { readonly bytes: Uint8Array; readonly start: number } {
  settleText(out);
  const start = out.length;
  const length = start + size;
  if (length > MAX_ANSWER_BYTES) abandonOutput();
  out.length = length;
  return { bytes: roomFor(length), start };
}

/** A copy of what was written, as UTF-8. */
export function endOutput(out: Output): Buffer {
  settleText(out);
  if (out.length > MAX_ANSWER_BYTES) abandonOutput();
  const bytes = Buffer.allocUnsafeSlow(out.length);
  bytes.set(memory.subarray(0, out.length));
  dropOutput();
  return bytes;
}

/** The answer that a client gets in place of one that is too large, however it was worked out. */
export function tooLarge(): CalendarError {
  const most = MAX_ANSWER_BYTES / (1_024 * 1_024);
  return new CalendarError(
    'QUERY_TOO_COMPLEX',
    `The answer would be larger than ${most} MiB: ask for fewer fields, or for a smaller page.`,
  );
}

/** Of what is seldom more than a page; an export of thousands of events takes its room for as long as it needs it. */
const LASTING = 512 * 1024;

let memory = Buffer.allocUnsafeSlow(LASTING);

function abandonOutput(): never {
  dropOutput();
  throw tooLarge();
}

/** Ends an answer, or what is not going to be sent. */
export function dropOutput(): void {
  if (memory.length > LASTING) memory = Buffer.allocUnsafeSlow(LASTING);
}

function roomFor(length: number): Buffer {
  if (length > memory.length) {
    const larger = Buffer.allocUnsafeSlow(2 * length);
    larger.set(memory);
    memory = larger;
  }
  return memory;
}

/** UTF-16 takes three bytes a unit at most when it is written as UTF-8. */
function settleText(out: Output): void {
  const { text, length } = out;
  if (text.length === 0) return;
  out.text = '';
  const written = roomFor(length + 3 * text.length).write(text, length);
  // Node writes what fits, or nothing, and says nothing.
  if (written < text.length) {
    throw new Error(`expected to write ${text.length} characters or more, wrote ${written} bytes`);
  }
  out.length += written;
}
