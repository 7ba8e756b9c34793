import { createHash } from 'node:crypto';
import type { Stats } from 'node:fs';
import { type FileHandle, open, stat } from 'node:fs/promises';
import { CalendarError, messageOf } from '../../src/calendar/errors.ts';

const CHUNK = 256 * 1024;

/** A file of a source. It is hashed while it is read, and must not change between its opening and its last use. */
export interface SourceFile {
  readonly name: string;
  readonly bytes: number;
  /** The content from the start. One buffer serves all chunks: what is to outlive its turn must be copied. */
  readonly chunks: () => AsyncGenerator<Buffer, void, undefined>;
  /** SHA-256 in hex. Reads the file only if it has not been read to its end before. */
  readonly digest: () => Promise<string>;
}

interface SourceFileOptions {
  readonly path: string;
  /** What the file is called in messages and in the source's hash. */
  readonly name: string;
  /** Told the size of each chunk that `chunks` hands out. */
  readonly onBytes?: ((count: number) => void) | undefined;
}

export async function openSourceFile({ path, name, onBytes }: SourceFileOptions): Promise<SourceFile> {
  const opened = await readably(name, () => stat(path));
  if (!opened.isFile()) throw new CalendarError('INVALID_SOURCE', `${name}: expected a file, found none`);
  let known: string | undefined;

  async function* pass(count: (bytes: number) => void): AsyncGenerator<Buffer, void, undefined> {
    const hash = createHash('sha256');
    for await (const chunk of chunksOf(path, name)) {
      hash.update(chunk);
      count(chunk.length);
      yield chunk;
    }
    const found = hash.digest('hex');
    if (known !== undefined && known !== found) throw changed(name);
    await checkUnchanged();
    known = found;
  }

  async function checkUnchanged(): Promise<void> {
    const current = await readably(name, () => stat(path));
    if (!sameFile(opened, current)) throw changed(name);
  }

  async function digest(): Promise<string> {
    if (known === undefined) for await (const _ of pass(() => {}));
    else await checkUnchanged();
    return known ?? '';
  }

  return { name, bytes: opened.size, chunks: () => pass(onBytes ?? (() => {})), digest };
}

async function* chunksOf(path: string, name: string): AsyncGenerator<Buffer, void, undefined> {
  const buffer = Buffer.allocUnsafe(CHUNK);
  const handle: FileHandle = await readably(name, () => open(path));
  try {
    for (;;) {
      const { bytesRead } = await readably(name, () => handle.read(buffer, 0, CHUNK));
      if (bytesRead === 0) return;
      yield buffer.subarray(0, bytesRead);
    }
  } finally {
    await handle.close();
  }
}

async function readably<Result>(name: string, read: () => Promise<Result>): Promise<Result> {
  try {
    return await read();
  } catch (cause) {
    throw new CalendarError('INVALID_SOURCE', `${name}: expected a readable file, got ${messageOf(cause)}`, {
      cause,
    });
  }
}

function sameFile(before: Stats, now: Stats): boolean {
  return before.ino === now.ino && before.size === now.size && before.mtimeMs === now.mtimeMs;
}

function changed(name: string): CalendarError {
  return new CalendarError(
    'INVALID_SOURCE',
    `${name}: expected the file to stay the same while it is read, but it changed; build again when it is complete`,
  );
}
