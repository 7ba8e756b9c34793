/**
 * Texts that are written in one order and read back in another. They are stored in a file, because those of 200,000 events would take half
 * a gigabyte of memory.
 */
import { appendFileSync, closeSync, openSync, readSync, rmSync } from 'node:fs';

export interface Spool {
  /** Returns the number by which it is read back. */
  readonly add: (text: string) => number;
  /** Throws for a number that `add` did not return. */
  readonly read: (number: number) => string;
  readonly close: () => void;
}

/** The file is unlinked at once, so that a killed build leaves none. */
export function openSpool(path: string): Spool {
  const file = openSync(path, 'wx+');
  rmSync(path);
  /** Beginnings of the texts; the last value is the beginning of the next one. */
  const begins = [0];
  /** Texts that are not in the file yet. */
  let waiting: string[] = [];
  let waitingBytes = 0;
  let isOpen = true;

  const flush = (): void => {
    appendFileSync(file, waiting.join(''));
    waiting = [];
    waitingBytes = 0;
  };

  /** The descriptor of a closed file may soon belong to another file. */
  const assertOpen = (): void => {
    if (!isOpen) throw new Error('expected texts to be stored and read before the spool is closed');
  };

  return {
    add: (text: string): number => {
      assertOpen();
      const number = begins.length - 1;
      const bytes = Buffer.byteLength(text);
      waiting.push(text);
      waitingBytes += bytes;
      if (waitingBytes >= WRITTEN_AT_ONCE) flush();
      begins.push((begins.at(-1) ?? 0) + bytes);
      return number;
    },
    read: (number: number): string => {
      assertOpen();
      const at = begins[number];
      const end = begins[number + 1];
      if (at === undefined || end === undefined)
        throw new Error(`expected the number of a text below ${begins.length - 1}, found ${number}`);
      if (waiting.length > 0) flush();
      const bytes = Buffer.allocUnsafe(end - at);
      const found = readSync(file, bytes, { position: at });
      if (found !== bytes.length) throw new Error(`expected ${bytes.length} bytes at ${at}, found ${found}`);
      return bytes.toString();
    },
    close: (): void => {
      if (isOpen) closeSync(file);
      isOpen = false;
    },
  };
}

/** Bytes: one call a text would make a build of many short ones slow. */
const WRITTEN_AT_ONCE = 64 * 1_024;
