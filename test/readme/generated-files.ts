/** The files with generated parts, as they should be: `npm run generate` writes them, and `npm run check` compares them. */
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { packagePath } from '../../src/package.ts';
import { classSizes } from './class-sizes.ts';
import { containerRunTable } from './container-run.ts';
import { CDN, DEBIAN, DEBIAN_PAIR, debianRunTable, LINK } from './debian-run.ts';
import { allPages, readPage, spansIn, tableIn, withTable } from './document.ts';
import { formatNumber, withFingerprints } from './fingerprints.ts';
import { generatedTables, indexTables } from './generated.ts';
import { nativeSchemas } from './native-schema.ts';
import { withMinutes } from './opening.ts';
import { prometheusOperatorFile } from './prometheus-operator.ts';
import { withFigures, withLinesOfCode } from './readme-figures.ts';

const ARCHITECTURE = 'docs/architecture.md';
const CHANGELOG = 'CHANGELOG.md';
const CONTAINERS = 'docs/containers.md';
const DECISIONS = 'docs/decisions.md';
/** The heading of its table of parts that can be removed. */
const PARTS = 'If there are too few maintainers';
/** The heading of its table of classes. */
const CLASS_SIZES = 'The cost of each class';
const FORMAT = 'src/snapshot/format.ts';

/** Texts by path, and by `read` those that nothing has changed yet. */
class Files {
  readonly texts = new Map<string, string>();

  read(path: string): string {
    return this.texts.get(path) ?? readPage(path);
  }

  change(path: string, change: (text: string) => string): void {
    this.texts.set(path, change(this.read(path)));
  }
}

/** The text of each file whose generated parts have to be right in each commit, by its path. */
export async function generatedFiles(): Promise<ReadonlyMap<string, string>> {
  return (await exactFiles()).texts;
}

/**
 * The same, and the parts that may be somewhat out of date: reading times, the index that repeats them, numbers of lines, and what has changed
 * since the last runs of the Debian guide.
 */
export async function allGeneratedFiles(): Promise<ReadonlyMap<string, string>> {
  const files = await exactFiles();
  for (const page of allPages()) files.change(page, withMinutes);
  for (const { page, heading, table } of indexTables((path) => files.read(path)))
    files.change(page, (text) => withTable(text, heading, table));
  files.change(ARCHITECTURE, (text) => withTable(text, 'Size', sizes(text)));
  files.change('README.md', (text) => withLinesOfCode(text, files.read(ARCHITECTURE)));
  files.change(DECISIONS, (text) => withTable(text, PARTS, partSizes(text)));
  files.change(DECISIONS, (text) => withTable(text, CLASS_SIZES, classSizes()));
  for (const [guide, heading] of [
    [DEBIAN, 'The last runs on booted systems'],
    [DEBIAN_PAIR, 'The last runs'],
    [LINK, 'The last run with encryption'],
    [CDN, 'The last run'],
  ] as const)
    files.change(guide.page, (text) => withTable(text, heading, debianRunTable(guide)));
  files.change(CONTAINERS, (text) =>
    withTable(text, 'Recorded runs with Docker, Podman and Kubernetes', containerRunTable()),
  );
  return files.texts;
}

/** The first line of each of these files that is out of date, as a finding. */
export function staleLines(files: ReadonlyMap<string, string>): readonly string[] {
  return [...files].flatMap(([path, text]) => {
    const written = readPage(path);
    if (written === text) return [];
    const expected = text.split('\n');
    const found = written.split('\n');
    const line = expected.findIndex((words, at) => words !== found[at]);
    const at = line === -1 ? expected.length : line;
    return [
      `${path}:${at + 1}: expected ${shown(expected[at])}, found ${shown(found[at])}: run "npm run generate"`,
    ];
  });
}

function shown(line = 'the end'): string {
  return line.length > 200 ? `${line.slice(0, 200)} …` : line;
}

async function exactFiles(): Promise<Files> {
  const files = new Files();
  for (const { page, heading, table } of await generatedTables())
    files.change(page, (text) => withTable(text, heading, table));
  files.change('README.md', withFigures);
  for (const [name, text] of Object.entries(nativeSchemas())) files.change(`docs/${name}`, () => text);
  files.change('docs/prometheus-operator.yaml', prometheusOperatorFile);
  const number = formatNumber(files.read(CHANGELOG));
  files.change(FORMAT, (text) => text.replace(/(?<=^export const FORMAT = )\d+/m, `${number}`));
  files.change(CHANGELOG, (text) => withFingerprints(text));
  return files;
}

/** The table of sizes with new numbers, which the commands below it print. Rounded, so that few commits change them. */
function sizes(page: string): string {
  const [commands = ''] = /^find .*\n(?:find .*\n)+/m.exec(page) ?? [];
  const { stdout } = spawnSync('sh', ['-c', commands], { cwd: packagePath('.'), encoding: 'utf8' });
  const counts = stdout.trim().split('\n').map(Number);
  return tableIn(page, 'Size').replace(/[\d,]+(?= \|$)/gm, () => {
    const thousands = Math.round((counts.shift() ?? 0) / 1_000);
    return `${thousands},000`;
  });
}

/** The table of parts with new numbers of lines, rounded for the same reason. The last row has their sum. */
function partSizes(page: string): string {
  let total = 0;
  return tableIn(page, PARTS).replace(/^(\|([^|]*)\|.*\| )[\d,]+(?= \|$)/gm, (_row, before, part: string) => {
    const lines = spansIn(part).reduce((sum, folder) => sum + linesIn(folder), 0);
    total += lines;
    const hundreds = Math.round((lines === 0 ? total : lines) / 100);
    return `${before}${(100 * hundreds).toLocaleString('en')}`;
  });
}

function linesIn(folder: string): number {
  const names = readdirSync(packagePath(folder), { recursive: true, encoding: 'utf8' });
  const texts = names.filter((name) => name.endsWith('.ts')).map((name) => readPage(join(folder, name)));
  return texts.join('').split('\n').length - 1;
}
