/** A TCP server that accepts connections and never sends a byte. */
import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { portOf } from './port.ts';

export async function startSilentServer() {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => void sockets.add(socket.on('error', () => undefined)));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const close = async () => {
    for (const socket of sockets) socket.destroy();
    server.close();
  };
  return { port: portOf(server), close };
}
