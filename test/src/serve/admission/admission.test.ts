/** D14: work without a cached answer is admitted, so much of it at a time. */
import { setImmediate as passTurn } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { isCalendarError } from '../../../../src/calendar/errors.ts';
import {
  type AdmissionOptions,
  type Admitted,
  createAdmission,
  PAGE_PASSES,
  SMALL_BYTES,
  SMALL_ROWS,
} from '../../../../src/serve/admission/admission.ts';
import { Abandonment } from '../../../../src/serve/admission/semaphore.ts';
import { createTurns } from '../../../../src/serve/admission/turns.ts';
import { createUsage } from '../../../../src/serve/admission/usage.ts';
import { rejects } from '../../../helpers/errors.ts';
import { PATIENT } from '../../../helpers/running.ts';
import { until } from '../../../helpers/until.ts';

const test = suite('admission');

/** For all work of a test: what still waits at its end would keep the process alive until it has waited too long. */
const abandonments = new Set<Abandonment>();
test.after.each(() => {
  for (const abandonment of abandonments) abandonment.abandon();
  abandonments.clear();
});

/** Work by name, and what became of it. */
function admissionWith(options: AdmissionOptions = {}) {
  // How long work waits and takes by the machine's clock is said by the tests that are about it.
  const usage = createUsage(() => 0);
  const admission = createAdmission({
    usage,
    turns: createTurns({ clock: () => 0, usage }),
    ...options,
    small: { ...PATIENT.small, ...options.small },
    large: { ...PATIENT.large, ...options.large },
  });
  const begun: string[] = [];
  const refused: string[] = [];
  const places = new Map<string, Admitted>();
  const enter = (name: string, address = name) => {
    const abandonment = new Abandonment();
    abandonments.add(abandonment);
    void admission.enter({ address, abandonment }).then(
      (place) => {
        begun.push(name);
        places.set(name, place);
      },
      (thrown) => {
        if (isCalendarError(thrown) && thrown.code === 'OVERLOADED') refused.push(name);
      },
    );
  };
  const place = (name: string): Admitted => {
    const found = places.get(name);
    if (found === undefined) throw new Error(`expected ${name} to have begun`);
    return found;
  };
  const began = (count: number) => until(`${count} have begun`, () => begun.length >= count);
  return { admission, begun, refused, enter, place, began };
}

const names = (from: number, to: number) => Array.from({ length: to - from }, (_, at) => `w${from + at}`);

test('D14: should begin eight at once, and the others in order of arrival as places come free', async () => {
  const { begun, enter, place, admission, began } = admissionWith();
  for (const name of names(0, 20)) enter(name);
  await began(8);
  const { running, waiting } = admission.state();
  assert.is(running, 8);
  assert.is(waiting, 12);
  for (const [at, name] of names(0, 12).entries()) {
    place(name).leave();
    await began(9 + at);
  }
  assert.equal(begun, names(0, 20));
});

test('D14: should refuse more than a quarter of the queue from one address', async () => {
  const { refused, enter } = admissionWith({ small: { mostWaiting: 8 } });
  for (const name of names(0, 8)) enter(name);
  for (const name of ['a0', 'a1', 'a2']) enter(name, 'a');
  await until('one is refused', () => refused.length === 1);
  assert.equal(refused, ['a2']);
});

test('D14: should refuse the newest request of the busiest address in a full queue', async () => {
  const { refused, enter, admission } = admissionWith({ small: { mostWaiting: 8 } });
  for (const name of names(0, 8)) enter(name);
  for (const name of ['a0', 'a1']) enter(name, 'a');
  for (const name of names(8, 15)) enter(name);
  await until('room is made', () => refused.length === 1);
  enter('w15');
  await until('there is no room', () => refused.length === 2);
  assert.equal(refused, ['a1', 'w15']);
  const { admitted, refused: count, running, waiting } = admission.state();
  assert.is(admitted, 8);
  assert.is(count, 2);
  assert.is(running, 8);
  assert.is(waiting, 8);
});

