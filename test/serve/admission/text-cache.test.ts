/** Events' ready-made JSON: an answer is the same whether it is cached or read again. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { startBuilt } from '../../helpers/running.ts';
import { BUILT_AT } from '../../helpers/sample.ts';

const test = suite('bodies of events');

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
  assert.ok(few.every((page) => page.includes('"desc_nb":"')));
});

test.run();
