/** The figures of README.md, which are made from the files that the benchmarks write. */
import {
  ALMANAKK,
  buildIn,
  numbersIn,
  peersOf,
  rateOf,
  residentIn,
  resultFile,
  resultsByNode,
  rowOf,
  rowsIn,
  WITH_FACETS,
} from './bench-results.ts';
import { sectionsIn, tableIn } from './document.ts';

/**
 * README.md with the figures of 20,000 events: the median rate and the costs in the comparison with other servers, and the share of that rate that
 * `latest.md` has for literals.
 */
export function withFigures(readme: string): string {
  return FIGURES.reduce((text, { after = '', before = '', figure }) => {
    const spaced = (words: string) => words.replaceAll(' ', '\\s+');
    const pattern = new RegExp(`(?<=${spaced(after)})\\d[\\d,]*( to \\d[\\d,]*)?(?=${spaced(before)})`);
    if (!pattern.test(text))
      throw new Error(`expected README.md to have a figure in "${after}…${before}", found none`);
    return text.replace(pattern, figure());
  }, readme);
}

/** README.md with the lines of the program, without those of its tests, in the table of sizes in `architecture`. */
export function withLinesOfCode(readme: string, architecture: string): string {
  const rows = tableIn(architecture, 'Size').matchAll(/^\| (.+) \| ([\d,]+) \|$/gm);
  const ofProgram = [...rows].filter(([, part]) => part !== 'the tests');
  const lines = ofProgram.reduce((sum, [, , count = '']) => sum + Number(count.replaceAll(',', '')), 0);
  return readme.replace(/[\d,]+(?= lines of TypeScript)/, lines.toLocaleString('en'));
}

const EVENTS = '20,000';
/** The recommended version. */
const NODE = '24';

/** A figure of README.md, by the words around it. */
interface Figure {
  readonly after?: string;
  readonly before?: string;
  figure(): string;
}

const BUILD = buildIn(peersOf(NODE), EVENTS);

const FIGURES: readonly Figure[] = [
  { before: ' different queries per second', figure: () => roundedDown(rateOfPeers()) },
  { before: ' times as long', figure: () => `${Math.round(1 / shareByLiterals())}` },
  { before: ' MB of memory', figure: () => `${Math.ceil(mostMemory() / 50) * 50}` },
  { before: ' seconds and \\d', figure: () => highest(BUILD.seconds) },
  { after: 'seconds and ', figure: () => highest(BUILD.megabytes) },
];

/** The median. */
function rateOfPeers(): number {
  const row = rowOf(rowsIn(peersOf(NODE), `${WITH_FACETS} (${EVENTS} events)`), ALMANAKK);
  const rate = rateOf(row);
  if (rate === null) throw new Error(`expected a rate of ${ALMANAKK} with Node ${NODE}, found none`);
  return rate.median;
}

/** The most in the table that README.md names, which was measured with Node 20. README.md rounds it up, because other runs differ a little. */
function mostMemory(): number {
  const run = resultsByNode('memory').find(({ node }) => node === '20');
  if (run === undefined) throw new Error('expected memory-node20.md, found none');
  return Math.max(...residentIn(run.text).flatMap(({ cells }) => numbersIn(cells[0] ?? '')));
}

/** The rate of requests that differ in literals, as a share of that of requests that differ in variables. Only `latest.md` has both. */
function shareByLiterals(): number {
  return rateInLatest('almanakk, by literals') / rateInLatest('almanakk, by variables');
}

/** A column of its tables, without the first one. */
const RATE = 3;

/** The median in the row about different requests that begins like this. */
function rateInLatest(row: string): number {
  const section = sectionsIn(resultFile('latest')).find(({ heading }) =>
    heading.startsWith('Every request different'),
  );
  const found = rowsIn(section?.text ?? '', section?.heading ?? '').find(({ name }) => name.startsWith(row));
  const [rate] = numbersIn(found?.cells[RATE] ?? '');
  if (rate === undefined) throw new Error(`expected a row "${row}" in latest.md, found none`);
  return rate;
}

/** To two digits. */
function roundedDown(rate: number): string {
  const unit = 10 ** (Math.floor(Math.log10(rate)) - 1);
  return (Math.floor(rate / unit) * unit).toLocaleString('en');
}

/** Rounded up. */
function highest(cell: string): string {
  return Math.ceil(Math.max(...numbersIn(cell))).toLocaleString('en');
}
