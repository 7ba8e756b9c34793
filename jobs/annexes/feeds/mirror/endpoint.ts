/** Requests to one endpoint of the interface: one at a time, conditional, and slower if it asks for that. */
import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { setTimeout as pause } from 'node:timers/promises';
import {
  DEEPEST_JSON,
  isObject,
  type JsonObject,
  measureJson,
  parsedJson,
} from '../../../../src/calendar/json.ts';
import type { WholeReply } from '../../../kit/fetch.ts';
import { excerpt } from '../../../records.ts';
import {
  createBudget,
  type FeedRequest,
  fetchFeed,
  keyHeader,
  refusedStatus,
  retryAfterOf,
  validatorOf,
} from '../fetch.ts';
import { FeedProblem, type FeedReason } from '../health.ts';
import type { Validator, Validators } from '../last-good.ts';
import type { ImportRequest } from '../refresh.ts';

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

const MOST_ATTEMPTS = 4;
/** Seconds of waiting for an endpoint within one build; for a longer pause, the next build tries again. */
const LONGEST_PAUSE = 60;

export type Endpoint = ReturnType<typeof createEndpoint>;

export function createEndpoint({ feed, world }: ImportRequest) {
  const url = feed.url ?? '';
  const { host } = new URL(url);
  const fetcher = createFetcher({ feed, world }, host);
  const common = { accept: 'application/json', ...keyHeader(feed, world) };
  /** By query, for conditional requests of the next reading. */
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

  /** The answer's `data`. Throws QueryRefused if the endpoint does not answer this query, FeedProblem if it answers none. */
  async function ask(query: string): Promise<JsonObject> {
    const [answer, validator] = await send(query);
    const data = dataIn(answer, host);
    validators[query] = validator;
    return data;
  }

  /** Whether every query of an earlier reading would get the same answer. */
  async function isUnchanged(validators: Validators): Promise<boolean> {
    const queries = Object.entries(validators);
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

/** Requests to one host, each tried again while that may help. */
function createFetcher({ feed, world }: Pick<ImportRequest, 'feed' | 'world'>, host: string) {
  const agents = {
    'http:': new HttpAgent({ keepAlive: true }),
    'https:': new HttpsAgent({ keepAlive: true }),
  };
  const agentFor = (protocol: string) => (protocol === 'https:' ? agents['https:'] : agents['http:']);
  const budget = createBudget(feed.limits, `${host}: `);
  let requests = 0;
  let values = 0;
  const refuse = (reason: FeedReason, expected: string) => {
    throw new FeedProblem(reason, `${host}: expected ${expected}`);
  };

  /** Throws FeedProblem for more requests, or values in all answers, than any endpoint needs, and for values nested too deep. */
  async function fetchOnce(request: PoliteRequest): Promise<Answer> {
    budget.take(0);
    if (++requests > MOST_REQUESTS) refuse('size limit', `at most ${MOST_REQUESTS} requests to be enough`);
    const limits = { ...feed.limits, seconds: Math.min(feed.limits.seconds, budget.secondsLeft()) };
    try {
      const reply = await fetchFeed(world, { ...request, limits, agentFor });
      const measured = measureJson(reply.body);
      if (measured.depth > DEEPEST_JSON)
        refuse('unreadable answer', `JSON, found a value nested deeper than ${DEEPEST_JSON} levels`);
      values += measured.values;
      if (values > MOST_VALUES)
        refuse('size limit', `at most ${MOST_VALUES} values in all answers together, found more`);
      budget.take(reply.body.length);
      return { ...reply, json: parsedJson(reply.body.toString('utf8')) };
    } catch (thrown) {
      // Once all answers together are too much, that is the reason.
      budget.take(0);
      throw thrown;
    }
  }

  async function fetchPatiently(request: PoliteRequest): Promise<Answer> {
    for (let attempt = 1; ; attempt++) {
      const answer = await fetchOnce(request);
      if (answer.status !== 429 && answer.status < 500) return answer;
      const seconds = retryAfterOf(answer.headers) ?? 2 ** (attempt - 1);
      if (attempt === MOST_ATTEMPTS || seconds > LONGEST_PAUSE) throw refusedStatus(host, answer);
      await pause(seconds * 1000, undefined, { signal: world.signal });
    }
  }

  return {
    fetch: fetchPatiently,
    bytes: budget.bytes,
    close: () => {
      for (const agent of Object.values(agents)) agent.destroy();
    },
  };
}

type PoliteRequest = Omit<FeedRequest, 'limits' | 'agentFor'>;

interface Answer extends WholeReply {
  /** Undefined if the body is not JSON. */
  readonly json: unknown;
}

const MOST_REQUESTS = 5_000;
/** In all answers together, before any is parsed: 100,000 events of a hundred values. */
const MOST_VALUES = 10_000_000;
