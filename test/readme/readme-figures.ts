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
 * README.md with the figures of 20,000 events: the lowest rates and the highest costs of all results with this calendar, older ones included.
 * Only the upper end of a range of rates is the highest one.
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
  { before: 'MB of memory', figure: () => highest([...memoryOfPeers(), ...BY_MEMORY.flatMap(residentIn)]) },
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

/** The results that have requests by kind, and builds; those that have memory by the number of requests. */
const BY_KIND = ['latest', 'beside'];
const BY_MEMORY = [...BY_KIND, 'memory'];

/** Columns of their tables, without the first one. */
const OCCURRENCES = 0;
const SECONDS = 1;
const RATE = 3;

/** In thousands, as `latest.md` has them. */
function datesOf(calendar: number): string {
  const dates = buildsIn('latest')[calendar]?.[OCCURRENCES] ?? '';
  return dates.replace(/\d{3}$/, '000');
}

/** The cells of its builds of 20,000 events. */
function buildsIn(name: string): readonly (readonly string[])[] {
  const rows = rowsIn(resultFile(name), 'Builds').filter((row) => row.name === EVENTS);
  return rows.map(({ cells }) => cells);
}

/** Of each round, with both versions of Node. */
function ratesOfPeers(question: string): readonly number[] {
  return NODES.flatMap((node) => {
    const row = rowOf(rowsIn(peersOf(node), `${question} (${EVENTS} events)`), ALMANAKK);
    return rateOf(row)?.range ?? [];
  });
}

/** The medians of the row that begins like this, in each result that has it. */
function ratesOf(question: string, row: string): readonly number[] {
  return BY_KIND.flatMap((name) => {
    const text = resultFile(name);
    const headings = sectionsIn(text).map(({ heading }) => heading);
    const rows = rowsIn(text, headings.find((heading) => heading.startsWith(question)) ?? question);
    return numbersIn(rows.find((found) => found.name.startsWith(row))?.cells[RATE] ?? '');
  });
}

const memoryOfPeers = (): readonly number[] =>
  NODES.flatMap((node) => numbersIn(memoryIn(peersOf(node), EVENTS)));

/** Megabytes after a number of different requests. */
function residentIn(name: string): readonly number[] {
  const [, rows = ''] = /^\| different requests \|.*\n\|.*\n((?:\|.*\n?)+)/m.exec(resultFile(name)) ?? [];
  return rows.split('\n').flatMap((row) => numbersIn(row).slice(1));
}

function buildsOf(cost: 'seconds' | 'megabytes'): readonly number[] {
  const ofPeers = NODES.flatMap((node) => numbersIn(buildIn(peersOf(node), EVENTS)[cost]));
  if (cost === 'megabytes') return ofPeers;
  return [...ofPeers, ...BY_KIND.flatMap(buildsIn).flatMap((cells) => numbersIn(cells[SECONDS] ?? ''))];
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
