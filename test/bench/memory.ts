/** The memory of a server after so many different requests: half by variables, half by literals, a quarter searches. */
import type { Load } from './load.ts';
import { describeMachine, startAlmanakk } from './processes.ts';
import { differentQuestions, readDirectories } from './questions.ts';
import { post } from './requests.ts';
import type { Startable } from './stand.ts';
import { markdownTable, thousands } from './tables.ts';

export interface Held {
  /** Asked since the start. */
  readonly requests: number;
  /** Resident. */
  readonly bytes: number;
}

const CONNECTIONS = 16;
const BATCH = 5_000;
const SEEDS = { filters: 31, terms: 32 };

/** `marks`: counts of requests, ascending, after each of which it is looked at. */
export async function measureMemory(
  { dist, built }: Startable,
  marks: readonly number[],
  load: Load,
): Promise<readonly Held[]> {
  const server = await startAlmanakk({ dist, folder: built.folder });
  const held: Held[] = [];
  try {
    const next = differentQuestions(await readDirectories(server.port), SEEDS);
    let asked = 0;
    for (const mark of marks) {
      let answered: Promise<unknown> = Promise.resolve();
      while (asked < mark) {
        const count = Math.min(BATCH, mark - asked);
        const requests = Array.from({ length: count }, () => post(next()));
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
export async function tableOfMemory(startable: Startable, different: number, load: Load): Promise<string> {
  const marks = [0, 1_000, 10_000, 100_000, 1_000_000].filter((mark) => mark < different);
  const held = await measureMemory(startable, [...marks, different], load);
  return `# Memory

\`npm run bench -- --memory\`, ${new Date().toISOString()}: ${describeMachine()}. ${thousands(startable.built.events)} events, one
server with the default settings, ${CONNECTIONS} connections.

${heldTable(held)}
`;
}

export function heldTable(held: readonly Held[]): string {
  return markdownTable(
    ['different requests', 'MB resident'],
    held.map(({ requests, bytes }) => [thousands(requests), (bytes / 1e6).toFixed(0)]),
  );
}
