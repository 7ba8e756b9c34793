/** What a server holds after so many requests that are all different: half by variables, half by literals, a quarter searches. */
import type { Built } from '../calendars.ts';
import { thousands } from '../goals.ts';
import type { Load } from '../load/driver.ts';
import { rawRequest } from '../load/http.ts';
import { describeMachine, writeMachine } from '../machine.ts';
import { type Directories, differentQuestions } from '../questions.ts';
import { readSlugs } from '../records.ts';
import { markdownTable } from '../report/table.ts';
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

/** `npm run bench -- --memory`: gives the table, from ready to `different` requests, each row ten times as many as the one before. */
export async function tableOfMemory(
  { dist, built, different }: Pick<MemoryOptions, 'dist' | 'built'> & { readonly different: number },
  load: Load,
): Promise<string> {
  const first = await startAlmanakk('almanakk', dist, built.folder);
  const directories = await readSlugs(`http://127.0.0.1:${first.port}${ALMANAKK_PATH}`, Date.now());
  await first.stop();
  const marks = [0, 1_000, 10_000, 100_000, 1_000_000].filter((mark) => mark < different);
  const held = await measureMemory({ dist, built, directories, marks: [...marks, different] }, load);
  return `# Memory

\`npm run bench -- --memory\`, ${new Date().toISOString()}: ${writeMachine(describeMachine())}. ${thousands(built.events)} events, one
server with the default settings, ${CONNECTIONS} connections.

${markdownTable(
  ['different requests', 'MB resident'],
  held.map(({ requests, bytes }) => [thousands(requests), (bytes / 1e6).toFixed(0)]),
)}
`;
}

function differentRequests(directories: Directories): () => string {
  const next = differentQuestions(directories, SEEDS);
  return () => rawRequest({ method: 'POST', path: ALMANAKK_PATH, body: JSON.stringify(next()) });
}
