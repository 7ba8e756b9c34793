/** The rows of requests: their server, their requests, and the floor that they are compared with. */
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
  const rows = [...floorRows(stand), ...repeatedRows(stand), ...randomRows(stand)];
  if (stand.other === undefined) return rows;
  // The rows of the small calendar, with the other commit's server in its place: seeds follow the ids, so that both get the same requests.
  const ofOther = { ...stand, small: stand.other };
  const otherRows = new Map([...repeatedRows(ofOther), ...randomRows(ofOther)].map((row) => [row.id, row]));
  // Each pair is measured one right after the other: the machine is then the same for both.
  return rows.flatMap((row) => {
    const other = COMPARED.includes(row.id) ? otherRows.get(row.id) : undefined;
    return other === undefined ? [row] : [row, { ...other, id: otherId(row.id) }];
  });
}

/** Questions that an older commit can answer, too. */
export const COMPARED: readonly string[] = [
  'repeated-post',
  'repeated-get',
  'repeated-br',
  'random-variables',
  'random-literals',
  'random-page',
  'random-search',
];

/** The id of the other commit's row. */
export const otherId = (id: string): string => `other-${id}`;

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
  const row = ({ id, server, label, request, floor = 'floor-post' }: RepeatedRequest): Row => ({
    id: `repeated-${id}`,
    label: `${server.name}, ${label}`,
    server,
    requests: () => [request],
    floor,
  });
  return [
    row({ id: 'post', server: small, label: 'POST', request: post(question) }),
    row({
      id: 'br',
      server: small,
      label: 'POST, brotli',
      request: post(question, ALMANAKK_PATH, BROTLI),
      floor: 'floor-br',
    }),
    row({ id: 'get', server: small, label: 'GET', request: get(question), floor: 'floor-get' }),
    ...(large === undefined
      ? []
      : [row({ id: 'large', server: large, label: 'POST', request: post(question) })]),
  ];
}

interface RepeatedRequest {
  readonly id: string;
  readonly server: Served;
  readonly label: string;
  readonly request: string;
  /** The id of the floor's row. */
  readonly floor?: string;
}

function randomRows({ small, series, large, directories }: Stand): readonly Row[] {
  const row = differentRow(directories);
  const bothWays = (id: string, server: Served) => [
    row(`random-${id}variables`, server, { label: 'by variables', ask: byVariables }),
    row(`random-${id}literals`, server, {
      label: 'by literals, with times to the second',
      ask: byLiterals,
      make: momentary,
    }),
  ];
  return [
    ...bothWays('', small),
    row('random-search', small, { label: 'search', ask: byVariables, make: literalTerm }),
    row('random-page', small, { label: 'without facets', ask: withoutFacets }),
    ...bothWays('series-', series),
    ...(large === undefined ? [] : bothWays('large-', large)),
  ];
}

interface RandomRequests {
  readonly label: string;
  readonly ask: Ask;
  readonly make?: MakeFilter;
  /** Rows with the same text get the same filters; by default the row's id. */
  readonly seedText?: string;
}

/** Rows in which each request differs. Each row has its own seed: a server would have cached the requests of an earlier row with the same one. */
export function differentRow(directories: Directories) {
  return (id: string, server: Served, { label, ask, make = mixed, seedText = id }: RandomRequests): Row => {
    const filters = differentFilters(make, directories, seedOf(seedText));
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
