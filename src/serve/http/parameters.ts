/** Reads the parameters of a GraphQL request out of a body or a URL (interface, section 4; D1). */
import { isUtf8 } from 'node:buffer';
import { isObject } from '../../calendar/json.ts';
import type { Parameters } from '../graphql/helix.ts';
import { type Refusal, refuse } from '../graphql/refusal.ts';

type Read = Parameters | Refusal;

export function readBodyParameters(body: Buffer): Read {
  const value = isUtf8(body) ? parseJson(body.toString()) : MALFORMED;
  if (value === MALFORMED) return refuse('BAD_REQUEST', 'Malformed JSON body');
  if (Array.isArray(value)) {
    return bad('The body must be one JSON object: several operations in one request are not supported.');
  }
  if (!isObject(value)) return bad(`The body must be a JSON object, found ${kindOf(value)}.`);
  return checkParameters(value);
}

export function readUrlParameters(search: string): Read {
  const given = new URLSearchParams(search);
  const variables = parseParameter(given, 'variables');
  const extensions = parseParameter(given, 'extensions');
  for (const [name, value] of Object.entries({ variables, extensions })) {
    if (value === MALFORMED) return bad(`The parameter "${name}" must be JSON.`);
  }
  return checkParameters({
    query: given.get('query'),
    operationName: given.get('operationName'),
    variables,
    extensions,
  });
}

function checkParameters({ query, variables, operationName, extensions }: Sent): Read {
  if (query === undefined || query === null || query === '') return bad('"query" is missing.');
  if (typeof query !== 'string') return bad(`"query" must be a string, found ${kindOf(query)}.`);
  if (!isAbsent(variables) && !isObject(variables)) {
    return bad(`"variables" must be an object, found ${kindOf(variables)}.`);
  }
  if (!isAbsent(operationName) && typeof operationName !== 'string') {
    return bad(`"operationName" must be a string, found ${kindOf(operationName)}.`);
  }
  if (!isAbsent(extensions) && !isObject(extensions)) {
    return bad(`"extensions" must be an object, found ${kindOf(extensions)}.`);
  }
  // Some clients send an empty name where they mean none, which no operation can have.
  return { query, variables: variables ?? {}, operationName: operationName || undefined };
}

/** What came, by name; `extensions` is looked at for its form only. */
interface Sent {
  readonly query?: unknown;
  readonly variables?: unknown;
  readonly operationName?: unknown;
  readonly extensions?: unknown;
}

const bad = (message: string): Refusal => refuse('BAD_REQUEST', message);

const MALFORMED = Symbol('malformed');

function parseParameter(given: URLSearchParams, name: string): unknown {
  const text = given.get(name);
  return text === null || text === '' ? undefined : parseJson(text);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text);
  } catch {
    return MALFORMED;
  }
}

const BYTE_ORDER_MARK = '\ufeff';

const isAbsent = (value: unknown): value is null | undefined => value === undefined || value === null;

function kindOf(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'a list' : `${typeof value === 'object' ? 'an' : 'a'} ${typeof value}`;
}
