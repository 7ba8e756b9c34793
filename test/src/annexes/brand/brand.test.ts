/** I15: the design of a calendar on its pages: stylesheet, logos and the link to its owner's home page. */
import { cpSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { packagePath } from '../../../../src/package.ts';
import { hasAnnex } from '../../../helpers/annex.ts';
import { NOW } from '../../../helpers/calendar.ts';
import { BROWSER_ACCEPT } from '../../../helpers/client.ts';
import { temporaryFolder } from '../../../helpers/folder.ts';
import { eachIn } from '../../../helpers/html.ts';
import { startPages } from '../../../helpers/pages.ts';
import type { Running } from '../../../helpers/running.ts';

const test = suite<{ branded: Running; plain: Running }>('the brand of a calendar');

const SVG = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><script>alert(1)</script></svg>';
const clock = () => NOW * 1_000;

/** The sample, with a design of its own. */
function brandedSample(): string {
  const source = temporaryFolder();
  cpSync(packagePath('data/sample'), source, { recursive: true });
  const home = { name: 'Trøndelag & co', url: 'https://trondelag.example/?a=1&b=2' };
  const brand = { home, accent: { light: '#8a1538' } };
  writeFileSync(join(source, 'brand.json'), JSON.stringify(brand));
  writeFileSync(join(source, 'logo.svg'), SVG);
  return source;
}

test.before(async (context) => {
  context.branded = await startPages({ clock, source: brandedSample() });
  context.plain = await startPages({ clock });
});
test.after(async ({ branded, plain }) => {
  await branded.close();
  await plain.close();
});

/** Every kind of page that has the masthead, and the root relative to it. */
const PAGES: Readonly<Record<string, string>> = {
  '/events.html': '',
  '/events.html?fromDate=soon': '',
  '/subscribe': '',
  '/developers': '',
  '/docs/': '../',
  '/docs/api': '../',
  '/changelog': '',
  '/graphQL': '',
  ...(hasAnnex('operator') ? { '/status?format=html': '' } : {}),
  '/nowhere/deep': '../',
};

/** `site.css` of `../site-0123456789ab.css`, and `brand.css` of `../brand.css?0123456789ab`. */
const fileOf = (href: string) => href.replace(/^.*\/|-[0-9a-f]{12}(?=\.css$)|\?.*$/g, '');

for (const [path, root] of Object.entries(PAGES)) {
  test(`I15: should have stylesheet, logo and home page on ${path}`, async ({ branded }) => {
    const { text, headers } = await branded.send(path, { headers: { accept: BROWSER_ACCEPT } });
    const [, version = 'none'] = /brand\.css\?([0-9a-f]{12})"/.exec(text) ?? [];
    assert.match(text, `<link rel="stylesheet" href="${root}brand.css?${version}">`);
    assert.match(
      text,
      `<picture><img src="${root}logo?${version}" alt=""></picture>Det skjer i Trøndelag</a>`,
    );
    assert.match(text, '<li><a href="https://trondelag.example/?a=1&amp;b=2">Trøndelag &amp; co</a></li>');
    const policy = headers['content-security-policy'] ?? '';
    assert.match(policy, "img-src 'self' data:");
    assert.match(policy, "style-src 'self';");
    assert.match(policy, "default-src 'none';");
    assert.not.match(policy, 'unsafe-inline');
    const stylesheets = eachIn(text, /<link rel="stylesheet" href="([^"]*)">/g).map(fileOf);
    const [first, ...later] = stylesheets.slice(stylesheets.indexOf('brand.css') - 1);
    assert.not.equal(first, 'brand.css', 'a stylesheet before it');
    // Only the site's own stylesheet may come after it: that sets none of the town's colours.
    assert.equal(
      later.filter((name) => name !== 'site.css'),
      ['brand.css'],
    );
  });

  test(`I15: should link to neither stylesheet nor logo on ${path} of a calendar without a design`, async ({
    plain,
  }) => {
    const { text } = await plain.send(path, { headers: { accept: BROWSER_ACCEPT } });
    assert.not.match(text, 'brand.css');
    assert.not.match(text, '<picture>');
  });
}

test('I15: should serve the stylesheet with the accent, and the default of the other scheme', async (context) => {
  const { status, text, headers } = await context.branded.send('/brand.css');
  assert.is(status, 200);
  assert.is(headers['content-type'], 'text/css; charset=utf-8');
  assert.is(headers['cache-control'], 'public, max-age=300');
  assert.match(text, '--link: light-dark(#8a1538, #93cbe6);');
  assert.match(text, '--bar: light-dark(#8a1538, #7fb2cb);');
  const [fallback = ''] = text.split('@supports');
  assert.match(fallback, '--link: #8a1538;');
  assert.match(fallback, '--bar: #8a1538;');
});

test('I15: should let browsers keep a file for ever under the address of the pages', async ({ branded }) => {
  const { text } = await branded.send('/events.html');
  const [, address = ''] = /href="(brand\.css\?[^"]+)"/.exec(text) ?? [];
  const reply = await branded.send(`/${address}`);
  assert.is(reply.headers['cache-control'], 'public, max-age=31536000, immutable');
  const other = await branded.send('/brand.css?000000000000');
  assert.is(other.headers['cache-control'], 'public, max-age=300');
});

test('H8, I15: a logo that is opened on its own should not run scripts', async ({ branded }) => {
  const { status, text, headers } = await branded.send('/logo');
  assert.is(status, 200);
  assert.is(text, SVG);
  assert.is(headers['content-type'], 'image/svg+xml');
  assert.match(headers['content-security-policy'] ?? '', "default-src 'none'");
  assert.match(headers['content-security-policy'] ?? '', 'sandbox');
  assert.is(headers['x-content-type-options'], 'nosniff');
});

test('I15: should answer 404 for files that the calendar does not have', async ({ branded, plain }) => {
  assert.is((await branded.send('/logo-dark')).status, 404);
  for (const path of ['/brand.css', '/logo', '/logo-dark'])
    assert.is((await plain.send(path)).status, 404, path);
});

test.run();
