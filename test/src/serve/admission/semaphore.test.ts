/** D14: the semaphore of admission, with usage and time that the tests set. `admission.test.ts` tests it with real work. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  Abandonment,
  OVERLOAD,
  Semaphore,
  type SemaphoreOptions,
} from '../../../../src/serve/admission/semaphore.ts';
import { rejects } from '../../../helpers/errors.ts';

const test = suite('semaphore');

/** Nothing waits too long by the machine's clock. */
const HOUR = 3_600_000;

/** A semaphore of one place unless `options` say otherwise. `usedBy`: milliseconds at work by address. */
function semaphoreOf(options: Partial<SemaphoreOptions> = {}, usedBy: Readonly<Record<string, number>> = {}) {
  const semaphore = new Semaphore(
    { mostRunning: 1, mostWaiting: 8, longestWait: HOUR, clock: () => 0, ...options },
    { of: (address) => usedBy[address] ?? 0 },
  );
  const begun: string[] = [];
  /** Enters, and notes when the work begins; rejects as the semaphore does. */
  const enter = async (address: string, { name = address, abandonment }: Entering = {}) => {
    await semaphore.enter(address, abandonment);
    begun.push(name);
  };
  return { semaphore, begun, enter };
}

interface Entering {
  readonly name?: string;
  readonly abandonment?: Abandonment;
}

/** Null if it throws nothing. */
function thrownBy(attempt: () => unknown): unknown {
  try {
    attempt();
    return null;
  } catch (thrown) {
    return thrown;
  }
}

test('D14: should let work begin at once while its address has a place, and count it', () => {
  const { semaphore } = semaphoreOf({ mostRunning: 3 });
  assert.is(semaphore.enter('a'), undefined);
  assert.is(semaphore.enter('b'), undefined);
  assert.ok(semaphore.enter('a') instanceof Promise, 'a second place of three, one of which is free');
  assert.equal(semaphore.state, { running: 2, waiting: 1, admitted: 2, refused: 0 });
  semaphore.leave('b');
  assert.equal(semaphore.state, { running: 2, waiting: 0, admitted: 3, refused: 0 });
  semaphore.leave('a');
  semaphore.leave('a');
  assert.equal(semaphore.state, { running: 0, waiting: 0, admitted: 3, refused: 0 });
  assert.is(semaphore.enter('a'), undefined, 'the place is free again');
});

test('D14: should give a place to the address with the least usage, and within it in order of arrival', async () => {
  const { semaphore, begun, enter } = semaphoreOf({}, { much: 500, little: 20 });
  const entered = ['first', 'much', 'little'].map((address) => enter(address));
  const next = ['much', 'little'].map((address) => enter(address, { name: `${address}, again` }));
  const order = ['first', 'little', 'little, again', 'much', 'much, again'];
  for (const name of order) semaphore.leave(name.replace(', again', ''));
  await Promise.all([...entered, ...next]);
  assert.equal(begun, order);
});

test('D14: should refuse work at once where its address holds a quarter of the queue', async () => {
  const { semaphore, begun, enter } = semaphoreOf();
  const entered = ['first', 'a', 'a'].map((address) => enter(address));
  assert.is(
    thrownBy(() => semaphore.enter('a')),
    OVERLOAD,
  );
  entered.push(enter('b'));
  assert.equal(semaphore.state, { running: 1, waiting: 3, admitted: 1, refused: 1 });
  for (const address of ['first', 'a', 'a', 'b']) semaphore.leave(address);
  await Promise.all(entered);
  assert.equal(begun, ['first', 'a', 'a', 'b']);
});

test('D14: should refuse the newest work of the longest queue to make room for an address with less', async () => {
  const { semaphore, enter } = semaphoreOf();
  const running = enter('first');
  const older = enter('a', { name: 'a, older' });
  const newer = enter('a', { name: 'a, newer' });
  const others = ['b', 'c', 'd', 'e', 'f', 'g'].map((address) => enter(address));
  const late = enter('h');
  await rejects(newer, 'OVERLOADED');
  assert.is(
    thrownBy(() => semaphore.enter('i')),
    OVERLOAD,
    'nobody has more than one',
  );
  assert.equal(semaphore.state, { running: 1, waiting: 8, admitted: 1, refused: 2 });
  for (const address of ['first', 'a', 'b', 'c', 'd', 'e', 'f', 'g']) semaphore.leave(address);
  await Promise.all([running, older, ...others, late]);
});

test('D14: should reject abandoned work, which is not counted as refused, and give its place in the queue away', async () => {
  const { semaphore, begun, enter } = semaphoreOf({ mostWaiting: 4 });
  const abandonment = new Abandonment();
  const running = enter('first');
  const waiting = enter('a', { abandonment });
  assert.is(
    thrownBy(() => semaphore.enter('a')),
    OVERLOAD,
  );
  abandonment.abandon();
  await rejects(waiting, 'OVERLOADED');
  assert.equal(semaphore.state, { running: 1, waiting: 0, admitted: 1, refused: 1 });
  const again = enter('a');
  semaphore.leave('first');
  await Promise.all([running, again]);
  assert.equal(begun, ['first', 'a']);
});

test('D14: should keep the place of admitted work that is abandoned until it leaves', async () => {
  const { semaphore, enter } = semaphoreOf();
  const abandonment = new Abandonment();
  const running = enter('first');
  const waiting = enter('a', { abandonment });
  semaphore.leave('first');
  await Promise.all([running, waiting]);
  abandonment.abandon();
  assert.equal(semaphore.state, { running: 1, waiting: 0, admitted: 2, refused: 0 });
  semaphore.leave('a');
  assert.is(semaphore.state.running, 0);
});

test('D14: should tell only the latest listener that work is abandoned', () => {
  const abandonment = new Abandonment();
  const told: string[] = [];
  abandonment.listen(() => told.push('first'));
  abandonment.listen(() => told.push('second'));
  assert.is(abandonment.isAbandoned, false);
  abandonment.abandon();
  assert.is(abandonment.isAbandoned, true);
  abandonment.listen(undefined);
  abandonment.abandon();
  assert.equal(told, ['second']);
});

test.run();
