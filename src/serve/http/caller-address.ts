/** The address that a request comes from, also through proxies. */
import type { IncomingMessage } from 'node:http';
import ipaddr from 'ipaddr.js';
import { LRUCache } from 'lru-cache';
import proxyAddr from 'proxy-addr';
import { headerOf } from './message.ts';

/**
 * Returns the caller's address: an IPv4 address, or the /64 of an IPv6 address. Never logged. Empty without an address, as on a Unix
 * socket.
 */
export type CallerAddressOf = (request: Pick<IncomingMessage, 'socket' | 'headers'>) => string;

/**
 * `X-Forwarded-For` counts only as far as the configured proxies wrote it: from its end to the first address that is not one of them. The
 * caller may have invented everything before that.
 */
export function createCallerAddressOf(proxies: readonly string[]): CallerAddressOf {
  const isTrusted = proxyAddr.compile([...proxies]);
  const isProxy = (hop: string, nth: number) => isTrusted(withoutPort(hop), nth);
  // A known address takes 0.1 µs a request; reading one takes 5 µs for IPv6 and 8 for a chain of proxies.
  const known = new LRUCache<string, string>({ max: 1_000 });
  return ({ socket, headers }) => {
    const peer = socket.remoteAddress ?? '';
    const said = proxies.length === 0 ? '' : (headerOf(headers, 'x-forwarded-for') ?? '');
    // Any client may send the header, so the cached text is bounded.
    const chain = said.length > LONGEST_CHAIN ? '' : said;
    const key = `${peer} ${chain}`;
    let caller = known.get(key);
    if (caller === undefined) {
      const hops = chain.split(',', MOST_HOPS + 1).length;
      const first =
        hops > MOST_HOPS
          ? peer
          : withoutPort(proxyAddr({ socket, headers } as IncomingMessage, isProxy) ?? '');
      // All of them are proxies, or one of them wrote no address: the peer counts.
      caller = networkOf(ipaddr.isValid(first) && !isTrusted(first, 0) ? first : peer);
      known.set(key, caller);
    }
    return caller;
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

/** An IPv6 household or server usually owns a whole /64, and can use any address in it. */
function networkOf(address: string): string {
  if (!ipaddr.isValid(address)) return '';
  const parsed = ipaddr.process(address);
  if (parsed instanceof ipaddr.IPv4) return parsed.toString();
  const network = parsed.parts.slice(0, 4).map((part) => part.toString(16));
  return `${network.join(':')}::/64`;
}
