/** An HTTP server that offers a snapshot folder, and misbehaves as the test wants. */
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { join } from 'node:path';

export interface Origin {
  /** Ends in a slash. */
  readonly url: URL;
  /** Answers in place of the folder's file; undefined as an answer means the file after all. */
  readonly behave: (fault: Fault | null) => void;
  /** Paths that were asked for. */
  readonly asked: string[];
  readonly requests: IncomingMessage[];
  readonly close: () => Promise<void>;
}

/** True when it has answered. */
export type Fault = (path: string, response: ServerResponse, request: IncomingMessage) => boolean;

export async function startOrigin(folder: string): Promise<Origin> {
  let fault: Fault | null = null;
  const asked: string[] = [];
  const requests: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    const path = (request.url ?? '/').replace(/^\/folder\//, '');
    asked.push(path);
    requests.push(request);
    if (fault?.(path, response, request) === true) return;
    const file = join(folder, path);
    if (!existsSync(file)) response.writeHead(404).end('<h1>Not found</h1>');
    else response.end(readFileSync(file));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : 0;
  return {
    url: new URL(`http://127.0.0.1:${port}/folder/`),
    behave: (next) => {
      fault = next;
    },
    asked,
    requests,
    close: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}
