/** Requests to an endpoint: one at a time, bounded together, and slower if the endpoint asks for that. */
import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { setTimeout as pause } from 'node:timers/promises';
import { DEEPEST_JSON, measureJson, parsedJson } from '../../../../src/calendar/json.ts';
import type { WholeReply } from '../../../kit/fetch.ts';
import { createBudget, type FeedRequest, fetchFeed, refusedStatus, retryAfterOf } from '../fetch.ts';
import { FeedProblem, type FeedReason } from '../health.ts';
import type { ImportRequest } from '../refresh.ts';

const MOST_ATTEMPTS = 4;
/** Seconds of waiting for an endpoint within one build; for a longer pause, the next build tries again. */
const LONGEST_PAUSE = 60;
const MOST_REQUESTS = 5_000;
/** In all answers together, before any is parsed: 100,000 events of a hundred values. */
const MOST_VALUES = 10_000_000;

interface PatientFetch {
  readonly fetch: (request: PatientRequest) => Promise<Answer>;
  /** Of all answers. */
  readonly bytes: () => number;
  readonly close: () => void;
}

/** Requests to one host. Each is retried for as long as that may help. */
export function createPatientFetch(
  { feed, world }: Pick<ImportRequest, 'feed' | 'world'>,
  host: string,
): PatientFetch {
  const agents = {
    'http:': new HttpAgent({ keepAlive: true }),
    'https:': new HttpsAgent({ keepAlive: true }),
  };
  const agentFor = (protocol: string) => (protocol === 'https:' ? agents['https:'] : agents['http:']);
  const budget = createBudget(feed.limits, `${host}: `);
  let requests = 0;
  let values = 0;
  const problem = (reason: FeedReason, expected: string) =>
    new FeedProblem(reason, `${host}: expected ${expected}`);

  /** Throws FeedProblem for values nested too deep, and for more values in all answers than any endpoint needs. */
  function countValues(body: Buffer): void {
    const measured = measureJson(body);
    if (measured.depth > DEEPEST_JSON)
      throw problem('unreadable answer', `JSON, found a value nested deeper than ${DEEPEST_JSON} levels`);
    values += measured.values;
    if (values > MOST_VALUES)
      throw problem('size limit', `at most ${MOST_VALUES} values in all answers together, found more`);
  }

  async function fetchOnce(request: PatientRequest): Promise<Answer> {
    budget.check();
    if (++requests > MOST_REQUESTS)
      throw problem('size limit', `at most ${MOST_REQUESTS} requests to be enough`);
    const limits = { ...feed.limits, seconds: Math.min(feed.limits.seconds, budget.secondsLeft()) };
    try {
      const reply = await fetchFeed(world, { ...request, limits, agentFor });
      budget.take(reply.body.length);
      // An answer that is asked for again is often a page of a proxy.
      if (isTriedAgain(reply)) return { ...reply, json: undefined };
      countValues(reply.body);
      return { ...reply, json: parsedJson(reply.body.toString('utf8')) };
    } catch (thrown) {
      // Once the budget of all answers is used up, that is the reason to report.
      budget.check();
      throw thrown;
    }
  }

  async function fetchPatiently(request: PatientRequest): Promise<Answer> {
    for (let attempt = 1; ; attempt++) {
      const answer = await fetchOnce(request);
      if (!isTriedAgain(answer)) return answer;
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

function isTriedAgain({ status }: WholeReply): boolean {
  return status === 429 || status >= 500;
}

type PatientRequest = Omit<FeedRequest, 'limits' | 'agentFor'>;

export interface Answer extends WholeReply {
  /** Undefined if the body is not JSON. */
  readonly json: unknown;
}
