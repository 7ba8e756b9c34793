/** The tags in an untrusted text, found by a library in linear time. */
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
  /** Something between tags that is not shown: a comment, a declaration, CDATA or a processing instruction. */
  readonly comment: () => void;
  /** From a `<` to the end of the text, if it begins something without an end. */
  readonly unfinished: (text: string) => void;
  /** Whether enough was read: the rest of the text is skipped. */
  readonly isFull: () => boolean;
}

/** Elements whose content is not shown. The tokenizer passes it as text. */
const UNSHOWN = new Set(['script', 'style']);

interface ReadOptions {
  /** Whether character references are decoded; otherwise they are ordinary text. */
  readonly decodesReferences: boolean;
}

/** Passes the parts of a text to `tokens`, from beginning to end. */
export function readTokens(
  source: string,
  tokens: Partial<Tokens>,
  { decodesReferences }: ReadOptions,
): void {
  /** Everything before this index has been passed on or skipped: a token begins here. */
  let reached = 0;
  /** Whether the text belongs to a script or a style. */
  let isUnshown = false;
  let name = '';
  const attributes = createAttributes(source);

  function continueFrom(end: number): void {
    const isFull = tokens.isFull?.() ?? false;
    reached = isFull ? source.length : end;
    if (isFull) tokenizer.pause();
  }

  function passText(start: number, end: number, pass: () => void): void {
    // The tokenizer skipped something that has no end.
    const isAfterGap = start > reached;
    if (isAfterGap) tokens.unfinished?.(source.slice(reached));
    else if (!isUnshown) pass();
    continueFrom(isAfterGap ? source.length : end);
  }

  function passTag(found: Omit<Tag, 'source' | 'at'>, end: number): void {
    tokens.tag?.({ ...found, source: source.slice(reached, end), at: reached });
    continueFrom(end);
  }

  function passComment(end: number): void {
    // Comments without an end extend to the end of the text.
    if (end >= source.length) return;
    tokens.comment?.();
    reached = end + 1;
  }

  const handlers: ConstructorParameters<typeof Tokenizer>[1] = {
    ontext: (start, end) => passText(start, end, () => tokens.text?.(source.slice(start, end))),
    ontextentity: (point, end) =>
      passText(reached, end, () => tokens.reference?.(String.fromCodePoint(point))),
    onopentagname: (start, end) => {
      name = source.slice(start, end).toLowerCase();
    },
    ...attributes.handlers,
    onopentagend: (end) => {
      passTag({ isClosing: false, name, attributes: attributes.take() }, end + 1);
      isUnshown = UNSHOWN.has(name);
    },
    onselfclosingtag: (end) => passTag({ isClosing: false, name, attributes: attributes.take() }, end + 1),
    onclosetag: (start, end) => {
      const close = source.indexOf('>', end);
      if (close === -1) return;
      isUnshown = false;
      passTag({ isClosing: true, name: source.slice(start, end).toLowerCase(), attributes: [] }, close + 1);
    },
    oncomment: (_, end) => passComment(end),
    oncdata: (_, end) => passComment(end),
    ondeclaration: (_, end) => passComment(end),
    onprocessinginstruction: (_, end) => passComment(end),
    onend: () => {},
  };
  const tokenizer = new Tokenizer({ decodeEntities: decodesReferences }, handlers);
  tokenizer.write(source);
  tokenizer.end();
  if (reached < source.length && !isUnshown) tokens.unfinished?.(source.slice(reached));
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
