import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { cacheBytes } from '../../src/runtime/serving.ts';

const MB = 1_024 * 1_024;

const serving = suite('serving process');

/** `ALMANAKK_CACHE_MB`, the heap that Node gives, and the room for answers, all in MB. */
const ROOMS: readonly (readonly [setting: number | null, heap: number, room: number])[] = [
  [null, 4_144, 64],
  [null, 512, 64],
  [null, 176, 22],
  [null, 112, 14],
  [0, 4_144, 0],
  [8, 4_144, 8],
  [256, 176, 256],
];

for (const [setting, heap, room] of ROOMS) {
  serving(`H3: ${setting ?? 'no'} cache setting should give ${room} MB in a heap of ${heap} MB`, () => {
    assert.is(cacheBytes(setting, heap * MB), room * MB);
  });
}

serving.run();
