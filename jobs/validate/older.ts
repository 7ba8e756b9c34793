/**
 * What the interface no longer describes and older clients still ask for (E). Records carried much of it before anybody
 * looked, in any form: so a number is taken as text, and what is no text is left out and costs nothing else.
 */
import { isObject } from '../../src/calendar/json.ts';
import {
  OLDER_DATE_FIELDS,
  OLDER_EVENT_FIELDS,
  OLDER_IMAGE_FIELDS,
  type OlderDateFields,
  type OlderEventFields,
  type OlderImageFields,
} from '../../src/calendar/model.ts';
import { addFinding, oneLine, type Path, type Subject, webUrl } from './entry.ts';

/** Those that are URLs (G8). */
const URLS: ReadonlySet<string> = new Set(['videosURL', 'urlOriginal', 'streamingURL', 'mapImageURL']);

/** Null when there is none. */
export function olderText(value: unknown, at: Path, subject: Subject): string | null {
  if (value === null || value === undefined) return null;
  const text = typeof value === 'number' ? String(value) : value;
  if (typeof text !== 'string') {
    addFinding(subject, 'changed value', { at, expected: 'a string', found: value });
    return null;
  }
  return URLS.has(String(at.at(-1))) ? webUrl(text, at, subject) : oneLine(text, at, subject);
}

/** `older` of an event; without it when the record has nothing of it, like the others below. */
export function olderEventFields(raw: object, subject: Subject): Older<OlderEventFields> {
  const contact: unknown = Reflect.get(raw, 'contact_custom');
  const fields = olderFields(raw, OLDER_EVENT_FIELDS, { at: [], subject });
  if (contact === null || contact === undefined) return fields;
  if (!isObject(contact)) {
    addFinding(subject, 'changed value', { at: ['contact_custom'], expected: 'an object', found: contact });
    return fields;
  }
  const { email, phone } = contact;
  const own = olderFields({ email, phone }, OLDER_EVENT_FIELDS, { at: ['contact_custom'], subject });
  if (own.older === undefined) return fields;
  return { older: { ...own.older, ...fields.older, email: own.older.email, phone: own.older.phone } };
}

export function olderImageFields(raw: object, at: Path, subject: Subject): Older<OlderImageFields> {
  return olderFields(raw, OLDER_IMAGE_FIELDS, { at, subject });
}

export function olderDateFields(raw: object, at: Path, subject: Subject): Older<OlderDateFields> {
  return olderFields(raw, OLDER_DATE_FIELDS, { at, subject });
}

interface Older<Fields> {
  readonly older?: Fields;
}

const NOTHING = {};

type Texts<Name extends string> = { readonly [Field in Name]: string | null };

function olderFields<Name extends string>(
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
    fields[name] = olderText(value, [...at, name], subject);
  }
  return fields === undefined ? NOTHING : { older: fields as Texts<Name> };
}
