/** The address under which clients reach this server, for pages and feeds that contain it. */
import type { IncomingHttpHeaders } from 'node:http';
import { hostname, networkInterfaces } from 'node:os';
import { headerOf } from './message.ts';

export type OwnAddress = ReturnType<typeof createOwnAddress>;

export function createOwnAddress(publicUrl: URL | null) {
  /** With its port, in lower case. */
  const names = new Set<string>();
  let local = 'localhost:4000';
  /**
   * As a request shows it, without a slash at the end. The public URL takes precedence; else the request's `Host` counts if it is one of
   * the names that this server listens under: any other is the client's invention, and each would get pages and feeds of its own. Null:
   * unknown.
   */
  const known = (headers: IncomingHttpHeaders): string | null => {
    if (publicUrl !== null) return publicUrl.href.replace(/(?<!\/)\/+$/, '');
    const host = headers.host?.toLowerCase() ?? '';
    if (!names.has(host)) return null;
    const protocol = headerOf(headers, 'x-forwarded-proto')?.split(',', 1)[0]?.trim().toLowerCase();
    return `${protocol === 'https' ? 'https' : 'http'}://${host}`;
  };
  return {
    known,
    /** For examples: the address on this machine if no other is known. */
    shown: (headers: IncomingHttpHeaders) => known(headers) ?? `http://${local}`,
    /** Request headers besides `Host` that it depends on. */
    vary: publicUrl === null ? ['X-Forwarded-Proto'] : [],
    /** Called when the server listens. `host`: null for all addresses of the machine. */
    listenUnder: (host: string | null, port: number) => {
      const hosts = host === null ? [hostname(), ...addresses(), '::1', '127.0.0.1'] : [host];
      local = `localhost:${port}`;
      for (const name of ['localhost', ...hosts]) {
        const written = (name.includes(':') ? `[${name}]` : name).toLowerCase();
        names.add(`${written}:${port}`);
        // A client omits a port that its protocol implies.
        if (port === 80 || port === 443) names.add(written);
      }
    },
  };
}

function addresses(): readonly string[] {
  return Object.values(networkInterfaces()).flatMap((all = []) => all.map(({ address }) => address));
}
