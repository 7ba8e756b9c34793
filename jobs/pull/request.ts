/** Fetches over HTTP from a place that may be down, slow or not what it seems: bounded in redirects, time and bytes. */
import { CalendarError, messageOf } from '../../src/calendar/errors.ts';
import { createPatience, type Patience } from './patience.ts';

export interface RequestOptions {
  readonly url: URL;
  /** Gives up at once. */
  readonly signal: AbortSignal;
  /** Milliseconds without a byte after which it is given up. */
  readonly stallMs: number;
  /** Milliseconds for all of it. */
  readonly totalMs: number;
  readonly onBytes: (bytes: Uint8Array) => void | Promise<void>;
}

const MOST_REDIRECTS = 5;
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/** Resolves when all bytes are handed on. Throws ORIGIN_UNUSABLE, naming the URL and what was found there. */
export async function request({ url, signal, stallMs, totalMs, onBytes }: RequestOptions): Promise<void> {
  const total = createPatience({ signal, milliseconds: totalMs });
  const stall = createPatience({ signal: total.signal, milliseconds: stallMs });
  try {
    const response = await follow(url, stall);
    if (response.status !== 200) {
      await response.body?.cancel();
      throw unusable(url, `expected status 200, found ${response.status}`);
    }
    for await (const bytes of response.body ?? []) {
      stall.renew();
      await onBytes(bytes);
    }
  } catch (cause) {
    if (cause instanceof CalendarError) throw cause;
    if (stall.isOver()) throw unusable(url, `expected a byte within ${stallMs / 1_000} s, found none`, cause);
    if (total.isOver()) throw unusable(url, `expected all of it within ${totalMs / 1_000} s`, cause);
    throw unusable(url, depthOf(cause), cause);
  } finally {
    stall.end();
    total.end();
  }
}

async function follow(start: URL, { signal }: Patience): Promise<Response> {
  let url = start;
  for (let redirects = 0; redirects <= MOST_REDIRECTS; redirects++) {
    const headers = { ...HEADERS, ...(url.host === start.host && credentialsOf(start)) };
    const response = await fetch(withoutCredentials(url), { headers, signal, redirect: 'manual' });
    if (!REDIRECTS.has(response.status)) return response;
    await response.body?.cancel();
    url = redirected(url, response.headers.get('location'));
  }
  throw unusable(start, `expected at most ${MOST_REDIRECTS} redirects, found more`);
}

/**
 * Whatever keeps copies on the way is to ask the origin itself, and not to change the bytes. A connection that is kept
 * between looks may be closed by the origin just as it is used.
 */
const HEADERS = { 'Accept-Encoding': 'identity', 'Cache-Control': 'no-cache', Connection: 'close' };

function redirected(from: URL, location: string | null): URL {
  if (location === null || !URL.canParse(location, from.href)) {
    throw unusable(from, `expected a redirect to a URL, found ${JSON.stringify(location)}`);
  }
  const url = new URL(location, from);
  const isSafe = url.protocol === 'https:' || (url.protocol === 'http:' && from.protocol === 'http:');
  if (!isSafe) throw unusable(from, `expected a redirect within ${from.protocol}, found ${url.protocol}`);
  return url;
}

/** fetch takes no URL that has them. */
function withoutCredentials(url: URL): URL {
  const plain = new URL(url);
  plain.username = '';
  plain.password = '';
  return plain;
}

function credentialsOf({ username, password }: URL): { readonly Authorization?: string } {
  if (username === '' && password === '') return {};
  const text = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return { Authorization: `Basic ${Buffer.from(text).toString('base64')}` };
}

export function unusable(url: URL, found: string, cause?: unknown): CalendarError {
  const { origin, pathname } = url;
  return new CalendarError('ORIGIN_UNUSABLE', `${origin}${pathname}: ${found}`, { cause });
}

/** fetch says only that it failed; why is in the cause of that, or in the causes of its cause. */
function depthOf(thrown: unknown): string {
  if (thrown instanceof AggregateError && thrown.errors.length > 0) return depthOf(thrown.errors[0]);
  return thrown instanceof Error && thrown.cause !== undefined ? depthOf(thrown.cause) : messageOf(thrown);
}
