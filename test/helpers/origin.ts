/** An HTTP server that offers a snapshot folder, with faults that the test chooses. */
import { existsSync, readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { startFeedServer } from './feed-server.ts';

export type Origin = Awaited<ReturnType<typeof startOrigin>>;

/** Answers a request in place of the server, and returns whether it did. */
export type Fault = (path: string, response: ServerResponse, request: IncomingMessage) => boolean;

/** Serves the files of a folder. `behave` sets the fault of later requests, or none. */
export async function startOrigin(folder: string) {
  let fault: Fault | null = null;
  /** Paths that were asked for. */
  const asked: string[] = [];
  const { url, requests, close } = await startFeedServer((request, response) => {
    const path = (request.url ?? '/').replace(/^\/folder\//, '');
    asked.push(path);
    if (fault?.(path, response, request) === true) return;
    const file = join(folder, path);
    if (!existsSync(file)) response.writeHead(404).end('<h1>Not found</h1>');
    else response.end(readFileSync(file));
  });
  const behave = (next: Fault | null) => {
    fault = next;
  };
  return { url: new URL(`${url}/folder/`), behave, asked, requests, close };
}
