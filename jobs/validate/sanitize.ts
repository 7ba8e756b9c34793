/**
 * G8: makes untrusted texts safe. Markup is written anew from the tokenizer's output, element by element from a list, so that only listed
 * elements remain, however a browser would read the input. The work is linear in the text.
 */
import { escapeAttribute, escapeText } from 'entities/escape';
import { ALLOWED, HEADINGS, INLINE, isWords, namesIn, PARAGRAPHS } from './html-elements.ts';
import { type Taken, take } from './removed-parts.ts';
import { MAY_HAVE_SHORTCODE, withoutShortcodes } from './shortcodes.ts';
import { readTokens, type Tag } from './tags.ts';
import { linkAddress } from './web-address.ts';

export interface Safe {
  readonly text: string;
  /** Kinds of removed parts, each once, such as `<script>` or `onclick`. Empty if nothing was removed. */
  readonly taken: readonly string[];
}

/**
 * HTML that only formats text: the elements of `ALLOWED`, without attributes except a link's `href`. Always well nested. Reading stops once more
 * than `most` characters are written.
 */
export function safeMarkup(html: string, most = Number.POSITIVE_INFINITY): Safe {
  const needsReading = NEEDS_READING.markup.test(html);
  if (!needsReading && !MAY_HAVE_SHORTCODE.test(html)) return { text: html, taken: [] };
  const taken = new Set<string>();
  const writer = createWriter(taken);
  readTokens(
    withoutSteering(html, 'markup', taken),
    {
      text: writer.text,
      reference: (letter) => writer.text(withoutSteering(letter, 'markup', taken)),
      tag: (tag) => {
        if (tag.isClosing) writer.close(tag.name);
        else if (isWords(tag)) writer.text(tag.source);
        else writer.open(tag);
      },
      comment: () => take(taken, 'comment'),
      // A tag without an end begins no element: its words remain.
      unfinished: writer.text,
      isFull: () => writer.length() > most,
    },
    { decodesReferences: true },
  );
  const text = writer.end();
  return needsReading || taken.size > 0 ? safe(text, taken) : { text: html, taken: [] };
}

/** Whether line breaks remain: a title is one line. */
type Lines = 'line' | 'lines';

/** Text without HTML elements. Similar text remains: `<3`, `Tom & Jerry`, `<ola@example.org>`. `most` as above. */
export function plainText(text: string, lines: Lines, most = Number.POSITIVE_INFINITY): Safe {
  if (!NEEDS_READING[lines].test(text)) return { text, taken: [] };
  const taken = new Set<string>();
  const clean = withoutSteering(text, lines, taken);
  const plain = clean.includes('<') ? withoutElements(clean, most, taken) : clean;
  return safe(plain, taken);
}

/** The result; blanks at both ends are removed if anything else was. */
function safe(text: string, taken: Taken): Safe {
  return { text: taken.size > 0 ? text.trim() : text, taken: [...taken] };
}

function withoutElements(text: string, most: number, taken: Taken): string {
  const pieces: string[] = [];
  let length = 0;
  /** The last two characters of the pieces. */
  let tail = '';

  function add(more: string): void {
    // The texts on both sides of a removed element must not form one.
    if (/<\/?$/.test(tail) && /^[a-z/!?]/i.test(more)) pieces.push(' ');
    pieces.push(more);
    length += more.length;
    tail = (tail + more.slice(-2)).slice(-2);
  }

  readTokens(
    text,
    {
      text: (text) => add(withoutOpenings(text, taken)),
      reference: add,
      tag: (tag) => {
        if (isWords(tag)) add(tag.source);
        else {
          take(taken, `<${tag.name}>`);
          if (!INLINE.has(tag.name) && /\S$/.test(tail)) add(' ');
        }
      },
      comment: () => take(taken, 'comment'),
      unfinished: (text) => add(withoutOpenings(text, taken)),
      isFull: () => length > most,
    },
    { decodesReferences: false },
  );
  return pieces.join('');
}

/** Removes each `<` with which a browser would begin an element, and nothing else, so that no words are lost. */
function withoutOpenings(text: string, taken: Taken): string {
  if (!/<[a-z/!?]/i.test(text)) return text;
  take(taken, '<');
  return text.replace(/<(?![\s\d=])/g, '');
}

/**
 * Removes control characters and those that change the direction of text. Blanks among them become spaces; line breaks remain if several
 * lines are allowed.
 */
function withoutSteering(text: string, kind: Lines | 'markup', taken: Taken): string {
  if (!STEERING.test(text)) return text;
  const isOneLine = kind === 'line';
  return text
    .replace(/\r\n?/g, '\n')
    .replace(isOneLine ? /[\t\n\v\f\u2028\u2029]+/g : /[\t\v\f]+/g, ' ')
    .replace(UNWANTED, (letter) => {
      take(taken, `U+${letter.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}`);
      return '';
    });
}

const STEERING = /[\p{Cc}\p{Bidi_Control}\u2028\u2029]/u;
const UNWANTED = /[^\P{Cc}\n]|\p{Bidi_Control}/gu;

