/** The figures of README.md, which are made from the files that the benchmarks write. */
import { rangeOf } from '../bench/tables.ts';
import {
  ALMANAKK,
  buildIn,
  NODES,
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
 * README.md with the figures of 20,000 events: a range from the lowest median of the rates to the highest, and the highest costs.
 * They are from the comparison with other servers, `latest.md` and the results about memory. Results about earlier versions are left out.
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
const DIFFERENT = 'Every request different';

/** A figure of README.md, by the words around it. */
interface Figure {
  readonly after?: string;
  readonly before?: string;
  figure(): string;
}

const FIGURES: readonly Figure[] = [
  {
    before: ' different list queries per second',
    figure: () =>
      span([
        ...ratesOfPeers(WITH_FACETS),
        ...ratesOf(DIFFERENT, 'almanakk, by variables'),
        ...ratesOf(DIFFERENT, 'almanakk, series, by literals'),
      ]),
  },
  { before: ' MB of memory', figure: () => highest([mostMemory().megabytes]) },
  { before: ' seconds and needs', figure: () => highest(buildsOf('seconds')) },
  { after: 'needs another ', figure: () => highest(buildsOf('megabytes')) },
];

/** Columns of their tables, without the first one. */
const SECONDS = 1;
const RATE = 3;

/** The cells of the builds of 20,000 events in `latest.md`. */
function latestBuilds(): readonly (readonly string[])[] {
  const rows = rowsIn(resultFile('latest'), 'Builds').filter((row) => row.name === EVENTS);
  return rows.map(({ cells }) => cells);
}

/** The medians with both versions of Node. */
function ratesOfPeers(question: string): readonly number[] {
  return NODES.flatMap((node) => {
    const row = rowOf(rowsIn(peersOf(node), `${question} (${EVENTS} events)`), ALMANAKK);
    return rateOf(row)?.median ?? [];
  });
}

/** The median in the row of `latest.md` that begins like this. */
function ratesOf(question: string, row: string): readonly number[] {
  const text = resultFile('latest');
  const headings = sectionsIn(text).map(({ heading }) => heading);
  const rows = rowsIn(text, headings.find((heading) => heading.startsWith(question)) ?? question);
  return numbersIn(rows.find((found) => found.name.startsWith(row))?.cells[RATE] ?? '');
}

/** The run after whose requests a server had most memory. There is one run with each version of Node. */
function mostMemory(): { readonly node: string; readonly megabytes: number } {
  const runs = resultsByNode('memory').map(({ node, text }) => ({
    node,
    megabytes: Math.max(...residentIn(text).flatMap(({ cells }) => numbersIn(cells[0] ?? ''))),
  }));
  const [most] = runs.toSorted((left, right) => right.megabytes - left.megabytes);
  if (most === undefined)
    throw new Error('expected results about memory, such as memory-node20.md, found none');
  return most;
}

function buildsOf(cost: 'seconds' | 'megabytes'): readonly number[] {
  const ofPeers = NODES.flatMap((node) => numbersIn(buildIn(peersOf(node), EVENTS)[cost]));
  if (cost === 'megabytes') return ofPeers;
  return [...ofPeers, ...latestBuilds().flatMap((cells) => numbersIn(cells[SECONDS] ?? ''))];
}

function span(rates: readonly number[]): string {
  const [from, to] = rangeOf(rates);
  return `${roundedDown(from)} to ${roundedDown(to)}`;
}

/** To two digits. */
function roundedDown(rate: number): string {
  const unit = 10 ** (Math.floor(Math.log10(rate)) - 1);
  return (Math.floor(rate / unit) * unit).toLocaleString('en');
}

/** Rounded up. */
const highest = (costs: readonly number[]): string => Math.ceil(Math.max(...costs)).toLocaleString('en');
