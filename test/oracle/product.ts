/** Builds a source with the product's own build and asks the product's own endpoint over HTTP, clock injected. */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '../helpers/folder.ts';
import { startBuilt } from '../helpers/running.ts';
import { answerOf, type Question, requestOf } from './questions.ts';
import type { Json, Source } from './records.ts';
import { writeSource } from './source-folder.ts';

/** A calendar being served; `ask` gives what `answerOf` makes of the response to the question at `now`. */
export interface Served {
  ask(question: Question, now: number): Promise<Json>;
  close(): Promise<void>;
}

/** Both forms of a source folder, in turn. */
let served = 0;

/** Builds a source at an instant (in seconds) and serves it. */
export async function serveProduct(source: Source, builtAt: number): Promise<Served> {
  const folder = temporaryFolder();
  served += 1;
  writeSource(join(folder, 'source'), source, served % 2 === 0 ? 'json' : 'ndjson');
  let clock = builtAt * 1000;
  let asked = 0;
  const running = await startBuilt(join(folder, 'source'), builtAt, { clock: () => clock });
  return {
    ask: async (question, now) => {
      clock = now * 1000;
      asked += 1;
      const { query, ...more } = requestOf(question, asked % 3 === 0 ? 'literals' : 'variables');
      return answerOf(JSON.parse((await running.post(query, more)).text));
    },
    close: async () => {
      await running.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
