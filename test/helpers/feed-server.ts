/** A server on loopback whose answers the test chooses: feeds, files or pages. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { listening } from './port.ts';

export type Handler = (request: IncomingMessage, response: ServerResponse) => void;

export type FeedServer = Awaited<ReturnType<typeof startFeedServer>>;

/** The `answer` of the result may be replaced: later requests get the new one. */
export async function startFeedServer(answer: Handler) {
  const requests: IncomingMessage[] = [];
  const handle: Handler = (request, response) => {
    requests.push(request);
    feeds.answer(request, response);
  };
  const server = createServer(handle).on('checkContinue', handle);
  const port = await listening(server);
  // A failed test may leave the server open. The process must end all the same.
  server.unref();
  const feeds = {
    /** Without a slash at the end. */
    url: `http://127.0.0.1:${port}`,
    requests,
    answer,
    server,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  return feeds;
}

/** Answers every request with this. */
export function always(
  status: number,
  body: string | Buffer,
  headers: Readonly<Record<string, string>> = {},
): Handler {
  return (_, response) => {
    response.writeHead(status, { 'content-type': 'text/calendar', ...headers }).end(body);
  };
}
