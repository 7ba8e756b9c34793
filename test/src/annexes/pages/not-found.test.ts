import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { DOCS } from '../../../../src/annexes/pages/doc-list.ts';
import { assertAbove, assertIncludes, assertOneOf } from '../../../helpers/assertions.ts';
import { BROWSER_ACCEPT } from '../../../helpers/client.ts';
import { eachIn, plainText } from '../../../helpers/html.ts';
import { startPages } from '../../../helpers/pages.ts';
import type { Running } from '../../../helpers/running.ts';

const page = suite<{ running: Running }>('paths that there are and are not');

page.before(async (context) => {
  context.running = await startPages();
});
page.after(({ running }) => running.close());

const MISSING = [
  ['/graphQL/', 'nb', 'Denne siden finnes ikke'],
  ['/a/b/c?x=1', 'en', 'This page does not exist'],
  [`/${'a/'.repeat(20)}`, 'en', 'This page does not exist'],
] as const;

page('D1: should give a browser a page in its language', async ({ running }) => {
  for (const [path, language, title] of MISSING) {
    const sent = { headers: { accept: BROWSER_ACCEPT, 'accept-language': language } };
    const { status, headers, text } = await running.send(path, sent);
    assert.equal(
      [status, headers['content-type'], headers['cache-control']],
      [404, 'text/html; charset=utf-8', 'no-store'],
    );
    assert.match(headers.vary ?? '', /^Accept, Accept-Language\b/);
    assert.match(text, `<html lang="${language}">`);
    assert.match(text, `<h1>${title}</h1>`);
  }
});

page('should have no link that leads nowhere, and no two elements of one id', async ({ running }) => {
  const docs = DOCS.map(({ name }) => `/docs/${name}`);
  const pages = ['/', '/developers', '/developers?lang=en', '/docs/', '/changelog', '/status', ...docs];
  for (const path of [...pages, ...MISSING.map(([missing]) => missing)]) {
    const { text } = await running.send(path, { headers: { accept: BROWSER_ACCEPT } });
    const ids = eachIn(text, / id="([^"]+)"/g);
    assert.equal(ids, [...new Set(ids)]);
    const targets = new Set(eachIn(text, /<(?:a|link)[^>]* href="([^"]+)"/g).map((href) => plainText(href)));
    assertAbove(targets.size, 8, `targets of links on ${path}`);
    for (const target of targets) {
      if (/^(https?:|data:|\?)/.test(target)) continue;
      if (target.startsWith('#')) assertIncludes(ids, target.slice(1));
      else {
        const { pathname, search } = new URL(target, `${running.url}${path}`);
        const { status } = await running.send(`${pathname}${search}`, { headers: { accept: 'text/html' } });
        assertOneOf(status, [200, 302], `for ${target}`);
      }
    }
  }
});

page('I13: should list the docs by the headings of their pages, in either language', async ({ running }) => {
  for (const { name } of DOCS) {
    const [title] = eachIn((await running.send(`/docs/${name}`)).text, /<h1[^>]*>([^<]+)<\/h1>/g);
    for (const { path, language } of [
      { path: '/docs/', language: 'nb' },
      { path: '/developers', language: 'en' },
      { path: '/docs/limits', language: 'nb' },
    ]) {
      const { text } = await running.send(`${path}?lang=${language}`);
      const link = new RegExp(`<a href="(?:docs/)?${name}\\?lang=${language}"[^>]*>([^<]*)</a>`, 'g');
      assert.ok(eachIn(text, link).includes(`${title}`), `${path}: ${name}, ${title}`);
    }
  }
});

page('D1: should give programs JSON, and browsers by another method', async ({ running }) => {
  const message = 'There is nothing at this path. The GraphQL endpoint is /graphQL.';
  for (const { method, accept } of [
    { method: 'GET', accept: '*/*' },
    { method: 'GET', accept: 'application/json' },
    { method: 'GET', accept: 'text/html;q=0' },
    { method: 'POST', accept: BROWSER_ACCEPT },
  ] as const) {
    const { status, text } = await running.send('/graphQL/', { method, headers: { accept } });
    assert.is(status, 404);
    assert.equal(JSON.parse(text), { errors: [{ message, extensions: { code: 'NOT_FOUND' } }] });
  }
});

page.run();
