/** One endpoint of the interface: its answers to queries, by GET if it supports that, because GET allows conditional requests. */
import { isObject, type JsonObject } from '../../../../src/calendar/json.ts';
import { excerpt } from '../../../findings.ts';
import { FeedProblem } from '../feed-problem.ts';
import type { Validator, Validators } from '../feed-state.ts';
import { keyHeader, refusedStatus, validatorOf } from '../fetch.ts';
import type { ImportRequest } from '../refresh.ts';
import { type Answer, createRetryingFetch } from './retrying-fetch.ts';

/** The endpoint works, but refuses this query: too much at once, or an unknown field. */
export class QueryRefused extends FeedProblem {
  /** Whether the reason may be a field that the endpoint lacks, as far as it says. */
  readonly isOfFields: boolean;

  constructor([first]: readonly unknown[]) {
    const { message, extensions } = isObject(first) ? first : {};
    const found = typeof message === 'string' ? excerpt(message) : 'an error without a message';
    super('unreadable answer', `expected an answer, found the error ${found}`);
    const code = isObject(extensions) ? extensions.code : undefined;
    this.isOfFields = code === undefined || code === 'GRAPHQL_VALIDATION_FAILED';
  }
}

export interface Endpoint {
  /** The answer's `data`. Throws QueryRefused if the endpoint does not answer this query, FeedProblem if it answers none. */
  readonly ask: (query: string) => Promise<JsonObject>;
  /** Whether every query of an earlier reading would get the same answer. */
  readonly isUnchanged: (earlier: Validators) => Promise<boolean>;
  /** Bytes of all answers so far. */
  readonly bytes: () => number;
  /** By query, for conditional requests of the next reading. */
  readonly validators: () => Validators;
  readonly close: () => void;
}

/** An endpoint of kind `graphql`. Close it once all its queries are answered. */
export function createEndpoint(url: string, { feed, fetchContext }: ImportRequest): Endpoint {
  const { host } = new URL(url);
  const fetcher = createRetryingFetch({ feed, fetchContext }, host);
  const common = { accept: 'application/json', ...keyHeader(feed, fetchContext) };
  const validators: Record<string, Validator> = {};
  /** GET allows conditional requests; but an endpoint may not support it. */
  let method: 'GET' | 'POST' | 'unknown' = 'unknown';

  function get(query: string, etag: string | null): Promise<Answer> {
    const address = new URL(url);
    address.searchParams.set('query', query);
    const condition = etag === null ? {} : { 'if-none-match': etag };
    const headers = { ...common, 'gateway-require-preflight': 'true', ...condition };
    return fetcher.fetch({ url: address.href, headers });
  }

  function post(query: string): Promise<Answer> {
    const headers = { ...common, 'content-type': 'application/json' };
    return fetcher.fetch({ url, method: 'POST', headers, body: JSON.stringify({ query }) });
  }

  /** The answer, with its validator for the next conditional request. */
  async function send(query: string): Promise<readonly [Answer, Validator]> {
    if (method !== 'POST') {
      const answer = await get(query, null);
      if (answer.status === 200 && isObject(answer.json)) method = 'GET';
      if (method === 'GET') return [answer, validatorOf(answer.headers)];
    }
    const answer = await post(query);
    if (answer.status === 200) method = 'POST';
    return [answer, { etag: null, lastModified: null }];
  }

  async function ask(query: string): Promise<JsonObject> {
    const [answer, validator] = await send(query);
    const data = dataIn(answer, host);
    validators[query] = validator;
    return data;
  }

  async function isUnchanged(earlier: Validators): Promise<boolean> {
    const queries = Object.entries(earlier);
    if (queries.length === 0 || queries.some(([, { etag }]) => etag === null)) return false;
    for (const [query, { etag }] of queries) {
      if ((await get(query, etag)).status !== 304) return false;
    }
    return true;
  }

  return { ask, isUnchanged, bytes: fetcher.bytes, validators: () => validators, close: fetcher.close };
}

/** Throws QueryRefused or FeedProblem. */
function dataIn(answer: Answer, host: string): JsonObject {
  const { json: body } = answer;
  if (answer.status !== 200 && !isObject(body)) throw refusedStatus(host, answer);
  if (!isObject(body)) {
    const found = excerpt(answer.body.toString('utf8', 0, 200).trim());
    throw new FeedProblem('unreadable answer', `${host}: expected JSON, found ${found}`);
  }
  const { errors, data } = body;
  if (Array.isArray(errors) && errors.length > 0) throw new QueryRefused(errors);
  if (answer.status !== 200) throw refusedStatus(host, answer);
  if (!isObject(data))
    throw new FeedProblem('unreadable answer', `${host}: expected "data", found ${excerpt(data)}`);
  return data;
}
