/** `/healthz` and `/readyz` (D8), for load balancers, supervisors and people with curl. */
import type { Keeper } from '../../snapshot/keeper.ts';
import type { FeedState } from '../../snapshot/meta.ts';
import type { HttpReply } from './message.ts';
import { jsonReply } from './replies.ts';

/** The process runs; `/readyz` says whether it has a snapshot to serve. */
export function healthReply(): HttpReply {
  return jsonReply(200, { status: 'up' });
}

export interface ReadinessOptions {
  readonly keeper: Pick<Keeper, 'state'>;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
  /** H4: true once the server is stopping. */
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

function redacted({ why, ...feed }: FeedState): FeedState {
  return { ...feed, why: why === null ? null : withoutFolders(why) };
}

/** Removes this machine's folders, which clients must not see; URLs stay. */
export function withoutFolders(text: string): string {
  return text.replaceAll(/((?:https?|s3):\/\/\S+)|(?:\/[^\s/:'"]+)+\/(?=[^\s/:'"]+)/g, (_, url) => url ?? '');
}
