/** Values of linked data: single values or lists, texts in several forms, names of schema.org, references. */
import { decodeHTML } from 'entities';
import { onOneLine } from '../../../../src/calendar/display-text.ts';
import { isObject, type JsonObject } from '../../../../src/calendar/json.ts';

/** One value, or each of a list. */
export function listOf(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  if (isObject(value) && Array.isArray(value['@list'])) return value['@list'];
  return value === null || value === undefined ? [] : [value];
}

/** A text, also from a value with a type or a language; numbers too. Null for anything else, and for blank text. */
export function textOf(value: unknown): string | null {
  const plain = textOrNumberOf(value);
  return typeof plain === 'number' ? String(plain) : plain;
}

/** Like `textOf`, but a number stays a number. */
export function textOrNumberOf(value: unknown): string | number | null {
  const [inner] = listOf(value);
  const plain = isObject(inner) ? inner['@value'] : inner;
  if (typeof plain === 'number') return plain;
  return typeof plain === 'string' && plain.trim() !== '' ? plain.trim() : null;
}

/** The name of a thing, which may be written in its place. */
export function nameOf(thing: unknown): string | null {
  return textOf(isObject(thing) ? thing.name : thing);
}

/** Titles are plain text, but many programs write HTML. */
export function titleOf(written: string): string {
  return onOneLine(decodeHTML(written));
}

/** Names of types and of members of enumerations, without `https://schema.org/` or `schema:`. */
export function schemaNames(value: unknown): readonly string[] {
  return listOf(value).flatMap((item) => {
    const text = isObject(item) ? textOf(item['@id'] ?? item.name) : textOf(item);
    return text === null ? [] : [text.replace(/^(?:https?:\/\/(?:www\.)?schema\.org\/|schema:)/i, '')];
  });
}

/** A boolean, the word, or schema.org's name of it. */
export function isTrue(value: unknown): boolean {
  const plain = isObject(value) ? (value['@value'] ?? value['@id']) : value;
  return /^(?:https?:\/\/(?:www\.)?schema\.org\/|schema:)?true$/i.test(String(plain));
}

/** schema.org's types of public events. */
export function isEvent({ '@type': types }: JsonObject): boolean {
  return schemaNames(types).some(
    (type) => OTHER_EVENTS.has(type) || (/Event$/.test(type) && !NO_EVENTS.has(type)),
  );
}

const OTHER_EVENTS = new Set(['Festival', 'Hackathon', 'EventSeries', 'CourseInstance']);
const NO_EVENTS = new Set(['BroadcastEvent', 'DeliveryEvent', 'OnDemandEvent', 'PublicationEvent']);

/** Whether it only points to another object: it has an id and, at most, a type. */
export function isReference(value: JsonObject): boolean {
  return '@id' in value && Object.keys(value).every((key) => key === '@id' || key === '@type');
}
