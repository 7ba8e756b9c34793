/** F6: slugs and links of events, and the order of venues and organizers (E10). */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Calendar } from '../../../jobs/calendar.ts';
import { costsAtMost } from '../../helpers/cost.ts';
import { date, event, materialised, organizerRecord, venueRecord } from '../../helpers/records.ts';

const test = suite('slugs and directories');

const OVER = date('2026-11-01 20:00', '2026-11-01 22:00');

const slugs = ({ events }: Calendar) => Object.fromEntries(events.map(({ id, slug }) => [id, slug]));
const links = ({ events, read }: Calendar) =>
  Object.fromEntries(events.map(({ id }, ordinal) => [id, read(ordinal).link.link]));

test('F6: should derive slugs from titles, then from ids, then from the kind', async () => {
  const { calendar } = await materialised([
    event('a', { title_nb: 'Sommerfest på Øya' }),
    event('b', { title_nb: null, title_en: 'Summer Party' }),
    event('c', { title_nb: '日本' }),
    event('日', { title_nb: '日本' }),
  ]);
  assert.equal(slugs(calendar), { a: 'sommerfest-pa-oya', b: 'summer-party', c: 'c', 日: 'event' });
});

test('F6: should number slugs in source order, also after events that are over', async () => {
  const title_nb = 'Konsert';
  const others = [
    event('y', { title_nb, dates: [OVER] }),
    event('x', { title_nb }),
    event('w', { title_nb }),
  ];
  const { calendar } = await materialised([event('z', { title_nb: 'Konsert 2' }), ...others]);
  assert.equal(slugs(calendar), { z: 'konsert-2', x: 'konsert-3', w: 'konsert-4' });
});

const OF_SOURCE = [
  event('a', { slug: 'Egen Slug' }),
  event('b', { eventLink: 'https://andre.example/arrangement/fest/?x=/y#z' }),
  event('c', { slug: 'fest' }),
  event('d', { eventLink: 'https://andre.example/', title_nb: 'Tittel' }),
  event('e', { title_nb: 'Vanlig' }),
  // I11: the page of a calendar that this program serves.
  event('f', { slug: 'konsert', eventLink: 'https://andre.example/events/konsert.html' }),
];

test('F6: should keep the slugs of a source, as fields or in links', async () => {
  const { calendar } = await materialised(OF_SOURCE);
  assert.equal(slugs(calendar), {
    a: 'egen-slug',
    b: 'fest',
    c: 'fest-2',
    d: 'tittel',
    e: 'vanlig',
    f: 'konsert',
  });
});

test('F6: should keep the links of a source', async () => {
  const { calendar } = await materialised(OF_SOURCE);
  assert.equal(links(calendar), {
    a: 'https://kalender.example/event/egen-slug',
    b: 'https://andre.example/arrangement/fest/?x=/y#z',
    c: 'https://kalender.example/event/fest-2',
    d: 'https://andre.example/',
    e: 'https://kalender.example/event/vanlig',
    f: 'https://andre.example/events/konsert.html',
  });
});

test('F6: should report slugs that are made safe, or changed by a collision', async () => {
  const { findings } = await materialised(OF_SOURCE);
  assert.equal(
    findings.map(({ action, id, field, found }) => ({ action, id, field, found })),
    [
      { action: 'made safe', id: 'a', field: 'slug', found: '"Egen Slug"' },
      { action: 'changed value', id: 'c', field: 'slug', found: 'fest' },
    ],
  );
});

test('F6: should link to pages below the path of the site', async () => {
  const { calendar } = await materialised([event('a')], { siteUrl: 'https://kalender.example/by/' });
  assert.equal(links(calendar), { a: 'https://kalender.example/by/event/a' });
});

test('G8: should keep slugs to 80 letters, digits and hyphens, also those made unique', async () => {
  const long = 'ab '.repeat(5000);
  const most = 'ab-'.repeat(27).slice(0, 80);
  const { calendar, findings } = await materialised([
    event('a', { title_nb: long }),
    event('b', { title_nb: long }),
    event('c', { slug: most }),
    event('d', { slug: `${most}-` }),
    event('e', { slug: '../\u202e<b>', title_nb: 'Tittel' }),
    event('f', { slug: '??', title_nb: 'Tittel' }),
    event('g', { eventLink: 'https://andre.example/S%C3%B8k_her.html' }),
    event('h', { slug: 'a--b' }),
  ]);
  assert.equal(slugs(calendar), {
    a: 'ab-'.repeat(26).concat('ab'),
    b: `${'ab-'.repeat(25)}ab-2`,
    c: `${'ab-'.repeat(25)}ab-3`,
    d: `${'ab-'.repeat(25)}ab-4`,
    e: 'b',
    f: 'tittel',
    g: 'sok-her-html',
    h: 'a--b',
  });
  assert.equal(
    findings.map(({ action, id, found }) => [action, id, found]),
    [
      ['changed value', 'c', most],
      ['made safe', 'd', JSON.stringify(`${most}-`).slice(0, 79).concat('…')],
      ['made safe', 'e', '"../\u202e<b>"'],
      ['made safe', 'f', '"??"'],
      ['made safe', 'g', '"Søk_her.html"'],
    ],
  );
});

test('F6: should number slugs that differ only after the same 70 letters, each in a few steps', async () => {
  const titles = Array.from({ length: 5_000 }, (_, at) => `${'x'.repeat(70)}-i${`${at}`.padStart(8, '0')}`);
  const twice = [...titles, ...titles].map((title_nb, at) => event(`e${at}`, { title_nb }));
  await costsAtMost(125, () => materialised(twice));
});

const OLDER = { email: null, telephoneNumber: null };

test('E10: should list venues and organizers in Norwegian order, with slugs made in source order', async () => {
  const { calendar } = await materialised([event('a')], {
    venues: ['Åsen', 'Byen', 'Asen', 'Byen'].map((name, at) => venueRecord(`v${at + 1}`, name)),
    organizers: [organizerRecord('o1', 'Øst'), organizerRecord('o2', 'Vest')],
  });
  assert.equal(
    calendar.venues.map(({ id, slug }) => `${id} ${slug}`),
    ['v3 asen-2', 'v2 byen', 'v4 byen-2', 'v1 asen'],
  );
  assert.equal(calendar.organizers, [
    { id: 'o2', name: 'Vest', slug: 'vest', website: null, ...OLDER },
    { id: 'o1', name: 'Øst', slug: 'ost', website: null, ...OLDER },
  ]);
});

test.run();
