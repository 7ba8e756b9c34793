/**
 * Replies that are no answers: refusals with the status of their code, small JSON, and health (D8, other paths): `/healthz` and `/readyz`.
 */
import type { ErrorCode } from '../../calendar/errors.ts';
import type { Keeper } from '../../snapshot/keeper.ts';
import type { FeedState } from '../../snapshot/meta.ts';
import type { Refusal } from '../graphql/refusal.ts';
import type { HeaderList, HttpReply } from './message.ts';
import { type Coding, JSON_MEDIA, type Media } from './negotiation.ts';
import { createRepresentation } from './representation.ts';

/** The interface's error table and D1, statuses. Any other code never leaves the server: clients get an internal error. */
export const STATUS: Partial<Readonly<Record<ErrorCode, number>>> = {
  BAD_REQUEST: 400,
  BAD_USER_INPUT: 200,
  GRAPHQL_PARSE_FAILED: 400,
  GRAPHQL_VALIDATION_FAILED: 400,
  QUERY_TOO_COMPLEX: 400,
  GONE: 410,
  PERSISTED_QUERY_NOT_FOUND: 200,
  NOT_FOUND: 404,
  METHOD_NOT_ALLOWED: 405,
  REQUEST_TIMEOUT: 408,
  PAYLOAD_TOO_LARGE: 413,
  UNSUPPORTED_MEDIA_TYPE: 415,
  OVERLOADED: 503,
  RATE_LIMITED: 429,
  HEADERS_TOO_LARGE: 431,
  TIMEOUT: 200,
  INTERNAL_SERVER_ERROR: 500,
  SERVICE_UNAVAILABLE: 503,
};

const retryOf = ({ code }: Refusal): HeaderList => RETRY_AFTER[code] ?? NO_HEADERS;

/** Headers of refusals after which a client may try again. */
const RETRY_AFTER: Partial<Readonly<Record<ErrorCode, HeaderList>>> = {
  OVERLOADED: ['Retry-After', '1'],
  SERVICE_UNAVAILABLE: ['Retry-After', '5'],
};
const NO_HEADERS: HeaderList = [];

/** How a refusal is sent: negotiated with the client, or as plain JSON. */
export interface RefusalOptions {
  readonly media?: Media;
  readonly coding?: Coding;
  readonly headers?: HeaderList;
  /** In place of the code's status. */
  readonly status?: number | undefined;
  /** In place of JSON; the type is with its charset. */
  readonly content?: { readonly type: string; readonly body: Buffer } | undefined;
}

export async function refusalReply(refusal: Refusal, options: RefusalOptions = {}): Promise<HttpReply> {
  const { media = JSON_MEDIA, coding = 'identity', headers = [], status = statusOf(refusal) } = options;
  const { type, body: said } = options.content ?? { type: typeOf(media), body: bodyOf(refusal) };
  const all = ['Cache-Control', 'no-store', ...retryOf(refusal), ...headers];
  const content = { body: [said], isTagged: false, headers: all };
  const representation = await createRepresentation(content, { type, coding });
  return { status, headers: representation.headers, body: representation.body, more: representation.more };
}

/** Synchronous, and the same whatever the client accepts. */
export function plainRefusal(
  refusal: Refusal,
  options: Omit<RefusalOptions, 'coding' | 'content'> = {},
): HttpReply {
  const { media = JSON_MEDIA, headers = [], status = statusOf(refusal) } = options;
  return plainReply(status, bodyOf(refusal), { media, headers: [...retryOf(refusal), ...headers] });
}

export function jsonReply(status: number, value: unknown): HttpReply {
  return plainReply(status, Buffer.from(`${JSON.stringify(value)}\n`), { media: JSON_MEDIA, headers: [] });
}

function plainReply(
  status: number,
  body: Buffer,
  { media, headers }: Required<Pick<RefusalOptions, 'media' | 'headers'>>,
): HttpReply {
  const entity = ['Content-Type', typeOf(media), 'Content-Length', `${body.length}`];
  return { status, headers: [...entity, 'Cache-Control', 'no-store', ...headers], body };
}

const statusOf = ({ code }: Refusal): number => STATUS[code] ?? 500;

const typeOf = (media: Media): string => `${media}; charset=utf-8`;

function bodyOf({ errors }: Refusal): Buffer {
  return Buffer.from(JSON.stringify({ errors }));
}

/** The process runs; `/readyz` says whether it has a snapshot to serve. */
export function healthReply(): HttpReply {
  return jsonReply(200, { status: 'up' });
}

interface ReadinessOptions {
  readonly keeper: Pick<Keeper, 'state'>;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
  /** H4, stopping: true once the server is stopping. */
  readonly isStopping: () => boolean;
}

export function readinessReply({ keeper, clock, isStopping }: ReadinessOptions): HttpReply {
  const { current, lastRefusal } = keeper.state();
  const stopping = isStopping();
  const ready = current !== null && !stopping;
  return jsonReply(ready ? 200 : 503, {
    ready,
    ...(stopping && { reason: 'stopping' }),
    snapshot: current && {
      id: current.id,
      builtAt: current.meta.builtAt,
      ageSeconds: Math.max(0, Math.floor((clock() - Date.parse(current.meta.builtAt)) / 1_000)),
      counts: current.meta.counts,
    },
    ...(current !== null && current.meta.feeds.length > 0 && { feeds: current.meta.feeds.map(redacted) }),
    lastRefusal: lastRefusal && {
      at: new Date(lastRefusal.at).toISOString(),
      reason: withoutFolders(lastRefusal.reason),
    },
  });
}

/** What anybody may read of a feed; the build knows more of it. */
function redacted({ id, state, since, why }: FeedState): FeedState {
  return { id, state, since, why: why === null ? null : withoutFolders(why) };
}

/** Removes this machine's folders, which clients must not see; URLs stay. */
export function withoutFolders(text: string): string {
  return text.replaceAll(/((?:https?|s3):\/\/\S+)|(?:\/[^\s/:'"]+)+\/(?=[^\s/:'"]+)/g, (_, url) => url ?? '');
}
