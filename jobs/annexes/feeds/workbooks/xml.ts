/** Reads a part of a workbook, which is XML, from beginning to end. It expands no entities, and refuses a part that may declare some. */
import { TextDecoder } from 'node:util';
import { Parser } from 'htmlparser2';
import { FeedProblem } from '../feed-problem.ts';

/** Names of elements are without prefixes, which programs choose themselves. */
interface XmlHandlers {
  readonly open: (name: string, attributes: Attributes) => void;
  readonly text?: (text: string) => void;
  readonly close?: (name: string) => void;
}

/** The attributes that are read; others are skipped. The last one, the id of a relation, has a prefix before it. */
const ATTRIBUTES = [
  'Id',
  'Type',
  'Target',
  'name',
  'state',
  'date1904',
  'r',
  'ref',
  's',
  't',
  'numFmtId',
  'formatCode',
  ':id',
] as const;
type Attribute = (typeof ATTRIBUTES)[number];
export type Attributes = Readonly<Partial<Record<Attribute, string>>>;
const USED: ReadonlySet<string> = new Set(ATTRIBUTES);
const PREFIXED_ID = ':id';

function isUsed(name: string): name is Attribute {
  return USED.has(name);
}

/** Decoded at once, so that no part needs its whole text in memory. No tag's name, value of an attribute or comment is longer. */
const CHUNK_BYTES = 64 * 1024;
/** Elements within one another: those of workbooks are a tenth as deep. */
const DEEPEST = 100;

/** Throws FeedProblem for a part that is cut off or no XML, and for one with a document type. */
export function readXml(part: Buffer, handlers: XmlHandlers): void {
  const { parser, end, takeEvents } = createParser(handlers);
  const decoder = new TextDecoder(isUtf16(part) ? 'utf-16le' : 'utf-8', { fatal: true });
  for (let at = 0; at < part.length; at += CHUNK_BYTES) {
    const chunk = part.subarray(at, at + CHUNK_BYTES);
    parser.write(decoded(decoder, chunk));
    if (takeEvents() === 0 && chunk.length === CHUNK_BYTES)
      throw unreadable(`a tag or comment with more than ${CHUNK_BYTES} bytes in one piece`);
  }
  parser.write(decoded(decoder, null));
  end();
}

interface XmlParser {
  readonly parser: Parser;
  readonly end: () => void;
  /** The number of events since the last call. */
  readonly takeEvents: () => number;
}

function createParser({ open, text, close }: XmlHandlers): XmlParser {
  let depth = 0;
  let hasEnded = false;
  let events = 0;
  // The library would keep all attributes of an element.
  let opening: OpeningTag | null = null;

  function endOpening(): void {
    events += 1;
    if (opening === null) return;
    const { name, attributes } = opening;
    opening = null;
    open(name, attributes);
  }

  const parser = new Parser(
    {
      onopentagname(name) {
        endOpening();
        depth += 1;
        if (depth > DEEPEST) throw unreadable(`elements nested deeper than ${DEEPEST} levels`);
        opening = { name: localName(name), attributes: {} };
      },
      onattribute(name, value) {
        events += 1;
        const key = name.endsWith(PREFIXED_ID) ? PREFIXED_ID : name;
        if (opening !== null && isUsed(key)) opening.attributes[key] ??= value;
      },
      ontext(data) {
        endOpening();
        text?.(data);
      },
      onclosetag(name) {
        endOpening();
        // At the end, the library closes what is open.
        if (hasEnded) throw unreadable(`the element ${localName(name).slice(0, 40)} without its end`);
        depth -= 1;
        close?.(localName(name));
      },
      oncomment: endOpening,
      onprocessinginstruction(name) {
        endOpening();
        if (/^!doctype/i.test(name)) throw unreadable('a document type, which may declare entities');
      },
    },
    { xmlMode: true },
  );

  function end(): void {
    hasEnded = true;
    parser.end();
  }

  function takeEvents(): number {
    const taken = events;
    events = 0;
    return taken;
  }

  return { parser, end, takeEvents };
}

interface OpeningTag {
  readonly name: string;
  readonly attributes: Partial<Record<Attribute, string>>;
}

function unreadable(found: string): FeedProblem {
  return new FeedProblem(
    'unreadable answer',
    `expected a workbook (.xlsx) of well-formed XML, found ${found}`,
  );
}

/** `chunk`: null at the end. */
function decoded(decoder: TextDecoder, chunk: Buffer | null): string {
  try {
    return chunk === null ? decoder.decode() : decoder.decode(chunk, { stream: true });
  } catch (cause) {
    throw new FeedProblem('unreadable answer', 'expected a workbook (.xlsx) in UTF-8, found other bytes', {
      cause,
    });
  }
}

/** By its byte order mark. */
function isUtf16([first, second]: Buffer): boolean {
  return first === 0xff && second === 0xfe;
}

function localName(name: string): string {
  return name.slice(name.indexOf(':') + 1);
}
