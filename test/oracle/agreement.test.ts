import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { disagreement, type Serve } from './agreement.ts';
import { oracle } from './answer.ts';
import { expectedOf, type Question } from './questions.ts';
import { readSource } from './source.ts';

const test = suite('oracle: agreement');

/** Serves the second reading itself, asked as `twist` would have it. */
const serving =
  (twist: (question: Question, now: number) => readonly [Question, number]): Serve =>
  async (source, builtAt) => {
    const calendar = readSource(source, builtAt);
    return {
      ask: async (question, now) => {
        const [asked, at] = twist(question, now);
        return expectedOf(asked, oracle(calendar, at));
      },
      close: async () => {},
    };
  };

/** What comes of the first few seeds that disagree. */
async function tell(serve: Serve): Promise<readonly string[]> {
  const told: string[] = [];
  for (let seed = 1; seed <= 20 && told.length < 2; seed += 1) {
    const text = await disagreement(seed, 60, serve);
    if (text !== null) told.push(text);
  }
  return told;
}

test('should have nothing to say of answers that agree', async () => {
  assert.equal(await tell(serving((question, now) => [question, now])), []);
});

test('MUST notice a clock that is one second late', async () => {
  const told = await tell(serving((question, now) => [question, now - 1]));
  assert.is(told.length, 2);
});

for (const forgotten of [
  'untilDate',
  'notCategories',
  'cancelledNotIncluded',
  'hoursRange',
  'searchTerm',
  'superEvent',
  'near',
  'area',
  'accessibility',
]) {
  test(`MUST notice that ${forgotten} is ignored, and tell it with that condition alone`, async () => {
    const told = await tell(
      serving((question, now) => {
        if (question.field !== 'events') return [question, now];
        return [{ ...question, filter: { ...question.filter, [forgotten]: null } }, now];
      }),
    );
    assert.is(told.length, 2);
    for (const text of told)
      assert.match(
        text,
        new RegExp(`"filter":\\{"${forgotten}":(?:[^,]*|\\{[^}]*\\})\\}|"${forgotten}":\\[`),
      );
  });
}

test('should tell a disagreement with few events', async () => {
  const [text = ''] = await tell(
    serving((question, now) => {
      if (question.field !== 'events') return [question, now];
      return [{ ...question, filter: { ...question.filter, mode: 'offline' } }, now];
    }),
  );
  assert.match(text, /with [1-3] events: /);
  assert.match(text, /totalCount: expected \d+, found \d+/);
});

test.run();
