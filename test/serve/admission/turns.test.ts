/** D14: work takes turns with the event loop, which accepts one connection in each. */
import { setImmediate as passTurn } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { inTurn, nextTurn, noteConnection } from '../../../src/serve/admission/turns.ts';

const turns = suite('turns');

turns('D14: should do one piece of work in each turn, with what follows its promise', async () => {
  let done = 0;
  const work = async () => {
    for (let piece = 0; piece < 3; piece++) {
      await nextTurn();
      await Promise.resolve();
      done++;
    }
  };
  const all = Promise.all([work(), work()]);
  assert.is(done, 0, 'not before others had the thread');
  for (const expected of [1, 2, 3, 4, 5, 6]) {
    await passTurn();
    assert.is(done, expected);
  }
  await all;
});

turns('D14: should go on in order, those that wait again after those that waited', async () => {
  const order: string[] = [];
  const piece = (name: string, again: number) => () => {
    order.push(name);
    if (again > 0) inTurn(piece(name, again - 1));
  };
  inTurn(piece('first', 2));
  inTurn(piece('second', 1));
  inTurn(piece('third', 0));
  for (let turn = 0; turn < 6; turn++) await passTurn();
  assert.equal(order, ['first', 'second', 'third', 'first', 'second', 'first']);
});

turns('D14: should let in those who connect before work goes on, for a bounded number of turns', async () => {
  let done = 0;
  inTurn(() => done++);
  inTurn(() => done++);
  const turnsUntilDone: number[] = [];
  for (let turn = 0; turn < 300 && done < 2; turn++) {
    noteConnection();
    const before = done;
    await passTurn();
    if (done > before) turnsUntilDone.push(turn);
  }
  const [first = 0, second = 0] = turnsUntilDone;
  assert.ok(first > 10 && first < 100, `${first} connections before the first piece`);
  assert.ok(second - first > 10 && second - first < 100, `${second - first} before the second`);
});

turns.run();
