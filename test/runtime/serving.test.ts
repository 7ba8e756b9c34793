import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { cacheBytes } from '../../src/runtime/serving.ts';
import { beginBudget, DEFAULT_MEMORY } from '../../src/serve/admission/budget.ts';

const MB = 1_024 * 1_024;

const serving = suite('serving process');

serving.after.each(() => void beginBudget(DEFAULT_MEMORY));

/** `ALMANAKK_CACHE_MB`, `ALMANAKK_MEMORY_MB`, and the room for answers, all in MB. */
const ROOMS: readonly (readonly [setting: number | null, memory: number, room: number])[] = [
  [null, 4_216, 64],
  [null, 512, 49],
  [null, 256, 17],
  [0, 4_216, 0],
  [8, 4_216, 8],
  [256, 4_216, 256],
  [256, 512, 98],
];

for (const [setting, memory, room] of ROOMS) {
  serving(`H3: ${setting ?? 'no'} cache setting should give ${room} MB of ${memory} MB`, () => {
    beginBudget(memory * MB);
    assert.is(cacheBytes(setting), room * MB);
  });
}

serving.run();
