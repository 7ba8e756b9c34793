/** The address under which clients reach this server, for pages and lists that contain it. Addresses have no slash at their end. */
import type { IncomingHttpHeaders } from 'node:http';
import { hostname, networkInterfaces } from 'node:os';
import { headerOf } from './message.ts';

export interface ServerAddress {
  /**
   * The public URL, else the `Host` of a request if this server listens under it; null for any other, which is the client's invention:
   * pages and lists would be made anew for each.
   */
  readonly trusted: (headers: IncomingHttpHeaders) => string | null;
  /** For examples: the address on this machine if no other is known. */
  readonly shown: (headers: IncomingHttpHeaders) => string;
  /** Request headers besides `Host` that it depends on. */
  readonly vary: readonly string[];
  /** Called when the server listens. `host`: null for all addresses of the machine. */
  readonly listenUnder: (host: string | null, port: number) => void;
}

export function createServerAddress(publicUrl: URL | null): ServerAddress {
  /** The hosts that this server listens under, with the port, in lower case. */
  const hosts = new Set<string>();
  let localHost = 'localhost:4000';
  const trusted = (headers: IncomingHttpHeaders): string | null => {
    if (publicUrl !== null) return publicUrl.href.replace(/(?<!\/)\/+$/, '');
    const host = headers.host?.toLowerCase() ?? '';
    return hosts.has(host) ? `${protocolOf(headers)}://${host}` : null;
  };
  return {
    trusted,
    shown: (headers: IncomingHttpHeaders) => trusted(headers) ?? `http://${localHost}`,
    vary: publicUrl === null ? ['X-Forwarded-Proto'] : [],
    listenUnder: (host: string | null, port: number) => {
      localHost = `localhost:${port}`;
      const names = host === null ? [hostname(), ...machineAddresses(), '::1', '127.0.0.1'] : [host];
      for (const name of ['localhost', ...names]) {
        for (const written of hostsOf(name, port)) hosts.add(written);
      }
    },
  };
}

/** As a proxy states it. */
function protocolOf(headers: IncomingHttpHeaders): 'http' | 'https' {
  const [first = ''] = headerOf(headers, 'x-forwarded-proto')?.split(',', 1) ?? [];
  return first.trim().toLowerCase() === 'https' ? 'https' : 'http';
}

/** The values of `Host` that mean this name and port. */
function hostsOf(name: string, port: number): readonly string[] {
  const host = (name.includes(':') ? `[${name}]` : name).toLowerCase();
  // A client omits a port that its protocol implies.
  return port === 80 || port === 443 ? [`${host}:${port}`, host] : [`${host}:${port}`];
}

function machineAddresses(): readonly string[] {
  return Object.values(networkInterfaces()).flatMap((all = []) => all.map(({ address }) => address));
}