/** Most texts have nothing to remove, which this test finds quickly. */
const NEEDS_READING = {
  line: /[<\p{Cc}\p{Bidi_Control}\u2028\u2029]/u,
  lines: /[^\P{Cc}\n]|[<\p{Bidi_Control}]/u,
  // A reference can encode any character.
  markup: /[^\P{Cc}\n]|[<\p{Bidi_Control}]|&(?:#|[lr]rm)/u,
} as const satisfies Readonly<Record<Lines | 'markup', RegExp>>;

/** Deeper than any text that a person formats; it bounds the cost of closing elements. */
const DEEPEST = 50;

/** Tags and texts that are written. */
function createPieces(taken: Taken) {
  const pieces: string[] = [];
  /** The text since the last tag. */
  let run = '';
  let counted = 0;
  let length = 0;

  /** A shortcode may have character references, so it is found in the whole text between two tags. */
  function endRun(): void {
    const text = withoutShortcodes(run, taken);
    if (text !== '') pieces.push(escapeText(text));
    run = '';
  }

  return {
    addText: (text: string) => {
      run += text;
    },
    addTag: (tag: string) => {
      endRun();
      pieces.push(tag);
    },
    /** A block within a block leaves an empty paragraph. */
    closeElement: (name: string | undefined) => {
      endRun();
      if (name === 'p' && pieces.at(-1) === '<p>') pieces.pop();
      else pieces.push(`</${name}>`);
    },
    /** Characters of all pieces so far, including those of removed empty paragraphs. Counts each piece once. */
    length: () => {
      counted = Math.min(counted, pieces.length);
      for (; counted < pieces.length; counted++) length += pieces[counted]?.length ?? 0;
      return length + run.length;
    },
    end: () => {
      endRun();
      return pieces.join('');
    },
  };
}

/** Writes markup again from its parts, always well nested. */
function createWriter(taken: Taken) {
  const { addText, addTag, closeElement, length, end } = createPieces(taken);
  const open: string[] = [];

  function closeTo(depth: number): void {
    while (open.length > depth) closeElement(open.pop());
  }

  /** As browsers do: a block ends the paragraph around it, an item the item before it, a link the link. */
  function makeRoomFor(name: string): void {
    const ended = CLOSES.get(name);
    if (ended === undefined) return;
    for (let depth = open.length - 1; depth >= 0; depth--) {
      const opened = open[depth] ?? '';
      if (ended.has(opened)) closeTo(depth);
      if (ended.has(opened) || (LIST_ELEMENTS.has(opened) && name !== 'a')) return;
    }
  }

  /** Writes a tag, unless its element would be nested too deeply. */
  function start(name: string, opening = `<${name}>`): void {
    makeRoomFor(name);
    if (VOID.has(name)) addTag(opening);
    else if (open.length >= DEEPEST) take(taken, `<${name}> more than ${DEEPEST} deep`);
    else {
      addTag(opening);
      open.push(name);
    }
  }

  return {
    text: addText,
    open: (tag: Tag) => openTag(tag, { addText, start, taken }),
    close: (written: string) => {
      const depth = open.lastIndexOf(PARAGRAPHS.has(written) ? 'p' : written);
      if (depth !== -1) closeTo(depth);
    },
    length,
    end: () => {
      closeTo(0);
      return end();
    },
  };
}

interface Opening {
  readonly addText: (text: string) => void;
  readonly start: (name: string, opening?: string) => void;
  readonly taken: Taken;
}

function openTag(tag: Tag, { addText, start, taken }: Opening): void {
  const name = PARAGRAPHS.has(tag.name) ? 'p' : tag.name;
  if (!ALLOWED.has(name)) {
    take(taken, `<${tag.name}>`);
    if (!INLINE.has(name)) addText(' ');
    return;
  }
  if (name === 'a') {
    openLink(tag, { start, taken });
    return;
  }
  for (const [attribute] of tag.attributes) take(taken, attribute);
  start(name);
}

/** Of a link whose address is not allowed, only the text remains. */
function openLink({ attributes }: Tag, { start, taken }: Pick<Opening, 'start' | 'taken'>): void {
  const [, written] = attributes.find(([name]) => name === 'href') ?? [];
  const address = written === undefined ? null : linkAddress(written);
  for (const [attribute, value] of attributes) {
    if (attribute !== 'href') take(taken, attribute);
    else if (address === null) take(taken, `href=${value}`);
  }
  if (address !== null) start('a', `<a href="${escapeAttribute(address)}">`);
}

const VOID = namesIn('br hr');
const LIST_ELEMENTS = namesIn('ul ol dl');
const BLOCKS = `p hr ${HEADINGS} ul ol dl li dt dd blockquote pre`.split(' ');
const CLOSES: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ...BLOCKS.map((name) => [name, namesIn('p')] as const),
  ...HEADINGS.split(' ').map((name) => [name, namesIn(`p ${HEADINGS}`)] as const),
  ['li', namesIn('li')],
  ['dt', namesIn('dt dd')],
  ['dd', namesIn('dt dd')],
  ['a', namesIn('a')],
]);
