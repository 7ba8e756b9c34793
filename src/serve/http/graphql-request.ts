/** Reads a GraphQL request (interface, section 4; D1): what its headers alone refuse, its body, its parameters. */
import { isUtf8 } from 'node:buffer';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { isObject } from '../../calendar/json.ts';
import type { SentParameters } from '../graphql/persisted.ts';
import { type Refusal, refuse } from '../graphql/refusal.ts';
import { headerOf, isJson, NO_BODY } from './message.ts';

export const PREFLIGHT_HEADER = 'Gateway-Require-Preflight';

/**
 * What the headers alone refuse: requests that can be forged, and bodies that are not JSON. A page can make a browser send
 * a GET to anywhere. It cannot make it send the preflight header, or JSON, without a preflight that is answered first.
 */
export function refusalByHeaders(method: string, headers: IncomingHttpHeaders): Refusal | undefined {
  if (method !== 'POST') {
    const isPreflighted = headerOf(headers, PREFLIGHT_NAME)?.trim().toLowerCase() === 'true';
    return isPreflighted ? undefined : FORGEABLE;
  }
  if (!isJson(headers['content-type'])) return NOT_JSON;
  const coding = headers['content-encoding'];
  return coding === undefined || coding === 'identity' ? undefined : CODED;
}

const PREFLIGHT_NAME = PREFLIGHT_HEADER.toLowerCase();

const FORGEABLE = refuse(
  'BAD_REQUEST',
  `Blocked as a possible cross-site request forgery (CSRF): a GET needs the header ${PREFLIGHT_HEADER}: true. A POST of JSON needs none. In Apollo Client, leave out useGETForQueries or set the header in HttpLink's headers; in urql, set preferGetMethod: false or the header in fetchOptions.`,
);
const NOT_JSON = refuse('UNSUPPORTED_MEDIA_TYPE', 'The body must be JSON: Content-Type: application/json.');
const CODED = refuse('UNSUPPORTED_MEDIA_TYPE', 'The body must not have a Content-Encoding.');

/** D1. */
export const MAX_BODY_BYTES = 256 * 1_024;

interface BodyListener {
  readonly onBody: (body: Buffer) => void;
  /** Called once, before the rest of the body has come. */
  readonly onTooLarge: () => void;
}

/**
 * Callbacks and no stream machinery: most bodies are one chunk, which is then the result. A client that goes away before
 * the end is heard of no more.
 */
export function readBody(request: IncomingMessage, { onBody, onTooLarge }: BodyListener): void {
  if (Number(request.headers['content-length'] ?? 0) > MAX_BODY_BYTES) {
    request.resume();
    onTooLarge();
    return;
  }
  let first: Buffer | undefined;
  let more: Buffer[] | undefined;
  let length = 0;
  request.on('data', (chunk: Buffer) => {
    const before = length;
    length += chunk.length;
    if (before > MAX_BODY_BYTES) return;
    if (length > MAX_BODY_BYTES) {
      more = undefined;
      onTooLarge();
    } else if (first === undefined) first = chunk;
    else if (more === undefined) more = [first, chunk];
    else more.push(chunk);
  });
  request.on('end', () => {
    if (length > MAX_BODY_BYTES) return;
    onBody(more === undefined ? (first ?? NO_BODY) : Buffer.concat(more, length));
  });
}

type Read = SentParameters | Refusal;

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
  // Whether it may be missing is for persisted queries to say.
  if (!isAbsent(query) && typeof query !== 'string') {
    return bad(`"query" must be a string, found ${kindOf(query)}.`);
  }
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
  return {
    query: query || undefined,
    variables: variables ?? {},
    operationName: operationName || undefined,
    persistedQuery: extensions?.persistedQuery,
  };
}

/** What came, by name. */
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
