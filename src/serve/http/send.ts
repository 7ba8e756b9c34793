/** Puts a reply on the wire. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { HttpReply } from './message.ts';

/** Into nothing, where the client has gone away in the meantime. */
export function send(response: ServerResponse, { status, headers, body }: HttpReply): void {
  if (response.destroyed) return;
  response.writeHead(status, [...headers]);
  response.end(body);
}

/**
 * Sends a reply to a request whose body is not wanted, and hangs up. Hanging up while a client is still sending would
 * reset the connection, and it would never see the reply: so it may go on for a while, into nothing.
 */
export function sendAndHangUp(request: IncomingMessage, response: ServerResponse, reply: HttpReply): void {
  response.writeHead(reply.status, [...reply.headers, 'Connection', 'close']);
  response.write(reply.body);
  let rest = 0;
  const hangUp = () => {
    clearTimeout(timer);
    response.end();
  };
  const timer = setTimeout(hangUp, LINGER_MS);
  request.on('data', (chunk: Buffer) => {
    rest += chunk.length;
    if (rest > LINGER_BYTES) hangUp();
  });
  request.on('end', hangUp);
  request.on('close', hangUp);
  if (request.complete) hangUp();
}

const LINGER_MS = 2_000;
const LINGER_BYTES = 8 * 1_024 * 1_024;
