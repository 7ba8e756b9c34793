/** Texts in lines: line ends of any kind, and descriptions as plain text, for readers of calendars and lists. */
import { shownText } from '../../calendar/display-text.ts';

/** The text of HTML or plain text: paragraphs are separated, and each item of a list is one line. */
export function plainLines(html: string): string {
  // In HTML, line breaks of the source have no meaning; in plain text they do.
  const flowing = BLOCK.test(html) ? html.replaceAll('\n', ' ') : html;
  const text = shownText(flowing, (name, isClosing) => {
    const breaks = isClosing ? AFTER : BEFORE;
    return breaks.get(name) ?? ' ';
  });
  const lines = text.split('\n').map((line) => line.trim());
  return lines
    .filter((line, index) => line !== '' || lines[index - 1] !== '')
    .join('\n')
    .trim();
}

/** The text with a space in place of each line end. */
export function withoutLineEnds(text: string): string {
  return text.replace(LINE_ENDS, ' ');
}

/** The text with `\n` in place of each line end. */
export function evenLines(text: string): string {
  return text.replace(LINE_ENDS, '\n');
}

/** Characters at which some reader begins a new line: all that Unicode counts (Python's `splitlines`), not only RFC 5545's. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: it matches control characters.
const LINE_ENDS = /\r\n?|[\n\v\f\x1c-\x1e\x85\u2028\u2029]/g;

const BLOCK = /<(?:p|br|h[1-6]|ul|ol|dl|div|blockquote|pre)[\s/>]/i;

const PARAGRAPHS = 'p h1 h2 h3 h4 h5 h6 ul ol dl div blockquote pre hr table'
  .split(' ')
  .map((name) => [name, '\n\n'] as const);
/** The replacement of each tag. Maps, because a text may have tags of any name: `<constructor>`. */
const BEFORE: ReadonlyMap<string, string> = new Map([
  ...PARAGRAPHS,
  ['br', '\n'],
  ['tr', '\n'],
  ['dt', '\n'],
  ['dd', '\n'],
  ['li', '\n– '],
]);
const AFTER: ReadonlyMap<string, string> = new Map([...PARAGRAPHS, ['li', '']]);
