/** Addresses of the public internet (L5): a URL from outside must not lead into the network of this machine. */
import { lookup } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import ipaddr from 'ipaddr.js';
import { failureText } from '../../src/calendar/failures.ts';
import { FetchProblem } from './fetch-problem.ts';

/** Whether an IPv4 or IPv6 address, as text, belongs to the public internet. False for other text. */
export function isPublicAddress(text: string): boolean {
  if (isIP(text) === 0) return false;
  const address = ipaddr.process(text);
  if (address instanceof ipaddr.IPv4) return address.range() === 'unicast';
  // An address of a NAT64 gateway counts as the IPv4 address that it contains.
  if (address.match(NAT64)) {
    return new ipaddr.IPv4(address.toByteArray().slice(12)).range() === 'unicast';
  }
  // The library calls every unreserved address unicast; only these are assigned.
  return address.range() === 'unicast' && address.match(GLOBAL_UNICAST);
}

const NAT64 = ipaddr.IPv6.parseCIDR('64:ff9b::/96');
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3');

/** A connection takes its address from this lookup, so it is checked here: a second lookup of the name may give another one. */
export function publicLookup(url: URL): LookupFunction {
  return (hostname, options, done) => {
    lookup(hostname, { ...options, all: true }, (error, addresses) => {
      const publicOnes = (addresses ?? []).filter(({ address }) => isPublicAddress(address));
      const [first] = publicOnes;
      if (error !== null) return done(error, []);
      if (first === undefined) return done(refusedAddress(url), []);
      if (options.all === true) return done(null, publicOnes);
      return done(null, first.address, first.family);
    });
  };
}

export function refusedAddress(url: URL): FetchProblem {
  return new FetchProblem('address refused', url, failureText('privateAddress'));
}
