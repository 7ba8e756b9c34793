/** The tables of docs/benchmarks.md, which are made from the files that the benchmarks write. */
import { existsSync, readdirSync } from 'node:fs';
import { packagePath } from '../../src/package.ts';
import { PHASES } from '../bench/newspapers.ts';
import { IN_MEMORY, PEERS } from '../bench/peers/install.ts';
import { MOST_LOAD } from '../bench/provenance.ts';
import { markdownTable, type Range, rangeOf } from '../bench/tables.ts';
import { readPage, sectionsIn, tableIn } from './document.ts';

export const BENCHMARKS = 'docs/benchmarks.md';

const RESULTS = 'test/bench/results';

/** Heading by table, in the order of the page. */
export function benchmarkTables(): readonly (readonly [heading: string, table: string])[] {
  const tables: readonly (readonly [heading: string, table: string])[] = [
    ['Results at a glance', glanceTable()],
    ['Machine and commit', factsTable()],
    ['Compare with other servers', multiplesTable()],
    ['Time and memory by the size of the calendar', sizesTable()],
    ['Requests by kind', kindsTable()],
    ['Memory by the number of requests', memoryTable()],
    ['Compared with an early version', comparisonTable()],
    ['Build a calendar from 300 feeds', tableIn(resultFile('feeds'), 'Builds').trim()],
    ['Servers under attack', attacksTable()],
    ['Look up when a result was measured', measuredTable()],
  ];
  return tables.map(([heading, table]) => [heading, `${table}\n`]);
}

export const resultFile = (name: string): string => readPage(`${RESULTS}/${name}.md`);

export const NODES = ['24', '20'] as const;

/** The results of a benchmark that is measured with each version of Node, as far as they have been measured. */
export function resultsByNode(
  benchmark: string,
): readonly { readonly node: string; readonly text: string }[] {
  return NODES.filter((node) => existsSync(packagePath(pathOf(benchmark, node)))).map((node) => ({
    node,
    text: readPage(pathOf(benchmark, node)),
  }));
}

const pathOf = (benchmark: string, node: string): string => `${RESULTS}/${benchmark}-node${node}.md`;

export const peersOf = (node: string): string => resultFile(`peers-node${node}`);

export const WITH_FACETS = 'Every request different, with three facets';
const WITHOUT_FACETS = 'Every request different, without facets';
export const REPEATED = 'The same request repeated, with three facets';
export const ALMANAKK = 'almanakk';
const SIZES = ['6,000', '20,000', '200,000'];
const QUESTIONS = [WITH_FACETS, WITHOUT_FACETS, REPEATED];

/** The servers that read SQLite run in two versions, of which one selects the events again in each statement: it is in the results alone. */
const SHOWN = PEERS.filter(({ way }) => way !== 'again').map(({ name }) => name);
const SQL = SHOWN.filter((name) => name !== IN_MEMORY);
const HOW = /(, selected once)?, cached$/;
const NOT_MEASURED = '–';

interface Row {
  readonly name: string;
  readonly cells: readonly string[];
}

export function rowsIn(markdown: string, heading: string): readonly Row[] {
  const lines = tableIn(markdown, heading).trim().split('\n').slice(2);
  return lines.map((line) => {
    const [name = '', ...cells] = line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim());
    return { name, cells };
  });
}

const NUMBER = /[\d.,]+/g;
export const numbersIn = (text: string): readonly number[] =>
  [...text.matchAll(NUMBER)].map(([digits]) => Number(digits.replaceAll(',', '')));

interface Rate {
  readonly median: number;
  readonly range: Range;
}

/** Requests a second, of the rounds of one result. */
export function rateOf(row: Row | undefined): Rate | null {
  const [rate = NOT_MEASURED, range = ''] = row?.cells ?? [];
  const [median] = numbersIn(rate);
  if (median === undefined) return null;
  const [lowest = median, highest = lowest] = numbersIn(range);
  return { median, range: [lowest, highest] };
}

/** As the result has it, with the lowest and highest of the rounds in brackets. */
function rateText({ cells: [rate = NOT_MEASURED, range = ''] }: Pick<Row, 'cells'>): string {
  return range === '' || range === rate ? rate : `${rate} (${range})`;
}

export const rowOf = (rows: readonly Row[], name: string): Row | undefined =>
  rows.find((row) => row.name === name);

/** How many requests almanakk answers for each one that another server answers. */
function multiplesTable(): string {
  const rows = QUESTIONS.flatMap((question) =>
    [
      { others: 'the fastest with SQL', names: SQL },
      { others: 'the array', names: [IN_MEMORY] },
    ].map(({ others, names }) => [
      question,
      others,
      ...SIZES.map((events) => multiplesOf(`${question} (${events} events)`, names)),
    ]),
  );
  const head = ['requests', 'compared with', ...SIZES.map((events) => `${events} events`)];
  return markdownTable(head, rows, 2);
}

/**
 * With both versions of Node: lowest and highest of the medians, in brackets those of the rounds. A round of almanakk is compared with each
 * round of the other server, because results do not have their order.
 */
