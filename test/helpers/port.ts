/** Ports of servers that listen. */
import { once } from 'node:events';
import type { AddressInfo, Server } from 'node:net';

/** Listens at a free port, for this machine alone. Resolves to the port. */
export async function listening(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return portOf(server);
}

export const portOf = (server: Pick<Server, 'address'>): number => (server.address() as AddressInfo).port;
