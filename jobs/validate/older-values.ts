/** E5: values of fields that the interface no longer describes but older clients still select. */
import { isObject } from '../../src/calendar/json.ts';
import { OLDER_EVENT_FIELDS, type OlderEventFields } from '../../src/calendar/older-fields.ts';
import { addFinding, type Subject } from './entry-findings.ts';
import type { Path } from './salvage.ts';
import { longLine, webUrl } from './texts.ts';

/** Fields for older clients that are URLs (G8). */
const URLS: ReadonlySet<string> = new Set(['videosURL', 'urlOriginal', 'streamingURL']);

type ReadOlder = (value: unknown, at: Path, subject: Subject) => string | null;

/** Read a value of any form, because records had these fields before they were checked. */
export const olderText = olderBy(longLine);
export const olderUrl = olderBy(webUrl);

/** A number is taken as text. Any other value that is not text becomes null, and is reported. */
function olderBy(read: (text: string, at: Path, subject: Subject) => string | null): ReadOlder {
  return (value, at, subject) => {
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
