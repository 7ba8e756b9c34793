/** D14: work takes turns with the event loop, which accepts one connection in each. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createTurn } from '../../../src/serve/admission/queue.ts';

const turns = suite('turn');

/** A clock that only work moves on, and how many pieces were done in each turn of the event loop. */
function turnWith() {
  const state = { now: 0, done: 0 };
  const turn = createTurn(() => state.now);
  const doneInEachTurn = async (most: number) => {
    const counts: number[] = [];
    for (let nth = 0; nth < most; nth++) {
      const before = state.done;
      await nextTurn();
      counts.push(state.done - before);
    }
    return counts;
  };
  return { state, turn, doneInEachTurn };
}

turns('D14: should do a few milliseconds of work in one turn, and at least one piece', async () => {
  const { state, turn, doneInEachTurn } = turnWith();
  for (const takes of [3, 3, 3, 3, 50, 1, 1]) {
    turn.wait(() => {
      state.now += takes;
      state.done++;
    });
  }
  assert.is(state.done, 0, 'not before others had the thread');
  assert.equal(
    (await doneInEachTurn(8)).filter((count) => count > 0),
    [3, 2, 2],
  );
});

turns('D14: should count what goes on after a promise as part of its piece', async () => {
  const { state, turn, doneInEachTurn } = turnWith();
  const work = async () => {
    await new Promise<void>((resolve) => turn.wait(resolve));
    await Promise.resolve();
    await Promise.resolve();
    state.now += 20;
    state.done++;
  };
  const all = Promise.all([work(), work(), work()]);
  assert.equal(
    (await doneInEachTurn(6)).filter((count) => count > 0),
    [1, 1, 1],
  );
  await all;
});

turns('D14: should go on in order, those that wait again after those that waited', async () => {
  const { state, turn, doneInEachTurn } = turnWith();
  const order: string[] = [];
  const piece = (name: string, again: number) => () => {
    state.now += 10;
    order.push(name);
    if (again > 0) turn.wait(piece(name, again - 1));
  };
  turn.wait(piece('first', 2));
  turn.wait(piece('second', 1));
  turn.wait(piece('third', 0));
  await doneInEachTurn(10);
  assert.equal(order, ['first', 'second', 'third', 'first', 'second', 'first']);
});

turns(
  'D14: should let in those who connect before work goes on, for as long as one turn of work',
  async () => {
    const { state, turn, doneInEachTurn } = turnWith();
    const piece = () => {
      state.now += 10;
      state.done++;
    };
    turn.wait(piece);
    turn.wait(piece);
    // Each turn accepts one connection, which takes 3 ms.
    const counts: number[] = [];
    for (let nth = 0; nth < 12; nth++) {
      turn.letIn();
      state.now += 3;
      counts.push(...(await doneInEachTurn(1)));
    }
    const first = counts.indexOf(1);
    assert.ok(first >= 2 && first <= 4, `${first} connections before the first piece`);
    const second = counts.indexOf(1, first + 1) - first;
    assert.ok(second >= 3 && second <= 5, `${second} before the second`);
  },
);

turns('D14: should be over after work that took long, until the event loop goes round', async () => {
  const { state, turn } = turnWith();
  assert.not(turn.isOver());
  state.now += 10;
  assert.ok(turn.isOver());
  await nextTurn();
  assert.not(turn.isOver());
});

turns.run();
