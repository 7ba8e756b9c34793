/**
 * Stack traces that name the files of src/ and jobs/. The source map of a file is read when a trace first leads into it. With Node's own
 * option, a process reads the maps of all files when it starts: that takes a tenth of the start, and 10 MB.
 */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type FindSource, readSourceMap } from './source-map.ts';

/** A line of a trace that leads into a compiled file. The message of an error, above the trace, may be long and say anything. */
const FRAME = /^ {4}at .{0,1000}$/gm;
/** The end of such a line: a position, which may be in parentheses. */
const POSITION = /(file:\/\/[^\s()]{1,250}\.js):(\d{1,9}):(\d{1,9})(\)?)$/;

/** By the address of the compiled file; null for a file without a map. */
const maps = new Map<string, FindSource | null>();
/** More than this program has files. */
const MOST_MAPS = 500;

/** The stack of an error, with a position in the source for each position in a file that has a source map. */
export function sourceStack(stack: string): string {
  return stack.replaceAll(FRAME, (frame) =>
    frame.replace(POSITION, (position, file: string, line: string, column: string, end: string) => {
      const source = sourcePosition(file, Number(line), Number(column));
      return source === undefined ? position : source + end;
    }),
  );
}

/** Writes an error's stack anew, as `sourceStack` does, unless the error is frozen. */
export function nameSources(thrown: unknown): void {
  if (!(thrown instanceof Error) || typeof thrown.stack !== 'string') return;
  // From Node 22 on, the stack of a frozen error can be written.
  if (Object.isFrozen(thrown)) return;
  Reflect.set(thrown, 'stack', sourceStack(thrown.stack));
}

/** `line` and `column` begin at one, and those of a source map at zero. */
function sourcePosition(file: string, line: number, column: number): string | undefined {
  // Text that esbuild has added has no source.
  const found = mapOf(file)?.(line - 1, column - 1) ?? null;
  if (found === null) return undefined;
  const source = new URL(found.source, file);
  return `${source.href}:${found.line + 1}:${found.column + 1}`;
}

function mapOf(file: string): FindSource | null {
  const known = maps.get(file);
  if (known !== undefined) return known;
  if (maps.size === MOST_MAPS) return null;
  const map = readMap(file);
  maps.set(file, map);
  return map;
}

function readMap(file: string): FindSource | null {
  try {
    return readSourceMap(readFileSync(`${fileURLToPath(file)}.map`, 'utf8'));
  } catch {
    // A trace with compiled positions says more than a second failure.
    return null;
  }
}
