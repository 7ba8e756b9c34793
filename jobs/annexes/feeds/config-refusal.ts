/** Errors about `sources.json`, without the secrets that addresses of feeds contain (H8): messages are logged. */
import { CalendarError } from '../../../src/calendar/errors.ts';
import { isObject } from '../../../src/calendar/json.ts';
import { excerpt, type Origin, originText, shorten } from '../../records.ts';
import { fieldName, type Path } from '../../validate/salvage.ts';

/** `found` contains no secrets: see `safeExcerpt`. It is absent if the expectation says it all. */
export type Refuse = (path: Path, expected: string, found?: string) => CalendarError;

/** Errors about a feed: with its line, its id and the field. */
export function refusalOf(origin: Origin, value: unknown): Refuse {
  const id = isObject(value) && typeof value.id === 'string' ? value.id : null;
  return (path, expected, found) => {
    const place = [
      originText(origin),
      id === null ? '' : safeExcerpt(id),
      withoutSecrets(fieldName(path) ?? ''),
    ];
    const publicMessage = `${place.filter((part) => part !== '').join(' ')}: expected ${expected}`;
    const message = found === undefined ? publicMessage : `${publicMessage}, found ${found}`;
    return new CalendarError('INVALID_SOURCE', message, { publicMessage });
  };
}

/** As `excerpt`, without secrets. These are removed before the text is shortened: half of an address no longer looks like one. */
export function safeExcerpt(value: unknown): string {
  const json = JSON.stringify(value);
  return json === undefined ? excerpt(value) : shorten(withoutSecrets(json));
}

/** JSON, or a text that was to be JSON, without the names, passwords and queries of addresses in its strings. */
export function withoutSecrets(json: string): string {
  return json.replace(WITHIN_QUOTES, withoutSecret);
}

/** The text between two quotation marks of a line. */
const WITHIN_QUOTES = /(?:[^"\\\n]|\\.)+/g;

/**
 * The address may be wrong in any way, so everything before its last `@` counts as a name and a password, but for the scheme, and
 * everything after a question mark as a query.
 */
function withoutSecret(text: string): string {
  const at = text.lastIndexOf('@');
  const [scheme = ''] = /^[a-z][a-z0-9+.-]*:\/\//i.exec(text) ?? [];
  const named = at === -1 ? text : `${scheme}***${text.slice(at)}`;
  return named.replace(/\?.+$/s, '?***');
}
