/** Requests to an endpoint: bounded together, retried if that may help, and slower if the endpoint asks for that. */
import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { setTimeout as pause } from 'node:timers/promises';
import { DEEPEST_JSON, measureJson, parsedJson } from '../../../../src/calendar/json.ts';
import type { WholeReply } from '../../../kit/fetch.ts';
import type { Feed } from '../config.ts';
import { FeedProblem, type FeedReason } from '../feed-problem.ts';
import { type FeedRequest, type FetchContext, fetchFeed, refusedStatus, retryAfterOf } from '../fetch.ts';
import { createRequestBudget } from '../request-budget.ts';

const MOST_ATTEMPTS = 4;
/** For a longer pause, the next build tries again. */
const LONGEST_PAUSE_SECONDS = 60;
/** Requests to one endpoint in one build. */
const MOST_REQUESTS = 5_000;
/** In all answers together, before any is parsed: 100,000 events of a hundred values. */
const MOST_VALUES = 10_000_000;

interface RetryingFetch {
  readonly fetch: (request: EndpointRequest) => Promise<Answer>;
  /** Bytes of all answers so far. */
  readonly bytes: () => number;
  /** Closes all connections. */
  readonly close: () => void;
}

interface RetryingOptions {
  readonly feed: Pick<Feed, 'limits'>;
  readonly fetchContext: Pick<FetchContext, 'allowPrivate' | 'privateHost' | 'signal'>;
}

/** A request; limits and connections are the same for all of them. */
type EndpointRequest = Omit<FeedRequest, 'limits' | 'agentFor'>;

export interface Answer extends WholeReply {
  /** Undefined if the body is not JSON. */
  readonly json: unknown;
}

/**
 * Creates the function that sends requests to one host. Status 429 and 5xx are retried up to three times, after the pause that the answer asks
 * for. The function throws FeedProblem if no attempt succeeds, and for more requests, bytes, values or time than one feed may use.
 */
export function createRetryingFetch(
  { feed, fetchContext }: RetryingOptions,
  host: string,
  counts = createRequestCounter(host),
): RetryingFetch {
  const connections = createConnections();
  const budget = createRequestBudget(feed.limits, `${host}: `);

  async function fetchOnce(request: EndpointRequest): Promise<Answer> {
    budget.check();
    counts.addRequest();
    const limits = { ...feed.limits, seconds: Math.min(feed.limits.seconds, budget.secondsLeft()) };
    try {
      const reply = await fetchFeed(fetchContext, { ...request, limits, agentFor: connections.agentFor });
      budget.take(reply.body.length);
      // The body of an answer that is retried is often a proxy's page, not JSON.
      if (isRetryable(reply)) return { ...reply, json: undefined };
      counts.addValues(reply.body);
      return { ...reply, json: parsedJson(reply.body.toString('utf8')) };
    } catch (thrown) {
      // Once the budget of all answers is used up, that is the reason to report.
      budget.check();
      throw thrown;
    }
  }

  async function fetchWithRetries(request: EndpointRequest): Promise<Answer> {
    for (let attempt = 1; ; attempt++) {
      const answer = await fetchOnce(request);
      if (!isRetryable(answer)) return answer;
      const pauseSeconds = retryAfterOf(answer.headers) ?? 2 ** (attempt - 1);
      if (attempt === MOST_ATTEMPTS || pauseSeconds > LONGEST_PAUSE_SECONDS)
        throw refusedStatus(host, answer);
      await pause(pauseSeconds * 1000, undefined, { signal: fetchContext.signal });
    }
  }

  return { fetch: fetchWithRetries, bytes: budget.bytes, close: connections.close };
}

function isRetryable({ status }: WholeReply): boolean {
  return status === 429 || status >= 500;
}

interface Connections {
  readonly agentFor: NonNullable<FeedRequest['agentFor']>;
  readonly close: () => void;
}

/** Connections stay open from one request to the next. */
function createConnections(): Connections {
  const http = new HttpAgent({ keepAlive: true });
  const https = new HttpsAgent({ keepAlive: true });
  return {
    agentFor: (protocol) => (protocol === 'https:' ? https : http),
    close: () => {
      http.destroy();
      https.destroy();
    },
  };
}

interface RequestCounter {
  /** Throws FeedProblem for more requests than any endpoint needs. */
  readonly addRequest: () => void;
  /** Throws FeedProblem for values nested too deep, and for more values in all answers than any endpoint needs. */
  readonly addValues: (body: Buffer) => void;
}

/** Counts the requests to one host, and the JSON values in its answers. */
export function createRequestCounter(host: string, mostRequests = MOST_REQUESTS): RequestCounter {
  let requests = 0;
  let values = 0;
  const problem = (reason: FeedReason, expected: string) =>
    new FeedProblem(reason, `${host}: expected ${expected}`);

  function addRequest(): void {
    requests += 1;
    if (requests > mostRequests) throw problem('size limit', `at most ${mostRequests} requests, found more`);
  }

  function addValues(body: Buffer): void {
    const measured = measureJson(body);
    if (measured.depth > DEEPEST_JSON)
      throw problem('unreadable answer', `JSON, found a value nested deeper than ${DEEPEST_JSON} levels`);
    values += measured.values;
    if (values > MOST_VALUES)
      throw problem('size limit', `at most ${MOST_VALUES} values in all answers together, found more`);
  }

  return { addRequest, addValues };
}
