/** D14: work takes turns with the event loop, which accepts one connection in each. */
import { setImmediate as passTurn } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createTurns } from '../../../../src/serve/admission/turns.ts';
import { createUsage } from '../../../../src/serve/admission/usage.ts';
import { assertAtMost } from '../../../helpers/assertions.ts';

const test = suite('turns');

/** Turns by a clock that stands still unless it is moved on. */
function start() {
  let now = 0;
  const clock = () => now;
  const turns = createTurns({ clock, usage: createUsage(clock) });
  const nextTurn = () => new Promise<void>((resolve) => turns.inTurn(resolve));
  const pass = (milliseconds: number) => {
    now += milliseconds;
  };
  return { ...turns, nextTurn, pass };
}

test('D14: should do one piece of work in each turn, with its promise’s callbacks', async () => {
  const { nextTurn } = start();
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

test('D14: should go on in order of waiting', async () => {
  const { inTurn } = start();
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

test('D14: should give the next turn to the address that has used least time lately, and note what it takes', async () => {
  const { inTurn, pass, elapsed } = start();
  const order: string[] = [];
  const account = (address: string) => ({ address, milliseconds: 0 });
  const [one, other] = [account('one'), account('other')];
  const piece = (own: typeof one, milliseconds: number) =>
    inTurn(() => {
      order.push(own.address);
      assert.is(elapsed(own), 0);
      pass(milliseconds);
      assert.is(elapsed(own), milliseconds);
    }, own);
  for (let nth = 0; nth < 3; nth++) piece(one, 10);
  for (let nth = 0; nth < 4; nth++) piece(other, 4);
  for (let turn = 0; turn < 7; turn++) await passTurn();
  assert.equal(order, ['one', 'other', 'other', 'other', 'one', 'other', 'one']);
  assert.is(one.milliseconds, 30);
  assert.is(other.milliseconds, 16);
  assert.is(elapsed(one), Number.POSITIVE_INFINITY);
});

test('D14: should work in a turn for as long as it has read requests, and for 20 ms at most', async () => {
  for (const { reading, pieces } of [
    { reading: 0, pieces: 1 },
    { reading: 6, pieces: 3 },
    { reading: 500, pieces: 10 },
  ] as const) {
    const { nextTurn, pass } = start();
    let done = 0;
    const work = async () => {
      await nextTurn();
      // Callbacks of further promises belong to the piece, too.
      await Promise.resolve();
      pass(2);
      done++;
    };
    const all = Promise.all(Array.from({ length: 30 }, work));
    pass(reading);
    await passTurn();
    assert.is(done, pieces, `after ${reading} ms`);
    await all;
    assert.is(done, 30);
  }
});

test('D14: should accept new connections before work goes on, for a bounded time', async () => {
  for (const { accepting, turns } of [
    { accepting: 0.05, turns: 60 },
    { accepting: 25, turns: 1 },
  ] as const) {
    const { inTurn, noteConnection, pass } = start();
    let done = 0;
    for (let piece = 0; piece < 30; piece++) inTurn(() => done++);
    let turn = 0;
    for (; done === 0; turn++) {
      noteConnection();
      pass(accepting);
      await passTurn();
    }
    assertAtMost(Math.abs(turn - turns), 1, `turns beside ${turns}, each with ${accepting} ms of accepting`);
  }
});

test.run();
