/** An HTTP server that offers a snapshot folder, and misbehaves as the test wants. */
import { existsSync, readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { startFeedServer } from './feed-server.ts';

export type Origin = Awaited<ReturnType<typeof startOrigin>>;

/** True when it has answered. */
export type Fault = (path: string, response: ServerResponse, request: IncomingMessage) => boolean;

/** A fault answers in place of the folder's file, or lets it be answered after all. */
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
