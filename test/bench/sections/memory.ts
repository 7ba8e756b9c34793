/** What a server holds after so many requests that are all different: half by variables, half by literals, a quarter searches. */
import type { Built } from '../calendars.ts';
import type { Load } from '../load/driver.ts';
import { rawRequest } from '../load/http.ts';
import { type Directories, differentQuestions } from '../questions.ts';
import { ALMANAKK_PATH, startAlmanakk } from './stand.ts';

export interface Held {
  /** Asked since the start. */
  readonly requests: number;
  /** Resident. */
  readonly bytes: number;
}

export interface MemoryOptions {
  readonly dist: string;
  readonly built: Built;
  readonly directories: Directories;
  /** Counts of requests, ascending, after each of which it is looked at. */
  readonly marks: readonly number[];
}

const CONNECTIONS = 32;
const BATCH = 5_000;
const SEEDS = { filters: 31, terms: 32 };

export async function measureMemory(options: MemoryOptions, load: Load): Promise<readonly Held[]> {
  const { dist, built, directories, marks } = options;
  const server = await startAlmanakk('almanakk', dist, built.folder);
  const next = differentRequests(directories);
  const held: Held[] = [];
  try {
    for (let asked = 0; held.length < marks.length; ) {
      const mark = marks[held.length] ?? 0;
      let answered: Promise<unknown> = Promise.resolve();
      while (asked < mark) {
        const count = Math.min(BATCH, mark - asked);
        const requests = Array.from({ length: count }, next);
        await answered;
        answered = load.run({ port: server.port, connections: CONNECTIONS, requests, count });
        asked += count;
      }
      await answered;
      held.push({ requests: asked, bytes: (await server.usage()).rss });
    }
    return held;
  } finally {
    await server.stop();
  }
}

function differentRequests(directories: Directories): () => string {
  const next = differentQuestions(directories, SEEDS);
  return () => rawRequest({ method: 'POST', path: ALMANAKK_PATH, body: JSON.stringify(next()) });
}
