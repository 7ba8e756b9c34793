/**
 * Says where a text stops being JSON, for its author, by the message of `JSON.parse`: Node writes a position into most of them.
 *
 *     faultOf("{ 'query': 1 }"); // line 1, column 3: expected property name or '}'
 */
import { messageOf } from '../../calendar/errors.ts';
import { printable } from '../../calendar/text.ts';

/** Null if the text is JSON. */
export function faultOf(text: string): string | null {
  try {
    JSON.parse(text);
    return null;
  } catch (thrown) {
    const [, what = '', at] = FAULT.exec(messageOf(thrown)) ?? [];
    const said = printable(`${what.charAt(0).toLowerCase()}${what.slice(1)}`);
    if (at !== undefined) return `${placeOf(text, Number(at))}: ${said}`;
    return what.startsWith('Unexpected end') ? `${placeOf(text, text.length)}: ${said}` : said;
  }
}

/** Later versions of Node add the line and the column. A token is excerpted instead. */
const FAULT = /^([\s\S]*?)(?:(?: in JSON)? at position (\d+)(?: \(line \d+ column \d+\))?)?$/;

/** Both count from 1; a column is a character. */
function placeOf(text: string, at: number): string {
  const lines = text.slice(0, at).split(/\r\n?|\n/);
  return `line ${lines.length}, column ${Array.from(lines.at(-1) ?? '').length + 1}`;
}
