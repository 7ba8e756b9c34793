/** D14: a server collects garbage, and empties its caches, before its memory budget is used up. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createRelief } from '../../../src/runtime/relief.ts';
import { assertBelow } from '../../helpers/assertions.ts';
import { fixtureOf } from '../../helpers/program.ts';

const MB = 1_024 * 1_024;

const relief = suite('relief');

/** A process of 100 MB that may take 256. `left`: the megabytes that a collection of garbage leaves. */
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
    const { collections, clears, cuts } = state;
    return { collections, clears, cuts };
  };
  return { after };
}

relief('D14: should collect garbage before the budget is used up, once a second at most', () => {
  const { after } = processOf();
  const unrelieved = { clears: 0, cuts: 0 };
  assert.equal(after(1, 200), { ...unrelieved, collections: 0 });
  assert.equal(after(1, 210), { ...unrelieved, collections: 1 });
  assert.equal(after(0.5, 215), { ...unrelieved, collections: 1 });
  assert.equal(after(0.5, 215), { ...unrelieved, collections: 2 });
});

relief('D14: should empty its caches when collecting garbage is not enough', () => {
  const { after } = processOf(235);
  const once = { collections: 1, clears: 1, cuts: 1 };
  assert.equal(after(1, 240), once);
  assert.equal(after(1, 237), once, 'nothing more can be freed');
});

relief.run();

interface Measured {
  readonly left: number;
  readonly freely: number;
  readonly relieved: number;
  readonly returned: { readonly full: number; readonly after: number };
}

const heap = suite<{ measured: Measured }>('heap of a server');

heap.before(async (context) => {
  const { stdout } = await promisify(execFile)(process.execPath, ['--expose-gc', fixtureOf('heap')]);
  context.measured = JSON.parse(stdout);
});

// V8 grows by garbage that lives for a while, such as waiting requests; see decisions.md.
heap('D14: should grow little before garbage is collected', ({ measured: { relieved, freely } }) => {
  assertBelow(relieved, 0.8 * freely, 'bytes');
});

// Newer versions of V8 keep freed pages for seconds, and anew after each collection.
heap('D14: should give memory back to the operating system', ({ measured: { returned } }) => {
  assertBelow(returned.after, returned.full - 8 * MB, 'bytes');
});

heap('D14: should hold no expired answer', ({ measured: { left } }) => {
  assertBelow(left, 10 * MB, 'bytes of 40 MB');
});

heap.run();
