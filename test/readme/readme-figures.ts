/** The figures of README.md, which are made from the files that the benchmarks write. */
import { rangeOf } from '../bench/tables.ts';
import {
  ALMANAKK,
  buildIn,
  memoryIn,
  NODES,
  numbersIn,
  peersOf,
  REPEATED,
  rateOf,
  resultFile,
  rowOf,
  rowsIn,
  WITH_FACETS,
} from './bench-results.ts';
import { sectionsIn } from './document.ts';

/**
 * README.md with the figures of 20,000 events: the lowest median of the rates, or a range from the lowest to the highest, and the highest costs.
 * They are from the comparison with other servers, `latest.md` and `memory.md`. Results about earlier versions are left out.
 */
export function withFigures(readme: string): string {
  return FIGURES.reduce((text, { before, figure }) => {
    const pattern = new RegExp(`\\d[\\d,]*( to \\d[\\d,]*)?(?=\\s+${before.replaceAll(' ', '\\s+')})`);
    if (!pattern.test(text))
      throw new Error(`expected README.md to give a figure before "${before}", found none`);
    return text.replace(pattern, figure());
  }, readme);
}

const EVENTS = '20,000';
const DIFFERENT = 'Every request different';
const SAME = 'The same request';

/** The calendar of all results, and the one that `latest.md` calls "series", as rows of its table of builds. */
const FEW_DATES = 0;
const SERIES = 1;

const FIGURES = [
  { before: 'dates, one core', figure: () => datesOf(FEW_DATES) },
  {
    before: 'distinct list queries per second',
    figure: () => span([...ratesOfPeers(WITH_FACETS), ...ratesOf(DIFFERENT, 'almanakk, by variables')]),
  },
  {
    before: 'identical ones',
    figure: () => span([...ratesOfPeers(REPEATED), ...ratesOf(SAME, 'almanakk, POST')]),
  },
  { before: 'MB of memory', figure: () => highest([...memoryOfPeers(), ...residentAfterRequests()]) },
  { before: 'dates, it answers', figure: () => datesOf(SERIES) },
  {
    before: 'distinct ones',
    figure: () => lowest(ratesOf(DIFFERENT, 'almanakk, series, by variables')),
  },
  {
    before: 'with literals',
    figure: () => lowest(ratesOf(DIFFERENT, 'almanakk, series, by literals')),
  },
  { before: 'seconds and', figure: () => highest(buildsOf('seconds')) },
  { before: 'MB more', figure: () => highest(buildsOf('megabytes')) },
];

/** Columns of their tables, without the first one. */
const OCCURRENCES = 0;
const SECONDS = 1;
const RATE = 3;

/** In thousands, as `latest.md` has them. */
function datesOf(calendar: number): string {
  const dates = latestBuilds()[calendar]?.[OCCURRENCES] ?? '';
  return dates.replace(/\d{3}$/, '000');
}

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

const memoryOfPeers = (): readonly number[] =>
  NODES.flatMap((node) => numbersIn(memoryIn(peersOf(node), EVENTS)));

/** Megabytes after each number of different requests in `memory.md`. */
function residentAfterRequests(): readonly number[] {
  const [, rows = ''] = /^\| different requests \|.*\n\|.*\n((?:\|.*\n?)+)/m.exec(resultFile('memory')) ?? [];
  return rows.split('\n').flatMap((row) => numbersIn(row).slice(1));
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

const lowest = (rates: readonly number[]): string => roundedDown(Math.min(...rates));

/** To two digits. */
function roundedDown(rate: number): string {
  const unit = 10 ** (Math.floor(Math.log10(rate)) - 1);
  return (Math.floor(rate / unit) * unit).toLocaleString('en');
}

/** Rounded up. */
const highest = (costs: readonly number[]): string => Math.ceil(Math.max(...costs)).toLocaleString('en');
