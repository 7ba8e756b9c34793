/** Ports that a process listens on, and the URLs at which this machine reaches them. */
import { once } from 'node:events';
import type { Server } from 'node:http';
import { CalendarError, messageOf } from '../calendar/errors.ts';
import type { CoreSettings } from '../settings/core.ts';

type Where = Pick<CoreSettings, 'port' | 'host'>;

/**
 * Resolves to where the server listens: port 0 becomes the port that the system chose. `settingNames`: the settings to correct, for the
 * INVALID_SETTING that it throws for a port that cannot be opened.
 */
export async function listen(server: Server, { port, host }: Where, settingNames: string): Promise<Where> {
  server.listen({ port, host: listenedAddressOf(host), backlog: MOST_PENDING });
  try {
    await once(server, 'listening');
  } catch (cause) {
    const where = host === null ? `port ${port}` : `${host}, port ${port}`;
    const message = `${settingNames}: expected to listen on ${where}, found ${messageOf(cause)}`;
    throw new CalendarError('INVALID_SETTING', message, { cause });
  }
  const address = server.address();
  return { host, port: typeof address === 'object' && address !== null ? address.port : port };
}

/**
 * D14: connections that the kernel queues until they are accepted. It drops further ones, so that a client tries again after 1, 3 and 7 s.
 * Linux allows at most `net.core.somaxconn`, usually as many.
 */
const MOST_PENDING = 4_096;

/** Only this machine: nobody else sees `/status` before the operator has decided who may. */
export const LOOPBACK = '127.0.0.1';

/** Undefined for `::`: Node then takes every address, also on a machine without IPv6, where it could not listen on `::`. */
function listenedAddressOf(host: string | null): string | undefined {
  return host === '::' ? undefined : (host ?? LOOPBACK);
}

/** Whether it means every address of the machine. */
export function isEverywhere(host: string | null): boolean {
  return host === '0.0.0.0' || host === '::';
}

export function urlOf({ host, port }: Where, path: string): string {
  return `http://${hostInUrl(host)}:${port}${path}`;
}

function hostInUrl(host: string | null): string {
  if (host === null || isEverywhere(host)) return 'localhost';
  return host.includes(':') ? `[${host}]` : host;
}
