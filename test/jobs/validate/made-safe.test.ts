/** G8: hostile records from the source, through a build, to the answer and a browser. */
import { join } from 'node:path';
import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createReport, reportJson } from '../../../jobs/report/report.ts';
import { ALLOWED } from '../../../jobs/validate/html-elements.ts';
import { safeMarkup } from '../../../jobs/validate/sanitize.ts';
import { inBrowser, openBrowser } from '../../helpers/browser.ts';
import { built } from '../../helpers/build.ts';
import { NOW } from '../../helpers/calendar.ts';
import { temporaryFolder } from '../../helpers/folder.ts';
import { hostileText, MARKUP } from '../../helpers/hostile-texts.ts';
import { LICENCE, sourceFolder, validated, validatedEvents } from '../../helpers/native-source.ts';
import { IS_LONG } from '../../helpers/run-options.ts';
import { startBuilt } from '../../helpers/running.ts';

const test = suite('G8: made safe');

const SCRIPT = '<script>alert(1)</script>';
const LINK = 'javascript:alert(1)';
const EVENT = {
  id: 'e',
  slug: 'Min Konsert!',
  eventLink: LINK,
  venue: 'v',
  organizers: ['o'],
  title_nb: `Konsert${SCRIPT}`,
  title_en: 'Rock & roll <3',
  desc_nb: `<p onclick="x()">Hei <b>du</b></p>${SCRIPT}<img src=x onerror=alert(1)>`,
  desc_en: `<a href="${LINK}">x</a>`,
  tags: ['<i>jazz</i>', SCRIPT, 'kor'],
  images: [
    {
      urlSmall: '//x.example',
      urlLarge: LINK,
      alt: '\u202eAlt',
      caption: `En\nto${SCRIPT}`,
      credits: 'C\u0000',
    },
  ],
  prices: [{ type: 'REGULAR', price: 1, name_nb: '<b>Vanlig</b>', name_en: 'Full\u0007' }],
  ticketsURL: '/billett',
  moreInfoURL: LINK,
  streamingURL: 'ftp://x.example',
  facebookURL: 'facebook.example',
  venueNote: '<u>Bak</u>\ngården',
  ageRestriction: `18${SCRIPT}`,
  dates: [{ start: '2026-02-01 19:00', ticketsURL: 'data:text/html,x', prices: [{ type: `A${SCRIPT}` }] }],
};
const FILES = {
  'venues.json': [
    {
      id: 'v',
      name: `Scenen${SCRIPT}`,
      slug: 'SCENEN',
      address: `Gata 1\n7010 Byen${SCRIPT}`,
      municipality: '<b>By</b>',
    },
    { id: 'w', name: SCRIPT },
  ],
  'organizers.json': [{ id: 'o', name: '<b>Laget</b>', website: LINK }],
  'licence.json': {
    ...LICENCE,
    name: `By${SCRIPT}`,
    categories: [
      { id: 'MUSIC', name_nb: '<b>Musikk</b>', name_en: 'Music', slug_nb: 'Mu sikk', slug_en: '?' },
    ],
  },
};

/** The findings: each field with what is removed from it or replaced, and the record of which no name is left. */
const REMOVED = [
  'made safe licence.json trondheim name: "<script>"',
  'made safe licence.json trondheim categories[0].name_nb: "<b>"',
  'made safe licence.json trondheim categories[0].slug_nb: "Mu sikk"',
  'made safe licence.json trondheim categories[0].slug_en: "?"',
  'made safe venues.json v name: "<script>"',
  'made safe venues.json v address: "<script>"',
  'made safe venues.json v municipality: "<b>"',
  'made safe venues.json w name: "<script>"',
  `dropped record venues.json w name: "${SCRIPT}"`,
  'made safe organizers.json o name: "<b>"',
  `made safe organizers.json o website: "${LINK}"`,
  'made safe events.json e title_nb: "<script>"',
  'made safe events.json e ticketsURL: "/billett"',
  `made safe events.json e eventLink: "${LINK}"`,
  'made safe events.json e desc_nb: "onclick, <script>, <img>"',
  `made safe events.json e desc_en: "href=${LINK}"`,
  'made safe events.json e tags[0]: "<i>"',
  'made safe events.json e tags[1]: "<script>"',
  'made safe events.json e images[0].urlSmall: "//x.example"',
  `made safe events.json e images[0].urlLarge: "${LINK}"`,
  'made safe events.json e images[0].alt: "U+202E"',
  'made safe events.json e images[0].caption: "<script>"',
  'made safe events.json e images[0].credits: "U+0000"',
  'made safe events.json e prices[0].name_nb: "<b>"',
  'made safe events.json e prices[0].name_en: "U+0007"',
  `made safe events.json e moreInfoURL: "${LINK}"`,
  'made safe events.json e streamingURL: "ftp://x.example"',
  'made safe events.json e facebookURL: "facebook.example"',
  'made safe events.json e venueNote: "<u>"',
  'made safe events.json e ageRestriction: "<script>"',
  'made safe events.json e dates[0].ticketsURL: "data:text/html,x"',
  'made safe events.json e dates[0].prices[0].type: "<script>"',
];

