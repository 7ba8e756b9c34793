import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { startPages } from '../../helpers/pages.ts';
import type { Running } from '../../helpers/running.ts';

const page = suite<{ running: Running }>('a path that there is not');

page.before(async (context) => {
  context.running = await startPages();
});
page.after(({ running }) => running.close());

const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';

for (const [path, language, title] of [
  ['/graphql', 'nb', 'Denne siden finnes ikke'],
  ['/a/b/c?x=1', 'en', 'This page does not exist'],
  [`/${'a/'.repeat(20)}`, 'en', 'This page does not exist'],
] as const) {
  page(
    `D1: should give a browser a page in its language, with links that lead somewhere: ${path}`,
    async ({ running }) => {
      const address = `${running.url}${path}`;
      const response = await fetch(address, { headers: { accept: BROWSER, 'accept-language': language } });
      const text = await response.text();
      assert.is(response.status, 404);
      assert.is(response.headers.get('content-type'), 'text/html; charset=utf-8');
      assert.is(response.headers.get('cache-control'), 'no-store');
      assert.match(response.headers.get('vary') ?? '', /^Accept, Accept-Language\b/);
      assert.match(text, `<html lang="${language}">`);
      assert.match(text, `<h1>${title}</h1>`);
      const targets = [...text.matchAll(/<(?:a|link)[^>]* href="([^"#]+)"/g)]
        .map(([, target = '']) => target)
        .filter((target) => !/^(data:|\?)/.test(target));
      assert.ok(targets.length > 8);
      for (const target of new Set(targets)) {
        const found = await fetch(new URL(target, address), { headers: { accept: BROWSER } });
        assert.is(found.status, 200, target);
        await found.text();
      }
    },
  );
}

page(
  'D1: should give programs JSON as ever, and browsers too where they ask by another method',
  async ({ running }) => {
    for (const [method, accept] of [
      ['GET', '*/*'],
      ['GET', 'application/json'],
      ['GET', 'text/html;q=0'],
      ['POST', BROWSER],
    ] as const) {
      const response = await fetch(`${running.url}/graphql`, { method, headers: { accept } });
      assert.is(response.status, 404);
      assert.equal(await response.json(), {
        errors: [
          {
            message: 'There is nothing at this path. The GraphQL endpoint is /graphQL.',
            extensions: { code: 'NOT_FOUND' },
          },
        ],
      });
    }
  },
);

page.run();
