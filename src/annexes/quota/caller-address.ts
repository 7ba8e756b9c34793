/** Where a request comes from, behind proxies too. */
import type { IncomingMessage } from 'node:http';
import { BlockList, isIP, type Socket, SocketAddress } from 'node:net';
import { LRUCache } from 'lru-cache';
import { headerOf } from '../../serve/http/message.ts';

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
  const trusted = blockListOf(proxies);
  const peers = new WeakMap<Socket, Peer>();
  const forwarded = new LRUCache<string, string>({ max: 1_000 });
  const peerOf = (socket: Socket): Peer => {
    const address = canonical(socket.remoteAddress ?? '');
    const peer = { address: address ?? '', isProxy: address !== null && isIn(trusted, address) };
    peers.set(socket, peer);
    return peer;
  };
  return ({ socket, headers }) => {
    const peer = peers.get(socket) ?? peerOf(socket);
    const chain = peer.isProxy ? headerOf(headers, 'x-forwarded-for') : undefined;
    if (chain === undefined) return quotaAddress(peer);
    let known = forwarded.get(chain);
    if (known === undefined) {
      known = firstUntrusted(chain, trusted) ?? '';
      forwarded.set(chain, known);
    }
    return known === '' ? quotaAddress(peer) : known;
  };
}

interface Peer {
  /** As it is written shortest. */
  readonly address: string;
  readonly isProxy: boolean;
  /** Made when it is first asked for. */
  quotaAddress?: string;
}

function quotaAddress(peer: Peer): string {
  peer.quotaAddress ??= networkOf(peer.address);
  return peer.quotaAddress;
}

/** Undefined where all of them are proxies, and where what one of them wrote is no address. */
function firstUntrusted(chain: string, trusted: BlockList): string | undefined {
  const hops = chain.split(',', MOST_HOPS + 1);
  if (hops.length > MOST_HOPS) return undefined;
  for (const hop of hops.reverse()) {
    const address = canonical(withoutPort(hop.trim()));
    if (address === null) return undefined;
    if (!isIn(trusted, address)) return networkOf(address);
  }
  return undefined;
}

/** Proxies in a row. */
const MOST_HOPS = 32;

/** Some write `203.0.113.7:5678` and `[2001:db8::7]:5678`. */
function withoutPort(hop: string): string {
  return hop.replace(/^\[([^\]]+)\](?::\d+)?$/, '$1').replace(/^(\d+\.\d+\.\d+\.\d+):\d+$/, '$1');
}

/** As `inet_ntop` writes it, an IPv4 address in IPv6 as that; null for what is no address. */
function canonical(text: string): string | null {
  const family = isIP(text);
  if (family === 4) return text;
  if (family === 0) return null;
  const { address } = new SocketAddress({ address: text.replace(/%.*$/, ''), family: 'ipv6' });
  return address.startsWith(MAPPED) && isIP(address.slice(MAPPED.length)) === 4
    ? address.slice(MAPPED.length)
    : address;
}

const MAPPED = '::ffff:';

/** A whole household, or a whole server, has a /64 of IPv6 to itself; single addresses of it are free to make up. */
function networkOf(address: string): string {
  if (!address.includes(':')) return address;
  const [head = '', tail] = address.split('::');
  const left = head === '' ? [] : head.split(':');
  const right = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros =
    tail === undefined ? 0 : Math.max(0, 8 - left.length - right.length - (tail.includes('.') ? 1 : 0));
  return `${[...left, ...new Array<string>(zeros).fill('0'), ...right].slice(0, 4).join(':')}::/64`;
}

function blockListOf(networks: readonly string[]): BlockList {
  const list = new BlockList();
  for (const network of networks) {
    const [address = '', bits] = network.split('/');
    const family = isIP(address) === 4 ? 'ipv4' : 'ipv6';
    if (bits === undefined) list.addAddress(address, family);
    else list.addSubnet(address, Number(bits), family);
  }
  return list;
}

function isIn(list: BlockList, address: string): boolean {
  return list.check(address, address.includes(':') ? 'ipv6' : 'ipv4');
}
