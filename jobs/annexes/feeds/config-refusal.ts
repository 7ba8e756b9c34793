/** Errors about `sources.json`, without the secrets that addresses of feeds contain. */
import { CalendarError } from '../../../src/calendar/errors.ts';
import { isObject } from '../../../src/calendar/json.ts';
import { excerpt, type Origin, originText } from '../../records.ts';
import { fieldName, type Path } from '../../validate/salvage.ts';

/** `found` quotes the file; absent if the expectation says it all. */
export type Refuse = (path: Path, expected: string, found?: string) => CalendarError;

/** Errors about a feed: with its line, its id and the field. */
export function refusalOf(origin: Origin, value: unknown): Refuse {
  const id = isObject(value) && typeof value.id === 'string' ? ` ${excerpt(value.id)}` : '';
  return (path, expected, found) => {
    const field = fieldName(path);
    const place = `${originText(origin)}${id}${field === null ? '' : ` ${field}`}`;
    const stated = `${place}: expected ${expected}`;
    const message = found === undefined ? stated : `${stated}, found ${found}`;
    return new CalendarError('INVALID_SOURCE', withoutSecrets(message, value), {
      publicMessage: withoutSecrets(stated, value),
    });
  };
}

/** The name, the password and the query of a feed's URL are secrets, and a message may be logged. */
function withoutSecrets(message: string, value: unknown): string {
  return textsIn(value).flatMap(secretsIn).reduce(withoutSecret, message);
}

function secretsIn(written: string): readonly string[] {
  const [, named = ''] = /^[a-z][a-z0-9+.-]*:\/\/([^/?#\s]*)@/i.exec(written.trim()) ?? [];
  const [, query = ''] = /^[a-z][a-z0-9+.-]*:\/\/[^?#\s]*\?([^#\s]+)/i.exec(written.trim()) ?? [];
  return [named, query].filter((secret) => secret.length >= LEAST_SECRET);
}

/** Characters of a secret by which an excerpt of it is found. */
const LEAST_SECRET = 3;

/** The text without a secret, or without the part of it with which an excerpt ends. */
function withoutSecret(text: string, secret: string): string {
  const at = text.indexOf(secret.slice(0, LEAST_SECRET));
  if (at === -1) return text;
  const differing = [...secret].findIndex((letter, index) => text[at + index] !== letter);
  const length = differing === -1 ? secret.length : differing;
  return `${text.slice(0, at)}***${text.slice(at + length)}`;
}

function textsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
}
