/**
 * The answers of a served calendar, compared with those of the oracle: random calendars and the sample, random questions, random moments. A
 * failure names its seed (`ALMANAKK_TEST_SEED` in `run-options.ts` begins there).
 */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { FIRST_SEED, IS_LONG } from './helpers/run-options.ts';
import { oracle } from './oracle/answer.ts';
import { differences } from './oracle/difference.ts';
import { readSample, serveProduct } from './oracle/product.ts';
import { expectedOf } from './oracle/questions.ts';
import { type Random, randomFrom } from './oracle/random.ts';
import { type RandomCalendar, randomCalendar } from './oracle/random-calendar.ts';
import { changeMoments, randomNow, randomQuestion } from './oracle/random-questions.ts';
import { readSource } from './oracle/source.ts';

/** Each calendar has a seed of its own, from this one on. */
const CALENDARS = IS_LONG ? 600 : 5;
const QUESTIONS = IS_LONG ? 200 : 25;
const SAMPLE_QUESTIONS = IS_LONG ? 3_000 : 15;

const test = suite('answers');

/** `seed` begins the random questions, and is named by a failure. */
interface Comparison {
  readonly seed: number;
  readonly random: Random;
  readonly questions: number;
}

async function compare({ source, builtAt }: RandomCalendar, { seed, random, questions }: Comparison) {
  const calendar = readSource(source, builtAt);
  const moments = changeMoments(calendar, builtAt);
  const served = await serveProduct(source, builtAt);
  try {
    for (let count = 0; count < questions; count += 1) {
      const question = randomQuestion(random, calendar, moments);
      const now = randomNow(random, moments);
      const expected = expectedOf(question, oracle(calendar, now));
      const lines = differences(expected, await served.ask(question, now)).slice(0, 12);
      const where = `seed ${seed}, question ${count}, built ${isoOf(builtAt)}, asked ${isoOf(now)}`;
      assert.equal(lines, [], `${where}: ${JSON.stringify(question)}`);
    }
  } finally {
    await served.close();
  }
}

const isoOf = (seconds: number) => new Date(seconds * 1000).toISOString();

for (let seed = FIRST_SEED; seed < FIRST_SEED + CALENDARS; seed++) {
  test(`A, B, C: should answer random questions to random calendar ${seed} as the oracle does`, async () => {
    const random = randomFrom(seed);
    await compare(randomCalendar(random), { seed, random, questions: QUESTIONS });
  });
}

/** Everyday, both nights of the clock changes, and the turn of a year. */
const SAMPLE_BUILDS = [
  '2026-06-15T08:00:00Z',
  '2026-10-24T22:30:00Z',
  '2026-12-31T22:59:59Z',
  '2027-03-27T23:30:00Z',
];

for (const [index, builtAt] of SAMPLE_BUILDS.entries()) {
  test(`A, B, C: should answer random questions to the sample, built at ${builtAt}, as the oracle does`, async () => {
    const sample = { source: readSample(), builtAt: Date.parse(builtAt) / 1000 };
    const seed = FIRST_SEED + index;
    await compare(sample, { seed, random: randomFrom(seed), questions: SAMPLE_QUESTIONS });
  });
}

test.run();
