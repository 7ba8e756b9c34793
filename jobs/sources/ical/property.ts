/** A content line's name, parameters and value (RFC 5545, 3.1 and 3.2; RFC 6868). */
import { TextDecoder } from 'node:util';

export interface Property {
  /** In capitals. */
  readonly name: string;
  /** By name in capitals; of a parameter given twice, the first. */
  readonly parameters: ReadonlyMap<string, string>;
  readonly value: string;
  /** 1-based line in the feed. */
  readonly line: number;
}

const NAME = /^[A-Za-z0-9-]+(?=[;:])/;
const NONE: ReadonlyMap<string, string> = new Map();

/** Null when the line is none of the form `NAME;PARAMETER=value:value`. */
export function readProperty(text: string, line: number): Property | null {
  const name = NAME.exec(text)?.[0];
  if (name === undefined) return null;
  const colon = text[name.length] === ':' ? name.length : valueAt(text, name.length);
  if (colon === -1) return null;
  const parameters = colon === name.length ? NONE : readParameters(text.slice(name.length + 1, colon));
  return { name: name.toUpperCase(), parameters, value: text.slice(colon + 1), line };
}

/** Where the colon is that ends the parameters. Quotes that are never closed are taken for letters. */
function valueAt(text: string, from: number): number {
  let isQuoted = false;
  for (let at = from; at < text.length; at++) {
    if (text[at] === '"') isQuoted = !isQuoted;
    else if (text[at] === ':' && !isQuoted) return at;
  }
  return text.indexOf(':', from);
}

function readParameters(text: string): ReadonlyMap<string, string> {
  const parameters = new Map<string, string>();
  for (const part of splitOutsideQuotes(text, ';')) {
    const at = part.indexOf('=');
    const name = (at === -1 ? part : part.slice(0, at)).trim().toUpperCase();
    // vCalendar 1.0 leaves the name out where the value says enough: `;QUOTED-PRINTABLE:`.
    const isBare = at === -1 && /^(?:QUOTED-PRINTABLE|BASE64)$/.test(name);
    const key = isBare ? 'ENCODING' : name;
    if (!parameters.has(key)) parameters.set(key, isBare ? name : readParameter(part.slice(at + 1)));
  }
  return parameters;
}

function readParameter(written: string): string {
  return splitOutsideQuotes(written, ',')
    .map((value) => value.replace(/^\s*"(.*)"\s*$/s, '$1'))
    .join(',')
    .replace(/\^[n'^]/g, (caret) => CARETS[caret] ?? caret);
}

const CARETS: Readonly<Record<string, string>> = { '^n': '\n', "^'": '"', '^^': '^' };

function splitOutsideQuotes(text: string, separator: string): readonly string[] {
  const parts: string[] = [];
  let from = 0;
  let isQuoted = false;
  for (let at = 0; at < text.length; at++) {
    if (text[at] === '"') isQuoted = !isQuoted;
    else if (text[at] === separator && !isQuoted) {
      parts.push(text.slice(from, at));
      from = at + 1;
    }
  }
  parts.push(text.slice(from));
  return parts;
}

/** TEXT (3.3.11), or the quoted-printable text of vCalendar 1.0. Control characters but for line feeds and tabs are dropped. */
export function textOf({ value, parameters }: Property): string {
  const isPrintable = parameters.get('ENCODING')?.toUpperCase() === 'QUOTED-PRINTABLE';
  const text = isPrintable ? fromPrintable(value, parameters.get('CHARSET')) : unescapeText(value);
  return text.replace(/\r\n?/g, '\n').replace(CONTROLS, '').trim();
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const CONTROLS = /[\0-\x08\x0b-\x1f\x7f]/g;

/** A list of TEXT values, parted by commas that no backslash precedes. Empty ones are left out. */
export function textsOf({ value, parameters, ...rest }: Property): readonly string[] {
  return splitAtCommas(value)
    .map((part) => textOf({ ...rest, parameters, value: part }))
    .filter((text) => text !== '');
}

function splitAtCommas(text: string): readonly string[] {
  const parts: string[] = [];
  let from = 0;
  for (let at = 0; at < text.length; at++) {
    if (text[at] === '\\') at++;
    else if (text[at] === ',') {
      parts.push(text.slice(from, at));
      from = at + 1;
    }
  }
  parts.push(text.slice(from));
  return parts;
}

function unescapeText(value: string): string {
  return value.replace(/\\([nN,;:"\\])/g, (_, letter: string) => (/n/i.test(letter) ? '\n' : letter));
}

function fromPrintable(value: string, charset = 'utf-8'): string {
  const decoder = decoderOf(charset);
  return value.replace(/(?:=[0-9A-F]{2})+/gi, (run) =>
    decoder.decode(Buffer.from(run.replaceAll('=', ''), 'hex')),
  );
}

function decoderOf(charset: string): TextDecoder {
  try {
    return new TextDecoder(charset);
  } catch {
    return new TextDecoder();
  }
}
