/** D1: paths that the server does not have. I13: links of pages lead to paths that it has. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { DOCS } from '../../../../src/annexes/pages/doc-list.ts';
import { hasAnnex } from '../../../helpers/annex.ts';
import { assertAbove, assertIncludes, assertOneOf } from '../../../helpers/assertions.ts';
import { NOW } from '../../../helpers/calendar.ts';
import { BROWSER_ACCEPT } from '../../../helpers/client.ts';
import { eachIn, plainText } from '../../../helpers/html.ts';
import { startPages } from '../../../helpers/pages.ts';
import type { Running } from '../../../helpers/running.ts';

const page = suite<{ running: Running }>('unknown paths');

page.before(async (context) => {
  context.running = await startPages({ clock: () => NOW * 1_000 });
});
page.after(({ running }) => running.close());

interface UnknownPath {
  readonly path: string;
  readonly language: string;
  readonly title: string;
}

const UNKNOWN: readonly UnknownPath[] = [
  { path: '/graphQL/', language: 'nb', title: 'Denne siden finnes ikke' },
  { path: '/a/b/c?x=1', language: 'en', title: 'This page does not exist' },
  { path: `/${'a/'.repeat(20)}`, language: 'en', title: 'This page does not exist' },
];

for (const { path, language, title } of UNKNOWN) {
  page(`D1: should give a browser a page in its language: ${path}`, async ({ running }) => {
    const headers = { accept: BROWSER_ACCEPT, 'accept-language': language };
    const reply = await running.send(path, { headers });
    assert.is(reply.status, 404);
    assert.is(reply.headers['content-type'], 'text/html; charset=utf-8');
    assert.is(reply.headers['cache-control'], 'no-store');
    assert.match(reply.headers.vary ?? '', /^Accept, Accept-Language\b/);
    assert.match(reply.text, `<html lang="${language}">`);
    assert.match(reply.text, `<h1>${title}</h1>`);
  });
}

const PAGES = [
  '/',
  '/developers',
  '/developers?lang=en',
  '/docs/',
  '/changelog',
  ...(hasAnnex('operator') ? ['/status'] : []),
  ...DOCS.map(({ name }) => `/docs/${name}`),
  ...UNKNOWN.map(({ path }) => path),
];

for (const path of PAGES) {
  page(`I13: should link only to paths and sections that there are: ${path}`, async ({ running }) => {
    const { text } = await running.send(path, { headers: { accept: BROWSER_ACCEPT } });
    const ids = eachIn(text, / id="([^"]+)"/g);
    assert.equal(ids, [...new Set(ids)], 'ids, each once');
    const targets = new Set(eachIn(text, /<(?:a|link)[^>]* href="([^"]+)"/g).map((href) => plainText(href)));
    assertAbove(targets.size, 8, 'targets of links');
    for (const target of targets) {
      if (/^(https?:|data:|\?)/.test(target)) continue;
      if (target.startsWith('#')) assertIncludes(ids, target.slice(1));
      else await assertFound(running, new URL(target, `${running.url}${path}`));
    }
  });
}

async function assertFound({ send }: Running, { pathname, search }: URL): Promise<void> {
  const { status } = await send(`${pathname}${search}`, { headers: { accept: 'text/html' } });
  assertOneOf(status, [200, 302], `for ${pathname}${search}`);
}

/** Pages with a list of the docs, with the language that they are read in. */
const LISTS_OF_DOCS: Readonly<Record<string, string>> = {
  '/docs/': 'nb',
  '/developers': 'en',
  '/docs/limits': 'nb',
};

for (const [path, language] of Object.entries(LISTS_OF_DOCS)) {
  page(`I13: should list the docs by their headings: ${path}, ${language}`, async ({ running }) => {
    const { text } = await running.send(`${path}?lang=${language}`);
    for (const { name } of DOCS) {
      const [title] = eachIn((await running.send(`/docs/${name}`)).text, /<h1[^>]*>([^<]+)<\/h1>/g);
      const link = new RegExp(`<a href="(?:docs/)?${name}\\?lang=${language}"[^>]*>([^<]*)</a>`, 'g');
      assertIncludes(eachIn(text, link), `${title}`);
    }
  });
}

/** Requests of programs, and of browsers by another method than GET. */
const PROGRAMS = [
  { method: 'GET', accept: '*/*' },
  { method: 'GET', accept: 'application/json' },
  { method: 'GET', accept: 'text/html;q=0' },
  { method: 'POST', accept: BROWSER_ACCEPT },
];

for (const { method, accept } of PROGRAMS) {
  page(`D1: should answer ${method} with JSON for Accept: ${accept}`, async ({ running }) => {
    const { status, text } = await running.send('/graphQL/', { method, headers: { accept } });
    assert.is(status, 404);
    const message = 'There is nothing at this path. The GraphQL endpoint is /graphQL.';
    assert.equal(JSON.parse(text), { errors: [{ message, extensions: { code: 'NOT_FOUND' } }] });
  });
}

page.run();
