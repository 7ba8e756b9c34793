/**
 * H8, H9: paths that need a token, sent as `Bearer` or as the password that a browser prompts for. Replies to wrong tokens are delayed, and
 * the log counts them; the right token never waits.
 */
import { createHash, timingSafeEqual } from 'node:crypto';
import { setTimeout as timeout } from 'node:timers/promises';
import { briefly, createThrottle, type Log } from '../../calendar/log.ts';
import type { Handle } from '../../serve/http/koa.ts';
import type { HttpReply, HttpRequest } from '../../serve/http/message.ts';
import { jsonReply } from '../../serve/http/replies.ts';

interface GuardOptions {
  /** Any of them opens the path. */
  readonly tokens: readonly string[];
  /** The tokens' owners, for the refusal. */
  readonly owner: string;
  readonly log: Pick<Log, 'warn'>;
  /** Milliseconds since any fixed time. */
  readonly clock?: () => number;
  /** Resolves after a number of milliseconds. */
  readonly pause?: (milliseconds: number) => Promise<unknown>;
}

/** Resolves to null for a request that may pass, and to the refusal for any other. */
export type Guard = (request: Pick<HttpRequest, 'headers' | 'path' | 'peer'>) => Promise<HttpReply | null>;

export function createGuard(options: GuardOptions): Guard {
  const { tokens, owner, pause = (milliseconds) => timeout(milliseconds, null, { ref: false }) } = options;
  const isExpected = createTokenTest(tokens);
  const refused = refusalOf(401, `This needs ${owner} token.`, 'UNAUTHORIZED', CHALLENGE);
  const tooMany = refusalOf(429, 'Too many wrong tokens at once.', 'RATE_LIMITED', TRY_LATER);
  const logWrong = createWrongTokenLog(options);
  let waiting = 0;
  return async ({ headers, path, peer }) => {
    const sentToken = tokenIn(headers.authorization ?? '');
    // Browsers send no token before the first refusal.
    if (sentToken === undefined) return refused;
    if (isExpected(sentToken)) return null;
    logWrong({ path, peer });
    const hasPlace = waiting < MOST_WAITING;
    waiting++;
    await pause(WRONG_MS);
    waiting--;
    return hasPlace ? refused : tooMany;
  };
}

/** D14: a handler whose work is admitted, for requests that may pass. Null: all may. */
export function guarded(handle: Handle, guard: Guard | null): Handle {
  return async (request) => {
    const refusal = await guard?.(request);
    if (refusal) return refusal;
    const leave = await request.enter?.();
    return Promise.resolve(handle(request)).finally(leave);
  };
}

/** A typing error costs a person hardly any time; a guessing program is slowed down. */
const WRONG_MS = 1_000;
/** Further attempts are refused as too many and lose their connection; all callers share this limit. */
const MOST_WAITING = 32;

const CHALLENGE = ['WWW-Authenticate', 'Basic realm="almanakk", charset="UTF-8"'];
const TRY_LATER = ['Retry-After', '1', 'Connection', 'close'];

function refusalOf(status: number, message: string, code: string, more: readonly string[]): HttpReply {
  const reply = jsonReply(status, { errors: [{ message, extensions: { code } }] });
  return { ...reply, headers: [...reply.headers, ...more] };
}

type LogWrongToken = (request: Pick<HttpRequest, 'path' | 'peer'>) => void;

/** At most one line a minute, with the number of wrong tokens since the line before. */
function createWrongTokenLog({ log, clock = () => performance.now() }: GuardOptions): LogWrongToken {
  const throttle = createThrottle({ most: 1, periodMs: LOG_EACH_MS, clock });
  return ({ path, peer }) => {
    const leftOut = throttle();
    if (leftOut !== null) log.warn({ path: briefly(path), peer, times: leftOut + 1 }, 'wrong token');
  };
}

const LOG_EACH_MS = 60_000;

/**
 * Whether a token is one of these. All digests have the same length, and each is compared: the time says neither how much of a token is
 * right nor which one it is.
 */
function createTokenTest(tokens: readonly string[]): (sent: string) => boolean {
  const digests = tokens.map(digestOf);
  return (sent) => {
    const digest = digestOf(sent);
    return digests.map((expected) => timingSafeEqual(digest, expected)).includes(true);
  };
}

/** Whose token a request sends; null if it is nobody's of these. */
export function createOwnerSearch<Owner extends { readonly token: string }>(
  owners: readonly Owner[],
): (request: Pick<HttpRequest, 'headers'>) => Owner | null {
  const tests = owners.map((owner) => ({ owner, isExpected: createTokenTest([owner.token]) }));
  return ({ headers }) => {
    const sent = tokenIn(headers.authorization ?? '');
    if (sent === undefined) return null;
    // All are compared, so that the time does not say which one it is.
    const found = tests.filter(({ isExpected }) => isExpected(sent));
    return found[0]?.owner ?? null;
  };
}

function digestOf(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

function tokenIn(authorization: string): string | undefined {
  const [, scheme = '', credentials = ''] = /^(\w+) +(\S+)$/.exec(authorization.trim()) ?? [];
  if (scheme.toLowerCase() === 'bearer') return credentials;
  if (scheme.toLowerCase() !== 'basic') return undefined;
  const pair = Buffer.from(credentials, 'base64').toString();
  // With any user name.
  return pair.includes(':') ? pair.slice(pair.indexOf(':') + 1) : undefined;
}
