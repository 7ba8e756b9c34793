/** F6: events whose pages are on newspapers' own sites, one for each municipality. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { withAnnex } from '../../../../helpers/annex.ts';
import { NOW } from '../../../../helpers/calendar.ts';
import { eachIn, plainText } from '../../../../helpers/html.ts';
import { LICENCE, sourceFolder } from '../../../../helpers/native-source.ts';
import { type Running, startBuilt } from '../../../../helpers/running.ts';
import { open } from './calendar.ts';

const SITE = 'https://kalender.example';
/** Of the test's build. */
const LICENCE_SITE = 'http://localhost:4000/events.html';
const LILLEVIK = 'https://lillevik-avis.example/arrangement';
const STORVIK = 'https://storvik-blad.example/kalender';
const REGION = 'https://regionen.example/hva-skjer';

const at = (venue: string | null, day: number) => ({ start: `2026-02-0${day} 19:00`, venue });
const event = (id: string, dates: readonly object[], more: object = {}) => ({
  id,
  title_nb: id,
  dates,
  ...more,
});

const EVENTS = [
  event('her', [at('sal', 1), at('scene', 2)]),
  event('der', [at('torg', 1)]),
  event('tur', [at('sal', 1), at('torg', 2)]),
  event('over', [{ start: '2025-12-01 19:00', venue: 'sal' }, at('torg', 2)]),
  event('delt', [at('torg', 1), at('kai', 2)]),
  event('nett', [at(null, 1)]),
  event('borte', [at('fjell', 1)]),
  event('eget', [at('sal', 1)], { eventLink: 'https://arrangor.example/eget' }),
  event('rettet', [at('ukjent', 1)]),
];

const SOURCE = {
  'licence.json': {
    ...LICENCE,
    siteUrl: undefined,
    eventPages: {
      Lillevik: `${LILLEVIK}/{slug}?fra=kalender`,
      5002: `${STORVIK}/{slug}/?dato={date}`,
      Kaivik: `${STORVIK}/{slug}/?dato={date}`,
      Storvig: 'https://feil.example/{slug}',
      Storvik: 'https://feil.example/{slug}',
      default: `${REGION}/{slug}`,
    },
  },
  'postal-codes.tsv': [
    '7001\tLILLEVIK\t5001\tLILLEVIK\tG',
    '7002\tSTORVIK\t5002\tSTORVIK\tG',
    '7003\tKAIVIK\t5003\tKAIVIK\tG',
    '7004\tFJELLVIK\t5004\tFJELLVIK\tG',
  ].join('\n'),
  'venues.json': [
    { id: 'sal', name: 'Salen', municipality: 'Lillevik ' },
    { id: 'scene', name: 'Scenen', municipality: '5001' },
    { id: 'torg', name: 'Torget', address: 'Gata 1, 7002 Storvik' },
    { id: 'kai', name: 'Kaia', municipality: 'Kaivik' },
    { id: 'fjell', name: 'Fjellet', municipality: 'Fjellvik' },
    { id: 'ukjent', name: 'Huset' },
  ],
  'corrections.json': [{ where: { id: 'rettet' }, set: { municipality: 'Storvik' } }],
  'events.json': EVENTS,
};

/** The addresses of the events. */
const LINKS: Readonly<Record<string, string>> = {
  her: `${LILLEVIK}/her?fra=kalender`,
  der: `${STORVIK}/der/`,
  tur: `${REGION}/tur`,
  over: `${REGION}/over`,
  delt: `${STORVIK}/delt/`,
  nett: `${REGION}/nett`,
  borte: `${REGION}/borte`,
  eget: 'https://arrangor.example/eget',
  rettet: `${STORVIK}/rettet/`,
};

interface Context {
  running: Running;
}

const test = suite<Context>('pages on other sites');

test.before(async (context) => {
  const settings = { publicUrl: new URL(`${SITE}/`) };
  context.running = await startBuilt(sourceFolder(SOURCE), NOW, { context: { settings } });
});
test.after(({ running }) => running.close());

test('F6: should give each event the address of its municipality, else the default', async ({ running }) => {
  const { events } = await running.ask<{
    events: { data: { id: string; eventLink: string; event_slug: string; occurrenceLink: string | null }[] };
  }>('{ events(pageSize: 50) { data { id eventLink event_slug occurrenceLink } } }');
  assert.equal(Object.fromEntries(events.data.map(({ id, eventLink }) => [id, eventLink])), LINKS);
  for (const { id, event_slug, occurrenceLink } of events.data)
    assert.equal([event_slug, occurrenceLink], [id, null]);
});

withAnnex('feeds', test)(
  'F6: should name these addresses in RSS, iCalendar, JSON-LD and CSV',
  async ({ running }) => {
    const expected = [...new Set(Object.values(LINKS))].sort();
    const linksIn = async (path: string, pattern: RegExp) => {
      const { text } = await running.send(path);
      return [
        ...new Set(eachIn(text.replaceAll('\r\n ', ''), pattern).map((link) => plainText(link))),
      ].sort();
    };
    assert.equal(await linksIn('/events.rss', /<link>([^<]*)<\/link>\n<guid/g), expected);
    const inCalendar = await linksIn('/events.ics', /^URL:(.*)\r$/gm);
    assert.equal(inCalendar, [...expected, LICENCE_SITE].sort());
    assert.equal(await linksIn('/events.jsonld', /"url":"([^"]*)","startDate"/g), expected);
    const csv = (await running.send('/events.csv')).text;
    for (const link of expected) assert.match(csv, link);
  },
);

withAnnex('embed', test)('F6: should name these addresses in the list of an embed', async ({ running }) => {
  const { events } = JSON.parse((await running.send('/embed.json?municipality=Storvik')).text);
  const links = events.map(({ id, eventLink }: Record<string, string>) => [id, eventLink]);
  for (const [id, link] of links) assert.is(link, LINKS[id]);
  assert.ok(links.length > 2);
});

withAnnex('listing', test)(
  'F6, I12: should name the other page as canonical on the calendar’s own',
  async ({ running }) => {
    const { html } = await open(running, '/events/der.html?date=2026-02-01T19:00');
    assert.match(html, `<link rel="canonical" href="${LINKS.der}">`);
    assert.match(html, `<meta property="og:url" content="${LINKS.der}">`);
    assert.not.match(html, 'hreflang="x-default"');
    const list = await open(running, '/events.html');
    assert.match(list.html, '<a href="events/der.html');
  },
);

withAnnex('listing', test)('F6, I11: should have no page of an event in the sitemap', async ({ running }) => {
  const { text } = await running.send('/sitemap.xml');
  assert.match(text, `<loc>${SITE}/events.html?municipality=Storvik</loc>`);
  assert.not.match(text, /\/events\/|avis\.example/);
});

withAnnex('operator', test)(
  'F6: should report a municipality that the register lacks, or that was named before',
  async ({ running }) => {
    const { text } = await running.send('/status?format=json');
    assert.match(text, 'eventPages.Storvig');
    assert.match(text, 'eventPages.Storvik');
  },
);

test.run();
