/** Where a request comes from, with proxies in front too. */
import type { IncomingMessage } from 'node:http';
import ipaddr from 'ipaddr.js';
import { LRUCache } from 'lru-cache';
import proxyAddr from 'proxy-addr';
import { headerOf } from './message.ts';

/**
 * Where a request comes from: an IPv4 address, or the /64 that an IPv6 address is in. Never logged. Empty where there is no
 * address, as on a Unix socket.
 */
export type CallerAddressOf = (request: Pick<IncomingMessage, 'socket' | 'headers'>) => string;

/**
 * `X-Forwarded-For` counts only from the proxies that are named, and only as far back as they have written it: from its end
 * to the first address that is none of them. What stands before that, the caller may have made up.
 */
export function createCallerAddressOf(proxies: readonly string[]): CallerAddressOf {
  const isTrusted = proxyAddr.compile([...proxies]);
  const isProxy = (hop: string, nth: number) => isTrusted(withoutPort(hop), nth);
  // 0.1 µs a request where the address is known; reading one takes 5 µs for IPv6 and 8 for a chain of proxies.
  const known = new LRUCache<string, string>({ max: 1_000 });
  return ({ socket, headers }) => {
    const peer = socket.remoteAddress ?? '';
    const said = proxies.length === 0 ? '' : (headerOf(headers, 'x-forwarded-for') ?? '');
    // Any client may send the header, so what is remembered of it is bounded.
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

/** Proxies in a row. */
const MOST_HOPS = 32;

/** Characters: each hop has 47 at most, with its port. */
const LONGEST_CHAIN = 2_000;

/** Some write `203.0.113.7:5678` and `[2001:db8::7]:5678`. */
function withoutPort(hop: string): string {
  return hop.replace(/^\[([^\]]+)\](?::\d+)?$/, '$1').replace(/^(\d+\.\d+\.\d+\.\d+):\d+$/, '$1');
}

/** A whole household, or a whole server, has a /64 of IPv6 to itself; single addresses of it are free to make up. */
function networkOf(address: string): string {
  if (!ipaddr.isValid(address)) return '';
  const parsed = ipaddr.process(address);
  if (parsed instanceof ipaddr.IPv4) return parsed.toString();
  const network = parsed.parts.slice(0, 4).map((part) => part.toString(16));
  return `${network.join(':')}::/64`;
}
