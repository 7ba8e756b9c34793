/** The memory of a server after many different requests: half with variables, half with literals; a quarter are searches. */
import type { Load } from './load.ts';
import { startAlmanakk } from './processes.ts';
import { provenanceTable } from './provenance.ts';
import { differentQuestions, readDirectories } from './questions.ts';
import { post } from './requests.ts';
import type { Startable } from './stand.ts';
import { markdownTable, thousands } from './tables.ts';

export interface MemorySample {
  /** Requests since the start of the server. */
  readonly requests: number;
  /** Resident. */
  readonly bytes: number;
}

const CONNECTIONS = 16;
const BATCH = 5_000;
const SEEDS = { filters: 31, terms: 32 };

/** Takes a sample after each of these numbers of requests, which ascend. */
export async function measureMemory(
  { dist, built }: Startable,
  marks: readonly number[],
  load: Load,
): Promise<readonly MemorySample[]> {
  const server = await startAlmanakk({ dist, folder: built.folder });
  const samples: MemorySample[] = [];
  try {
    const next = differentQuestions(await readDirectories(server.port), SEEDS);
    let asked = 0;
    for (const mark of marks) {
      let answered: Promise<unknown> = Promise.resolve();
      while (asked < mark) {
        const count = Math.min(BATCH, mark - asked);
        // These requests are made while the server answers those before them.
        const requests = Array.from({ length: count }, () => post(next()));
        await answered;
        answered = load.run({ port: server.port, connections: CONNECTIONS, requests, count });
        asked += count;
      }
      await answered;
      samples.push({ requests: asked, bytes: (await server.usage()).rss });
    }
    return samples;
  } finally {
    await server.stop();
  }
}

export interface MemoryOptions extends Startable {
  readonly command: string;
  /** The compiled programs of another commit, which serve the same calendar. */
  readonly otherDist: string | undefined;
  /** The number of requests. */
  readonly different: number;
}

/** The table of `npm run bench -- --memory`: without requests, after 1,000, 10,000 and 100,000, and after all `different` ones. */
export async function tableOfMemory(
  { command, different, otherDist, ...startable }: MemoryOptions,
  load: Load,
): Promise<string> {
  const marks = [0, 1_000, 10_000, 100_000].filter((mark) => mark < different);
  const samples = await measureMemory(startable, [...marks, different], load);
  const others =
    otherDist === undefined
      ? undefined
      : await measureMemory({ ...startable, dist: otherDist }, [...marks, different], load);
  return `# Memory

${provenanceTable({ command, dist: startable.dist, otherDist, runs: 'one server of each, once' })}

${thousands(startable.built.events)} events, a server with the default settings, ${CONNECTIONS} connections. MB are resident, and a million bytes each.

${others === undefined ? memoryTable(samples) : besideTable(samples, others)}
`;
}

export function memoryTable(samples: readonly MemorySample[]): string {
  return markdownTable(
    ['different requests', 'MB resident'],
    samples.map(({ requests, bytes }) => [thousands(requests), megabytes(bytes)]),
  );
}

function besideTable(samples: readonly MemorySample[], others: readonly MemorySample[]): string {
  const rows = samples.map(({ requests, bytes }, at) => {
    const other = others[at]?.bytes ?? Number.NaN;
    return [thousands(requests), megabytes(bytes), megabytes(other), (bytes / other).toFixed(2)];
  });
  return markdownTable(['different requests', 'MB resident', 'MB of the other commit', 'ratio'], rows);
}

const megabytes = (bytes: number): string => (bytes / 1e6).toFixed(0);
