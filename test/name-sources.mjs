// Positions in compiled files, as stack traces have them, in terms of the sources. Only traces that are printed are looked up: with Node's
// own option, each process would read the source maps of all files that it loads.
import { existsSync, readFileSync } from 'node:fs';
import { SourceMap } from 'node:module';
import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const POSITION = /(file:\/\/[^\s()]+\.js):(\d+):(\d+)/g;

/** By the address of the compiled file; undefined for a file without a map. */
const maps = new Map();

/** The text, with the path of the source in place of each compiled file that has a map beside it. */
export function nameSources(text) {
  return text.replaceAll(POSITION, (position, file, line, column) => {
    const { originalSource, originalLine, originalColumn } =
      mapOf(file)?.findEntry(line - 1, column - 1) ?? {};
    if (originalSource === undefined) return position;
    const source = resolve(dirname(fileURLToPath(file)), originalSource);
    return `${source}:${originalLine + 1}:${originalColumn + 1}`;
  });
}

function mapOf(file) {
  if (!maps.has(file)) maps.set(file, readMap(`${fileURLToPath(file)}.map`));
  return maps.get(file);
}

function readMap(path) {
  return existsSync(path) ? new SourceMap(JSON.parse(readFileSync(path, 'utf8'))) : undefined;
}
