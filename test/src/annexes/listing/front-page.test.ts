/** I13, I11: a calendar without a site of its own: its list is the front page, and its pages of events are the only ones. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { hasAnnex } from '../../../helpers/annex.ts';
import { NOW } from '../../../helpers/calendar.ts';
import { eachIn } from '../../../helpers/html.ts';
import { LICENCE, sourceFolder } from '../../../helpers/native-source.ts';
import { type Running, startBuilt } from '../../../helpers/running.ts';
import { nodesOf } from '../feeds/asked.ts';

const { siteUrl: _, ...LICENCE_WITHOUT_SITE } = LICENCE;

const EVENT = {
  id: 'a',
  title_nb: 'Fem < seks',
  categories: ['JAZZ'],
  images: [{ urlSmall: 'pictures/choir.svg', urlLarge: '../choir.svg' }],
  dates: [{ start: '2026-02-01 19:00', end: '2026-02-01 21:00' }],
};

async function open({ send }: Running, path: string) {
  const { text: html, headers } = await send(path, {
    headers: { accept: 'text/html', 'accept-language': 'nb' },
  });
  return { html, headers };
}

/** Published two hours after the build. */
const LATER = {
  id: 'b',
  title_nb: 'Senere',
  publishingDate: '2026-01-01 15:00',
  dates: [{ start: '2026-02-02 19:00' }],
};

const own = suite<{ running: Running; clock: { now: number } }>('a calendar without a site');

own.before(async (context) => {
  context.clock = { now: NOW };
  const source = sourceFolder({
    'licence.json': LICENCE_WITHOUT_SITE,
    'events.json': [EVENT, LATER],
    'pictures/choir.svg': '<svg xmlns="http://www.w3.org/2000/svg"/>',
    'pictures/huge.png': 'x'.repeat(300_000),
    'pictures/notes.txt': 'not for readers',
  });
  const settings = { publicUrl: new URL('http://localhost:4000/'), source };
  const clock = () => context.clock.now * 1_000;
  context.running = await startBuilt(source, NOW, { clock, context: { settings } });
});
own.before.each(({ clock }) => {
  clock.now = NOW;
});
own.after(({ running }) => running.close());

own('I13: should have its list as front page', async ({ running }) => {
  const { html } = await open(running, '/');
  assert.match(html, '<h1>Hva skjer</h1>');
  assert.not.match(html, 'privacy-policy');
});

own('I13: should redirect from an empty search at the front page to the list', async ({ running }) => {
  assert.is((await running.send('/?categories=')).headers.location, 'events.html');
});

own('I13: should link from a refused address to the front page without filters', async ({ running }) => {
  assert.match((await open(running, '/?age=abc')).html, '<a href="./">Fjern alle filtre</a>');
  assert.match((await open(running, '/?age=abc&tag=a')).html, '<a href="./?tag=a">');
});

const EVENT_PAGE = 'http://localhost:4000/events/fem-seks.html';

own('I11: should link events to their pages on this server', async ({ running }) => {
  const [first] = await nodesOf(running.url);
  assert.is(first?.eventLink, EVENT_PAGE);
});

own('I11: should name its own page of an event as canonical', async ({ running }) => {
  const { html } = await open(running, '/events/fem-seks.html');
  assert.match(html, `<link rel="canonical" href="${EVENT_PAGE}">`);
});

own('I11, D6: should have the pages of listed events in the sitemap', async ({ running, clock }) => {
  const sitemapAt = async (now: number) => {
    clock.now = now;
    const { text, headers } = await running.send('/sitemap.xml');
    const pages = eachIn(text, /<loc>http:\/\/localhost:4000\/events\/([^<]*)/g);
    return { pages, age: headers['cache-control'] };
  };
  const published = NOW + 7_200;
  const fresh = 'public, max-age=60';
  assert.equal(await sitemapAt(NOW), { pages: ['fem-seks.html'], age: fresh });
  assert.equal(await sitemapAt(published - 10), { pages: ['fem-seks.html'], age: 'public, max-age=10' });
  assert.equal(await sitemapAt(published), { pages: ['fem-seks.html', 'senere.html'], age: fresh });
  const over = Date.UTC(2026, 1, 1, 20) / 1_000;
  assert.equal(await sitemapAt(over), { pages: ['senere.html'], age: fresh });
});

own('F3: should show a picture of the source by its address', async ({ running }) => {
  const { html } = await open(running, '/events/fem-seks.html');
  assert.match(html, '<img src="http://localhost:4000/pictures/choir.svg"');
});

own('F3: should serve a picture with a policy that forbids scripts', async ({ running }) => {
  const { status, headers } = await running.send('/pictures/choir.svg');
  assert.is(status, 200);
  assert.is(headers['content-type'], 'image/svg+xml');
  assert.match(headers['content-security-policy'] ?? '', /^default-src 'none'/);
});

for (const name of ['huge.png', 'notes.txt', '../licence.json']) {
  own(`F3: should not serve pictures/${name}`, async ({ running }) => {
    assert.is((await running.send(`/pictures/${name}`)).status, 404);
  });
}

own.run();

const other = suite<{ running: Running }>('a calendar with a site elsewhere');

other.before(async (context) => {
  const licence = { ...LICENCE, privacyUrl: PRIVACY_URL };
  const source = sourceFolder({ 'licence.json': licence, 'events.json': [{ ...EVENT, images: [] }] });
  context.running = await startBuilt(source, NOW);
});
other.after(({ running }) => running.close());

for (const path of ['/', '/developers']) {
  other(`I13: should have the page for developers at ${path}`, async ({ running }) => {
    assert.match((await open(running, path)).html, '<h1>For utviklere</h1>');
  });
}

other('I13: should not redirect from an empty search at the front page', async ({ running }) => {
  assert.is((await running.send('/?categories=')).headers.location, undefined);
});

const PRIVACY_URL = 'https://avisen.example/personvern';

/** The link to the developers' page in the foot of pages. Docs are in English as a whole. */
const FEET: Readonly<Record<string, string>> = {
  '/': 'For utviklere',
  '/events.html?lang=en': 'For developers',
  '/events.html?lang=nn': 'For utviklarar',
  '/developers': 'For utviklere',
  '/docs/': 'For utviklere',
  '/docs/api': 'For developers',
  '/changelog': 'For utviklere',
  ...(hasAnnex('operator') ? { '/status': 'For utviklere' } : {}),
  '/subscribe': 'For utviklere',
  '/nowhere': 'For utviklere',
  '/graphQL': 'For utviklere',
};

for (const [path, label] of Object.entries(FEET)) {
  other(
    `I13, I11: should have the calendar’s name and links to the developers’ page and to privacyUrl on ${path}`,
    async (context) => {
      const { html } = await open(context.running, path);
      assert.match(html, /<p class="brand"><a href="[^"]*">Trondheim<\/a>/);
      const [, foot = ''] = /<footer class="colophon">([\s\S]*)<\/footer>/.exec(html) ?? [];
      assert.match(foot, new RegExp(`developers[^"]*"[^>]*>${label}</a>`));
      const name = label === 'For developers' ? 'Privacy' : 'Personvern';
      assert.match(foot, `<a rel="privacy-policy" href="${PRIVACY_URL}">${name}</a>`);
    },
  );
}

other.run();
