/** Files that are UTF-16, as some programs of Windows save text, in UTF-8. */
import { TextDecoder } from 'node:util';

interface Utf8 {
  readonly chunks: AsyncIterable<Buffer>;
  /** Null when it was UTF-8 already, or something else. */
  readonly charset: 'UTF-16' | null;
}

/** A chunk may lie in a buffer that is used again: it is to be used before the next is taken. */
export async function inUtf8(chunks: AsyncGenerator<Buffer, void, undefined>): Promise<Utf8> {
  const first = await chunks.next();
  const beginning = first.done === true ? Buffer.alloc(0) : first.value;
  const encoding = utf16Of(beginning);
  const all = withFirst(beginning, chunks);
  return encoding === null
    ? { chunks: all, charset: null }
    : { chunks: decoded(all, encoding), charset: 'UTF-16' };
}

async function* withFirst(first: Buffer, rest: AsyncGenerator<Buffer>): AsyncGenerator<Buffer> {
  try {
    yield first;
    yield* rest;
  } finally {
    await rest.return(undefined);
  }
}

async function* decoded(chunks: AsyncIterable<Buffer>, encoding: string): AsyncGenerator<Buffer> {
  const decoder = new TextDecoder(encoding);
  for await (const chunk of chunks) yield Buffer.from(decoder.decode(chunk, { stream: true }));
  yield Buffer.from(decoder.decode());
}

/** A byte order mark says so, or a zero beside the first character: JSON and tables begin with ASCII. */
function utf16Of([first, second]: Buffer): 'utf-16le' | 'utf-16be' | null {
  if ((first === 0xff && second === 0xfe) || (isAscii(first) && second === 0)) return 'utf-16le';
  if ((first === 0xfe && second === 0xff) || (first === 0 && isAscii(second))) return 'utf-16be';
  return null;
}

function isAscii(byte: number | undefined): boolean {
  return byte !== undefined && byte > 0 && byte < 0x80;
}
