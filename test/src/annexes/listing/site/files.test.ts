/** I11: what the site has for search engines, previews and home screens. */
import { XMLValidator } from 'fast-xml-parser';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { eachIn, groupsIn, plainText } from '../../../../helpers/html.ts';
import { open, type Site, withSite } from './calendar.ts';

const test = withSite(suite<Site>('files of the site'));

test('I11: should name the sitemap in robots.txt', async ({ running }) => {
  const { text } = await running.send('/robots.txt');
  assert.match(text, `Sitemap: ${running.url}/sitemap.xml`);
});

test('I11: should list only the site’s own pages in the sitemap: those of events are on another site', async (context) => {
  const { url, send } = context.running;
  const { text } = await send('/sitemap.xml');
  assert.is(XMLValidator.validate(text), true);
  assert.equal(eachIn(text, /<loc>([^<]*)/g), [`${url}/events.html`]);
});

/** Files of the site, with their types. */
const FILES: Readonly<Record<string, string>> = {
  '/favicon.ico': 'image/x-icon',
  '/icon-512.png': 'image/png',
  '/manifest.webmanifest': 'application/manifest+json; charset=utf-8',
  '/share.png': 'image/png',
  '/touch-icon.png': 'image/png',
};

for (const [path, type] of Object.entries(FILES)) {
  test(`I11: should serve ${path} as ${type}`, async ({ running }) => {
    const { status, headers } = await running.send(path);
    assert.is(status, 200);
    assert.is(headers['content-type'], type);
  });
}

test('I11: should link to a manifest with the calendar’s name and its list, and allow it', async ({
  running,
}) => {
  const { html, headers } = await open(running, '/events.html');
  // Chromium does not report a manifest that the policy blocks: the site just cannot be installed.
  assert.match(headers['content-security-policy'] ?? '', "; manifest-src 'self'");
  const [file] = eachIn(html, /<link rel="manifest" href="([^"]*)">/g);
  const { name, start_url } = JSON.parse((await running.send(`/${file}`)).text);
  assert.equal({ name, start_url }, { name: 'Trondheim', start_url: 'events.html' });
});

test('I11: should name all languages and x-default by full addresses', async ({ running }) => {
  const { html } = await open(running, '/events.html?categories=JAZZ&lang=en');
  const address = `${running.url}/events.html?categories=JAZZ`;
  const links = groupsIn(html, /<link rel="alternate" hreflang="([^"]*)" href="([^"]*)">/g);
  assert.equal(
    links.map(([language, link]) => [language, plainText(link)]),
    [
      ['nb', `${address}&lang=nb`],
      ['en', `${address}&lang=en`],
      ['nn', `${address}&lang=nn`],
      ['x-default', address],
    ],
  );
});

test('I11: should be canonical in the language of the address', async ({ running }) => {
  const { html } = await open(running, '/events.html?categories=JAZZ&lang=en');
  const canonical = `${running.url}/events.html?categories=JAZZ&amp;lang=en`;
  assert.match(html, `<link rel="canonical" href="${canonical}">`);
});

test('I11: should have the calendar’s picture in previews of an event without one', async ({ running }) => {
  const { html } = await open(running, '/events/utstilling.html');
  assert.match(html, `<meta property="og:image" content="${running.url}/share.png">`);
});

test.run();
