/** A server has one annex at most for each part that an annex may fill: the page of a browser, the quota, a path. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createParts, type ServePart } from '../../../src/serve/annex.ts';

const slots = suite('slots of annexes');

const annexOf = (name: string, part: ServePart) => ({
  name,
  settings: {},
  load: async () => ({ create: () => part }),
});
const page = () => ({ status: 200, headers: [], body: [Buffer.from('page')] });
const context = {} as Parameters<typeof createParts>[1];

for (const { slot, one, other } of [
  {
    slot: 'browserPage',
    one: { browserPage: page },
    other: { browserPage: () => page() },
  },
  { slot: 'quota', one: { quota: () => null }, other: { quota: () => null } },
  {
    slot: '/a',
    one: { routes: { '/a': { GET: page, about: null } } },
    other: { routes: { '/a': { POST: page, about: null } } },
  },
] as const) {
  slots(`should refuse a second annex for ${slot}, and name the first`, async () => {
    const [first, second] = [annexOf('first', one as ServePart), annexOf('second', other as ServePart)];
    let reason = '';
    await createParts([first, second], context).catch((error: Error) => {
      reason = error.message;
    });
    assert.is(reason, `expected one annex to fill ${slot}, found first and second`);
    assert.is((await createParts([first, annexOf('third', {})], context)).length, 2);
  });
}

slots.run();
