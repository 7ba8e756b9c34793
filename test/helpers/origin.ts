/** An HTTP server that offers a snapshot folder, and misbehaves as the test wants. */
import { existsSync, readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { startFeedServer } from './feed-server.ts';

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
