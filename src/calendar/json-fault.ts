/**
 * Says where a text stops being JSON, for its author, by the message of `JSON.parse`: Node writes a position into most of them.
 *
 *     jsonFault("{ 'query': 1 }"); // line 1, column 3: expected property name or '}'
 */
import { messageOf } from './errors.ts';
import { printable } from './text.ts';

/** Null if the text is JSON. */
export function jsonFault(text: string): string | null {
  const fault = jsonFaultIn(text);
  if (fault === null) return null;
  const { place, said } = fault;
  return place === null ? said : `line ${place.line}, column ${place.column}: ${said}`;
}

interface JsonFault {
  /** Both count from 1; a column is a character. Null if Node does not say where it is. */
  readonly place: { readonly line: number; readonly column: number } | null;
  readonly said: string;
}

/** Null if the text is JSON. */
export function jsonFaultIn(text: string): JsonFault | null {
  try {
    JSON.parse(text);
    return null;
  } catch (thrown) {
    const [, what = '', at] = FAULT.exec(messageOf(thrown)) ?? [];
    const said = printable(`${what.charAt(0).toLowerCase()}${what.slice(1)}`);
    if (at !== undefined) return { place: placeOf(text, Number(at)), said };
    return { place: what.startsWith('Unexpected end') ? placeOf(text, text.length) : null, said };
  }
}

/** Later versions of Node add the line and the column. A token is excerpted instead. */
const FAULT = /^([\s\S]*?)(?:(?: in JSON)? at position (\d+)(?: \(line \d+ column \d+\))?)?$/;

function placeOf(text: string, at: number) {
  const lines = text.slice(0, at).split(/\r\n?|\n/);
  return { line: lines.length, column: Array.from(lines.at(-1) ?? '').length + 1 };
}
