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

export interface Startable {
  readonly dist: string;
  readonly built: Built;
}

const STARTS = 5;

/** Each in turn, over and over. */
export async function measureStarts(all: readonly Startable[]): Promise<readonly Starts[]> {
  const measured = all.map((one) => ({ ...one, ready: [] as number[], memory: [] as number[] }));
  for (let start = 0; start < STARTS; start++) {
    for (const { dist, built, ready, memory } of measured) {
      const server = await startAlmanakk('almanakk', dist, built.folder, { allCores: true });
      ready.push(server.readyAfter);
      memory.push((await server.usage()).rss);
      await server.stop();
    }
  }
  return measured.map(({ built, ready, memory }) => ({
    nodes: built.events,
    fileBytes: built.bytes,
    readyMs: median(ready),
    bytes: median(memory),
  }));
}
