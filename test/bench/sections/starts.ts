/** How long a server takes to be ready when its snapshot is there, and what memory it then holds. */
import type { Built } from '../calendars.ts';
import { median } from '../rounds.ts';
import { startAlmanakk } from './stand.ts';

export interface Starts {
  readonly nodes: number;
  readonly fileBytes: number;
  /** Milliseconds from the start of the process until `/readyz` says so. */
  readonly readyMs: number;
  /** Resident bytes then, before the first request. */
  readonly bytes: number;
}

const STARTS = 3;

export async function measureStarts(dist: string, { folder, events, bytes }: Built): Promise<Starts> {
  const ready: number[] = [];
  const memory: number[] = [];
  for (let start = 0; start < STARTS; start++) {
    const server = await startAlmanakk('almanakk', dist, folder);
    ready.push(server.readyAfter);
    memory.push((await server.usage()).rss);
    await server.stop();
  }
  return { nodes: events, fileBytes: bytes, readyMs: median(ready), bytes: median(memory) };
}
