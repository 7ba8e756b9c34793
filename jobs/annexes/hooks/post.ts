/** H10: the POST that tells a hook about a publication. */
import { createHmac } from 'node:crypto';
import type { Published } from '../../annex.ts';
import { fetchWhole } from '../../kit/fetch.ts';

export interface PostSettings {
  readonly hookSecret: string | null;
  readonly allowPrivateFeeds: boolean;
}

/** Rejects unless the reply is a 2xx. */
export type Post = (url: URL, body: string, signal: AbortSignal) => Promise<void>;

/** Seconds that one attempt may take. */
const ATTEMPT_SECONDS = 10;
/** Bytes of a reply that are read and ignored. */
const REPLY_BYTES = 64 * 1_024;

export function createPost({ hookSecret, allowPrivateFeeds }: PostSettings): Post {
  return async (url, body, signal) => {
    const { status } = await fetchWhole({
      url,
      body,
      signal,
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'user-agent': 'almanakk (event calendar; hooks)',
        ...signatureHeaders(hookSecret, body),
      },
      limits: { bytes: REPLY_BYTES, seconds: ATTEMPT_SECONDS, redirects: 0 },
      mayBePrivate: () => allowPrivateFeeds,
    });
    if (status < 200 || status > 299) throw new Error(`expected a status of 2xx, found ${status}`);
  };
}

function signatureHeaders(secret: string | null, body: string): Readonly<Record<string, string>> {
  if (secret === null) return {};
  const signature = createHmac('sha256', secret).update(body).digest('hex');
  return { 'x-almanakk-signature': `sha256=${signature}` };
}

/** JSON; null for a publication without changes, such as one that only moves the horizon. */
export function bodyOf({ id, builtAt, counts, changes }: Published): string | null {
  const { added, changed, removed } = changes;
  if (added + changed + removed === 0) return null;
  return JSON.stringify({ id, builtAt, counts, added, changed, removed });
}

/** A hook in logs: with its path, because one host often has several, but without a query, a name and a password, which may be secrets. */
export function nameOf({ host, pathname }: URL): string {
  return `${host}${pathname === '/' ? '' : pathname}`;
}
