import { closeSync, openSync, readSync, rmSync, writeSync } from 'node:fs';

/**
 * Texts that are written once, in one order, and read back in another. They are stored in a file, because those of 200,000 events would
 * take half a gigabyte of memory.
 */
export interface Spool {
  /** Returns the number by which it is read back. */
  readonly add: (text: string) => number;
  /** The text in UTF-8. */
  readonly read: (number: number) => Buffer;
  readonly close: () => void;
}

const BUFFER = 1 << 20;
const AHEAD = 1 << 17;

/** The file is unlinked at once, so that a killed build leaves none. */
export function openSpool(path: string): Spool {
  const file = openSync(path, 'wx+');
  rmSync(path);
  const buffer = Buffer.allocUnsafe(BUFFER);
  /** Beginnings of the texts; the last value is the beginning of the next one. */
  const begins = [0];
  let flushed = 0;
  let filled = 0;
  let isOpen = true;
  /** What was read last, and where it begins. */
  let block: Buffer = Buffer.alloc(0);
  let blockAt = 0;

  function flush(): void {
    writeAll(buffer.subarray(0, filled));
    filled = 0;
  }

  function writeAll(bytes: Buffer): void {
    for (let done = 0; done < bytes.length; ) {
      done += writeSync(file, bytes, done, bytes.length - done, flushed + done);
    }
    flushed += bytes.length;
  }

  function readAt(at: number, bytes: number): Buffer {
    const found = Buffer.allocUnsafe(bytes);
    for (let done = 0; done < bytes; ) {
      const count = readSync(file, found, done, bytes - done, at + done);
      if (count === 0) throw new Error(`expected ${bytes} bytes at ${at}, found ${done}`);
      done += count;
    }
    return found;
  }

  return {
    add: (text) => {
      // A UTF-16 unit takes at most three bytes.
      const most = 3 * text.length;
      if (filled + most > BUFFER) flush();
      if (most > BUFFER) writeAll(Buffer.from(text));
      else filled += buffer.write(text, filled);
      return begins.push(flushed + filled) - 2;
    },
    read: (number) => {
      // The number of a closed file may soon belong to another file.
      if (!isOpen) throw new Error('expected texts to be read before they are closed');
      if (filled > 0) flush();
      const at = begins[number] ?? 0;
      const end = begins[number + 1] ?? at;
      if (at < blockAt || end > blockAt + block.length) {
        // Texts that are read in the order in which they were written come many at a time.
        const isNext = at >= blockAt && at <= blockAt + block.length;
        const last = isNext ? Math.min(at + AHEAD, flushed) : end;
        block = readAt(at, Math.max(end, last) - at);
        blockAt = at;
      }
      return block.subarray(at - blockAt, end - blockAt);
    },
    close: () => {
      if (isOpen) closeSync(file);
      isOpen = false;
    },
  };
}
