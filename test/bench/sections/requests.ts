/** The rows of requests: who is asked what, and which floor it is held against. */
import { rawRequest } from '../load/http.ts';
import type { Served } from '../processes.ts';
import {
  type Ask,
  byLiterals,
  byVariables,
  categories,
  differentFilters,
  literalTerm,
  type MakeFilter,
  mistypedTerm,
  mixed,
  momentary,
  nearby,
  type Question,
  repeated,
  topFacets,
  withoutFacets,
} from '../questions.ts';
import type { Row } from '../rounds.ts';
import { ALMANAKK_PATH, FLOORS, PEER_PATH, type Stand } from './stand.ts';

export function requestRows(stand: Stand): readonly Row[] {
  const { beside } = stand;
  const rows = [...floorRows(stand), ...repeatedRows(stand), ...randomRows(stand), ...searchRows(stand)];
  if (beside === null) return rows;
  const known = { ...stand, small: beside };
  const theirs = new Map([...repeatedRows(known), ...randomRows(known)].map((row) => [row.id, row]));
  // One right after the other, with the same requests.
  return rows.flatMap((row) => {
    const their = BESIDE.includes(row.id) ? theirs.get(row.id) : undefined;
    return their === undefined ? [row] : [row, { ...their, id: besideId(row.id) }];
  });
}

/** What another commit is asked, too: no more than calendars could answer from the beginning. */
export const BESIDE: readonly string[] = [
  'repeated-post',
  'repeated-get',
  'repeated-br',
  'random-variables',
  'random-literals',
  'random-page',
];

export const besideId = (id: string): string => `beside-${id}`;

function floorRows({ bare, directories }: Stand): readonly Row[] {
  const question = repeated(directories);
  const row = (id: string, label: string, request: string): Row => ({
    id,
    label: `node:http, ${label}`,
    server: bare,
    requests: () => [request],
    floor: id === 'floor-read' ? 'floor-post' : id,
  });
  return [
    row('floor-post', 'the same bytes', post(question, FLOORS.plain)),
    row('floor-read', 'request read and parsed first', post(question, FLOORS.read)),
    row('floor-get', 'the same bytes, GET', get(question, FLOORS.plain)),
    row('floor-br', 'the same bytes, brotli', post(question, FLOORS.brotli, BROTLI)),
    row('floor-random', 'as many bytes as random answers have', post(question, FLOORS.random)),
  ];
}

function repeatedRows({ small, large, peers, directories }: Stand): readonly Row[] {
  const question = repeated(directories);
  const row = (id: string, server: Served, label: string, request: string, floor = 'floor-post'): Row => ({
    id: `repeated-${id}`,
    label: `${server.name}${label}`,
    server,
    requests: () => [request],
    floor,
  });
  return [
    row('post', small, ', POST', post(question, ALMANAKK_PATH)),
    row('br', small, ', POST, brotli', post(question, ALMANAKK_PATH, BROTLI), 'floor-br'),
    row('get', small, ', GET', get(question, ALMANAKK_PATH), 'floor-get'),
    ...(large === null ? [] : [row('large', large, ', POST', post(question, ALMANAKK_PATH))]),
    ...peers.map((peer, place) => ({
      ...row(`peer-${place}`, peer, '', post(question, PEER_PATH)),
      isRough: true,
    })),
  ];
}

function randomRows({ small, series, large, peers, sql, directories }: Stand): readonly Row[] {
  const row = differentRow(directories);
  return [
    row('random-variables', small, 'by variables', { ask: byVariables }),
    row('random-literals', small, 'by literals, moments among them', { ask: byLiterals, make: momentary }),
    row('random-top', small, 'the first ten of each facet', { ask: topFacets }),
    row('random-page', small, 'no facets', { ask: withoutFacets }),
    row('random-series-variables', series, 'by variables', { ask: byVariables }),
    row('random-series-literals', series, 'by literals, moments among them', {
      ask: byLiterals,
      make: momentary,
    }),
    ...peers.map((peer, place) => ({
      ...row(`random-peer-${place}`, peer, 'by variables', { ask: byVariables, path: PEER_PATH }),
      isRough: true,
    })),
    ...(large === null
      ? []
      : [
          row('random-large-variables', large, 'by variables', { ask: byVariables }),
          row('random-large-literals', large, 'by literals, moments among them', {
            ask: byLiterals,
            make: momentary,
          }),
        ]),
    { ...row('random-sql', sql, 'no GraphQL', { ask: byVariables, path: '/' }), isRough: true },
  ];
}

function searchRows({ small, directories }: Stand): readonly Row[] {
  const row = differentRow(directories);
  return [
    row('search-category', small, 'category filter', { ask: byVariables, make: categories }),
    row('search-near', small, 'near a point', { ask: byVariables, make: nearby }),
    row('search-literal', small, 'literal search', { ask: byVariables, make: literalTerm }),
    row('search-approximate', small, 'mistyped search', { ask: byVariables, make: mistypedTerm }),
  ];
}

interface Different {
  readonly ask: Ask;
  readonly make?: MakeFilter;
  readonly path?: string;
}

/** Rows of which no request is like another. Each has a seed of its own: what one row asked would be known to the next. */
export function differentRow(directories: Stand['directories']) {
  return (
    id: string,
    server: Served,
    label: string,
    { ask, make = mixed, path = ALMANAKK_PATH }: Different,
  ): Row => {
    const filters = differentFilters(make, directories, seedOf(id));
    return {
      id,
      label: `${server.name}, ${label}`,
      server,
      requests: (count) => Array.from({ length: count }, () => post(ask(filters.next().value), path)),
      floor: 'floor-random',
    };
  };
}

function seedOf(id: string): number {
  return [...id].reduce((seed, letter) => (Math.imul(seed, 31) + letter.charCodeAt(0)) >>> 0, 1);
}

const BROTLI = { 'Accept-Encoding': 'gzip, deflate, br' };

function post(question: Question, path: string, headers: Readonly<Record<string, string>> = {}): string {
  return rawRequest({ method: 'POST', path, headers, body: JSON.stringify(question) });
}

function get({ query, variables = {} }: Question, path: string): string {
  const parameters = new URLSearchParams({ query, variables: JSON.stringify(variables) });
  return rawRequest({
    method: 'GET',
    path: `${path}?${parameters}`,
    headers: { 'Gateway-Require-Preflight': 'true' },
  });
}
