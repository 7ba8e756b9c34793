import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { disagreement, disagreementOn } from './oracle/agreement.ts';
import { serveProduct } from './oracle/product.ts';
import { randomFrom } from './oracle/random.ts';
import { readFolder } from './oracle/source-folder.ts';

const LONG = process.env.ALMANAKK_TEST_LONG === '1';
/** Seeds are taken in order until the time is up; the first few always. */
const FIRST_SEED = Number(process.env.ALMANAKK_TEST_SEED ?? 1);
const LEAST_CALENDARS = 10;
const MOST_CALENDARS = LONG ? 5_000 : 120;
const QUESTIONS = LONG ? 200 : 60;
const MS = LONG ? 600_000 : 30_000;
const SAMPLE_QUESTIONS = LONG ? 3_000 : 150;

const test = suite('answers');

test('A, B, C: should answer random questions to random calendars as the second reading does', async () => {
  const started = performance.now();
  let calendars = 0;
  while (calendars < LEAST_CALENDARS || (calendars < MOST_CALENDARS && performance.now() - started < MS)) {
    const told = await disagreement(FIRST_SEED + calendars, QUESTIONS, serveProduct);
    assert.is(told, null, told ?? '');
    calendars += 1;
  }
});

/** Everyday, both nights of the clock changes, and the turn of a year. */
const SAMPLE_BUILDS = [
  '2026-06-15T08:00:00Z',
  '2026-10-24T22:30:00Z',
  '2026-12-31T22:59:59Z',
  '2027-03-27T23:30:00Z',
];

for (const [index, builtAt] of SAMPLE_BUILDS.entries()) {
  test(`A, B, C: should answer random questions to the sample, built at ${builtAt}, as the second reading does`, async () => {
    const source = readFolder('data/sample');
    const questions = { random: randomFrom(FIRST_SEED + index), questions: SAMPLE_QUESTIONS };
    const told = await disagreementOn(
      { source, builtAt: Date.parse(builtAt) / 1000 },
      questions,
      serveProduct,
    );
    assert.is(told, null, told ?? '');
  });
}

test.run();
