/** HTTP for feeds: bounded in time, size and redirects, and kept away from addresses that are not public. */
import { lookup as resolve } from 'node:dns';
import {
  type Agent,
  type IncomingHttpHeaders,
  type IncomingMessage,
  request as requestHttp,
} from 'node:http';
import { request as requestHttps } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import { type Readable, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { messageOf } from '../../src/calendar/errors.ts';
import { isPublicAddress } from '../feeds/addresses.ts';
import type { FeedLimits } from '../feeds/config.ts';
import { FeedProblem } from '../feeds/problem.ts';

export interface FetchRequest {
  readonly url: string;
  readonly method?: 'GET' | 'POST';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly limits: FeedLimits;
  /** Whether private and loopback addresses may be asked. */
  readonly allowPrivate: boolean;
  /** Keeps connections open between requests to the same endpoint. */
  readonly agentFor?: (protocol: string) => Agent | undefined;
}

export interface Fetched {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** Decompressed. */
  readonly body: Buffer;
}

/** Any status that is no redirect is an answer. Throws FeedProblem for everything that is none. */
export async function fetchBounded(request: FetchRequest): Promise<Fetched> {
  const { limits } = request;
  const signal = AbortSignal.timeout(limits.seconds * 1000);
  let url = new URL(request.url);
  let headers = { ...request.headers };
  try {
    for (let redirects = 0; redirects <= limits.redirects; redirects++) {
      const response = await send(url, { ...request, headers }, signal);
      const next = redirectOf(response, url);
      if (next === null) return await answerOf(response, limits.bytes);
      response.destroy();
      // Keys are for whom they were issued by.
      if (next.origin !== url.origin) headers = withoutSecrets(headers);
      url = next;
    }
  } catch (cause) {
    if (cause instanceof FeedProblem) throw cause;
    if (signal.aborted) {
      throw new FeedProblem(
        'time limit',
        `${url.host}: expected an answer within ${limits.seconds} s, got none`,
      );
    }
    throw new FeedProblem(isCutOff(cause) ? 'truncated' : 'unreachable', `${url.host}: ${messageOf(cause)}`, {
      cause,
    });
  }
  const message = `${url.host}: expected at most ${limits.redirects} redirects, found more`;
  throw new FeedProblem('redirect limit', message);
}

/** What a status other than 2xx means for a feed. */
export function refusedStatus(host: string, answer: Fetched | null): FeedProblem {
  const retryAfter = answer === null ? null : retryAfterOf(answer.headers);
  return new FeedProblem('HTTP status', `${host}: expected HTTP 200, got ${answer?.status ?? 'no answer'}`, {
    retryAfter,
  });
}

/** Seconds; null when the server says nothing. */
export function retryAfterOf(headers: IncomingHttpHeaders): number | null {
  const written = headers['retry-after']?.trim() ?? '';
  if (/^\d{1,9}$/.test(written)) return Number(written);
  // By the server's own clock, which is the one that it means.
  const seconds = (Date.parse(written) - Date.parse(headers.date ?? '')) / 1000;
  return Number.isFinite(seconds) ? Math.max(0, Math.ceil(seconds)) : null;
}

async function send(url: URL, request: FetchRequest, signal: AbortSignal): Promise<IncomingMessage> {
  const { allowPrivate, method = 'GET', headers = {}, body } = request;
  if (!/^https?:$/.test(url.protocol)) {
    throw new FeedProblem('unreachable', `expected an http or https URL, found ${url.protocol}`);
  }
  const literal = url.hostname.replace(/^\[|\]$/g, '');
  if (!allowPrivate && isIP(literal) !== 0 && !isPublicAddress(literal)) throw refusedAddress(url.hostname);
  const open = url.protocol === 'https:' ? requestHttps : requestHttp;
  return new Promise((succeed, fail) => {
    const outgoing = open(url, {
      method,
      headers: { 'accept-encoding': 'br, gzip, deflate', ...headers },
      lookup: allowPrivate ? undefined : publicLookup,
      agent: request.agentFor?.(url.protocol),
      signal,
    });
    outgoing.once('response', succeed).once('error', fail).end(body);
  });
}

/** Checked here, where the connection takes its address from: a name may mean another one a moment later. */
const publicLookup: LookupFunction = (hostname, options, done) => {
  resolve(hostname, { ...options, all: true }, (error, addresses) => {
    const publicOnes = (addresses ?? []).filter(({ address }) => isPublicAddress(address));
    const [first] = publicOnes;
    if (error !== null) done(error, []);
    else if (first === undefined) done(refusedAddress(hostname), []);
    else if (options.all === true) done(null, publicOnes);
    else done(null, first.address, first.family);
  });
};

function refusedAddress(host: string): FeedProblem {
  const message = `${host}: expected a public address, found a private or reserved one; ALMANAKK_ALLOW_PRIVATE_FEEDS=true allows those`;
  return new FeedProblem('address refused', message);
}

const REDIRECTS = new Set([301, 302, 303, 307, 308]);

function redirectOf({ statusCode = 0, headers: { location } }: IncomingMessage, from: URL): URL | null {
  if (!REDIRECTS.has(statusCode) || location === undefined) return null;
  if (!URL.canParse(location, from.href))
    throw new FeedProblem('unreachable', `${from.host}: redirects to no URL`);
  return new URL(location, from);
}

const SECRET = /^(?:authorization|cookie|x-api-key)$/i;

function withoutSecrets(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !SECRET.test(name)));
}

const DECODERS: Readonly<Record<string, () => NodeJS.ReadWriteStream>> = {
  br: createBrotliDecompress,
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
};

async function answerOf(response: IncomingMessage, most: number): Promise<Fetched> {
  const tooLarge = () => new FeedProblem('size limit', `expected at most ${most} bytes, found more`);
  if (Number(response.headers['content-length'] ?? 0) > most) {
    response.destroy();
    throw tooLarge();
  }
  const parts: Buffer[] = [];
  let length = 0;
  const collect = new Writable({
    write(chunk: Buffer, _, done) {
      length += chunk.length;
      parts.push(chunk);
      done(length > most ? tooLarge() : null);
    },
  });
  const decoder = DECODERS[response.headers['content-encoding']?.toLowerCase() ?? ''];
  const source: Readable = response;
  const hasBody = response.statusCode !== 304 && response.statusCode !== 204;
  if (decoder === undefined || !hasBody) await pipeline(source, collect);
  else await pipeline(source, decoder(), collect);
  return { status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(parts) };
}

/** An answer that ended before its end. */
function isCutOff(cause: unknown): boolean {
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined;
  return (
    code === 'ERR_STREAM_PREMATURE_CLOSE' ||
    code === 'Z_BUF_ERROR' ||
    (code === 'ECONNRESET' && messageOf(cause) === 'aborted')
  );
}
