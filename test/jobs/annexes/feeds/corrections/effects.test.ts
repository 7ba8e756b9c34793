/** F15: what the rows of correction sheets do to events, and the order of sheets, through whole builds with real servers. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { assertIncludes } from '../../../../helpers/assertions.ts';
import { ofDeskSheet, shownAfter } from '../../../../helpers/corrections.ts';
import { rejects } from '../../../../helpers/errors.ts';
import { builtWithFeeds } from '../../../../helpers/feeds.ts';
import { temporaryFolder } from '../../../../helpers/folder.ts';
import { type Files, sourceFolder } from '../../../../helpers/native-source.ts';
import { DESK, FEEDS, LONG_NAME, shownWithSheet, withSheet } from './town.ts';

const test = suite('F15: effects of correction sheets');

/** One build whose sheet has a row of each kind. */
const ALL_KINDS = [
  'MERKNAD;Kategori;Skjul;Sted;Id:;Tittel *;English title;Ingress;Dato;Start;Slutt;Status;Fremhev',
  'ny tittel;musikk, FAMILY;;;fest:quiz;Stor quiz;A quiz;Kom tidlig;;kl. 19.30;;;ja',
  `;;;${LONG_NAME};fest:tog;;;;;18.00–19.00;;avlyst, utsolgt;FALSE`,
  ';;;kinosalen;fest:dans;;;;6. februar 2026;08.02.2026 kl. 18.00;19:00;;',
  ';;ja;;kor;;;;10. og 17. februar 2026;;;;',
  ';;;;kor;;;;2026-02-24;;;utsatt;',
  ';;ja;;kino:film;;;;;;;;',
  ';;FALSE;;;;;;;;;;FALSE',
].join('\n');

test('F15: should hide events and dates, and set the values of each column', async () => {
  const { event, dates, ids, lines, report } = await shownWithSheet(ALL_KINDS);
  assert.equal(ofDeskSheet(lines), []);
  assert.equal(ids, ['fest:dans', 'fest:quiz', 'fest:tog', 'kor']);
  const { title_nb, title_en, categories, isFeaturedEvent } = event('fest:quiz');
  assert.equal([title_nb, title_en], ['Stor quiz', 'A quiz']);
  assert.equal([categories, isFeaturedEvent], [['MUSIC', 'FAMILY'], true]);
  assert.equal(dates('fest:quiz'), ['02-05 19:30–21:30 Kroa']);
  assert.equal(dates('fest:tog'), ['02-08 18:00–19:00 Lillevik kirke CANCELLED']);
  assert.equal([event('fest:tog').eventSoldOut, event('fest:tog').isFeaturedEvent], [true, false]);
  assert.equal(dates('fest:dans'), ['02-07 20:00 Kroa', '02-08 18:00–19:00 Storsalen']);
  assert.equal(dates('kor'), ['02-03 18:00–19:30 Storsalen', '02-24 18:00–19:30 Storsalen POSTPONED']);
  assert.equal(report.feeds.at(-1)?.counts, { entries: 6, events: 0, merged: 0, dropped: 0, corrections: 6 });
  assert.is(report.corrections.find(({ note }) => note === 'ny tittel')?.at, 'feed desk:2');
});

const PICTURE = 'https://kino.example/film.jpg';
/** An event with a value for each column of the test below, and another one. */
const WITH_DETAILS: Files = {
  'organizers.json': [
    { id: 'choir', name: 'Lillevik kor' },
    { id: 'club-a', name: 'Ungdomsklubben' },
    { id: 'club-b', name: 'Ungdomsklubben' },
  ],
  'kino.csv': [
    'Id,Tittel,Start,Beskrivelse,Pris,Billetter,Bilde,Arrangør,Aldersgrense,minimumAge,Emneord',
    `film,Film,2026-02-09 18:00,Gammel tekst,100,https://kino.example/1,${PICTURE},Kinolaget,6 år,6`,
    `revy,Revy,2026-02-10 18:00,Gammel tekst,100,https://kino.example/2,${PICTURE},Kinolaget,6 år,6,Skrekk`,
  ].join('\n'),
};

