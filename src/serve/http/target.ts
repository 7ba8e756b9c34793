/**
 * The first line and the `Host` of a request (RFC 9112, section 3), read once: whatever form the target has, what stands
 * behind sees a path and a query, and nothing that two readers could read differently.
 */
import type { IncomingMessage } from 'node:http';

/** A path with its query, or `*` for the server as a whole; and the host, where it stands beside the path. */
export type Target = { readonly url: string; readonly host?: string } | { readonly fault: string };

export function targetOf({ method, url = '', httpVersion, rawHeaders }: IncomingMessage): Target {
  const hosts = countHosts(rawHeaders);
  if (hosts === 0 && httpVersion === '1.1') return { fault: 'The request has no Host header.' };
  if (hosts > 1) return { fault: 'The request has more than one Host header.' };
  if (url.startsWith('/')) return { url: withoutFragment(url) };
  if (url === '*' && method === 'OPTIONS') return { url };
  const [, host, path] = ABSOLUTE.exec(url) ?? [];
  if (host === undefined || path === undefined) {
    return { fault: 'The request target must be a path, or an http URL.' };
  }
  return { url: withoutFragment(path.startsWith('/') ? path : `/${path}`), host };
}

function countHosts(rawHeaders: readonly string[]): number {
  let count = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at];
    if (name?.length === HOST.length && name.toLowerCase() === HOST) count++;
  }
  return count;
}

const HOST = 'host';

/** The authority, which has something in it, and what is left. */
const ABSOLUTE = /^https?:\/\/([^/?#\s\\]+)(.*)$/is;

/** Fragments are for browsers: a number sign is a character like others here, for whoever reads the URL after this. */
const withoutFragment = (url: string): string => (url.includes('#') ? url.replaceAll('#', '%23') : url);
