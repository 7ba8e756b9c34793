/** Builders of requests that strangers may send, and of documents that are small to send and large to answer. */
import { JSON_BODY, PREFLIGHT, type Sent } from '../../helpers/client.ts';
import { times } from '../../helpers/random-operations.ts';

export interface Asked extends Sent {
  readonly path?: string;
}

/** The code of the refusal, or `CODE: message (where)`; `ok` for an answer; `ANY` where it only must not fail. */
type Outcome = string;
export interface Case {
  readonly name: string;
  readonly sent: Asked;
  readonly outcome: Outcome;
}

export const FULL = 256 * 1_024;
export const ANY = 'ANY';

export const VENUES = '{venues{id}}';

export const posted = (body: string | Uint8Array, headers: Sent['headers'] = JSON_BODY): Asked => ({
  method: 'POST',
  headers,
  body,
});
/** A query as a POST; `more` are further members of the body. */
export const asked = (query: unknown, more: object = {}, headers: Sent['headers'] = {}) =>
  posted(JSON.stringify({ query, ...more }), { ...JSON_BODY, ...headers });
export const withVariables = (variables: object, query: string) => asked(query, { variables });
export const inUrl = (search: string, headers: Sent['headers'] = PREFLIGHT): Asked => ({
  path: `/graphQL?${search}`,
  headers,
});

/** Requests by their names, all with the same outcome. */
export const casesWith = (outcome: Outcome, cases: Readonly<Record<string, Asked>>): readonly Case[] =>
  Object.entries(cases).map(([name, sent]) => ({ name, sent, outcome }));
/** Requests that differ in one piece, which follows the name. */
export const each = <T>(name: string, pieces: readonly T[], make: (piece: T) => Asked) =>
  Object.fromEntries(pieces.map((piece) => [`${name} ${JSON.stringify(piece).slice(0, 60)}`, make(piece)]));

/** A piece as often as it fits into so many bytes. */
export const repeatedTo = (size: number, piece: string) => piece.repeat(size / Buffer.byteLength(piece));

/** A body of the largest size, of which a piece of the document is repeated. */
export function filled(before: string, piece: string, after: string): Asked {
  const size = FULL - Buffer.byteLength(JSON.stringify({ query: before + after }));
  const length = Buffer.byteLength(JSON.stringify(piece)) - 2;
  return asked(before + piece.repeat(Math.floor(size / length)) + after);
}

/** A field so many times, each time under another alias: `a0`, `a1` … */
export const aliases = (count: number, field: string, name = 'a') =>
  times(count, (at) => `${name}${at}:${field}`);

/** Sizes at each level of events, repetitions, venue, location and latitude under aliases. */
export const bomb = ([a, b, c, d]: readonly [number, number, number, number], top: string) => `
${top}
fragment A on Event{${aliases(a, 'repetitions{...B}')}}
fragment B on Repetition{${aliases(b, 'venue{...C}', 'b')}}
fragment C on Venue{${aliases(c, 'location{...D}', 'c')}}
fragment D on Location{${aliases(d, 'latitude', 'd')}}`;

/** Fragments on a type that each spread the next one twice. */
export const doubledFragments = (type: string, above: string) =>
  asked(
    `{events{${above}{...F0}}} ${times(150, (at) => `fragment F${at} on ${type}{...F${at + 1} ...F${at + 1}}`)} fragment F150 on ${type}{id}`,
  );

/** Fragments of introspection, each with two aliases of a field around the next one. */
export const doubledIntrospection = (open: string, close: string) =>
  asked(
    `{__schema{types{...F0}}} ${times(60, (at) => `fragment F${at} on __Type{a:${open}...F${at + 1}${close} b:${open}...F${at + 1}${close}}`)} fragment F60 on __Type{name}`,
  );

export const nested = (open: string, close: string, depth: number) =>
  open.repeat(depth) + close.repeat(depth);
