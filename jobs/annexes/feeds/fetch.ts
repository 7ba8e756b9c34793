/** Fetches feeds: with the common limits for URLs from outside, with their keys, and with errors for the report. */
import type { Agent, IncomingHttpHeaders } from 'node:http';
import { failureText } from '../../../src/calendar/failures.ts';
import { shorten } from '../../findings.ts';
import { fetchWhole, type WholeReply } from '../../kit/fetch.ts';
import { FetchProblem } from '../../kit/fetch-problem.ts';
import type { Feed, FeedLimits } from './config.ts';
import { FeedProblem } from './feed-problem.ts';
import type { Validator } from './feed-state.ts';

export interface FeedSettings {
  /** Whether feeds may be fetched from private and loopback addresses. */
  readonly allowPrivate: boolean;
  /** F14: folders besides the source folder that files may be read from; none by default. */
  readonly sourceFiles?: readonly string[];
  /** A variable of the environment, by the name in a feed's `apiKeyEnv`. */
  readonly variable: (name: string) => string | undefined;
  /** Read local files again, and use the last records of remote feeds, if there are any. */
  readonly isLocal?: boolean;
  /** F19: feeds that are read again nevertheless. */
  readonly readAgain?: readonly string[];
  /** For all feeds together. */
  readonly seconds: number;
  /** Between two pages of a listing; half a second by default. */
  readonly pauseSeconds?: number;
}

/** What all requests of a build share. */
export interface FetchContext extends FeedSettings {
  /** The source folder; paths of files are relative to it. */
  readonly source: string;
  /** Its reason is the FeedProblem to fail with. */
  readonly signal: AbortSignal;
  /** F18: the only host whose address may be private; null for none, undefined for any. */
  readonly privateHost?: string | null | undefined;
}

/** The name by which a robots.txt may address this program. */
export const FEED_AGENT = 'almanakk';
const USER_AGENT = `${FEED_AGENT} (event calendar; feed reader)`;

export interface FeedRequest {
  readonly url: string;
  readonly method?: 'GET' | 'POST';
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly limits: FeedLimits;
  /** Keeps connections open between requests to the same endpoint. */
  readonly agentFor?: (protocol: string) => Agent;
}

/** Any status except a redirect is an answer. Throws FeedProblem for anything else. */
export async function fetchFeed(
  { allowPrivate, privateHost, signal }: Pick<FetchContext, 'allowPrivate' | 'privateHost' | 'signal'>,
  { url, headers, ...request }: FeedRequest,
): Promise<WholeReply> {
  try {
    return await fetchWhole({
      ...request,
      url: new URL(url),
      headers: { 'user-agent': USER_AGENT, ...headers },
      signal,
      mayBePrivate: ({ host }) => allowPrivate && (privateHost === undefined || host === privateHost),
      mayDowngrade: true,
    });
  } catch (cause) {
    signal.throwIfAborted();
    if (!(cause instanceof FetchProblem)) throw cause;
    const { reason, url, message } = cause;
    const hint = reason === 'address refused' ? `; ${privateHost === undefined ? BY_SETTING : OF_LIST}` : '';
    throw new FeedProblem(reason, `${shorten(url.host)}: ${message}${hint}`, { cause });
  }
}

const BY_SETTING = 'ALMANAKK_ALLOW_PRIVATE_FEEDS=true allows those';
const OF_LIST = failureText('privateOfList');

/** `X-Api-Key`, if the feed names a variable for it. */
export function keyHeader({ apiKeyEnv }: Feed, { variable }: FetchContext): Readonly<Record<string, string>> {
  if (apiKeyEnv === null) return {};
  const key = variable(apiKeyEnv)?.trim() ?? '';
  if (key === '')
    throw new FeedProblem('missing key', `expected a key in the variable ${apiKeyEnv}, found none`);
  return { 'x-api-key': key };
}

/** The problem that a status other than 2xx means for a feed. */
export function refusedStatus(host: string, { status, headers }: WholeReply): FeedProblem {
  const message = `${host}: expected HTTP 200, found ${status}`;
  return new FeedProblem('HTTP status', message, { retryAfter: retryAfterOf(headers) });
}

/** Seconds; null if the server sets none. */
export function retryAfterOf(headers: IncomingHttpHeaders): number | null {
  const written = headers['retry-after']?.trim() ?? '';
  if (/^\d{1,9}$/.test(written)) return Number(written);
  // By the server's own clock, on which the moment is based.
  const seconds = (Date.parse(written) - Date.parse(headers.date ?? '')) / 1000;
  return Number.isFinite(seconds) ? Math.max(0, Math.ceil(seconds)) : null;
}

/** Longer ones would fill a feed's state. */
const LONGEST_VALIDATOR = 200;

/** The ETag and the date of an answer, for the next conditional request; null for those that are missing or too long. */
export function validatorOf({ etag, 'last-modified': lastModified }: IncomingHttpHeaders): Validator {
  const bounded = (value = '') => (value === '' || value.length > LONGEST_VALIDATOR ? null : value);
  return { etag: bounded(etag), lastModified: bounded(lastModified) };
}
