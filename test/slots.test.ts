import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { stepsOf } from '../jobs/annex.ts';
import { createParts, type ServePart } from '../src/serve/annex.ts';

const slots = suite('slots of annexes');

const annexOf = (name: string, part: ServePart) => ({
  name,
  settings: {},
  load: async () => ({ create: () => part }),
});
const page = () => ({ status: 200, headers: [], body: [Buffer.from('page')] });
const context = {} as Parameters<typeof createParts>[1];

for (const [slot, one, other] of [
  ['browserPage', { browserPage: page }, { browserPage: () => page() }],
  ['admit', { admit: () => null }, { admit: () => null }],
  ['/a', { routes: { '/a': { GET: page, about: null } } }, { routes: { '/a': { POST: page, about: null } } }],
] as const) {
  slots(`should refuse a second filler of ${slot}, and say who has it`, async () => {
    const [first, second] = [annexOf('first', one as ServePart), annexOf('second', other as ServePart)];
    let reason = '';
    await createParts([first, second], context).catch((error: Error) => {
      reason = error.message;
    });
    assert.is(reason, `expected one annex to fill ${slot}, found first and second`);
    assert.is((await createParts([first, annexOf('third', {})], context)).length, 2);
  });
}

slots('should refuse a second filler of a step of a build', () => {
  const sign = () => ({ key: 'a', value: 'b' });
  const one = new Map([['signing', { sign }]]);
  assert.is(stepsOf(one).sign, sign);
  const both = new Map([...one, ['other', { sign: () => ({ key: 'c', value: 'd' }) }]]);
  assert.throws(() => stepsOf(both), 'expected one annex to fill sign, found signing and other');
});

slots.run();