test('D14: should leave as many places free as one address holds: half of them, or a third beside another one', async () => {
  const { begun, enter, place, admission, began } = admissionWith();
  for (let nth = 0; nth < 6; nth++) enter(`a${nth}`, 'a');
  await began(4);
  assert.is(admission.state().waiting, 2);
  for (let nth = 0; nth < 4; nth++) enter(`b${nth}`, 'b');
  await began(6);
  enter('c');
  enter('d');
  await began(8);
  assert.equal(begun, ['a0', 'a1', 'a2', 'a3', 'b0', 'b1', 'c', 'd']);
  // A free place is kept for an address that has none.
  place('a0').leave();
  enter('e');
  await began(9);
  assert.is(begun.at(-1), 'e');
  for (const name of ['c', 'd', 'e', 'b0', 'a1']) place(name).leave();
  await began(12);
  assert.equal(begun.slice(9).sort(), ['a4', 'b2', 'b3']);
});

/** Milliseconds by address. */
const usedBy = (used: Readonly<Record<string, number>>) => ({ of: (address: string) => used[address] ?? 0 });

test('D14: should take the address first that has used least time lately', async () => {
  const { begun, enter, place, began } = admissionWith({
    usage: usedBy({ much: 500, some: 20 }),
    small: { mostRunning: 1, mostWaiting: 16 },
  });
  enter('first', 'x');
  await began(1);
  for (const name of ['much', 'some', 'none']) for (const nth of [0, 1]) enter(`${name}${nth}`, name);
  for (let nth = 1; nth <= 6; nth++) {
    place(begun.at(-1) ?? '').leave();
    await began(1 + nth);
  }
  assert.equal(begun.slice(1), ['none0', 'none1', 'some0', 'some1', 'much0', 'much1']);
});

test('D14: should refuse by the forecast of an address’s own turn', async () => {
  const clock = { now: 0 };
  const { refused, enter, place, began, admission } = admissionWith({
    usage: usedBy({ much: 500, more: 600 }),
    small: { mostRunning: 1, mostWaiting: 64, longestWait: 600_000, clock: () => clock.now },
  });
  enter('first', 'x');
  await began(1);
  for (let nth = 0; nth < 5; nth++) enter(`m${nth}`, 'much');
  // From then on a place is thought to come free every 4 minutes, and four wait.
  clock.now += 1_200_000;
  place('first').leave();
  await began(2);
  enter('late', 'more');
  enter('m5', 'much');
  await until('they are refused', () => refused.length === 2);
  assert.equal(refused, ['late', 'm5']);
  enter('polite', 'little');
  assert.is(admission.state().waiting, 5);
  place('m0').leave();
  await began(3);
  place('polite').leave();
  for (let nth = 1; nth < 5; nth++) {
    await began(3 + nth);
    place(`m${nth}`).leave();
  }
});

test('D14: should count work as large by the rows that it visits, too', async () => {
  const { admission, enter, place, began } = admissionWith({ small: { mostRunning: 1, mostWaiting: 1 } });
  enter('heavy');
  await began(1);
  assert.is(place('heavy').weigh(1, SMALL_ROWS), undefined, 'few rows');
  assert.is(
    place('heavy').weigh(PAGE_PASSES - 1, SMALL_ROWS),
    undefined,
    'an ordinary page of a large calendar',
  );
  const becoming = place('heavy').weigh(1, 1);
  enter('light');
  await Promise.all([becoming, began(2)]);
  assert.is(admission.state().running, 2);
  place('heavy').leave();
  place('light').leave();
});

/** Work of a process that has had a share of the CPU, after two pieces of a second each, and a third that has only begun. */
async function workedTwoSeconds(share: number) {
  const clock = { now: 0, atWork: 0 };
  const usage = createUsage(() => clock.now);
  const { enter, place, began } = admissionWith({
    usage,
    cpu: () => share * clock.atWork,
    turns: createTurns({ clock: () => clock.now, usage }),
  });
  const pass = (milliseconds: number) => {
    clock.now += milliseconds;
    clock.atWork += milliseconds;
  };
  enter('w');
  await began(1);
  const work = place('w');
  for (let second = 0; second < 2; second++) {
    await work.nextTurn();
    pass(1_000);
    await passTurn();
    clock.now += 60_000;
  }
  await work.nextTurn();
  return { work, pass };
}

