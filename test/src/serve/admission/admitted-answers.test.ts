/** D14: answers of a server that admits work. These tests hang if places are lost, which `admission.test.ts` would find. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { measureRefusal } from '../../../bench/storm/refusal.ts';
import { startBuilt } from '../../../helpers/running.ts';
import { BUILT_AT } from '../../../helpers/sample.ts';

const test = suite('admitted answers');

test('D14: a refusal should cost at most twice what an answer at hand does', async () => {
  const { cached, refused } = await measureRefusal({ requests: 250, rounds: 40, enoughRatio: 2 });
  assert.ok(refused <= 2 * cached, `${refused.toFixed(1)} µs refused, ${cached.toFixed(1)} µs at hand`);
});

test('D14: should answer the same from memory for a few events as from memory for all', async () => {
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
  for (const page of few) assert.match(page, '"desc_nb":"');
});

test.run();
