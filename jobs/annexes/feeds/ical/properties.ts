/** Turns a content line into a property (RFC 5545, 3.2; RFC 6868). */

export interface Property {
  /** In capitals. */
  readonly name: string;
  /** By name in capitals; of a repeated parameter, the first. */
  readonly parameters: ReadonlyMap<string, string>;
  readonly value: string;
  /** 1-based line in the feed. */
  readonly line: number;
}

/** A sign between parameters, or a part of one. */
const TOKEN = new RegExp(
  [
    '[;:]',
    '"[^"]*"',
    // Some programs write `;TZID=(UTC+01:00) Amsterdam:` without quotes: the first colon ends nothing.
    '\\((?:UTC|GMT)[+-]\\d{1,2}:',
    '[^;:"(]+',
    // A quote that is never closed is a character.
    '["(]',
  ].join('|'),
  'gi',
);

/** Null if the line does not have the form `NAME;PARAMETER=value:value`. */
export function readProperty(text: string, line: number): Property | null {
  const [name] = /^[A-Za-z0-9-]+(?=[;:])/.exec(text) ?? [];
  if (name === undefined) return null;
  const written: string[] = [];
  for (const { 0: token, index } of text.slice(name.length).matchAll(TOKEN)) {
    if (token === ':') {
      const value = text.slice(name.length + index + 1);
      return { name: name.toUpperCase(), parameters: parametersOf(written), value, line };
    }
    if (token === ';') written.push('');
    else written.push(`${written.pop()}${token}`);
  }
  return null;
}

/** `written`: each parameter as `NAME=value`. */
function parametersOf(written: readonly string[]): Property['parameters'] {
  const parameters = new Map<string, string>();
  for (const parameter of written) {
    const [name, value] = parameterOf(parameter);
    if (!parameters.has(name)) parameters.set(name, value);
  }
  return parameters;
}

function parameterOf(written: string): readonly [name: string, value: string] {
  const [, writtenName = written, value = ''] = /^([^=]*)=(.*)$/s.exec(written) ?? [];
  const name = writtenName.trim().toUpperCase();
  // vCalendar 1.0 omits the name if the value suffices: `;QUOTED-PRINTABLE:`.
  if (name === 'QUOTED-PRINTABLE' || name === 'BASE64') return ['ENCODING', name];
  return [name, value.replace(/"/g, '').replace(/\^[n'^]/g, (caret) => CARETS[caret] ?? caret)];
}

/** RFC 6868: characters that a parameter cannot contain itself. */
const CARETS: Readonly<Record<string, string>> = { '^n': '\n', "^'": '"', '^^': '^' };
