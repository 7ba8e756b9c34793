/** Fields of a record that are read by their tables: those for older clients (E5), and the plain ones (`src/calendar/fields.ts`). */
import { isAccessibility, maskOf, wordsIn } from '../../src/calendar/accessibility.ts';
import { blank, type Field, type FieldKind, type Values } from '../../src/calendar/field.ts';
import { isObject, type JsonObject } from '../../src/calendar/json.ts';
import { OLDER_EVENT_FIELDS, type OlderEventFields } from '../../src/calendar/older-fields.ts';
import { addFinding, type Subject } from './entry.ts';
import type { Path } from './salvage.ts';
import { lineOf, oneLine, severalLines, webUrl } from './texts.ts';

/** Fields for older clients that are URLs (G8). */
const URLS: ReadonlySet<string> = new Set(['videosURL', 'urlOriginal', 'streamingURL']);

/**
 * Fields that the interface no longer describes but older clients still select (E5). Records had many of them before they were checked,
 * in any form: so a number is taken as text, and a value that is not text is dropped alone.
 */
const olderText = olderBy(oneLine);
const olderUrl = olderBy(webUrl);

function olderBy(read: (text: string, at: Path, subject: Subject) => string | null) {
  return (value: unknown, at: Path, subject: Subject): string | null => {
    const text = typeof value === 'number' ? String(value) : value;
    if (typeof text === 'string') return read(text, at, subject);
    addFinding(subject, 'changed value', { at, expected: 'a string', found: value });
    return null;
  };
}

/** `older` of an event; omitted if the record has none of it, like that of an image and of a date. */
export function olderEventFields(raw: object, subject: Subject): Older<OlderEventFields> {
  const contact: unknown = Reflect.get(raw, 'contact_custom');
  const fields = olderFields(raw, OLDER_EVENT_FIELDS, { at: [], subject });
  if (contact === null || contact === undefined) return fields;
  if (!isObject(contact)) {
    addFinding(subject, 'changed value', { at: ['contact_custom'], expected: 'an object', found: contact });
    return fields;
  }
  const { email, phone } = contact;
  const { older } = olderFields({ email, phone }, OLDER_EVENT_FIELDS, { at: ['contact_custom'], subject });
  if (older === undefined) return fields;
  return { older: { ...older, ...fields.older, email: older.email, phone: older.phone } };
}

/** One object for all records without such fields, as nearly all are. */
const NOTHING = {};

interface Older<Fields> {
  readonly older?: Fields;
}

type Texts<Name extends string> = { readonly [Field in Name]: string | null };

/** The texts of the named fields in a record; nothing if it has none of them. */
export function olderFields<Name extends string>(
  raw: object,
  names: readonly Name[],
  { at, subject }: { readonly at: Path; readonly subject: Subject },
): Older<Texts<Name>> {
  let fields: Record<string, string | null> | undefined;
  for (const name of names) {
    const value: unknown = Reflect.get(raw, name);
    // Nearly all records have none of them.
    if (value === null || value === undefined) continue;
    fields ??= Object.fromEntries(names.map((other) => [other, null]));
    fields[name] = (URLS.has(name) ? olderUrl : olderText)(value, [...at, name], subject);
  }
  return fields === undefined ? NOTHING : { older: fields as Texts<Name> };
}

// The plain fields of a record (src/calendar/fields.ts), each made safe by its kind (G8).

type Read = (
  value: unknown,
  at: Path,
  subject: Subject,
) => string | number | boolean | null | readonly string[];

/** Readers of values that the record's schema has accepted, by the kind of their field. */
const READERS: Readonly<Record<FieldKind, Read>> = {
  line: textBy(oneLine),
  lines: textBy(severalLines),
  url: textBy(webUrl),
  olderLine: olderText,
  olderUrl,
  integer: (value) => (typeof value === 'number' ? value : null),
  flag: (value) => value === true,
  moment: instantOf,
  utc: instantOf,
  accessibility: (value) =>
    Array.isArray(value)
      ? wordsIn(maskOf(value.map((word) => String(word).trim().toUpperCase()).filter(isAccessibility)))
      : [],
};

function textBy(read: (text: string | null, at: Path, subject: Subject) => string | null): Read {
  return (value, at, subject) => read(typeof value === 'string' ? value : null, at, subject);
}

function instantOf(value: unknown): number | null {
  return isObject(value) && typeof value.instant === 'number' ? value.instant : null;
}

/** Creates a reader of a table's fields, once for each table. A field that a record lacks gets its blank value. */
export function plainReader<Of extends Readonly<Record<string, Field>>>(
  table: Of,
): (raw: JsonObject, subject: Subject) => Values<Of> {
  const fields = Object.entries(table).map(([name, { kind, most }]) => ({
    name,
    at: [name],
    read: most === undefined ? READERS[kind] : textBy(lineOf(most)),
  }));
  const nothing = blank(table);
  return (raw, subject) => {
    // Copies an object with all fields: objects that grow are slow.
    const values: Record<string, unknown> = { ...nothing };
    for (const { name, at, read } of fields) {
      const value = raw[name];
      if (value !== undefined && value !== null) values[name] = read(value, at, subject);
    }
    return values as Values<Of>;
  };
}
