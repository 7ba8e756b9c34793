/** A TCP server that accepts connections and never sends a byte. */
import { createServer, type Socket } from 'node:net';
import { listening } from './port.ts';

export async function startSilentServer() {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => void sockets.add(socket.on('error', () => undefined)));
  const port = await listening(server);
  const close = async () => {
    for (const socket of sockets) socket.destroy();
    server.close();
  };
  return { port, close };
}
