import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { eachIn } from '../../helpers/html.ts';
import { startPages } from '../../helpers/pages.ts';
import type { Running } from '../../helpers/running.ts';

const page = suite<{ running: Running }>('a path that there is not');

page.before(async (context) => {
  context.running = await startPages();
});
page.after(({ running }) => running.close());

const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';

const CASES = [
  ['/graphql', 'nb', 'Denne siden finnes ikke'],
  ['/a/b/c?x=1', 'en', 'This page does not exist'],
  [`/${'a/'.repeat(20)}`, 'en', 'This page does not exist'],
] as const;

page('D1: should give a browser a page whose links lead somewhere', async ({ running }) => {
  for (const [path, language, title] of CASES) {
    const { status, headers, text } = await running.send(path, {
      headers: { accept: BROWSER, 'accept-language': language },
    });
    assert.equal(
      [status, headers['content-type'], headers['cache-control']],
      [404, 'text/html; charset=utf-8', 'no-store'],
    );
    assert.match(headers.vary ?? '', /^Accept, Accept-Language\b/);
    assert.match(text, `<html lang="${language}">`);
    assert.match(text, `<h1>${title}</h1>`);
    const targets = eachIn(text, /<(?:a|link)[^>]* href="([^"#]+)"/g).filter(
      (target) => !/^(data:|\?)/.test(target),
    );
    assert.ok(targets.length > 8);
    for (const target of new Set(targets)) {
      const { pathname } = new URL(target, `${running.url}${path}`);
      assert.is((await running.send(pathname, { headers: { accept: BROWSER } })).status, 200, target);
    }
  }
});

page('D1: should give programs JSON, and browsers by another method', async ({ running }) => {
  const message = 'There is nothing at this path. The GraphQL endpoint is /graphQL.';
  for (const [method, accept] of [
    ['GET', '*/*'],
    ['GET', 'application/json'],
    ['GET', 'text/html;q=0'],
    ['POST', BROWSER],
  ] as const) {
    const { status, text } = await running.send('/graphql', { method, headers: { accept } });
    assert.is(status, 404);
    assert.equal(JSON.parse(text), { errors: [{ message, extensions: { code: 'NOT_FOUND' } }] });
  }
});

page.run();
