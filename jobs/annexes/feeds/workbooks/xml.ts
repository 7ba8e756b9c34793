/** Reads a part of a workbook, which is XML, from beginning to end. It expands no entities, and refuses a part that may declare some. */
import { TextDecoder } from 'node:util';
import { Parser } from 'htmlparser2';
import { FeedProblem } from '../health.ts';

/** Names of elements are without prefixes, which programs choose themselves. */
interface XmlHandlers {
  readonly open: (name: string, attributes: Attributes) => void;
  readonly text?: (text: string) => void;
  readonly close?: (name: string) => void;
}

type Attributes = Readonly<Partial<Record<string, string>>>;

/** Decoded at once, so that no part needs its whole text in memory. */
const CHUNK_BYTES = 64 * 1024;
/** Elements within one another: those of workbooks are a tenth as deep. */
const DEEPEST = 100;

/** Throws FeedProblem for a part that is cut off or no XML, and for one with a document type. */
export function readXml(part: Buffer, { open, text, close }: XmlHandlers): void {
  let depth = 0;
  let hasEnded = false;
  const parser = new Parser(
    {
      onopentag(name, attributes) {
        depth += 1;
        if (depth > DEEPEST) throw unreadable(`elements nested deeper than ${DEEPEST} levels`);
        open(localName(name), attributes);
      },
      ontext: (data) => text?.(data),
      onclosetag(name) {
        // At the end, the library closes what is open.
        if (hasEnded) throw unreadable(`the element ${localName(name).slice(0, 40)} without its end`);
        depth -= 1;
        close?.(localName(name));
      },
      onprocessinginstruction(name) {
        if (/^!doctype/i.test(name)) throw unreadable('a document type, which may declare entities');
      },
    },
    { xmlMode: true },
  );
  const decoder = new TextDecoder(isUtf16(part) ? 'utf-16le' : 'utf-8', { fatal: true });
  for (let at = 0; at < part.length; at += CHUNK_BYTES)
    parser.write(decoded(decoder, part.subarray(at, at + CHUNK_BYTES)));
  parser.write(decoded(decoder, null));
  hasEnded = true;
  parser.end();
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

/** The attribute of this name, with a prefix. */
export function prefixed(attributes: Attributes, wanted: string): string | undefined {
  return Object.entries(attributes).find(([name]) => name.endsWith(`:${wanted}`))?.[1];
}
