/** The parameters of a GraphQL request, out of a body or a URL. Only their form is checked, and a query that is only named is looked up. */
import { isUtf8 } from 'node:buffer';
import { isObject, parsedJson } from '../../calendar/json.ts';
import { isRefusal, type Refusal, refuse } from '../graphql/refusal.ts';
import type { Parameters } from '../graphql/selection.ts';
import type { HttpRequest } from './message.ts';

export interface ParameterOptions {
  /** D1: says where a text stops being JSON; undefined if there is no such annex. */
  readonly explainJson: ExplainJson | undefined;
  /** Undefined if each request must bring its query. */
  readonly queries: NamedQueries | undefined;
}

/** Names the place where a text stops being JSON; null if it is JSON. */
export type ExplainJson = (text: string) => string | null;

/** The parameters of a request, checked for their form. */
interface SentParameters extends Omit<Parameters, 'query'> {
  readonly query: string | undefined;
  /** The entry of `extensions` that names the query, in place of the text or beside it. */
  readonly persistedQuery: unknown;
}

/** A query under its SHA-256, in hexadecimal digits. */
export interface NamedQuery {
  readonly hash: string;
  readonly query: string;
}

interface SentQuery {
  readonly parameters: Parameters;
  /** A query to store once it has proved to be a valid operation. */
  readonly named?: NamedQuery;
}

/** Queries that requests name instead of sending them. */
export interface NamedQueries {
  readonly resolve: (sent: SentParameters) => SentQuery | Refusal;
  /** `address`: of the caller who sent its text. */
  readonly remember: (named: NamedQuery, address: string) => void;
}

type Sent = Pick<HttpRequest, 'method' | 'search'> & { readonly body: Buffer };

export function readParameters(
  { method, body, search }: Sent,
  { explainJson, queries }: ParameterOptions,
): SentQuery | Refusal {
  const sent =
    method === 'POST' ? readBodyParameters(body, explainJson) : readUrlParameters(search, explainJson);
  if (isRefusal(sent)) return sent;
  const { persistedQuery, query, ...parameters } = sent;
  if (queries !== undefined && persistedQuery !== undefined && persistedQuery !== null)
    return queries.resolve(sent);
  return query === undefined ? MISSING : { parameters: { query, ...parameters } };
}

function readBodyParameters(body: Buffer, explain?: ExplainJson): SentParameters | Refusal {
  if (!isUtf8(body)) return bad(MALFORMED_BODY, 'expected UTF-8, found other bytes');
  const text = withoutMark(body.toString());
  const value = parsedJson(text);
  if (value === undefined) return bad(MALFORMED_BODY, explain?.(text) ?? undefined);
  if (Array.isArray(value)) {
    return bad('The body must be one JSON object: several operations in one request are not supported.');
  }
  return isObject(value)
    ? checkParameters(value)
    : bad(`The body must be a JSON object, found ${kindOf(value)}.`);
}

function readUrlParameters(search: string, explain: ExplainJson | undefined): SentParameters | Refusal {
  const parameters = new URLSearchParams(search);
  const sent: Record<string, unknown> = {};
  for (const name of ['query', 'operationName']) sent[name] = parameters.get(name);
  for (const name of ['variables', 'extensions']) {
    const text = withoutMark(parameters.get(name) || 'null');
    const value = parsedJson(text);
    if (value === undefined)
      return bad(`The parameter "${name}" must be JSON.`, explain?.(text) ?? undefined);
    sent[name] = value;
  }
  return checkParameters(sent);
}

const MALFORMED_BODY = 'Malformed JSON body';

function withoutMark(text: string): string {
  return text.startsWith('\ufeff') ? text.slice(1) : text;
}

function checkParameters(sent: Readonly<Record<string, unknown>>): SentParameters | Refusal {
  for (const [name, expected] of KINDS) {
    const value = sent[name];
    if (value === undefined || value === null) continue;
    const found = kindOf(value);
    if (found !== expected) return bad(`"${name}" must be ${expected}, found ${found}.`);
  }
  const { query, variables, operationName, extensions } = sent;
  return {
    query: nonEmptyText(query),
    variables: isObject(variables) ? variables : {},
    operationName: nonEmptyText(operationName),
    persistedQuery: isObject(extensions) ? extensions.persistedQuery : undefined,
  };
}

const KINDS = [
  ['query', 'a string'],
  ['variables', 'an object'],
  ['operationName', 'a string'],
  ['extensions', 'an object'],
] as const;

/** Some clients send an empty name for none; no operation can have an empty name. */
const nonEmptyText = (value: unknown) => (typeof value === 'string' && value !== '' ? value : undefined);

const bad = (message: string, reason?: string): Refusal => refuse('BAD_REQUEST', message, reason);

function kindOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}

const MISSING = bad('"query" is missing.');
