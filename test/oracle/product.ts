/** Builds a source with the product's own build and asks the product's own endpoint over HTTP, clock injected. */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '../helpers/folder.ts';
import { startBuilt } from '../helpers/running.ts';
import type { Serve } from './agreement.ts';
import { answerOf, requestOf } from './questions.ts';
import { writeSource } from './source-folder.ts';

/** Both forms of a source folder, in turn. */
let served = 0;

export const serveProduct: Serve = async (source, builtAt) => {
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
};
