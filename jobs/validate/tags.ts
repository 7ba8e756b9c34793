/** The tags in an untrusted text, found by a library in linear time, and HTML's own elements. */
import { Tokenizer } from 'htmlparser2';

export interface Tag {
  readonly isClosing: boolean;
  /** In lower case. */
  readonly name: string;
  readonly attributes: readonly Attribute[];
  /** As written. */
  readonly source: string;
  /** Index of its beginning in the text. */
  readonly at: number;
}

type Attribute = readonly [name: string, value: string];

interface Tokens {
  readonly text: (text: string) => void;
  /** A character reference, decoded. */
  readonly reference: (letter: string) => void;
  readonly tag: (tag: Tag) => void;
  /** A comment or a script: content that is not shown. */
  readonly unshown: (kind: string) => void;
  /** From a `<` to the end of the text, if it begins something without an end. */
  readonly unfinished: (text: string) => void;
  /** Whether enough was read: the rest of the text is skipped. */
  readonly isFull: () => boolean;
}

/** Elements whose content is not shown. The tokenizer passes it as text. */
const UNSHOWN = new Set(['script', 'style']);

/** Passes what is wanted of a text to `tokens`, from beginning to end. Without decoding, references are ordinary text. */
export function readTokens(source: string, tokens: Partial<Tokens>, decodeEntities: boolean): void {
  let reached = 0;
  let unshown = false;
  let name = '';
  const attributes = createAttributes(source);

  function goOnFrom(end: number): void {
    const isFull = tokens.isFull?.() ?? false;
    reached = isFull ? source.length : end;
    if (isFull) tokenizer.pause();
  }

  function text(start: number, end: number, words: () => void): void {
    if (start > reached) tokens.unfinished?.(source.slice(reached));
    else if (!unshown) words();
    goOnFrom(start > reached ? source.length : end);
  }

  function tag(found: Omit<Tag, 'source' | 'at'>, end: number): void {
    tokens.tag?.({ ...found, source: source.slice(reached, end), at: reached });
    goOnFrom(end);
  }

  function opening(end: number): void {
    tag({ isClosing: false, name, attributes: attributes.take() }, end + 1);
  }

  function comment(end: number): void {
    // Comments without an end extend to the end of the text.
    if (end >= source.length) return;
    tokens.unshown?.('comment');
    reached = end + 1;
  }

  const handlers: ConstructorParameters<typeof Tokenizer>[1] = {
    ontext: (start, end) => text(start, end, () => tokens.text?.(source.slice(start, end))),
    ontextentity: (point, end) => text(reached, end, () => tokens.reference?.(String.fromCodePoint(point))),
    onopentagname: (start, end) => {
      name = source.slice(start, end).toLowerCase();
    },
    ...attributes.handlers,
    onopentagend: (end) => {
      opening(end);
      unshown = UNSHOWN.has(name);
    },
    onselfclosingtag: opening,
    onclosetag: (start, end) => {
      const close = source.indexOf('>', end);
      if (close === -1) return;
      unshown = false;
      tag({ isClosing: true, name: source.slice(start, end).toLowerCase(), attributes: [] }, close + 1);
    },
    oncomment: (_, end) => comment(end),
    oncdata: (_, end) => comment(end),
    ondeclaration: (_, end) => comment(end),
    onprocessinginstruction: (_, end) => comment(end),
    onend: () => {},
  };
  const tokenizer = new Tokenizer({ decodeEntities }, handlers);
  tokenizer.write(source);
  tokenizer.end();
  if (reached < source.length && !unshown) tokens.unfinished?.(source.slice(reached));
}

/** Collects the attributes of the present tag. */
function createAttributes(source: string) {
  let attributes: Attribute[] = [];
  let name = '';
  let value = '';
  return {
    handlers: {
      onattribname: (start: number, end: number) => {
        name = source.slice(start, end).toLowerCase();
        value = '';
      },
      onattribdata: (start: number, end: number) => {
        value += source.slice(start, end);
      },
      onattribentity: (point: number) => {
        value += String.fromCodePoint(point);
      },
      onattribend: () => {
        attributes.push([name, value]);
      },
    },
    take(): readonly Attribute[] {
      const taken = attributes;
      attributes = [];
      return taken;
    },
  };
}

/** Words between angle brackets: neither an HTML element nor anything that could have an event handler. */
export function isWords({ name, isClosing, source }: Tag): boolean {
  if (isClosing || ELEMENTS.has(name)) return false;
  return BRACKETED_WORDS.test(source) || BRACKETED_ADDRESS.test(source);
}

const BRACKETED_WORDS = /^<[^<>="'`:]*>$/;
const BRACKETED_ADDRESS = /^<(?:https?:\/\/|mailto:)[^\s<>"'`]*>$/i;

export const words = (text: string) => new Set(text.split(' '));

export const HEADINGS = 'h1 h2 h3 h4 h5 h6';
/** All elements that a description may contain. */
export const ALLOWED = words(
  `p br hr ${HEADINGS} ul ol li dl dt dd blockquote pre a b strong i em u s small sub sup code`,
);

/** Block elements. */
export const PARAGRAPHS = words(
  'address article aside body caption center details div fieldset figcaption figure footer form header hgroup html ' +
    'legend main nav search section summary table tr',
);

/** Inline elements: they do not separate words. */
export const INLINE = words(
  'a abbr acronym b bdi bdo big blink cite code data del dfn em font i ins kbd label mark nobr q rb rp rt rtc ruby s samp ' +
    'small span strike strong sub sup time tt u var wbr',
);

/** HTML's own elements, obsolete ones, and the roots of embedded languages. */
const ELEMENTS: ReadonlySet<string> = new Set([
  ...ALLOWED,
  ...PARAGRAPHS,
  ...INLINE,
  ...words(
    'applet area audio base basefont bgsound button canvas col colgroup command content datalist dialog dir element embed ' +
      'fencedframe frame frameset head iframe image img input isindex keygen link listing map marquee math menu menuitem ' +
      'meta meter multicol nextid noembed noframes noscript object optgroup option output param picture plaintext portal ' +
      'progress script select shadow slot source spacer style svg tbody td template textarea tfoot th thead title track ' +
      'video xmp',
  ),
]);
