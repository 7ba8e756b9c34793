import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createRelief } from '../../../src/runtime/relief.ts';
import { assertBelow } from '../../helpers/assertions.ts';
import { ROOT } from '../../helpers/program.ts';

const MB = 1_024 * 1_024;

const relief = suite('relief');

/** A process of 100 MB that may take 256, of which a collection leaves so much. */
function processOf(left = 100) {
  const state = { now: 0, megabytes: 100, collections: 0, clears: 0, cuts: 0 };
  const look = createRelief({
    memory: () => 256 * MB,
    clearCaches: () => state.clears++,
    cutReaders: () => state.cuts++,
    resident: () => state.megabytes * MB,
    collect: () => {
      state.collections++;
      state.megabytes = Math.min(state.megabytes, left);
    },
    clock: () => state.now,
  });
  const after = (seconds: number, megabytes: number) => {
    Object.assign(state, { now: state.now + 1_000 * seconds, megabytes });
    look();
    return [state.collections, state.clears, state.cuts];
  };
  return { after };
}

relief('D14: should collect garbage before the budget is used up, once a second at most', () => {
  const { after } = processOf();
  assert.equal(after(1, 200), [0, 0, 0]);
  assert.equal(after(1, 210), [1, 0, 0]);
  assert.equal(after(0.5, 215), [1, 0, 0]);
  assert.equal(after(0.5, 215), [2, 0, 0]);
});

relief('D14: should empty its caches when collecting garbage is not enough', () => {
  const { after } = processOf(235);
  assert.equal(after(1, 240), [1, 1, 1]);
  assert.equal(after(1, 237), [1, 1, 1], 'there is nothing more to be had');
});

// V8 grows by garbage that lives for a while, such as waiting requests; see decisions.md.
relief('D14: should grow little before garbage is collected, and hold no expired answer', async () => {
  const args = ['--expose-gc', '--import', 'tsx', 'test/fixtures/heap.ts'];
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: ROOT });
  const { left, freely, relieved } = JSON.parse(stdout);
  assertBelow(relieved, 0.7 * freely, 'bytes');
  assertBelow(left, 4 * MB, 'bytes of 40 MB');
});

relief.run();
