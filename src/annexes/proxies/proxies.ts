/** The address of a caller whose request comes through proxies. */
import proxyAddr from 'proxy-addr';
import type { ServeContext, ServePart } from '../../serve/annex.ts';
import { type CallerAddressOf, networkOf, peerAddressOf } from '../../serve/http/caller.ts';
import { headerOf } from '../../serve/http/message.ts';

interface Settings {
  readonly trustProxy: readonly string[];
}

export function create({ settings: { trustProxy } }: ServeContext<Settings>): ServePart {
  return trustProxy.length === 0 ? {} : { addressOf: createCallerAddressOf(trustProxy) };
}

/**
 * `X-Forwarded-For` counts only as far as the configured proxies wrote it: from its end to the first address that is not one of them. The
 * caller may have invented everything before that. If all are proxies, or one of them wrote no address, the peer counts.
 */
export function createCallerAddressOf(proxies: readonly string[]): CallerAddressOf {
  const isTrusted = proxyAddr.compile([...proxies]);
  return ({ socket, headers }) => {
    const peer = peerAddressOf({ socket, headers });
    // Any client may send the header. Its end is what the proxies wrote, and all that is read.
    const chain = headerOf(headers, 'x-forwarded-for')?.slice(-LONGEST_CHAIN);
    if (chain === undefined || !isTrusted(socket.remoteAddress ?? '', 0)) return peer;
    const hops = chain.split(',').slice(-MOST_HOPS).reverse();
    const first = hops.map((hop) => withoutPort(hop.trim())).find((hop) => !isTrusted(hop, 0));
    return networkOf(first ?? '') || peer;
  };
}

/** Most proxies in a chain. */
const MOST_HOPS = 32;

/** Longest chain in characters: each hop has at most 47, with its port. */
const LONGEST_CHAIN = 2_000;

/** Some proxies write `203.0.113.7:5678` and `[2001:db8::7]:5678`. */
function withoutPort(hop: string): string {
  return hop.replace(/^\[([^\]]+)\](?::\d+)?$/, '$1').replace(/^(\d+\.\d+\.\d+\.\d+):\d+$/, '$1');
}
