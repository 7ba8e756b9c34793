/** Errors about `sources.json`, without the secrets that addresses of feeds contain (H8): messages are logged. */
import { CalendarError } from '../../../src/calendar/errors.ts';
import { isObject } from '../../../src/calendar/json.ts';
import { excerpt, type Origin, originText, shorten } from '../../findings.ts';
import { fieldName, type Path } from '../../validate/salvage.ts';

/**
 * Creates an error with the code INVALID_SOURCE. `found` must not contain secrets (`safeExcerpt`). It is undefined if the expectation says
 * everything.
 */
export type ErrorAt = (path: Path, expected: string, found?: string) => CalendarError;

/** Creates errors about a feed, the entry `value` of the list: with its line, its id and the field. */
export function createErrorAt(origin: Origin, value: unknown): ErrorAt {
  const id = isObject(value) && typeof value.id === 'string' ? value.id : null;
  return (path, expected, found) => {
    const place = [originText(origin), id === null ? '' : safeExcerpt(id), redact(fieldName(path) ?? '')];
    const publicMessage = `${place.filter((part) => part !== '').join(' ')}: expected ${expected}`;
    const message = found === undefined ? publicMessage : `${publicMessage}, found ${found}`;
    return new CalendarError('INVALID_SOURCE', message, { publicMessage });
  };
}

/** An excerpt without secrets. They are removed before the text is shortened, because half of an address no longer looks like one. */
export function safeExcerpt(value: unknown): string {
  const json = JSON.stringify(value);
  return json === undefined ? excerpt(value) : shorten(redact(json));
}

/** JSON, or a text that is not quite JSON, without the names, passwords and queries of the addresses in its strings. */
export function redact(json: string): string {
  return json.replace(ESCAPE, plainCharacter).replace(WITHIN_QUOTES, redactAddress);
}

/** An escape of a string. The number is that of a printable character in ASCII, of which addresses consist. */
const ESCAPE = /\\(?:u00(?<printable>[2-7][\da-f])|[\s\S])/gi;

/** `\u0040` is an `@` of the address. Quotation marks and backslashes stay escaped, because the text must remain JSON. */
function plainCharacter(written: string, printable?: string): string {
  if (printable === undefined) return written;
  const character = String.fromCharCode(Number.parseInt(printable, 16));
  return character === '"' || character === '\\' ? written : character;
}

/** The text between two quotation marks of a line. */
const WITHIN_QUOTES = /(?:[^"\\\n]|\\.)+/g;

/**
 * The address may be wrong in any way, so everything before its last `@` counts as a name and a password, but for the scheme, and
 * everything after a question mark as a query.
 */
function redactAddress(text: string): string {
  const at = text.lastIndexOf('@');
  const [scheme = ''] = /^[a-z][a-z0-9+.-]*:\/\//i.exec(text) ?? [];
  const named = at === -1 ? text : `${scheme}***${text.slice(at)}`;
  return named.replace(/\?.+$/s, '?***');
}