test('G8: should report the removed markup of each field, and keep the records', async () => {
  const { findings, summary } = await validatedEvents([EVENT], FILES);
  const lines = findings.map(
    ({ action, origin: { file }, id, field, found }) => `${action} ${file} ${id} ${field}: ${found}`,
  );
  assert.equal(lines, REMOVED);
  assert.equal([summary.lists.events.kept, summary.actions['made safe']], [1, lines.length - 1]);
});

test('G8: should leave out a record whose id is not plain text', async () => {
  const hostile = ['<img src=x onerror=alert(1)>', 'a\u202eb', 'a\nb'];
  const { events, findings } = await validated({
    'events.json': hostile.map((id) => ({ ...EVENT, id, title_nb: 'Konsert' })),
  });
  assert.equal(events, []);
  assert.equal(
    findings.map(({ action, field, expected }) => `${action} ${field} ${expected}`),
    hostile.map(() => 'dropped record id an id without markup and control characters'),
  );
});

test('G8: should serve no markup that runs, loads or navigates', async () => {
  const source = sourceFolder({ ...FILES, 'events.json': [EVENT] });
  const running = await startBuilt(source, NOW, { clock: () => NOW * 1_000 });
  const query = `{
    calendar: categories { name_nb slug_nb slug_en }
    venues { name slug address municipality }
    organizers { name website }
    events { data {
      event_slug eventLink title_nb title_en desc_nb desc_en tags ticketsURL moreInfoURL streamingURL facebookURL venueNote
      ageRestriction images { urlSmall urlLarge alt caption credits } prices { type name_nb name_en }
    } }
  }`;
  const data = await running.ask(query).finally(running.close);
  const event = {
    event_slug: 'min-konsert',
    eventLink: 'https://kalender.example/event/min-konsert',
    title_nb: 'Konsert',
    title_en: 'Rock & roll <3',
    desc_nb: '<p>Hei <b>du</b></p>',
    desc_en: 'x',
    tags: ['jazz', 'kor'],
    ticketsURL: null,
    moreInfoURL: null,
    streamingURL: null,
    facebookURL: null,
    venueNote: 'Bak\ngården',
    ageRestriction: '18',
    images: [{ urlSmall: null, urlLarge: null, alt: 'Alt', caption: 'En\nto', credits: 'C' }],
    prices: [{ type: 'REGULAR', name_nb: 'Vanlig', name_en: 'Full' }],
  };
  assert.equal(data, {
    calendar: [{ name_nb: 'Musikk', slug_nb: 'mu-sikk', slug_en: 'music' }],
    venues: [{ name: 'Scenen', slug: 'scenen', address: 'Gata 1\n7010 Byen', municipality: 'By' }],
    organizers: [{ name: 'Laget', website: null }],
    events: { data: [event] },
  });
});

test('G8: should remove nothing from the sample', async () => {
  const report = createReport();
  await built('data/sample', join(temporaryFolder(), 'target'), {
    report,
    now: Math.floor(Date.now() / 1000),
  });
  assert.is(report.summary().actions['made safe'], 0, reportJson(report));
});

test.run();

const browser = inBrowser(suite('G8: made safe, as a browser has it'));

/** Parses a text as HTML twice, as careless pages do: markup can change when it is written out and read again. */
const elementsMadeOf = (texts: readonly string[]) => `
  [...new Set(${JSON.stringify(texts)}.flatMap((text) => {
    const element = document.createElement('div');
    document.body.append(element);
    element.innerHTML = text;
    element.innerHTML = String(element.innerHTML);
    const made = [...element.querySelectorAll('*')].map(({ tagName, attributes }) =>
      [tagName, ...[...attributes].map(({ name }) => name)].join(' ').toLowerCase());
    const schemes = [...element.querySelectorAll('a')].map(({ protocol }) => protocol);
    element.remove();
    return [...made, ...schemes];
  }))]`;

browser('G8: should leave only elements that format text in descriptions, and run nothing', async () => {
  const hostile = [
    ...MARKUP.map(([from]) => from),
    ...fc.sample(hostileText, { numRuns: IS_LONG ? 5_000 : 300, seed: 1 }),
  ];
  const requests: string[] = [];
  const chromium = await openBrowser();
  const read = async () => {
    const page = await chromium.newPage();
    page.on('request', (request) => requests.push(request.url()));
    page.on('dialog', (dialog) => dialog.accept().then(() => requests.push('a dialog')));
    await page.setContent('<body>');
    const safe = hostile.map((from) => safeMarkup(from).text);
    return page.evaluate<string[]>(elementsMadeOf(safe));
  };
  const found = await read().finally(() => chromium.close());
  assert.equal(requests, []);
  const allowed = new Set([...ALLOWED, 'a href', 'http:', 'https:', 'mailto:', 'tel:']);
  assert.equal(
    found.filter((element) => !allowed.has(element)),
    [],
  );
});

browser.run();
