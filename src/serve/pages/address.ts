/** Where the reader reaches this server, for examples that are to be copied. */
import type { IncomingHttpHeaders } from 'node:http';
import { headerOf } from '../http/message.ts';

/**
 * Without a slash at the end. `publicUrl` says it best; else the request does, of which nothing but a host, a port and a
 * protocol is taken: no quote, no markup and no path can get into an example this way. `X-Forwarded-Host` is left out,
 * because a cache in front would hand what one client writes there to all the others.
 */
export function addressOf(headers: IncomingHttpHeaders, publicUrl: string | null): string {
  if (publicUrl !== null) return withoutSlash(publicUrl);
  const host = headers.host ?? '';
  const protocol = headerOf(headers, 'x-forwarded-proto')?.split(',', 1)[0]?.trim().toLowerCase();
  return `${protocol === 'https' ? 'https' : 'http'}://${HOST.test(host) ? host.toLowerCase() : 'localhost:4000'}`;
}

/** A name, an IPv4 address or an IPv6 address in brackets, and a port. */
const HOST = /^(?=.{1,255}$)([a-z\d]([a-z\d.-]*[a-z\d])?|\[[a-f\d:.]+\])(:\d{1,5})?$/i;

function withoutSlash(url: string): string {
  return url.replace(/\/+$/, '');
}
