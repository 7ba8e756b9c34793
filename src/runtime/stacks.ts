/**
 * Stack traces that name the files of src/ and jobs/. The source map of a file is read when a trace first leads into it. With Node's own
 * option, a process reads the maps of all files when it starts: that takes a tenth of the start, and 10 MB.
 */
import { readFileSync } from 'node:fs';
import { SourceMap } from 'node:module';
import { fileURLToPath } from 'node:url';

/** A position in a compiled file. */
const POSITION = /(file:\/\/\S+?\.js):(\d+):(\d+)/g;

/** By the address of the compiled file; null for a file without a map. */
const maps = new Map<string, SourceMap | null>();

/** The stack of an error, with a position in the source for each position in a file that has a source map. */
export function sourceStack(stack: string): string {
  return stack.replaceAll(POSITION, (position, file: string, line: string, column: string) => {
    return sourcePosition(file, Number(line), Number(column)) ?? position;
  });
}

/** Writes an error's stack anew, as `sourceStack` does. */
export function nameSources(thrown: unknown): void {
  if (thrown instanceof Error && thrown.stack !== undefined) thrown.stack = sourceStack(thrown.stack);
}

/** `line` and `column` begin at one, and those of a source map at zero. */
function sourcePosition(file: string, line: number, column: number): string | undefined {
  const entry = mapOf(file)?.findEntry(line - 1, column - 1);
  if (entry === undefined || !('originalSource' in entry)) return undefined;
  const source = new URL(entry.originalSource, file);
  return `${source.href}:${entry.originalLine + 1}:${entry.originalColumn + 1}`;
}

function mapOf(file: string): SourceMap | null {
  const known = maps.get(file);
  if (known !== undefined) return known;
  const map = readMap(file);
  maps.set(file, map);
  return map;
}

function readMap(file: string): SourceMap | null {
  try {
    return new SourceMap(JSON.parse(readFileSync(`${fileURLToPath(file)}.map`, 'utf8')));
  } catch {
    // A trace with compiled positions says more than a second failure.
    return null;
  }
}
