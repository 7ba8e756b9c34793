/**
 * H8, H9: what only those may have who send a token, as `Bearer` or as the password that a browser asks for. Wrong tokens are
 * answered late and stand in the log; whoever sends the right one never waits.
 */
import { createHash, timingSafeEqual } from 'node:crypto';
import { setTimeout as timeout } from 'node:timers/promises';
import type { Log } from '../../serve/http/log.ts';
import type { HttpReply, HttpRequest } from '../../serve/http/message.ts';
import { jsonReply } from '../../serve/http/replies.ts';

interface GuardOptions {
  readonly token: string;
  /** Whose token it is, for the refusal. */
  readonly whose: string;
  readonly log: Pick<Log, 'warn'>;
  /** Milliseconds, of any beginning. */
  readonly clock?: () => number;
  /** Resolves after so many milliseconds. */
  readonly pause?: (milliseconds: number) => Promise<unknown>;
}

/** Resolves to null for a request that may pass, and to the reply for any other. */
export type Guard = (request: Pick<HttpRequest, 'headers' | 'path' | 'peer'>) => Promise<HttpReply | null>;

export function createGuard(options: GuardOptions): Guard {
  const { token, whose, pause = (milliseconds) => timeout(milliseconds, null, { ref: false }) } = options;
  const expected = digestOf(token);
  const refused = refusalOf(401, `This needs ${whose} token.`, 'UNAUTHORIZED', CHALLENGE);
  const tooMany = refusalOf(429, 'Too many wrong tokens at once.', 'RATE_LIMITED', TRY_LATER);
  const tell = createTeller(options);
  let waiting = 0;
  return async ({ headers, path, peer }) => {
    const given = tokenIn(headers.authorization ?? '');
    // Browsers send none until they are asked for it.
    if (given === undefined) return refused;
    if (timingSafeEqual(digestOf(given), expected)) return null;
    tell({ path, peer });
    if (waiting >= MOST_WAITING) return tooMany;
    waiting++;
    await pause(WRONG_MS);
    waiting--;
    return refused;
  };
}

/** A person who has mistyped it hardly notices; a program that guesses gets no further. */
const WRONG_MS = 1_000;
/** More replies are not held back: each takes memory. */
const MOST_WAITING = 32;

const CHALLENGE = ['WWW-Authenticate', 'Basic realm="almanakk", charset="UTF-8"'];
const TRY_LATER = ['Retry-After', '1', 'Connection', 'close'];

function refusalOf(status: number, message: string, code: string, more: readonly string[]): HttpReply {
  const reply = jsonReply(status, { errors: [{ message, extensions: { code } }] });
  return { ...reply, headers: [...reply.headers, ...more] };
}

/** One line a minute at most, which says how many wrong tokens there were since the one before. */
function createTeller({ log, clock = () => performance.now() }: GuardOptions) {
  let quietUntil = Number.NEGATIVE_INFINITY;
  let suppressed = 0;
  return (wrong: Pick<HttpRequest, 'path' | 'peer'>) => {
    suppressed++;
    const now = clock();
    if (now < quietUntil) return;
    log.warn({ ...wrong, times: suppressed }, 'wrong token');
    quietUntil = now + TELL_EACH_MS;
    suppressed = 0;
  };
}

const TELL_EACH_MS = 60_000;

/** Of equal length, whatever was given, so that comparing takes the same time. */
function digestOf(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

function tokenIn(authorization: string): string | undefined {
  const [, scheme = '', credentials = ''] = /^(\w+) +(\S+)$/.exec(authorization.trim()) ?? [];
  if (scheme.toLowerCase() === 'bearer') return credentials;
  if (scheme.toLowerCase() !== 'basic') return undefined;
  const pair = Buffer.from(credentials, 'base64').toString();
  // Whatever the user is called.
  return pair.includes(':') ? pair.slice(pair.indexOf(':') + 1) : undefined;
}
