import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createRelief } from '../../src/runtime/relief.ts';

const MB = 1_024 * 1_024;

const relief = suite('relief');

/** A process of 100 MB that may take 256, of which a collection leaves what is said. */
function processOf(left = 100) {
  const state = { now: 0, megabytes: 100, admitted: 0, collections: 0, clears: 0, cuts: 0 };
  const look = createRelief({
    memory: () => 256 * MB,
    admitted: () => state.admitted,
    clearCaches: () => state.clears++,
    cutReaders: () => state.cuts++,
    resident: () => state.megabytes * MB,
    collect: () => {
      state.collections++;
      state.megabytes = Math.min(state.megabytes, left);
    },
    clock: () => state.now,
  });
  const after = (seconds: number, megabytes: number, admitted = state.admitted) => {
    Object.assign(state, { now: state.now + 1_000 * seconds, megabytes, admitted });
    look();
    return [state.collections, state.clears, state.cuts];
  };
  return { after };
}

relief(
  'D14: should collect what is garbage before the budget is used up, and no more than once a second',
  () => {
    const { after } = processOf();
    assert.equal(after(1, 200), [0, 0, 0]);
    assert.equal(after(1, 210), [1, 0, 0]);
    assert.equal(after(0.5, 215), [1, 0, 0]);
    assert.equal(after(0.5, 215), [2, 0, 0]);
  },
);

relief('D14: should let go of what it can do without when that is not enough', () => {
  const { after } = processOf(235);
  assert.equal(after(1, 240), [1, 1, 1]);
  assert.equal(after(1, 237), [1, 1, 1], 'there is nothing more to be had');
});

relief(
  'D14: should clear the cache and collect twice once it has fallen quiet after a storm, and not again for nothing',
  () => {
    const { after } = processOf();
    assert.equal(after(5, 180, 10_000), [0, 0, 0]);
    assert.equal(after(9, 180), [0, 0, 0]);
    assert.equal(after(2, 180), [1, 1, 0]);
    assert.equal(after(0.5, 120), [1, 1, 0]);
    assert.equal(after(0.5, 120), [2, 1, 0]);
    assert.equal(after(60, 120), [2, 1, 0]);
  },
);

relief('D14: should do so too where garbage had to be collected during the storm', () => {
  const { after } = processOf(205);
  assert.equal(after(1, 210, 10_000), [1, 0, 0]);
  assert.equal(after(11, 206), [2, 1, 0]);
  assert.equal(after(1, 206), [3, 1, 0]);
  assert.equal(after(60, 206), [3, 1, 0]);
});

relief.run();
