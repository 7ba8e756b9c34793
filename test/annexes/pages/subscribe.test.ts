/** The developer page's section with the addresses of feeds. Those of choices: test/annexes/subscribe. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { sourceFolder } from '../../helpers/native-source.ts';
import { startPages } from '../../helpers/pages.ts';
import type { Running } from '../../helpers/running.ts';

const NOW = Date.parse('2026-11-20T11:00:00Z');

const page = suite<{ running: Running }>('subscribe');

page.before(async (context) => {
  context.running = await startPages({ clock: () => NOW });
});
page.after(({ running }) => running.close());

const unescaped = (text: string) =>
  text.replaceAll('&amp;', '&').replaceAll('&quot;', '"').replaceAll('&lt;', '<').replaceAll('&gt;', '>');

async function sectionOf({ running }: { readonly running: Running }, search: string): Promise<string> {
  const text = (await running.send(`/?${search}`)).text;
  const section = text.split('<h2 id="subscribe">')[1]?.split('</section>')[0];
  if (section === undefined) throw new Error('expected a section, found none');
  return unescaped(section);
}

const addressesIn = (section: string) =>
  [...section.matchAll(/<a href="[^"]*"><code>([^<]+)<\/code>/g)].map(([, url = '']) => url);

page('should show the markup of an embed, and the way to addresses of choices', async (context) => {
  const section = await sectionOf(context, 'lang=en');
  const { url } = context.running;
  assert.match(section, `href="${url.replace('http:', 'webcal:')}/events.ics?lang=en"`);
  assert.match(
    section,
    `<script src="${url}/embed.js" defer></script>\n<almanakk-events lang="en" limit="5"`,
  );
  const [, way = ''] = /<a href="(subscribe[^"]*)">/.exec(section) ?? [];
  assert.is((await fetch(new URL(way, context.running.url))).status, 200);
});

page('should have addresses that answer, in the language of the page', async (context) => {
  for (const [language, ending] of [
    ['nb', ''],
    ['en', '?lang=en'],
  ] as const) {
    const addresses = addressesIn(await sectionOf(context, `lang=${language}`));
    assert.is(addresses.length, 3);
    for (const address of addresses) {
      assert.ok(address.endsWith(`${ending}`) && address.includes('?') === (ending !== ''), address);
      assert.is((await fetch(address, { method: 'HEAD' })).status, 200);
    }
  }
});

page('should say of the next events which are cancelled or sold out', async () => {
  const event = (id: string, more: object) => ({
    id,
    title_nb: id,
    categories: ['MUSIC'],
    dates: [{ start: '2026-11-21 19:00', ...more }],
  });
  const source = sourceFolder({
    'licence.json': {
      id: 'x',
      name: 'X',
      siteUrl: 'https://x.example',
      categories: [{ id: 'MUSIC', name_nb: 'M', name_en: 'M' }],
    },
    'events.json': [event('off', { eventCancelled: true }), event('out', { eventSoldOut: true })],
  });
  const running = await startPages({ clock: () => NOW, source });
  const section = unescaped((await running.send('/?lang=en')).text);
  await running.close();
  assert.match(section, /<span lang="nb">off<\/span><\/a> <em class="mark">cancelled<\/em>/);
  assert.match(section, /<span lang="nb">out<\/span><\/a> <em class="mark">sold out<\/em>/);
});

page('should link its feeds in its head', async ({ running }) => {
  const text = unescaped((await running.send('/?lang=en')).text);
  const links = [...text.matchAll(/<link rel="alternate" type="([^"]+)" title="[^"]+" href="([^"]+)">/g)];
  assert.equal(
    links.map(([, type, href]) => [type, href]),
    [
      ['text/calendar', 'events.ics?lang=en'],
      ['application/rss+xml', 'events.rss?lang=en'],
      ['application/ld+json', 'events.jsonld?lang=en'],
    ],
  );
  for (const [, type, href = ''] of links) {
    const { headers } = await fetch(new URL(href, running.url));
    assert.is(headers.get('content-type'), `${type}; charset=utf-8`);
  }
});

page.run();
