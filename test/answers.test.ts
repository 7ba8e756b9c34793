import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { disagreement, disagreementOn } from './oracle/agreement.ts';
import { randomFrom } from './oracle/random.ts';
import { readFolder } from './oracle/source-folder.ts';

const LONG = process.env.ALMANAKK_TEST_LONG === '1';
/** Each calendar has a seed of its own, from this one on. */
const FIRST_SEED = Number(process.env.ALMANAKK_TEST_SEED ?? 1);
const CALENDARS = LONG ? 600 : 5;
const QUESTIONS = LONG ? 200 : 25;
const SAMPLE_QUESTIONS = LONG ? 3_000 : 15;

const test = suite('answers');

test('A, B, C: should answer random questions to random calendars as the second reading does', async () => {
  for (let seed = FIRST_SEED; seed < FIRST_SEED + CALENDARS; seed++) {
    const told = await disagreement(seed, QUESTIONS);
    assert.is(told, null, told ?? '');
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
    const sample = { source: readFolder('data/sample'), builtAt: Date.parse(builtAt) / 1000 };
    const told = await disagreementOn(sample, randomFrom(FIRST_SEED + index), SAMPLE_QUESTIONS);
    assert.is(told, null, told ?? '');
  });
}

test.run();
