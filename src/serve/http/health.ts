/** D8: the replies of `/healthz` and `/readyz`. */
import { type Keeper, reasonsOf } from '../../snapshot/keeper.ts';
import type { FeedState } from '../../snapshot/meta.ts';
import type { Snapshot } from '../../snapshot/open.ts';
import type { HttpReply } from './message.ts';
import { jsonReply } from './replies.ts';

/** The process runs; `/readyz` says whether it has a snapshot to serve. */
export function healthReply(): HttpReply {
  return jsonReply(200, { status: 'up' });
}

interface ReadinessOptions {
  readonly keeper: Pick<Keeper, 'state'>;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
  /** H4: true once the server is stopping. */
  readonly isStopping: () => boolean;
}

export function readinessReply({ keeper, clock, isStopping }: ReadinessOptions): HttpReply {
  const { current, lastRefusal, damage } = keeper.state();
  const stopping = isStopping();
  const ready = current !== null && !stopping;
  const feeds = current?.meta.feeds ?? [];
  // JSON leaves out what is undefined.
  return jsonReply(ready ? 200 : 503, {
    ready,
    reason: stopping ? 'stopping' : undefined,
    snapshot: current && factsOf(current, clock()),
    feeds: feeds.length === 0 ? undefined : feeds.map(redacted),
    lastRefusal: lastRefusal && {
      at: new Date(lastRefusal.at).toISOString(),
      reason: withoutFolders(reasonsOf({ lastRefusal, damage })),
    },
  });
}

function factsOf({ id, meta, builtAt }: Pick<Snapshot, 'id' | 'meta' | 'builtAt'>, now: number) {
  return {
    id,
    builtAt: meta.builtAt,
    ageSeconds: Math.max(0, Math.floor(now / 1_000) - builtAt),
    counts: meta.counts,
  };
}

/** The state of a feed as anybody may read it. */
function redacted({ id, state, since, why }: FeedState): FeedState {
  return { id, state, since, why: why === null ? null : withoutFolders(why) };
}

/**
 * Removes this machine's folders, which clients must not see. URLs and relative paths stay.
 *
 *     open '/srv/my data/x.sqlite'    →  open 'x.sqlite'
 *     feeds/2026/kor.csv              →  feeds/2026/kor.csv
 */
export function withoutFolders(text: string): string {
  return text.replaceAll(URL_OR_FOLDERS, (found) => (found.startsWith('/') ? '' : found));
}

/** A colon, quote or apostrophe within a name is followed by a letter or a digit. */
const WORD = String.raw`(?:[^\s/:'"]|[:'"](?=[\p{L}\p{N}]))+`;
/** The name of a folder, which may have blanks; none after a comma, which ends a path. */
const FOLDER = `${WORD}(?:(?<![,;]) +${WORD})*`;

const URL_OR_FOLDERS = new RegExp(
  [
    String.raw`(?:https?|s3)://\S+`,
    // The root's slash does not follow a name, as those of a relative path do. After the last folder comes the name of the file.
    String.raw`(?<![\p{L}\p{N}_.~-])(?:/${FOLDER})+/(?=${WORD})`,
  ].join('|'),
  'gu',
);
