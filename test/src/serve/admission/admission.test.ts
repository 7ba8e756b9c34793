/** D14: work that is not at hand is admitted, so much of it at a time. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { isCalendarError } from '../../../../src/calendar/errors.ts';
import {
  type AdmissionOptions,
  type Admitted,
  createAdmission,
  SMALL_BYTES,
} from '../../../../src/serve/admission/admission.ts';
import { createBudget, SHARES } from '../../../../src/serve/admission/budget.ts';
import { measureRefusal } from '../../../bench/storm/refusal.ts';
import { startBuilt } from '../../../helpers/running.ts';
import { BUILT_AT } from '../../../helpers/sample.ts';
import { until } from '../../../helpers/until.ts';

const MB = 1_024 * 1_024;
const test = suite('admission');

/** Work by name, and what became of it. */
function admissionWith(options: AdmissionOptions = {}) {
  const admission = createAdmission(options);
  const begun: string[] = [];
  const refused: string[] = [];
  const places = new Map<string, Admitted>();
  const enter = (name: string, address = name) => {
    void admission.enter(address).then(
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
  const began = (count: number) => until(`${count} have begun`, () => begun.length === count);
  return { admission, begun, refused, enter, place, began };
}

const names = (from: number, to: number) => Array.from({ length: to - from }, (_, at) => `w${from + at}`);

test('D14: should begin eight at once, and the others in order of arrival as places come free', async () => {
  const { begun, enter, place, admission, began } = admissionWith();
  for (const name of names(0, 20)) enter(name);
  await began(8);
  const { running, waiting } = admission.state();
  assert.equal([running, waiting], [8, 12]);
  for (const [at, name] of names(0, 12).entries()) {
    place(name).leave();
    await began(9 + at);
  }
  assert.equal(begun, names(0, 20));
});

test('D14: should refuse at once what finds the queue full, and what is more than a quarter of it from one address', async () => {
  const { refused, enter, admission } = admissionWith({ small: { mostWaiting: 8 } });
  for (const name of names(0, 8)) enter(name);
  for (const name of ['a0', 'a1', 'a2']) enter(name, 'a');
  for (const name of ['b0', 'b1']) enter(name, 'b');
  for (const name of names(8, 13)) enter(name);
  await until('they are refused', () => refused.length === 2);
  assert.equal(refused, ['a2', 'w12']);
  const { admitted, refused: count, running, waiting } = admission.state();
  assert.equal([admitted, count, running, waiting], [8, 2, 8, 8]);
});

test('D14: should refuse what has waited too long', async () => {
  const { admission, refused, enter } = admissionWith({ small: { longestWait: 40 } });
  for (const name of names(0, 12)) enter(name);
  await until('those in the queue are refused', () => refused.length === 4);
  assert.equal(refused, names(8, 12));
  assert.is(admission.state().waiting, 0);
});

test('D14: should refuse at once what would wait too long', async () => {
  const clock = { now: 0 };
  const { refused, enter, place, began } = admissionWith({
    small: { longestWait: 60_000, clock: () => clock.now },
  });
  for (const name of names(0, 12)) enter(name);
  await began(8);
  // From then on a place is thought to come free every 24 s, and three wait.
  clock.now += 120_000;
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
    const { reserve } = place(name);
    assert.is(reserve(SMALL_BYTES), undefined);
    void reserve(1)?.then(
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
  const fail = admission.run('a', async () => {
    throw new Error('no');
  });
  assert.is(await fail.catch((thrown: Error) => thrown.message), 'no');
  const large = admission.run('a', async ({ reserve }) => reserve(SMALL_BYTES + 1));
  assert.ok(isCalendarError(await large.catch((thrown: unknown) => thrown)));
  assert.is(await admission.run('a', async () => 'done'), 'done');
  assert.is(admission.state().running, 0);
});

test.run();

/** A suite of its own: these hang where places are lost, which the others find. */
const answers = suite('admitted answers');

answers('D14: a refusal should cost at most twice what an answer at hand does', async () => {
  const { cached, refused } = await measureRefusal();
  assert.ok(refused <= 2 * cached, `${refused.toFixed(1)} µs refused, ${cached.toFixed(1)} µs at hand`);
});

answers('D14: should answer the same from memory for a few events as from memory for all', async () => {
  const ask = async (bodyCacheBytes: number) => {
    const server = await startBuilt('data/sample', BUILT_AT, { cacheBytes: 1, bodyCacheBytes });
    const pages: string[] = [];
    for (const turn of ['a', 'b', 'c']) {
      for (const page of [0, 1, 2, 0]) {
        const query = `{ ${turn}: events(page: ${page}, pageSize: 40) { data { id title_nb desc_nb desc_en tags images { alt } } } }`;
        pages.push((await server.post(query)).text);
      }
    }
    await server.close();
    return pages;
  };
  const few = await ask(16_000);
  assert.equal(few, await ask(32_000_000));
  assert.ok(few.every((page) => page.includes('"desc_nb":"')));
});

answers.run();

const budgets = suite('budget');

budgets('D14: shares should be parts of what the program and two snapshots leave', () => {
  const budget = createBudget(512 * MB);
  assert.is(budget.measured(100 * MB, 50 * MB), null);
  assert.is(budget.cacheBytes({ part: 1, most: 512 * MB }), 312 * MB);
  assert.is(budget.cacheBytes({ part: 1, most: MB }), MB);
  for (const [name, share] of Object.entries(SHARES)) {
    assert.is(budget.share(name as keyof typeof SHARES), Math.floor(share * 312 * MB));
  }
  assert.ok(Object.values<number>(SHARES).reduce((sum, share) => sum + share) <= 0.5);
});

budgets('D14: should say how much a calendar needs that leaves too little', () => {
  const budget = createBudget(256 * MB);
  assert.is(
    budget.measured(100 * MB, 70 * MB),
    'ALMANAKK_MEMORY_MB: expected at least 275 for this calendar, found 256: the program takes 100 MB, and each of two snapshots during a swap 70 MB',
  );
  assert.is(budget.cacheBytes({ part: 1, most: 256 * MB }), 32 * MB, 'an eighth is shared out at any rate');
});

budgets.run();