test('F15: should set texts, tickets, pictures, organizers and ages, and leave those of blank cells', async () => {
  const sheet = [
    'Id;Beskrivelse;Pris;Billetter;Bilde;Arrangør;Aldersgrense;minimumAge;maximumAge;Ingress;Emneord',
    'kino:film;<p>Ny <b>tekst</b></p><script>x()</script>;Voksen 250 / barn 100;https://kino.example/3;ingen;;;;;',
    'kino:film;;;;;lillevik KOR|choir;13 år;13;17;',
    'kino:revy;;;;;Ungdomsklubben;;;;Kort;Nordavisa, barn',
    'kino:revy;;;;;;;;;;sør',
    'fest:quiz;;gratis;;https://kino.example/quiz.jpg;Lillevik kar;;;;',
    'fest:tog;;<i>Vaksen</i> 90;;;;;;;',
  ].join('\n');
  const { event, lines } = await shownWithSheet(sheet, WITH_DETAILS);
  const detailsOf = (id: string) => {
    const { desc_nb, prices, ticketsURL, images, organizers, ageRestriction, minimumAge, maximumAge } =
      event(id);
    return { desc_nb, prices, ticketsURL, images, organizers, ageRestriction, minimumAge, maximumAge };
  };
  assert.equal(detailsOf('kino:film'), {
    desc_nb: '<p>Ny <b>tekst</b></p>',
    prices: [
      { type: 'REGULAR', price: 250 },
      { type: 'CHILD', price: 100 },
    ],
    ticketsURL: 'https://kino.example/3',
    images: [],
    organizers: [{ name: 'Lillevik kor' }],
    ageRestriction: '13 år',
    minimumAge: 13,
    maximumAge: 17,
  });
  assert.equal(detailsOf('kino:revy'), {
    desc_nb: 'Gammel tekst',
    prices: [{ type: 'REGULAR', price: 100 }],
    ticketsURL: 'https://kino.example/2',
    images: [{ urlLarge: PICTURE }],
    organizers: [{ name: 'Kinolaget' }],
    ageRestriction: '6 år',
    minimumAge: 6,
    maximumAge: null,
  });
  assert.equal(
    [event('kino:film').tags, event('kino:revy').tags],
    [[], ['Skrekk', 'Nordavisa', 'barn', 'sør']],
  );
  const { ticketsInformation, images } = event('fest:quiz');
  assert.equal([ticketsInformation, images], ['free', [{ urlLarge: 'https://kino.example/quiz.jpg' }]]);
  assert.equal(ofDeskSheet(lines), [
    'feed desk:2 Beskrivelse: made safe, expected markup that only formats text, found "<script>"',
    'feed desk:4 "kino:revy" Arrangør: dropped value, expected the id of an organizer, because several have this name (club-a, club-b), found "Ungdomsklubben"',
    'feed desk:6 "fest:quiz" Arrangør: dropped value, expected the id or the name of an organizer; the nearest is "Lillevik kor", found "Lillevik kar"',
    'feed desk:7 Pris: made safe, expected plain text, found "<i>"',
  ]);
});

test('F15: should apply sheets in their order, and corrections.json last', async () => {
  const files = withSheet('Id;Tittel;Ingress\nfest:quiz;A;a\nfest:dans;B;\nfest:tog;C;', {
    'sources.json': [...FEEDS, DESK, { ...DESK, id: 'central', file: 'central.csv' }],
    'central.csv': 'Id;Tittel\nfest:dans;D\nfest:tog;E\n',
    'corrections.json': [{ where: { id: 'fest:tog' }, set: { title_nb: 'F' } }],
  });
  const { event } = await shownAfter(files);
  const titles = ['fest:quiz', 'fest:dans', 'fest:tog'].map((id) => event(id).title_nb);
  assert.equal(titles, ['A', 'D', 'F']);
});

test('F15: should report words that name no category, no venue or several', async () => {
  const { lines, event } = await shownWithSheet(
    'Id;Kategori;Sted;Tittel\nfest:quiz;Musik;Møterommet;A\nfest:tog;;kirka;\nfest:dans;;;<b>Dans</b>',
  );
  assert.is(event('fest:quiz').title_nb, 'A');
  assert.is(event('fest:dans').title_nb, 'Dans');
  assert.equal(ofDeskSheet(lines), [
    'feed desk:2 "fest:quiz" Kategori: dropped value, expected a category of the licence; the nearest is "MUSIC", found "Musik"',
    'feed desk:2 "fest:quiz" Sted: dropped value, expected the id of a venue, because several have this name (room-a, room-b), found "Møterommet"',
    'feed desk:3 "fest:tog" Sted: dropped record, expected the id or the name of a venue, found "kirka"',
    'feed desk:4 Tittel: made safe, expected plain text, found "<b>"',
  ]);
});

test('F15: should compare only the first unknown words of a sheet with all names', async () => {
  const files: Files = { 'organizers.json': [{ id: 'choir', name: 'Lillevik sangforening' }] };
  const mistyped = Array.from(
    { length: 70 },
    (_, at) => `Lillevik sangforenin${String.fromCodePoint(0x3b1 + at)}`,
  );
  const sheet = ['Id;Arrangør', ...mistyped.map((name) => `fest:quiz;${name}`), `fest:quiz;${mistyped[0]}`];
  const { lines } = await shownWithSheet(sheet.join('\n'), files);
  const found = ofDeskSheet(lines).map((line) => line.includes('the nearest is "Lillevik sangforening"'));
  const expected = mistyped.map((_, at) => at < 50);
  assert.equal(found, [...expected, true], 'the last one is the first one again');
});

const CONTRADICTIONS: Readonly<Record<string, object>> = {
  'feeds[1]: expected the id of a feed with events; the nearest is "kino", found "kini"': {
    feeds: ['fest', 'kini'],
  },
  'feeds[0]: expected the id of a feed with events': { feeds: ['desk'] },
  'feeds: expected a list of ids of feeds': { feeds: 'fest' },
  'defaults: expected only for feeds with events': { defaults: { tags: ['a'] } },
  'name: expected only for feeds with events': { name: 'Desken' },
  'columns: expected only for kind "csv"': { columns: { id: 'Nr' } },
  'feeds: expected only for kind "corrections"': { kind: 'csv', feeds: ['fest'] },
};

for (const [message, settings] of Object.entries(CONTRADICTIONS)) {
  test(`F15: should stop the build for ${JSON.stringify(settings)}`, async () => {
    const source = sourceFolder(withSheet('Id;Skjul', {}, settings));
    const error = await rejects(builtWithFeeds(source, temporaryFolder()), 'INVALID_SOURCE');
    assertIncludes(error.message, `"desk" ${message}`);
  });
}

test.run();