function multiplesOf(heading: string, names: readonly string[]): string {
  const found = NODES.flatMap((node) => {
    const rows = rowsIn(peersOf(node), heading);
    const ours = rateOf(rowOf(rows, ALMANAKK));
    const others = names.flatMap((name) => rateOf(rowOf(rows, name)) ?? []);
    const [fastest] = others.toSorted((left, right) => right.median - left.median);
    if (ours === null || fastest === undefined) return [];
    const [lowest, highest] = ours.range;
    const ends = [lowest / fastest.range[1], highest / fastest.range[0]];
    return [{ median: ours.median / fastest.median, ends }];
  });
  if (found.length === 0) return NOT_MEASURED;
  const medians = rangeOf(found.map(({ median }) => median));
  const ends = rangeOf(found.flatMap(({ ends }) => ends));
  return `${span(medians)} (${span(ends)})`;
}

/** With two digits. */
function span(range: Range): string {
  const [lowest = '', highest] = range.map((value) => Number(value.toPrecision(2)).toLocaleString('en'));
  return lowest === highest ? lowest : `${lowest}–${highest}`;
}

/** Every server with every size of calendar, and one column for each version of Node. */
function glanceTable(): string {
  const rows = SIZES.flatMap((events) =>
    [ALMANAKK, ...SHOWN].flatMap((name) => {
      const cells = [
        ...cellsOf(`${WITH_FACETS} (${events} events)`, name, RATE),
        ...cellsOf(`${WITH_FACETS} (${events} events)`, name, P99),
        ...cellsOf(`${REPEATED} (${events} events)`, name, RATE),
        ...cellsOf(`${REPEATED} (${events} events)`, name, P99),
        ...cellsOf(`Memory after these requests (${events} events)`, name, RATE),
      ];
      const isMeasured = cells.some((cell) => cell !== NOT_MEASURED);
      return isMeasured ? [[events, name.replace(HOW, ''), ...cells]] : [];
    }),
  );
  const columns = ['different requests/s', 'p99 ms', 'repeated requests/s', 'p99 ms', 'memory MB'];
  const head = columns.flatMap((column) => [`${column}, Node ${NODES[0]}`, `Node ${NODES[1]}`]);
  return markdownTable(['events', 'server', ...head], rows, 2);
}

/** Columns of the results, without their first one. */
const RATE = 0;
const P99 = 2;

/** The figure with each version of Node. */
function cellsOf(heading: string, name: string, column: number): readonly string[] {
  return NODES.map((node) => rowOf(rowsIn(peersOf(node), heading), name)?.cells[column] ?? NOT_MEASURED);
}

/** What the results of both versions of Node say about themselves. */
function factsTable(): string {
  const facts = NODES.map((node) => factsOf(peersOf(node)));
  const rows = ['command', 'measured', 'commit', 'Node', 'machine', 'runs'].map((key) => [
    key,
    ...facts.map((of) => of(key)),
  ]);
  return markdownTable(['', ...NODES.map((node) => `Node ${node}`)], rows, NODES.length + 1);
}

/** Reads the first table of a result, by the first cell of its rows. */
function factsOf(text: string): (key: string) => string {
  const [title = ''] = sectionsIn(text).map(({ heading }) => heading);
  const facts = new Map(rowsIn(text, title).map((row) => [row.name, row.cells[0] ?? '']));
  return (key) => facts.get(key) ?? 'not recorded';
}

/** Of almanakk alone. */
function sizesTable(): string {
  const rows = SIZES.flatMap((events) =>
    NODES.map((node) => {
      const text = peersOf(node);
      const [different, page, repeated] = QUESTIONS.map(
        (question) => rowsIn(text, `${question} (${events} events)`)[0]?.cells ?? [],
      );
      const { seconds, megabytes } = buildIn(text, events);
      const pairs = [different, page, repeated].flatMap((cells = []) => [
        rateText({ cells }),
        cells[2] ?? NOT_MEASURED,
      ]);
      return [events, node, ...pairs, memoryIn(text, events), seconds, megabytes];
    }),
  );
  const questions = ['with facets, requests/s', 'without facets, requests/s', 'repeated, requests/s'];
  const head = questions.flatMap((question) => [question, 'p99 ms']);
  return markdownTable(['events', 'Node', ...head, 'server MB', 'build s', 'build MB'], rows);
}

/** Megabytes of almanakk after the requests of a result. */
export function memoryIn(result: string, events: string): string {
  const rows = rowsIn(result, `Memory after these requests (${events} events)`);
  return rowOf(rows, ALMANAKK)?.cells[0] ?? NOT_MEASURED;
}

export function buildIn(result: string, events: string) {
  const section = sectionsIn(result).find(({ heading }) => heading === `${events} events`)?.text ?? '';
  const [, seconds = '', megabytes = ''] =
    /Built in ([\d.,]+) s \(.*?, ([\d.,]+) MB at most\)/.exec(section) ?? [];
  return { seconds, megabytes };
}

