/** Descriptions may be HTML or plain text: search sees what a browser would show of them (B10). */
import { decodeHTML } from 'entities/decode';

/**
 * The text without comments, tags, scripts and styles, with decoded character references. Tags that only style letters vanish
 * (`<b>K</b>onsert` is one word), every other one becomes a space. A `<` that begins no tag remains, as does a tag that is never closed:
 * plain text with a `<` loses nothing.
 */
export function stripMarkup(html: string, leaves: Leaves = () => ' '): string {
  const text = html.includes('<') ? stripTags(html, leaves) : html;
  return text.includes('&') ? decodeHTML(text) : text;
}

/** The text that replaces a tag which does more than style letters. */
type Leaves = (name: string, isClosing: boolean) => string;

/** Replaces tags, in one pass: each search continues where the last one ended, and the first without a match ends the loop. */
function stripTags(html: string, leaves: Leaves): string {
  let text = '';
  let end = 0;
  for (let start = html.indexOf('<'); start !== -1; start = html.indexOf('<', Math.max(end, start + 1))) {
    const tag = tagAt(html, start, leaves);
    if (tag === 'unclosed') break;
    if (tag === 'none') continue;
    text += html.slice(end, start) + tag.leaves;
    end = tag.end;
  }
  return text + html.slice(end);
}

interface Tag {
  readonly end: number;
  /** The text in its place. */
  readonly leaves: string;
}

function tagAt(html: string, start: number, leaves: Leaves): Tag | 'none' | 'unclosed' {
  if (html.startsWith('<!--', start)) return upTo(html, '-->', start + 4);
  if (html.startsWith('<!', start) || html.startsWith('<?', start)) return upTo(html, '>', start + 2);
  NAME.lastIndex = start;
  const name = NAME.exec(html)?.[1]?.toLowerCase();
  if (name === undefined) return 'none';
  const end = endOfTag(html, NAME.lastIndex);
  if (end === -1) return 'unclosed';
  const isClosing = html.charAt(start + 1) === '/';
  const content = isClosing ? undefined : UNSHOWN.get(name);
  if (content !== undefined) return { end: endOfContent(html, content, end), leaves: ' ' };
  return { end, leaves: STYLING.has(name) ? '' : leaves(name, isClosing) };
}

const NAME = /<\/?([a-z][^\s/>]*)/iy;

const STYLING = new Set(
  (
    'a abbr acronym b bdi bdo big cite code data del dfn em font i ins kbd label mark nobr q s samp small span ' +
    'strike strong sub sup time tt u var wbr'
  ).split(' '),
);

/** Elements whose content is not shown, each with the beginning of its closing tag. */
const UNSHOWN = new Map([
  ['script', /<\/script(?=[\s/>])/gi],
  ['style', /<\/style(?=[\s/>])/gi],
]);

function upTo(html: string, mark: string, from: number): Tag | 'unclosed' {
  const at = html.indexOf(mark, from);
  return at === -1 ? 'unclosed' : { end: at + mark.length, leaves: '' };
}

/** Index after the `>` that closes the tag and stands in no quoted attribute; -1 if there is none. */
function endOfTag(html: string, from: number): number {
  for (let at = from; ; ) {
    END_OR_VALUE.lastIndex = at;
    const found = END_OR_VALUE.exec(html)?.[0];
    if (found === undefined) return -1;
    at = END_OR_VALUE.lastIndex;
    if (found === '>') return at;
    QUOTE.lastIndex = at;
    const quote = QUOTE.exec(html)?.[1];
    if (quote === undefined) continue;
    const closing = html.indexOf(quote, QUOTE.lastIndex);
    if (closing === -1) return -1;
    at = closing + 1;
  }
}

const END_OR_VALUE = /[>=]/g;
const QUOTE = /\s*(["'])/y;

/** Index after the closing tag; without one a browser shows nothing more. */
function endOfContent(html: string, closing: RegExp, from: number): number {
  closing.lastIndex = from;
  const end = closing.test(html) ? endOfTag(html, closing.lastIndex) : -1;
  return end === -1 ? html.length : end;
}
