/** The rows of requests: who is asked what, and which floor it is held against. */
import { ALMANAKK_PATH, type Served } from './processes.ts';
import {
  type Ask,
  byLiterals,
  byVariables,
  type Directories,
  differentFilters,
  literalTerm,
  type MakeFilter,
  mixed,
  momentary,
  type Question,
  repeated,
  withoutFacets,
} from './questions.ts';
import type { Measured, Row } from './rounds.ts';
import { FLOORS, type Stand } from './stand.ts';
import { figure, markdownTable, thousands } from './tables.ts';

export function requestRows(stand: Stand): readonly Row[] {
  const { beside } = stand;
  const rows = [...floorRows(stand), ...repeatedRows(stand), ...randomRows(stand)];
  if (beside === undefined) return rows;
  const known = { ...stand, small: beside };
  const their = [...repeatedRows(known), ...randomRows(known)];
  const theirs = new Map(their.map((row) => [row.id, row]));
  // One right after the other, with the same requests.
  return rows.flatMap((row) => {
    const other = BESIDE.includes(row.id) ? theirs.get(row.id) : undefined;
    return other === undefined ? [row] : [row, { ...other, id: besideId(row.id) }];
  });
}

/** Questions that an older commit can answer, too. */
export const BESIDE: readonly string[] = [
  'repeated-post',
  'repeated-get',
  'repeated-br',
  'random-variables',
  'random-literals',
  'random-page',
  'random-search',
];

export const besideId = (id: string): string => `beside-${id}`;

function floorRows({ floor, directories }: Stand): readonly Row[] {
  const question = repeated(directories);
  const row = (id: string, label: string, request: string): Row => ({
    id,
    label: `node:http, ${label}`,
    server: floor,
    requests: () => [request],
    floor: id,
  });
  return [
    row('floor-post', 'the same bytes', post(question, FLOORS.plain)),
    row('floor-get', 'the same bytes, GET', get(question, FLOORS.plain)),
    row('floor-br', 'the same bytes, brotli', post(question, FLOORS.brotli, BROTLI)),
    row('floor-random', 'as many bytes as random answers have', post(question, FLOORS.random)),
  ];
}

function repeatedRows({ small, large, directories }: Stand): readonly Row[] {
  const question = repeated(directories);
  const row = (id: string, server: Served, [label, request, floor = 'floor-post']: Same): Row => ({
    id: `repeated-${id}`,
    label: `${server.name}, ${label}`,
    server,
    requests: () => [request],
    floor,
  });
  return [
    row('post', small, ['POST', post(question)]),
    row('br', small, ['POST, brotli', post(question, ALMANAKK_PATH, BROTLI), 'floor-br']),
    row('get', small, ['GET', get(question), 'floor-get']),
    ...(large === undefined ? [] : [row('large', large, ['POST', post(question)])]),
  ];
}

type Same = readonly [label: string, request: string, floor?: string];

function randomRows({ small, series, large, directories }: Stand): readonly Row[] {
  const row = differentRow(directories);
  const bothWays = (id: string, server: Served) => [
    row(`random-${id}variables`, server, { label: 'by variables', ask: byVariables }),
    row(`random-${id}literals`, server, {
      label: 'by literals, moments among them',
      ask: byLiterals,
      make: momentary,
    }),
  ];
  return [
    ...bothWays('', small),
    row('random-search', small, { label: 'literal search', ask: byVariables, make: literalTerm }),
    row('random-page', small, { label: 'no facets', ask: withoutFacets }),
    ...bothWays('series-', series),
    ...(large === undefined ? [] : bothWays('large-', large)),
  ];
}

interface Different {
  readonly label: string;
  readonly ask: Ask;
  readonly make?: MakeFilter;
}

/** Rows of which no request is like another. Each has a seed of its own: what one row asked would be known to the next. */
export function differentRow(directories: Directories) {
  return (id: string, server: Served, { label, ask, make = mixed }: Different): Row => {
    const filters = differentFilters(make, directories, seedOf(id));
    return {
      id,
      label: `${server.name}, ${label}`,
      server,
      requests: (count) => Array.from({ length: count }, () => post(ask(filters.next().value))),
      floor: 'floor-random',
    };
  };
}

function seedOf(id: string): number {
  return [...id].reduce((seed, letter) => (Math.imul(seed, 31) + letter.charCodeAt(0)) >>> 0, 1);
}

const BROTLI = ['Accept-Encoding: gzip, deflate, br'];

export function post(question: Question, path = ALMANAKK_PATH, headers: readonly string[] = []): string {
  const body = JSON.stringify(question);
  const typed = ['Content-Type: application/json', `Content-Length: ${Buffer.byteLength(body)}`];
  return `${head(`POST ${path}`, [...headers, ...typed])}${body}`;
}

function get({ query, variables = {} }: Question, path = ALMANAKK_PATH): string {
  const parameters = new URLSearchParams({ query, variables: JSON.stringify(variables) });
  return head(`GET ${path}?${parameters}`, ['Gateway-Require-Preflight: true']);
}

function head(line: string, headers: readonly string[]): string {
  const lines = [`${line} HTTP/1.1`, 'Host: 127.0.0.1', 'Accept: application/json', ...headers];
  return `${lines.join('\r\n')}\r\n\r\n`;
}

/** The rows whose ids begin so. */
export function requestTable(all: readonly Measured[], prefix: string): string {
  const floors = new Map(all.map(({ id, cpu }) => [id, cpu]));
  const rows = all.filter(({ id }) => id.startsWith(prefix));
  return markdownTable(
    ['', '× floor', 'CPU µs', 'lowest–highest', 'requests/s', 'p99 ms', 'KB'],
    rows.map((row) => [
      row.label,
      `**${figure(row.cpu / (floors.get(row.floor) ?? Number.NaN))}**`,
      figure(row.cpu),
      row.cpuRange.map(figure).join('–'),
      thousands(Math.round(row.perSecond)),
      figure(row.p99),
      figure(row.bytes / 1e3),
    ]),
  );
}