test('D14: should end work after two seconds at work, not counting its wait', async () => {
  const { work, pass } = await workedTwoSeconds(1);
  assert.is(work.nextTurn(), undefined, 'this piece has only begun');
  pass(1);
  await rejects(Promise.resolve(work.nextTurn()), 'TIMEOUT');
  work.leave();
});

test('D14: should not count time in which the machine gave the process no CPU', async () => {
  const { work, pass } = await workedTwoSeconds(1 / 2);
  pass(1_000);
  await work.nextTurn();
  pass(1_002);
  await rejects(Promise.resolve(work.nextTurn()), 'TIMEOUT');
  work.leave();
});

test('D14: should end work without a waiting client, in the queue and at its next pause', async () => {
  const admission = createAdmission({ small: { mostRunning: 1 } });
  const running = new Abandonment();
  const work = await admission.enter({ address: 'a', abandonment: running });
  const waiting = new Abandonment();
  const entering = admission.enter({ address: 'b', abandonment: waiting });
  assert.is(admission.state().waiting, 1);
  waiting.abandon();
  assert.is(admission.state().waiting, 0);
  await rejects(entering, 'OVERLOADED');
  running.abandon();
  await passTurn();
  await rejects(Promise.resolve(work.nextTurn()), 'OVERLOADED');
  work.leave();
  assert.is(admission.state().running, 0);
  assert.is(admission.state().refused, 0);
});

test('D14: should refuse a request that has waited too long', async () => {
  const { admission, refused, enter } = admissionWith({ small: { longestWait: 40 } });
  for (const name of names(0, 12)) enter(name);
  await until('those in the queue are refused', () => refused.length === 4);
  assert.equal(refused, names(8, 12));
  assert.is(admission.state().waiting, 0);
});

test('D14: should refuse at once a request that would wait too long', async () => {
  const clock = { now: 0 };
  const { refused, enter, place, began } = admissionWith({
    small: { longestWait: 600_000, clock: () => clock.now },
  });
  for (const name of names(0, 12)) enter(name);
  await began(8);
  // From then on a place is thought to come free every 4 minutes, and three wait.
  clock.now += 1_200_000;
  place('w0').leave();
  await began(9);
  enter('late');
  await until('it is refused', () => refused.includes('late'));
  for (const [at, name] of names(1, 4).entries()) {
    place(name).leave();
    await began(10 + at);
  }
});

test('D14: small answers should pass large ones, of which two are made at a time and 32 wait', async () => {
  const { admission, begun, refused, enter, place, began } = admissionWith();
  const outcomes: string[] = [];
  for (const [at, name] of names(0, 35).entries()) {
    enter(name);
    await began(at + 1);
    const work = place(name);
    assert.is(work.reserve(SMALL_BYTES), undefined, name);
    void work.reserve(1)?.then(
      () => outcomes.push(name),
      () => refused.push(name),
    );
  }
  await until('two are being made', () => outcomes.length === 2);
  assert.equal(refused, ['w34']);
  assert.is(admission.state().waiting, 32);
  assert.is(place('w0').reserve(30_000_000), undefined, 'it is large already');
  place('w0').leave();
  await until('the next one goes on', () => outcomes.length === 3);
  assert.equal(outcomes, names(0, 3));
  for (const name of names(35, 43)) enter(name);
  await began(43);
  assert.is(begun.at(-1), 'w42');
});

test('D14: should have a place again after work that failed, and after large work that was refused', async () => {
  const admission = createAdmission({
    small: { mostRunning: 1, mostWaiting: 0 },
    large: { mostRunning: 0, mostWaiting: 0 },
  });
  const fail = admission.run({ address: 'a' }, async () => {
    throw new Error('no');
  });
  assert.is(await fail.catch((thrown: Error) => thrown.message), 'no');
  const large = admission.run({ address: 'a' }, async (work) => work.reserve(SMALL_BYTES + 1));
  await rejects(large, 'OVERLOADED');
  assert.is(await admission.run({ address: 'a' }, async () => 'done'), 'done');
  assert.is(admission.state().running, 0);
});

test.run();
