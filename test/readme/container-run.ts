/** The table of docs/containers.md about the last runs with real engines, from the file that `.ci/checks.sh` writes. */
import { applicationSince, cellsOf, recordedRun } from './debian-run.ts';
import { readPage, tableIn } from './document.ts';

const RESULT = 'test/heavy/container-run.md';
const PAGE = 'docs/containers.md';
const APPLICATION = 'files of the application that have changed since';
const CHANGED = 'files of the setup that have changed since';

export function containerRunTable(): string {
  const [heading = '', , ...lines] = tableIn(readPage(RESULT), 'Run').trimEnd().split('\n');
  const columns = cellsOf(heading);
  const rows = lines.map((line) => {
    const cells = cellsOf(line);
    const [engine = ''] = cells;
    const commit = /[\da-f]{8,}/.exec(cells[columns.indexOf('package')] ?? '')?.[0];
    if (commit === undefined) throw new Error(`${RESULT}: expected the commit of a package, found none`);
    const { changed } = recordedRun(`${RESULT}, ${engine}`);
    return [...cells, applicationSince(commit), changed ?? statedFor(engine)];
  });
  return [
    `| ${[...columns, APPLICATION, CHANGED].join(' | ')} |\n`,
    `|---|${'---|'.repeat(columns.length + 1)}\n`,
    ...rows.map((cells) => `| ${cells.join(' | ')} |\n`),
  ].join('');
}

/** A clone without the commit keeps what the page says. */
function statedFor(engine: string): string {
  const line = readPage(PAGE)
    .split('\n')
    .find((text) => text.startsWith(`| ${engine} |`));
  return cellsOf(line ?? '').at(-1) ?? 'unknown';
}