/** Of almanakk with the small calendar: the columns of `latest.md` that do not depend on the floor. */
function kindsTable(): string {
  const sections = sectionsIn(resultFile('latest')).filter(({ heading }) =>
    /^(The same|Every) request/.test(heading),
  );
  const rows = sections.flatMap(({ text, heading }) => rowsIn(text, heading));
  const small = rows.filter(({ name }) => !/, large,/.test(name));
  return markdownTable(
    ['', 'requests/s', 'p99 ms', 'CPU µs', 'lowest–highest', 'KB'],
    small.map(({ name, cells: [, cpu = '', range = '', rate = '', p99 = '', size = ''] }) => [
      name,
      ...[rate, p99, cpu, range, size],
    ]),
  );
}

/** The medians of the comparison in `beside.md`, the worst first. */
function comparisonTable(): string {
  const section = sectionsIn(resultFile('beside')).find(({ heading }) => /\bcompared with\b/i.test(heading));
  if (section === undefined)
    return markdownTable(['', 'this version', 'the early one'], [['not measured', '', '']]);
  const [head, rule, ...lines] = tableIn(section.text, section.heading).trim().split('\n');
  const medians = lines.filter((line) => !/: lowest/.test(line));
  const sorted = medians.toSorted((left, right) => multipleIn(right) - multipleIn(left));
  return [head, rule, ...sorted].join('\n');
}

/** The last cell of a row, which is in bold. */
function multipleIn(line: string): number {
  return Number(/\*\*([\d.]+)\*\* \|$/.exec(line)?.[1]);
}

/** The targets of the storm, below what they were measured at, with a column for each version of Node. */
function attacksTable(): string {
  const results = resultsByNode('storm').map(({ node, text }) => ({
    head: `[Node ${node}](../${pathOf('storm', node)})`,
    outcomes: outcomesOf(text),
  }));
  const targets = [...new Set(results.flatMap(({ outcomes }) => [...outcomes.keys()]))];
  const rows = targets.map((target) => [
    target,
    ...results.map(({ outcomes }) => outcomes.get(target) ?? NOT_MEASURED),
  ]);
  return markdownTable(['target', ...results.map(({ head }) => head)], rows, results.length + 1);
}

/** The results of one storm, by target. */
function outcomesOf(text: string): ReadonlyMap<string, string> {
  const fact = factsOf(text);
  const stalls = rowsIn(text, 'Each attack').flatMap(({ cells }) => numbersIn(cells[LONGEST_STALL] ?? ''));
  return new Map([
    ['measured', `${fact('measured')}, at commit ${fact('commit')}, with Node ${fact('Node')}`],
    ...targetsOf(text).map(({ name, cells }) => [name, cells.join(': ')] as const),
    ['longest stall (one worker)', `${Math.max(...stalls)} ms`],
  ]);
}

/** The rows with the targets of a storm: the result, and whether the target was met. */
export const targetsOf = (storm: string): readonly Row[] => rowsIn(storm, 'Targets');

/** Columns of each attack of a storm, without the first one. */
const BUDGET = 0;
const HIGHEST = 4;
const LONGEST_STALL = 8;

interface Attack {
  /** Of the budget. */
  readonly megabytes: number;
  /** The highest memory, in megabytes. */
  readonly highest: number;
}

export const attacksIn = (storm: string): readonly Attack[] =>
  rowsIn(storm, 'Each attack').map(({ cells }) => ({
    megabytes: Number(cells[BUDGET]),
    highest: Number(cells[HIGHEST]),
  }));

/** Megabytes by the number of different requests, with a column for each version of Node. */
function memoryTable(): string {
  const results = resultsByNode('memory').map(({ node, text }) => ({ node, rows: residentIn(text) }));
  const numbers = results[0]?.rows.map(({ name }) => name) ?? [];
  const rows = numbers.map((number) => [
    number,
    ...results.map((result) => rowOf(result.rows, number)?.cells[0] ?? NOT_MEASURED),
  ]);
  return markdownTable(['different requests', ...results.map(({ node }) => `MB, Node ${node}`)], rows);
}

/** The rows of a result about memory: the number of different requests, and the resident megabytes. */
export const residentIn = (memory: string): readonly Row[] => rowsIn(withoutFacts(memory), 'Memory');

/** The phases of `newspapers.md`. */
export const newspapersTable = (): string => tableIn(resultFile('newspapers'), PHASES);

/** A result without its first table. */
function withoutFacts(text: string): string {
  return text.replace(/^(\|.*\n)+/m, '');
}

/** The first table of each file. */
function measuredTable(): string {
  const files = readdirSync(packagePath(RESULTS)).filter((name) => name.endsWith('.md'));
  const rows = files.sort().map((name) => {
    const fact = factsOf(readPage(`${RESULTS}/${name}`));
    const [processor = ''] = fact('machine').split(',');
    const load = fact('load of the machine before');
    return [
      `[${name}](../${RESULTS}/${name})`,
      ...['measured', 'commit', 'Node'].map(fact),
      processor,
      Number(load) > MOST_LOAD ? `**${load}**` : load,
    ];
  });
  const head = ['result', 'measured', 'commit', 'Node', 'processor, with two cores', 'load before'];
  return markdownTable(head, rows, head.length);
}
