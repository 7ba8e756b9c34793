/** The tables of docs/benchmarks.md, which are made from the files that the benchmarks write. */
import { readdirSync } from 'node:fs';
import { packagePath } from '../../src/package.ts';
import { PEERS } from '../bench/peers/install.ts';
import { MOST_LOAD } from '../bench/provenance.ts';
import { markdownTable } from '../bench/tables.ts';
import { readPage, sectionsIn, tableIn } from './document.ts';

export const BENCHMARKS = 'docs/benchmarks.md';

const RESULTS = 'test/bench/results';

/** Heading by table, in the order of the page. */
export function benchmarkTables(): readonly (readonly [heading: string, table: string])[] {
  const tables: readonly (readonly [heading: string, table: string])[] = [
    ['Compare with other servers', multiplesTable()],
    ['Requests a second with 20,000 events', serversTable()],
    ['Time and memory by the size of the calendar', sizesTable()],
    ['Requests by kind', kindsTable()],
    ['Memory by the number of requests', tableIn(withoutFacts('memory'), 'Memory').trim()],
    ['Compared with an early version', comparisonTable()],
    ['Build a calendar from 300 feeds', tableIn(resultFile('feeds'), 'Builds').trim()],
    ['Look up when a result was measured', measuredTable()],
  ];
  return tables.map(([heading, table]) => [heading, `${table}\n`]);
}

const resultFile = (name: string): string => readPage(`${RESULTS}/${name}.md`);

const NODES = ['24', '20'] as const;
const peersOf = (node: string): string => resultFile(`peers-node${node}`);

const WITH_FACETS = 'Every request different, with three facets';
const WITHOUT_FACETS = 'Every request different, without facets';
const REPEATED = 'The same request repeated, with three facets';
const QUESTIONS = [WITH_FACETS, WITHOUT_FACETS, REPEATED];

/** Other servers run in two versions, of which one selects the events again in each statement: it is in the results alone. */
const SELECTS_ONCE = /, selected once, cached$/;
const NOT_MEASURED = '–';

interface Row {
  readonly name: string;
  readonly cells: readonly string[];
}

function rowsIn(markdown: string, heading: string): readonly Row[] {
  const lines = tableIn(markdown, heading).trim().split('\n').slice(2);
  return lines.map((line) => {
    const [name = '', ...cells] = line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim());
    return { name, cells };
  });
}

const isFair = ({ name }: Pick<Row, 'name'>): boolean => SELECTS_ONCE.test(name);

function rateOf({ cells: [rate = NOT_MEASURED] }: Row): number | null {
  return rate === NOT_MEASURED ? null : Number(rate.replaceAll(',', ''));
}

/** How many requests almanakk answers for each one that the fastest other server answers. */
function multiplesTable(): string {
  const rows = QUESTIONS.map((question) => [
    question,
    ...['6,000', '20,000'].map((events) => multiplesOf(`${question} (${events} events)`)),
  ]);
  return markdownTable(['requests', '6,000 events', '20,000 events'], rows);
}

/** With both versions of Node: lowest and highest. */
function multiplesOf(heading: string): string {
  const multiples = NODES.flatMap((node) => {
    const [ours, ...others] = rowsIn(peersOf(node), heading);
    const rates = others.filter(isFair).flatMap((row) => rateOf(row) ?? []);
    const ourRate = ours === undefined ? null : rateOf(ours);
    return ourRate === null || rates.length === 0 ? [] : [ourRate / Math.max(...rates)];
  });
  if (multiples.length === 0) return NOT_MEASURED;
  const ends = [Math.min(...multiples), Math.max(...multiples)].map(twoDigits);
  return ends[0] === ends[1] ? (ends[0] ?? '') : ends.join('–');
}

function twoDigits(value: number): string {
  return Number(value.toPrecision(2)).toLocaleString('en');
}

function serversTable(): string {
  const events = '20,000';
  // An older result lacks the servers that were added after it.
  const names = ['almanakk', ...PEERS.filter(isFair).map(({ name }) => name)];
  const head = NODES.flatMap((node) => [`Node ${node}: with facets`, 'without', 'repeated']);
  const rows = names.map((name) => [
    name.replace(SELECTS_ONCE, ''),
    ...NODES.flatMap((node) =>
      QUESTIONS.map((question) => {
        const row = rowsIn(peersOf(node), `${question} (${events} events)`).find((one) => one.name === name);
        return row?.cells[0] ?? NOT_MEASURED;
      }),
    ),
  ]);
  return markdownTable(['server', ...head], rows);
}

/** Of almanakk alone. */
function sizesTable(): string {
  const rows = ['6,000', '20,000', '200,000'].flatMap((events) =>
    NODES.map((node) => {
      const text = peersOf(node);
      const [different, page, repeated] = QUESTIONS.map(
        (question) => rowsIn(text, `${question} (${events} events)`)[0]?.cells ?? [],
      );
      const [memory] = rowsIn(text, `Memory after these requests (${events} events)`);
      const section = sectionsIn(text).find(({ heading }) => heading === `${events} events`)?.text ?? '';
      const [, seconds = '', megabytes = ''] =
        /Built in ([\d.,]+) s \(.*?, ([\d.,]+) MB at most\)/.exec(section) ?? [];
      const pairs = [different, page, repeated].flatMap((cells = []) => [
        cells[0] ?? NOT_MEASURED,
        cells[2] ?? NOT_MEASURED,
      ]);
      return [events, node, ...pairs, memory?.cells[0] ?? NOT_MEASURED, seconds, megabytes];
    }),
  );
  const questions = ['with facets, requests/s', 'without facets, requests/s', 'repeated, requests/s'];
  const head = questions.flatMap((question) => [question, 'p99 ms']);
  return markdownTable(['events', 'Node', ...head, 'server MB', 'build s', 'build MB'], rows);
}

/** Of almanakk with the small calendar: the columns of `latest.md` that do not depend on the floor. */
function kindsTable(): string {
  const sections = sectionsIn(resultFile('latest')).filter(({ heading }) =>
    /^(The same|Every) request/.test(heading),
  );
  const rows = sections.flatMap(({ text, heading }) => rowsIn(text, heading));
  const small = rows.filter(({ name }) => !/, (large|series),/.test(name));
  return markdownTable(
    ['', 'requests/s', 'p99 ms', 'CPU µs', 'lowest–highest', 'KB'],
    small.map(({ name, cells: [, cpu = '', range = '', rate = '', p99 = '', size = ''] }) => [
      name,
      ...[rate, p99, cpu, range, size],
    ]),
  );
}

/** The medians of the comparison in `latest.md`, the worst first. */
function comparisonTable(): string {
  const section = sectionsIn(resultFile('latest')).find(({ heading }) => /\bcompared with\b/i.test(heading));
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

/** A file of results without its first table. */
function withoutFacts(name: string): string {
  return resultFile(name).replace(/^(\|.*\n)+/m, '');
}

/** The first table of each file. */
function measuredTable(): string {
  const files = readdirSync(packagePath(RESULTS)).filter((name) => name.endsWith('.md'));
  const rows = files.sort().map((name) => {
    const text = readPage(`${RESULTS}/${name}`);
    const [title = ''] = sectionsIn(text).map(({ heading }) => heading);
    const facts = new Map(rowsIn(text, title).map((row) => [row.name, row.cells[0] ?? '']));
    const fact = (key: string) => facts.get(key) ?? 'not recorded';
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
