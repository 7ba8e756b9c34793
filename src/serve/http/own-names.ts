/** The names that this server listens under, with its port: what a `Host` has to be to stand in a page or a feed. */
import { hostname, networkInterfaces } from 'node:os';

const names = new Set<string>();
let local = 'localhost:4000';

/** Of a server that listens. `host`: null for one that listens on all addresses of the machine. */
export function listenUnder(host: string | null, port: number): void {
  const own = host === null ? [hostname(), ...addresses(), '::1', '127.0.0.1'] : [host];
  local = `localhost:${port}`;
  for (const name of ['localhost', ...own]) {
    const written = (name.includes(':') ? `[${name}]` : name).toLowerCase();
    names.add(`${written}:${port}`);
    // A client leaves out a port that its protocol implies.
    if (port === 80 || port === 443) names.add(written);
  }
}

/** Of names in lower case. */
export const isOwnName = (host: string): boolean => names.has(host);

/** By which it can be reached from the same machine. */
export const localName = (): string => local;

function addresses(): readonly string[] {
  return Object.values(networkInterfaces()).flatMap((all = []) => all.map(({ address }) => address));
}
