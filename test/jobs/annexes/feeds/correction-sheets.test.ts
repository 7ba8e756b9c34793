/** F15: correction sheets, through whole builds with real servers. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { readCorrectionSheet } from '../../../../jobs/annexes/feeds/corrections/sheet.ts';
import type { FeedRecord } from '../../../../jobs/annexes/feeds/last-good.ts';
import { TABLE_FIELDS, type TableField } from '../../../../jobs/annexes/feeds/table-fields.ts';
import { A_NEW_DATE } from '../../../../jobs/annexes/feeds/title-words.ts';
import { findingLine } from '../../../../jobs/findings.ts';
import { failingLines } from '../../../../jobs/report-sections.ts';
import { plainly } from '../../../../src/annexes/operator/reasons.ts';
import { isObject } from '../../../../src/calendar/json.ts';
import { assertIncludes } from '../../../helpers/assertions.ts';
import { NOW } from '../../../helpers/calendar.ts';
import { ofDeskSheet, shownAfter } from '../../../helpers/corrections.ts';
import { rejects } from '../../../helpers/errors.ts';
import { vcalendar } from '../../../helpers/feed-files.ts';
import { refusalOf, taskOf } from '../../../helpers/feed-reading.ts';
import { always, startFeedServer } from '../../../helpers/feed-server.ts';
import { builtWithFeeds } from '../../../helpers/feeds.ts';
import { temporaryFolder } from '../../../helpers/folder.ts';
import { type Files, LICENCE, sourceFolder } from '../../../helpers/native-source.ts';
import { editionRows } from '../../../helpers/snapshot-rows.ts';
import { costsAtMost } from '../../../helpers/usage.ts';

const test = suite('F15: correction sheets');

/** Longer than texts in findings. */
const LONG_NAME = `Lillevik kirke, ${'inngangen mot sør, '.repeat(8)}orgelgalleriet`;
const VENUES = [
  { id: 'hall', name: 'Storsalen', address: 'Torget 1, 7170 Lillevik', aliases: ['Kinosalen'] },
  { id: 'church', name: 'Lillevik kirke', address: 'Kirkegata 9, 7170 Lillevik', aliases: [LONG_NAME] },
  { id: 'room-a', name: 'Møterommet', address: 'Torget 2, 7170 Lillevik' },
  { id: 'room-b', name: 'Møterommet', address: 'Havnegata 9, 7180 Roan' },
];
const CATEGORIES = [
  { id: 'MUSIC', name_nb: 'Musikk', name_en: 'Music' },
  { id: 'FAMILY', name_nb: 'Familie', name_en: 'Family' },
];
const CHOIR = {
  id: 'kor',
  title_nb: 'Korøvelse',
  venue: 'hall',
  repeats: [{ start: '2026-02-03 18:00', duration: 90, rule: 'FREQ=WEEKLY;COUNT=4' }],
};
const FEST = [
  'Id,Tittel,Start,Slutt,Sted,Adresse',
  'quiz,Quiz,2026-02-05 19:00,2026-02-05 21:00,Kroa,"Torget 5, 7170 Lillevik"',
  'dans,Sanddans,2026-02-06 20:00,,Kroa,"Torget 5, 7170 Lillevik"',
  'dans,Sanddans,2026-02-07 20:00,,Kroa,"Torget 5, 7170 Lillevik"',
  'tog,Fakkeltog,2026-02-08,,Torget,',
  '',
].join('\n');
const KINO = 'Id,Tittel,Start\nfilm,Film,2026-02-09 18:00\n';
const FEEDS = [
  { id: 'fest', kind: 'csv', file: 'fest.csv' },
  { id: 'kino', kind: 'csv', file: 'kino.csv' },
];
const FILES: Files = {
  'licence.json': { ...LICENCE, siteUrl: 'https://lillevik.example', categories: CATEGORIES },
  'venues.json': VENUES,
  'events.json': [CHOIR],
  'fest.csv': FEST,
  'kino.csv': KINO,
};
const DESK = { id: 'desk', kind: 'corrections', file: 'desk.csv' };

/** The town with a sheet of this text. */
const withSheet = (text: string | Buffer, more: Files = {}, settings: object = {}): Files => ({
  ...FILES,
  'sources.json': [...FEEDS, { ...DESK, ...settings }],
  'desk.csv': text,
  ...more,
});
const after = (text: string | Buffer, more: Files = {}, settings: object = {}) =>
  shownAfter(withSheet(text, more, settings));

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
  const { event, dates, ids, lines, report } = await after(ALL_KINDS);
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
  const { event, lines } = await after(sheet, WITH_DETAILS);
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

interface Case {
  readonly sheet: string | Buffer;
  readonly language?: 'nb' | 'en';
  /** `line where set`, or a finding. */
  readonly read: readonly string[];
}

const NO_EFFECT = `expected a row that also says what to change, found "a"`;
const NOT_FOR_DATES = 'expected nothing, because Dato selects dates, and this is the same for all of them';

/** `c0,c1,…` */
function numbered(prefix: string, count: number): string {
  return Array.from({ length: count }, (_, at) => `${prefix}${at}`).join();
}

/** More events than a cell may name. */
const OTHERS = Array.from({ length: 21 }, (_, at) => `event-${at}`).join(';');

/** Rows that match, rows written in another way, and rows that are left out. */
const CASES: readonly Case[] = [
  { sheet: 'id,title\na,B', read: ['2 a {"title_nb":"B"}'] },
  { sheet: 'Tittel\tID\nB\ta', read: ['2 a {"title_nb":"B"}'] },
  { sheet: '\ufeffId;TITLE\r\na;Bål\r\n', read: ['2 a {"title_nb":"Bål"}'] },
  {
    sheet: Buffer.from('Id;Tittel\na;Bål\n', 'latin1'),
    read: ['2 a {"title_nb":"Bål"}'],
  },
  { sheet: 'Id;Kort tekst\na;B', read: ['2 a {"summary_nb":"B"}'] },
  { sheet: 'Id;Start\na;7:30 PM', read: ['2 a {"start":"19:30"}'] },
  { sheet: 'Id;Start;Slutt\na;19.00–21.00;22', read: ['2 a {"start":"19:00","end":"22:00"}'] },
  { sheet: 'Id;Slutt\na;24:00', read: ['2 a {"end":"00:00"}'] },
  {
    sheet: 'Id;Date;Start\na;14/02/2026;kl. 18',
    read: ['2 a 2026-02-14 {"start":"18:00"}'],
  },
  {
    sheet: 'Id;Dato;Status\na;14.02.2026, 15.02.2026 kl. 20;Canceled',
    read: ['2 a 2026-02-14 20:00 {"status":"CANCELLED"}', '2 a 2026-02-15 20:00 {"status":"CANCELLED"}'],
  },
  { sheet: 'Id;Status\na;Sold out', read: ['2 a {"eventSoldOut":true}'] },
  { sheet: 'Id;Status\na;som planlagt', read: ['2 a {"status":"SCHEDULED"}'] },
  { sheet: 'Id;Hide\na;TRUE', read: ['2 a hide'] },
  { sheet: 'Id;Skjul\na;x', read: ['2 a hide'] },
  { sheet: 'Id;Skjul;Merknad\n;nei;hei\n;;\n', read: [] },
  {
    language: 'en',
    sheet: 'Id;English title;Engelsk ingress\na;B;C',
    read: ['2 a {"title_en":"B","summary_en":"C"}'],
  },
  {
    language: 'en',
    sheet: 'Id;Title;Title nb;Norsk ingress\na;B;C;D',
    read: ['2 a {"title_en":"B","title_nb":"C","summary_nb":"D"}'],
  },
  {
    language: 'en',
    sheet: 'Id;Title;Title en;Summary\na;B;C;D',
    read: [
      '2 "a" Title: dropped value, expected nothing, because Title en gives the same text, found "B"',
      '2 a {"title_en":"C","summary_en":"D"}',
    ],
  },
  {
    sheet: 'Id;Tittel\n;B',
    read: [
      `2 Id: dropped record, expected the id of an event, or the address of the event's page, found nothing`,
    ],
  },
  {
    sheet: `Id;Tittel\n${'a'.repeat(3_000)};B`,
    read: [
      `2 "${'a'.repeat(79)}…" Id: dropped record, expected the id of an event, or the address of the event's page (an id of at most 2000 characters), found "${'a'.repeat(78)}…`,
    ],
  },
  { sheet: 'Id;Tittel;Merknad\na;;hei', read: [`2 "a" Id: dropped record, ${NO_EFFECT}`] },
  {
    sheet: 'Id;Skjul\na;kanskje',
    read: ['2 "a" Skjul: dropped record, expected ja or nei, found "kanskje"'],
  },
  {
    sheet: 'Id;Dato;Skjul\na;i morgen;ja',
    read: [
      '2 "a" Dato: dropped record, expected a date such as 14.02.2031 or 14.02.2031 kl. 19.00, or several with commas between them, found "i morgen"',
    ],
  },
  {
    sheet: 'Id;Dato;Skjul\na;14.–16. februar 2026;ja',
    read: [
      '2 "a" Dato: dropped record, expected a date such as 14.02.2031 or 14.02.2031 kl. 19.00, or several with commas between them, found "14.–16. februar 2026"',
    ],
  },
  {
    sheet: 'Id;Status;Tittel\na;avlystt;B',
    read: [
      '2 "a" Status: dropped value, expected avlyst, utsatt, utsolgt, ikke utsolgt or som planlagt, found "avlystt"',
      '2 a {"title_nb":"B"}',
    ],
  },
  {
    sheet: 'Id;Status\na;avlystt',
    read: [
      '2 "a" Status: dropped record, expected avlyst, utsatt, utsolgt, ikke utsolgt or som planlagt, found "avlystt"',
      `2 "a" Id: dropped value, ${NO_EFFECT}`,
    ],
  },
  {
    sheet: 'Id;Dato;Tittel;Start\na;14.02.2026;B;18:00',
    read: [`2 "a" Tittel: dropped value, ${NOT_FOR_DATES}, found "B"`, '2 a 2026-02-14 {"start":"18:00"}'],
  },
  {
    sheet: 'Id;Start;Tittel\na;14.02.2026 kl. 18;B',
    read: [
      '2 "a" Start: dropped value, expected a time of day such as 19.30 or, in Dato, the one date that moves, found "14.02.2026 kl. 18"',
      '2 a {"title_nb":"B"}',
    ],
  },
  {
    sheet: 'Id;Skjul;Tittel\na;ja;B',
    read: [
      '2 "a" Tittel: dropped value, expected nothing, because Skjul hides what the row selects, found "B"',
      '2 a hide',
    ],
  },
  {
    sheet: 'Id;Beskrivelse;English description\na;<p>Hei;Hi',
    read: ['2 a {"desc_nb":"<p>Hei","desc_en":"Hi"}'],
  },
  { language: 'en', sheet: 'Id;Description;Norsk beskrivelse\na;Hi;', read: ['2 a {"desc_en":"Hi"}'] },
  {
    sheet: 'Id;Pris (kr)\na;Voksen 250 / barn 100',
    read: [
      '2 a {"ticketsInformation":"ticketsInfo","prices":[{"type":"REGULAR","price":"250","name_nb":"Voksen"},{"type":"CHILD","price":"100","name_nb":"barn"}]}',
    ],
  },
  { sheet: 'Id;Price\na;gratis', read: ['2 a {"ticketsInformation":"free","prices":[]}'] },
  {
    sheet: 'Id;Pris\na;bare pent vær\nb;–',
    read: [
      '2 "a" Pris: changed value, expected a price such as 150 or 149,50, or gratis (the text is kept), found "bare pent vær"',
      '2 a {"ticketsInformation":"ticketsInfo","prices":[{"type":"REGULAR","price":null,"name_nb":"bare pent vær"}]}',
      '3 "b" Pris: dropped record, expected a price such as 150 or 149,50, or gratis, found "–"',
      '3 "b" Id: dropped value, expected a row that also says what to change, found "b"',
    ],
  },
  {
    sheet: 'Id;Dato;Billetter\na;14.02.2026;www.billett.example/1',
    read: ['2 a 2026-02-14 {"ticketsURL":"https://www.billett.example/1"}'],
  },
  {
    sheet: `Id;Tickets;Tittel\na;billett.example;B\nb;https://a.example/${'x'.repeat(2_048)};B`,
    read: [
      '2 "a" Tickets: dropped value, expected an http or https URL, found "billett.example"',
      '2 a {"title_nb":"B"}',
      `3 "b" Tickets: dropped value, expected an http or https URL, found "https://a.example/${'x'.repeat(60)}…`,
      '3 b {"title_nb":"B"}',
    ],
  },
  {
    sheet: 'Id;Bilde\na;https://a.example/1.jpg www.b.example/2.jpg',
    read: [
      '2 a {"images":[{"urlSmall":"https://a.example/1.jpg","urlLarge":"https://a.example/1.jpg"},{"urlSmall":"https://www.b.example/2.jpg","urlLarge":"https://www.b.example/2.jpg"}]}',
    ],
  },
  {
    sheet: 'Id;Images\na;Ingen\nb;NONE\nc;\nd;ingenting',
    read: [
      '2 a {"images":null}',
      '3 b {"images":null}',
      '4 "c" Id: dropped record, expected a row that also says what to change, found "c"',
      '5 "d" Images: dropped record, expected the http or https URL of an image, or ingen, found "ingenting"',
      '5 "d" Id: dropped value, expected a row that also says what to change, found "d"',
    ],
  },
  {
    sheet: 'Id;Aldersgrense;minimumAge;maximumAge\na;18 år;18;unge',
    read: [
      '2 "a" maximumAge: dropped value, expected a whole number, found "unge"',
      '2 a {"ageRestriction":"18 år","minimumAge":18}',
    ],
  },
  {
    sheet: 'Id;Dato;Bilde;Arrangør;Pris;Aldersgrense;Slutt\na;14.02.2026;ingen;B;1;2;22:00',
    read: [
      `2 "a" Pris: dropped value, ${NOT_FOR_DATES}, found "1"`,
      `2 "a" Bilde: dropped value, ${NOT_FOR_DATES}, found "ingen"`,
      `2 "a" Arrangør: dropped value, ${NOT_FOR_DATES}, found "B"`,
      `2 "a" Aldersgrense: dropped value, ${NOT_FOR_DATES}, found "2"`,
      '2 a 2026-02-14 {"end":"22:00"}',
    ],
  },
  {
    sheet: 'Id;Arrangør\na;post@lag.example',
    read: [
      '2 "a" Arrangør: dropped record, expected a name, not an email address, found "post@lag.example"',
      '2 "a" Id: dropped value, expected a row that also says what to change, found "a"',
    ],
  },
  { sheet: 'Id;Samme som;Ikke samme som\na;"b; c";d', read: ['2 a {} = b = c ≠ d'] },
  {
    sheet: 'Id;same as:;Tittel;Not same as\na;"https://a.example/1, https://a.example/2";B;',
    read: ['2 a {"title_nb":"B"} = https://a.example/1 = https://a.example/2'],
  },
  {
    sheet: 'Id;Dato;Samme som;Status\na;14.02.2026;b;avlyst',
    read: [
      `2 "a" Samme som: dropped value, ${NOT_FOR_DATES}, found "b"`,
      '2 a 2026-02-14 {"status":"CANCELLED"}',
    ],
  },
  {
    sheet: 'Id;Skjul;Ikke samme som\na;ja;b',
    read: [
      '2 "a" Ikke samme som: dropped value, expected nothing, because Skjul hides what the row selects, found "b"',
      '2 a hide',
    ],
  },
  {
    sheet: `Id;Samme som;Ikke samme som\na;"${OTHERS}";"d;${'e'.repeat(3_000)}"`,
    read: [
      `2 "a" Samme som: dropped value, expected the ids or addresses of at most 20 events, with semicolons between them, found "${OTHERS.slice(0, 78)}…`,
      `2 "a" Ikke samme som: dropped value, expected the id of an event, or the address of the event's page, found "d;${'e'.repeat(76)}…`,
      '2 a {} ≠ d',
    ],
  },
  {
    sheet: `Id;Kategori;Arrangør\na;${numbered('c', 101)};${numbered('o', 101).replaceAll(',', '|')}`,
    read: [
      '2 "a" Kategori: changed value, expected at most 100 categories, found "c0,c1,c2,c3,c4,c5,c6,c7,c8,c9,c10,c11,c12,c13,c14,c15,c16,c17,c18,c19,c20,c21,…',
      '2 "a" Arrangør: changed value, expected at most 100 organizers, found "o0|o1|o2|o3|o4|o5|o6|o7|o8|o9|o10|o11|o12|o13|o14|o15|o16|o17|o18|o19|o20|o21|…',
      '2 a {}',
    ],
  },
  {
    sheet: 'Id;Vær;Tittel;Farge;Tittel\na;x;B;y;z',
    read: [
      '1: changed value, expected each of Id, Dato, Skjul, Godkjent, Tittel, Norsk tittel, Engelsk tittel, Ingress, Norsk ingress, Engelsk ingress, Start, Slutt, Kategori, Sted, Kommune, Status, Fremhev, Emneord, Beskrivelse, Norsk beskrivelse, Engelsk beskrivelse, Pris, Billetter, Bilde, Arrangør, Aldersgrense, MinimumAge, MaximumAge, Samme som, Ikke samme som, Merknad at most once (other columns are not read), found "Vær", "Farge", "Tittel"',
      '2 a {"title_nb":"B"}',
    ],
  },
  {
    sheet: 'Id;Tittel;Skjull\na;B;ja',
    read: [
      '1: changed value, expected each of Id, Dato, Skjul, Godkjent, Tittel, Norsk tittel, Engelsk tittel, Ingress, Norsk ingress, Engelsk ingress, Start, Slutt, Kategori, Sted, Kommune, Status, Fremhev, Emneord, Beskrivelse, Norsk beskrivelse, Engelsk beskrivelse, Pris, Billetter, Bilde, Arrangør, Aldersgrense, MinimumAge, MaximumAge, Samme som, Ikke samme som, Merknad at most once (other columns are not read); the nearest is "skjul", found "Skjull"',
      '2 a {"title_nb":"B"}',
    ],
  },
];

function readSheet(sheet: string | Buffer, language: 'nb' | 'en' = 'nb'): readonly string[] {
  const lines: string[] = [];
  readCorrectionSheet([{ origin: null, bytes: Buffer.from(sheet) }], taskOf({ language }), (line) => {
    if (line.list === 'corrections') lines.push(entryText(line));
    if (line.list !== 'findings') return;
    const { line: at, id, field, action, expected, found } = line;
    const where = [at, id === null ? null : `"${id}"`, field].filter((part) => part !== null);
    lines.push(`${where.join(' ')}: ${action}, expected ${expected}, found ${found}`);
  });
  return lines;
}

function entryText({ line, value }: FeedRecord): string {
  const { where, hide, set, same, different } = value;
  const conditions = isObject(where) ? Object.values(where).join(' ') : '';
  const effect = hide === true ? 'hide' : JSON.stringify(set);
  return `${line} ${conditions} ${effect}${listed(' = ', same)}${listed(' ≠ ', different)}`;
}

function listed(mark: string, names: unknown): string {
  return Array.isArray(names) ? names.map((name) => `${mark}${name}`).join('') : '';
}

for (const { sheet, language, read } of CASES) {
  test(`F15: should read ${JSON.stringify(sheet.toString().slice(0, 80))}`, () => {
    assert.equal(readSheet(sheet, language), read);
  });
}

/** Other columns that also tables of events have, with a cell that each can have. */
const OF_TABLES: Readonly<Partial<Record<TableField, readonly string[]>>> = {
  desc_nb: ['B', '{"desc_nb":"B"}'],
  desc_en: ['B', '{"desc_nb":"B"}', '{"desc_en":"B"}'],
  prices: ['0', '{"ticketsInformation":"free","prices":[]}'],
  ticketsURL: ['https://a.example', '{"ticketsURL":"https://a.example"}'],
  images: ['ingen', '{"images":null}'],
  organizers: ['Korlaget', '{}'],
  ageRestriction: ['18', '{"ageRestriction":"18"}'],
  municipality: ['Oppdal', '{"municipality":"Oppdal"}'],
};

test('F15: should read columns by the names that they have in a table of events', () => {
  for (const [field, [cell, ...sets]] of Object.entries(OF_TABLES)) {
    const names = TABLE_FIELDS[field as TableField].names.split('|').filter((name) => name !== 'ingress');
    for (const name of [...names, field]) {
      const read = readSheet(`Id;${name}\na;${cell}`).join('\n');
      assert.ok(
        sets.some((set) => read === `2 a ${set}`),
        `${name}: ${read}`,
      );
    }
  }
});

const REFUSED: Readonly<Record<string, string>> = {
  'Dato;Skjul\n2026-02-03;ja':
    'unreadable answer: expected a first row that names the column Id and at least one of Skjul, Godkjent, Tittel, Norsk tittel, Engelsk tittel, Ingress, Norsk ingress, Engelsk ingress, Start, Slutt, Kategori, Sted, Kommune, Status, Fremhev, Emneord, Beskrivelse, Norsk beskrivelse, Engelsk beskrivelse, Pris, Billetter, Bilde, Arrangør, Aldersgrense, MinimumAge, MaximumAge, Samme som, Ikke samme som, found "Dato", "Skjul"',
  'Id;Dato\na;2026-02-03': 'found "Id", "Dato"',
  'a;ja\nId;Skjul\nb;ja': 'found "a", "ja"',
  '\n\n': 'found no row',
  'Id;Tittel\na;"B\nb;C': 'truncated: expected a closing quote, found the end of the sheet',
  'Id;Dato;Skjul\na;05/06/2026;ja': 'whose order is certain, found "05/06/2026"',
  [`Id;Skjul\n${'a;ja\n'.repeat(2_001)}`]: 'size limit: expected at most 2000 corrections, found more',
  [`Id;Dato;Skjul\n${'a;14.02.2026, 15.02.2026;ja\n'.repeat(1_001)}`]:
    'expected at most 2000 corrections, found more',
};

for (const [sheet, message] of Object.entries(REFUSED)) {
  test(`F15: should refuse ${JSON.stringify(sheet.slice(0, 40))} as a whole`, () => {
    assertIncludes(refusalOf(readCorrectionSheet, sheet), message);
  });
}

test('F15: should bound the work for a sheet of hostile cells', async () => {
  const long = '14.02.2026, '.repeat(800);
  const rows = Array.from(
    { length: 200 },
    (_, at) => `${at}${'['.repeat(1_500)};${long};${'<b>'.repeat(900)};ja`,
  );
  await costsAtMost(24, () => {
    assert.is(readSheet(`Id;Dato;Tittel;Skjul\n${rows.join('\n')}`).length, 200);
  });
});

/** The address of an event's page on the site of the calendar. */
const page = (slug: string) => `https://lillevik.example/event/${slug}`;

test('F15: should find an event by its id and by the address of its page', async () => {
  const target = temporaryFolder();
  await builtWithFeeds(sourceFolder(withSheet('Id;Tittel')), target);
  const found: Readonly<Record<string, string>> = {
    'fest:quiz': 'fest:quiz',
    [`${page('korovelse')}?id=7`]: 'kor',
    [`${page('sanddans')}?date=2026-02-06T20:00#top`]: 'fest:dans',
    'https://avis.example/arrangement/fest%3Atog?dato=2026-02-08#kart': 'fest:tog',
    'https://avis.example/vis?id=kino:film&side=2': 'kino:film',
  };
  const rows = Object.keys(found).map((written, at) => `${written};T${at}`);
  const unknown = [page('ukjent'), 'https://andre.example/event/quiz', 'fest:quizz'];
  const sheet = ['Id;Tittel', ...rows, ...unknown.map((written) => `${written};X`)].join('\n');
  const { event, lines } = await shownAfter(withSheet(sheet), { target });
  for (const [at, id] of Object.values(found).entries()) assert.is(event(id).title_nb, `T${at}`, id);
  assert.equal(ofDeskSheet(lines), [
    `feed desk:7 Id: left out, expected the address of a page that an earlier snapshot has, found "${unknown[0]}"`,
    `feed desk:8 Id: left out, expected an id, or the address of an event's page, such as https://lillevik.example/event/…, found "${unknown[1]}"`,
    'feed desk:9 Id: left out, expected the id of an event of this build; the nearest is "fest:quiz", found "fest:quizz"',
  ]);
});

const EVENT_PAGES = [
  'https://avisen.example/arrangement/{slug}?dato={date}',
  'https://lokalt.example/vis?side=1&arr={id}',
  'https://byen.example/#/kultur/{slug}/',
];

/** Addresses of pages on these sites, and the events that they name. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  'http://AVISEN.example/arrangement/quiz/?dato=2026-02-05&utm_source=brev#kart': 'fest:quiz',
  'https://lokalt.example/vis?arr=fest%3Adans&side=1&ny=ja': 'fest:dans',
  'https://byen.example/?fra=brev#/kultur/fakkeltog': 'fest:tog',
};

/** Addresses of no such page. */
const OTHER_PAGES = [
  'https://avisen.example/artikkel/quiz',
  'https://avisen.example/arrangement/sport/quiz',
  'https://lokalt.example/vis?side=2&arr=kino:film',
  'https://byen.example/kultur/korovelse',
];

test('F13: should find events by the addresses that eventPages describes, and name these for others', async () => {
  const siteUrl = 'https://lillevik.example';
  const files = { 'licence.json': { ...LICENCE, siteUrl, eventPages: EVENT_PAGES } };
  const target = temporaryFolder();
  await builtWithFeeds(sourceFolder(withSheet('Id;Skjul', files)), target);
  const unknown = 'https://avisen.example/arrangement/ukjent';
  const rows = [...Object.keys(ELSEWHERE), unknown, ...OTHER_PAGES].map((address) => `${address};ja`);
  const { ids, lines } = await shownAfter(withSheet(['Id;Skjul', ...rows].join('\n'), files), { target });
  assert.equal(ids, ['kino:film', 'kor']);
  const pages =
    'https://lillevik.example/event/… or https://avisen.example/arrangement/… or https://lokalt.example/vis?side=1&arr=… or https://byen.example/#/kultur/…';
  assert.equal(ofDeskSheet(lines), [
    `feed desk:5 Id: left out, expected the address of a page that an earlier snapshot has, found "${unknown}"`,
    ...OTHER_PAGES.map(
      (address, at) =>
        `feed desk:${at + 6} Id: left out, expected an id, or the address of an event's page, such as ${pages}, found "${address}"`,
    ),
  ]);
});

test('F15: should find the pages of the calendar’s own site, and those that records name', async () => {
  const { siteUrl: _, ...licence } = LICENCE;
  const quiz = 'https://lillevik.example/kalender/kveldsquiz';
  const native = { id: 'q', title_nb: 'Quiz', eventLink: quiz, dates: [{ start: '2026-02-05 19:00' }] };
  const own = { 'licence.json': licence, 'events.json': [CHOIR, native] };
  const target = temporaryFolder();
  const ownUrl = 'https://kalender.example/';
  await builtWithFeeds(sourceFolder(withSheet('Id;Tittel', own)), target, { ownUrl });
  const sheet = `Id;Skjul\n${ownUrl}events/korovelse.html;ja\n${quiz}?utm_source=brev;ja`;
  const { report } = await builtWithFeeds(sourceFolder(withSheet(sheet, own)), target, { ownUrl });
  assert.equal([report.hidden, ofDeskSheet(report.findings.map(findingLine))], [2, []]);
});

/** The links of events, by their ids: pages of sites that name them after the path. */
const LINKED: Readonly<Record<string, string>> = {
  film: 'https://kino.example/vis?id=k42',
  revy: 'https://kino.example/vis?id=k43',
  torg: 'https://lillevik.example/?p=7',
  bod: 'https://lillevik.example/?p=8',
  kurs: 'https://fest.example/program#kurs',
  tur: 'https://fest.example/program#tur',
  lek: 'https://fest.example/#/lek?side=2&dag=1',
  mote: 'https://lillevik.example/arrangement?nr=1',
  vandring: 'https://lillevik.example/arrangement?nr=2',
};

/** Addresses of pages, and the events that have them. */
const HIDDEN: Readonly<Record<string, string>> = {
  'https://kino.example/vis?utm_source=brev&id=k42&fbclid=1': 'film',
  'https://lillevik.example/?p=8&gclid=1': 'bod',
  'https://fest.example/program#tur': 'tur',
  'https://lillevik.example/arrangement?nr=2': 'vandring',
};

/** Addresses of other pages with a path, a slug or an id of an event. */
const UNKNOWN = [
  'https://kino.example/vis',
  'https://kino.example/vis?id=k44',
  'https://lillevik.example/?p=9',
  'https://fest.example/program',
  'https://fest.example/kor#/tur',
  'https://lillevik.example/arrangement',
  'https://lillevik.example/arrangement?nr=3',
  'https://lillevik.example/korovelse?nr=3',
  'https://kino.example/kor?film=3',
];

test('F13: should tell pages apart by what stands after their path, and report addresses of other pages', async () => {
  const dates = [{ start: '2026-02-05 19:00' }];
  const linked = Object.entries(LINKED).map(([id, eventLink]) => ({ id, title_nb: id, eventLink, dates }));
  const files = { 'events.json': [CHOIR, ...linked] };
  const target = temporaryFolder();
  await builtWithFeeds(sourceFolder(withSheet('Id;Skjul', files)), target);
  const rows = [...Object.keys(HIDDEN), ...UNKNOWN].map((written) => `${written};ja`);
  const { ids, lines } = await shownAfter(withSheet(['Id;Skjul', ...rows].join('\n'), files), { target });
  const gone = Object.values(HIDDEN);
  const rest = ['kor', ...Object.keys(LINKED)].filter((id) => !gone.includes(id));
  assert.equal(
    ids.filter((id) => !id.includes(':')),
    rest.sort(),
  );
  const reported = ofDeskSheet(lines).map((line) => rows[Number(/\d+/.exec(line)) - 2]);
  assert.equal(reported, rows.slice(gone.length), ofDeskSheet(lines).join('\n'));
});

test('F15: should know a page from the second build on, although the source is the same', async () => {
  const source = sourceFolder(withSheet(`Id;Skjul\n${page('quiz')};ja`));
  const target = temporaryFolder();
  const first = await builtWithFeeds(source, target);
  assert.is(first.report.hidden, 0);
  const second = await builtWithFeeds(source, target, { now: NOW + 900 });
  assert.equal([second.result.outcome, second.report.hidden], ['published', 1]);
  const third = await builtWithFeeds(source, target, { now: NOW + 1_800 });
  assert.is(third.result.outcome, 'unchanged');
  // A17: a slug without an event is free after 400 days, but not that of a hidden event.
  for (const days of [300, 600]) {
    const later = await builtWithFeeds(source, target, { now: NOW + days * 86_400, force: true });
    assert.is(later.report.hidden, 1, `after ${days} days`);
  }
});

test('F15: should limit a sheet to the records of its feeds', async () => {
  const sheet = ['Id;Tittel', 'fest:quiz;A', 'kino:film;B', 'kor;C'].join('\n');
  const { event, lines } = await after(sheet, {}, { feeds: ['fest'] });
  const titles = ['fest:quiz', 'kino:film', 'kor'].map((id) => event(id).title_nb);
  assert.equal(titles, ['A', 'Film', 'Korøvelse']);
  assert.equal(ofDeskSheet(lines), [
    'feed desk:3 Id: left out, expected an event of fest, found one of kino',
    "feed desk:4 Id: left out, expected an event of fest, found one of the folder's own records",
  ]);
});

test('F15: should set the municipality of a place, unless a limited sheet shares it with other feeds', async () => {
  const sheet = [
    'Id;Dato;Kommune',
    'fest:quiz;;trondheim',
    'fest:tog;;Trondheim',
    'fest:dans;06.02.2026;Trondhiem',
  ].join('\n');
  const kino = 'Id,Tittel,Start,Sted\nfilm,Film,2026-02-09 18:00,Torget\n';
  const register = '7013\tTRONDHEIM\t5001\tTRONDHEIM\tG\n7170\tLILLEVIK\t5058\tÅFJORD\tG';
  const files = { 'kino.csv': kino, 'postal-codes.tsv': register };
  const { lines, target } = await after(sheet, files, { feeds: ['fest'] });
  assert.equal(ofDeskSheet(lines), [
    'feed desk:4 Kommune: dropped value, expected the name or number of a municipality that postal-codes.tsv lists; the nearest is "Trondheim", found "Trondhiem"',
    'feed desk:3 Kommune: dropped value, expected a place where only feeds of this sheet have events, found events of others',
  ]);
  const places =
    "select name || ' ' || coalesce(municipality, '-') as text from venue order by name, municipality";
  assert.equal(await editionRows(target, places), [
    'Kroa Trondheim',
    'Lillevik kirke Åfjord',
    'Møterommet -',
    'Møterommet Åfjord',
    'Storsalen Åfjord',
    'Torget -',
  ]);
});

/** Events in two towns, in both and in neither. The cinema has its town from `defaults`, the other places from the register. */
const COUNTY: Files = {
  'postal-codes.tsv': '7013\tTRONDHEIM\t5001\tTRONDHEIM\tG\n7170\tLILLEVIK\t5058\tÅFJORD\tG',
  'fest.csv': `${FEST}rom,Møte,2026-02-14 18:00,,Kroa,"Torget 5, 7170 Lillevik"\nrom,Møte,2026-02-15 18:00,,Torget,\n`,
  'central.csv': 'Id;Sted\nfest:dans;Olavshallen\n',
  'kino.csv': [
    'Id,Tittel,Start,Sted,Adresse',
    'film,Film,2026-02-09 18:00,Kinoen,',
    'revy,Revy,2026-02-10 18:00,Olavshallen,"Kjøpmannsgata 44, 7013 Trondheim"',
    'gjest,Gjestespill,2026-02-11 18:00,Olavshallen,"Kjøpmannsgata 44, 7013 Trondheim"',
    'tur,Turné,2026-02-12 18:00,Kroa,"Torget 5, 7170 Lillevik"',
    'tur,Turné,2026-02-13 18:00,Olavshallen,"Kjøpmannsgata 44, 7013 Trondheim"',
  ].join('\n'),
};
const [FEST_FEED, KINO_FEED] = FEEDS;
/** The county's feeds. The sheet of the central desk, which moves an event to the other town, comes before the town's. */
const county = (settings: object) => [
  FEST_FEED,
  { ...KINO_FEED, defaults: { municipality: 'Åfjord' } },
  { ...DESK, id: 'central', file: 'central.csv' },
  { ...DESK, ...settings },
];

test('F15: should limit a sheet to events and dates in its municipalities', async () => {
  const rows = [
    'fest:quiz;;A;',
    'kino:film;;B;',
    'kino:revy;;C;',
    'kino:tur;;D;',
    'kino:tur;12.02.2026;;19.30',
    'kino:tur;13.02.2026;;19.30',
    'fest:tog;;E;',
    'kino:revy;10.02.2026;;19.30',
    'fest:rom;;F;',
    'fest:dans;;G;',
  ];
  const { event, dates, lines } = await after(['Id;Dato;Tittel;Start', ...rows].join('\n'), {
    ...COUNTY,
    'sources.json': county({ municipalities: ['åfjord', 'Trondhiem'] }),
  });
  const corrected = ['fest:quiz', 'kino:film', 'kino:revy', 'kino:tur', 'fest:tog', 'fest:rom', 'fest:dans'];
  assert.equal(
    corrected.map((id) => event(id).title_nb),
    ['A', 'B', 'Revy', 'Turné', 'Fakkeltog', 'Møte', 'G'],
  );
  assert.equal(dates('kino:tur'), ['02-12 19:30 Kroa', '02-13 18:00 Olavshallen']);
  assert.equal(ofDeskSheet(lines), [
    'feed desk municipalities[1]: dropped value, expected the name or number of a municipality that postal-codes.tsv lists; the nearest is "Trondheim", found "Trondhiem"',
    'feed desk:4 Id: left out, expected an event in Åfjord, found one in Trondheim',
    'feed desk:5 Id: left out, expected an event in Åfjord, found one that is also in Trondheim',
    'feed desk:7 Id: left out, expected an event of this build with id "kino:tur" and that date in Åfjord, found none',
    'feed desk:8 Id: left out, expected an event in Åfjord, found one without a municipality',
    'feed desk:9 Id: left out, expected an event in Åfjord, found one in Trondheim',
    'feed desk:10 Id: left out, expected an event in Åfjord, found one that is also in a place without a municipality',
  ]);
});

test('F15: should limit decisions and changes of places to the municipalities and the feeds of a sheet', async () => {
  const rows = [
    'kino:revy;kino:gjest;;;',
    'kino:gjest;fest:dans;;;',
    'kino:film;fest:quiz;;;',
    'kino:gjest;;;;Oslo kommune',
    'kino:gjest;;;Storsalen;Trondheim',
    'fest:dans;;A;;',
    'messe;;B;;',
  ];
  const { ids, lines, target } = await after(['Id;Samme som;Tittel;Sted;Kommune', ...rows].join('\n'), {
    ...COUNTY,
    'venues.json': [...VENUES, { id: 'dome', name: 'Domen', address: 'Bispegata 11, 7013 Trondheim' }],
    'events.json': [CHOIR, { ...CHOIR, id: 'messe', title_nb: 'Messe', venue: 'dome' }],
    'sources.json': county({ feeds: ['fest', 'kino'], municipalities: ['5001'] }),
  });
  assert.equal(ids, [
    'fest:dans',
    'fest:quiz',
    'fest:rom',
    'fest:tog',
    'kino:film',
    'kino:revy',
    'kino:tur',
    'kor',
    'messe',
  ]);
  assert.equal(ofDeskSheet(lines).sort(), [
    'feed desk:3 "kino:gjest" Samme som: left out, expected an event in Trondheim, found one in Åfjord',
    'feed desk:4 Id: left out, expected an event in Trondheim, found one in Åfjord',
    'feed desk:5 Kommune: dropped value, expected the name or number of a municipality that postal-codes.tsv lists, found "Oslo kommune"',
    'feed desk:6 Kommune: dropped value, expected a place in Trondheim, found one in Åfjord',
    'feed desk:7 Id: left out, expected an event in Trondheim, found one in Åfjord',
    "feed desk:8 Id: left out, expected an event of fest or kino, found one of the folder's own records",
  ]);
  const place = "select coalesce(municipality, '-') as text from venue where name = 'Storsalen'";
  assert.equal(await editionRows(target, place), ['Åfjord']);
});

const KROA = 'Kroa,"Torget 5, 7170 Lillevik"';

/** A quiz of two feeds, whose records are merged. `place`: the place in the second. */
const quizAt = (place: string, pictures: readonly [fest: string, kino: string] = ['', '']): Files => {
  const row = (id: string, at: string, picture: string) =>
    `Id,Tittel,Start,Sted,Adresse,Bilde\n${id},Quiz,2026-02-05 19:00,${at},${picture}\n`;
  return {
    'licence.json': { ...LICENCE, duplicates: 'merge' },
    'postal-codes.tsv': '7170\tLILLEVIK\t5058\tÅFJORD\tG',
    'fest.csv': row('quiz', KROA, pictures[0]),
    'kino.csv': row('q', place, pictures[1]),
  };
};

test('F15: should hide a merged event, unless another record is outside the limit of the sheet', async () => {
  const shown = async (settings: object, id: string, place = KROA) => {
    const { ids, lines } = await after(`Id;Skjul\n${id};ja`, quizAt(place), settings);
    return [...ids.filter((one) => /:q/.test(one)), ...ofDeskSheet(lines)];
  };
  const left = (other: string) =>
    `feed desk:2 "${other === 'kino:q' ? 'fest:quiz' : 'kino:q'}" Skjul: dropped value, expected an event with no records outside the limit of the sheet, found "${other}"`;
  assert.equal((await shown({}, 'fest:x'))[0], 'fest:quiz', 'nothing hidden');
  assert.equal(await shown({}, 'fest:quiz'), [], 'without a limit');
  assert.equal(await shown({ feeds: ['fest', 'kino'] }, 'kino:q'), [], 'limited to both');
  const ofFest = await shown({ feeds: ['fest'] }, 'fest:quiz');
  assert.equal(ofFest, ['kino:q', left('kino:q')], 'limited to the first');
  const town = { municipalities: ['Åfjord'] };
  assert.equal(await shown(town, 'fest:quiz'), [], 'limited to the town');
  assert.equal(await shown(town, 'kino:q'), [], 'limited to the town');
  const stays = ['kino:q', left('kino:q')];
  // Only the first feed says where Kroa is, and anyone may have written that.
  assert.equal(await shown(town, 'fest:quiz', 'Kroa,'), stays, 'a place that its own feed does not locate');
  assert.equal(await shown(town, 'fest:quiz', ','), stays, 'without a place');
  assert.equal(await shown({ ...town, feeds: ['fest'] }, 'fest:quiz'), stays, 'limited to a town and a feed');
});

test('F13, F15: should leave a merged event without the pictures that a correction removes', async () => {
  const [festPicture, kinoPicture] = ['https://fest.example/quiz.jpg', 'https://kino.example/quiz.jpg'];
  const picturesAfter = async (picture: string, settings: object = {}, place = KROA) => {
    const files = quizAt(place, [festPicture, kinoPicture]);
    const { event } = await after(`Id;Bilde\nfest:quiz;${picture}`, files, settings);
    return event('fest:quiz').images;
  };
  assert.equal(await picturesAfter(''), [{ urlLarge: festPicture }]);
  assert.equal(await picturesAfter('ingen'), []);
  const ofOther = [{ urlLarge: kinoPicture }];
  assert.equal(await picturesAfter('ingen', { feeds: ['fest'] }), ofOther, 'limited to one feed');
  const town = { municipalities: ['Åfjord'] };
  assert.equal(await picturesAfter('ingen', town), [], 'limited to the town');
  assert.equal(await picturesAfter('ingen', town, ','), ofOther, 'limited to the town, without a place');
});

/** The head of a sheet with decisions on duplicates. */
const DECISIONS = 'Id;Samme som;Ikke samme som;Merknad';

test('F15: should join the events that a sheet calls the same, from build to build', async () => {
  const target = temporaryFolder();
  const next = (rows: readonly string[], files: Files = {}) =>
    shownAfter(withSheet([DECISIONS, ...rows].join('\n'), files), { target });
  const all = ['fest:dans', 'fest:quiz', 'fest:tog', 'kino:film', 'kor'];
  assert.equal((await next([])).ids, all);
  const rows = ['fest:quiz;Film;;', `${page('korovelse')};"${page('sanddans')}?date=2026-02-06T20:00";;`];
  // The pages of the second build lead to the joined events, but name the others all the same.
  for (const note of ['a', 'b']) {
    const { ids, lines, report } = await next([...rows, `;;;${note}`, `fest:tog;fest:tog;;${note}`]);
    assert.equal(ids, ['fest:quiz', 'fest:tog', 'kor']);
    assert.equal(ofDeskSheet(lines), [
      'feed desk:5 "fest:tog" Samme som: left out, expected an event other than that of the row, found "fest:tog"',
    ]);
    assert.is(report.merged, 2);
  }
  // An event that is gone needs no decision any more.
  const without = await next(rows, { 'kino.csv': KINO.replace('film,Film', 'revy,Revy') });
  assert.equal(
    [without.ids, ofDeskSheet(without.lines)],
    [['fest:quiz', 'fest:tog', 'kino:revy', 'kor'], []],
  );
  assert.equal((await next([])).ids, all);
});

test('F15: should keep apart what a sheet calls different, unless duplicates.json joins it', async () => {
  const program = 'https://fest.example/program';
  const linked = ['n1', 'n2'].map((id) => ({ ...CHOIR, id, title_nb: id, eventLink: program }));
  const files: Files = {
    'licence.json': { ...LICENCE, duplicates: 'merge' },
    'events.json': [CHOIR, ...linked],
    'kino.csv': `${KINO}q,Quiz,2026-02-05 19:00\n`,
    'duplicates.json': { same: [['fest:dans', 'kino:film']], different: [['fest:tog', 'kor']] },
  };
  assert.not.match((await shownAfter(withSheet(DECISIONS, files))).ids.join(), 'kino:q');
  const rows = [
    'fest:quiz;kor;kor, kino:q;',
    'fest:quiz;;"kor; kino:q";',
    'fest:dans;;kino:film;',
    'kor;"fest:tog; borte";;',
    `kor;${program};;`,
    'fest:quizz;kor;;',
  ];
  const { ids, lines } = await shownAfter(withSheet([DECISIONS, ...rows].join('\n'), files));
  assert.equal(ids, ['fest:dans', 'fest:quiz', 'fest:tog', 'kino:q', 'kor', 'n1', 'n2']);
  assert.equal(ofDeskSheet(lines).sort(), [
    'feed desk:2 "fest:quiz" Ikke samme som: left out, expected the id of an event of this build, found "kor, kino:q"',
    'feed desk:2 "fest:quiz" Samme som: dropped value, expected nothing, because Ikke samme som in feed desk:3 keeps these events apart, found "kor"',
    'feed desk:4 "fest:dans" Ikke samme som: dropped value, expected nothing, because duplicates.json joins these events, found "kino:film"',
    'feed desk:5 "kor" Samme som: dropped value, expected nothing, because duplicates.json keeps these events apart, found "fest:tog"',
    'feed desk:5 "kor" Samme som: left out, expected the id of an event of this build, found "borte"',
    'feed desk:6 "kor" Samme som: left out, expected the id of an event, because several have this address (n1, n2), found "https://fest.example/program"',
    'feed desk:7 Id: left out, expected the id of an event of this build; the nearest is "fest:quiz", found "fest:quizz"',
  ]);
});

test('F15: should limit the decisions of a sheet to the records of its feeds', async () => {
  const rows = ['fest:quiz;kino:film;;', 'kor;fest:tog;;', 'fest:dans;fest:tog;;'];
  const sheet = [`${DECISIONS};Tittel`, ...rows.map((row) => `${row};`), 'kino:film;fest:quiz;;;A'];
  const { ids, lines } = await after(sheet.join('\n'), {}, { feeds: ['fest'] });
  assert.equal(ids, ['fest:dans', 'fest:quiz', 'kino:film', 'kor']);
  assert.equal(ofDeskSheet(lines).sort(), [
    'feed desk:2 "fest:quiz" Samme som: left out, expected an event of fest, found one of kino',
    "feed desk:3 Id: left out, expected an event of fest, found one of the folder's own records",
    'feed desk:5 Id: left out, expected an event of fest, found one of kino',
  ]);
});

test('F15: should join the folder’s own records by a sheet, in a calendar without other feeds', async () => {
  const own = ['n1', 'n2', 'n3'].map((id) => ({ ...CHOIR, id, title_nb: id }));
  const files = withSheet('Id;Samme som;Tittel\nn1;n3;A', { 'events.json': own, 'sources.json': [DESK] });
  const { ids, event } = await shownAfter(files);
  assert.equal([ids, event('n1').title_nb], [['n1', 'n2'], 'A']);
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
  const { lines, event } = await after(
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
  const { lines } = await after(sheet.join('\n'), files);
  const found = ofDeskSheet(lines).map((line) => line.includes('the nearest is "Lillevik sangforening"'));
  const expected = mistyped.map((_, at) => at < 50);
  assert.equal(found, [...expected, true], 'the last one is the first one again');
});

interface Failure {
  readonly what: string;
  readonly status?: number;
  readonly body: string;
  readonly why: string;
  /** As `/status` says it in Norwegian, if it does. */
  readonly nb?: string;
}

const MANY = Array.from({ length: 11 }, (_, at) => `x${at};;B`).join('\n');
const GOOD = `Id;Skjul;Tittel;Bilde\nfest:quiz;ja;;\nfest:dans;;Dans;ingen\n${MANY}\n`;
const FAILURES: readonly Failure[] = [
  { what: 'unreachable', status: 503, body: '', why: 'expected HTTP 200, found 503' },
  { what: 'a page', body: '<!doctype html><title>Logg inn</title>', why: 'found HTML or XML' },
  { what: 'empty', body: '', why: 'expected a table, found nothing' },
  {
    what: 'a renamed column',
    body: GOOD.replace('Skjul', 'Gjem'),
    why: 'expected the column Skjul, which had values before, found none of this name',
    nb: 'kolonnen Skjul mangler; har den fått et nytt navn, må den få tilbake det gamle',
  },
  {
    what: 'a renamed column of pictures',
    body: GOOD.replace('Bilde', 'Fotografi'),
    why: 'expected the column Bilde, which had values before, found none of this name',
  },
  {
    what: 'without ids',
    body: GOOD.replace('Id', 'Nummer'),
    why: 'names the column Id',
    nb: 'den første raden mangler kolonnen Id, eller en kolonne som sier hva som skal endres',
  },
  {
    what: 'cleared',
    body: 'Id;Skjul;Tittel;Bilde\n',
    why: 'expected corrections, as before (13), found none',
  },
];

test('F15: should keep the previous corrections of a sheet that fails, and take it again', async () => {
  const server = await startFeedServer(always(200, GOOD, { etag: '"1"' }));
  const source = sourceFolder(withSheet('', {}, { file: undefined, url: `${server.url}/desk?output=csv` }));
  const target = temporaryFolder();
  const next = (step: number) => builtWithFeeds(source, target, { now: NOW + step * 900 });
  const first = await next(0);
  assert.equal([first.report.feeds.at(-1)?.state, first.report.hidden], ['ok', 1]);
  for (const [step, { what, status = 200, body, why, nb }] of FAILURES.entries()) {
    server.answer = always(status, body);
    const { result, report, all } = await next(step + 1);
    const desk = report.feeds.at(-1);
    assert.is(desk?.state, 'stale', what);
    // A failure with the reason of the one before changes nothing.
    if (result.outcome === 'published') assert.is(report.hidden, 1, what);
    assertIncludes(desk?.why ?? '', why);
    if (nb !== undefined) assert.is(plainly(desk?.why ?? '').nb, nb);
    assertIncludes(
      failingLines(all).join('\n'),
      'feed desk: last good records kept (13 corrections), failing since',
    );
  }
  server.answer = always(200, GOOD.replace('fest:quiz;ja;;', 'fest:quiz;;Q;'));
  const { report } = await next(20).finally(server.close);
  assert.equal([report.feeds.at(-1)?.state, report.hidden], ['ok', 0]);
  assert.is(server.requests[1]?.headers['if-none-match'], '"1"');
});

test('F15: should end the corrections of rows that are deleted, also of the last one', async () => {
  const target = temporaryFolder();
  const hiddenAfter = async (sheet: string) => {
    const { report } = await builtWithFeeds(sourceFolder(withSheet(sheet)), target, { force: false });
    return [report.hidden, report.feeds.at(-1)?.state];
  };
  assert.equal(await hiddenAfter('Id;Skjul;Tittel\nfest:quiz;ja;\nfest:dans;;D'), [1, 'ok']);
  assert.equal(await hiddenAfter('Id;Skjul;Tittel\nfest:dans;;D'), [0, 'ok'], 'one row');
  assert.equal(await hiddenAfter('Id;Tittel\nfest:dans;D'), [0, 'ok'], 'a column without values');
  assert.equal(await hiddenAfter('Id;Tittel\n'), [0, 'ok'], 'the last row');
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

/** A calendar of one event with each of these titles. */
const calendarOf = (titles: readonly string[]) =>
  vcalendar(
    ...titles.map(
      (title, index) =>
        `BEGIN:VEVENT\nUID:${index}\nDTSTART:2026021${index}T180000Z\nSUMMARY:${title}\nEND:VEVENT\n`,
    ),
  );
/** One town in either written Norwegian: a table, a calendar, a form, a sheet with venues and a correction sheet. */
const WRITTEN_NORWEGIAN: Readonly<Record<string, Files>> = {
  Bokmål: {
    'steder.csv':
      'Navn;Adresse;Andre navn;Tilgjengelighet\nKroa;Torget 5, 7170 Lillevik;Kroen;tegnspråktolking',
    'fest.csv': [
      'Id;Tittel;Dato;Klokkeslett;Sted;Beskrivelse;Bilde;Utsolgt;Status;Publisert;Pris;Varighet',
      `quiz;Quiz;torsdag 5. februar 2026;kl. 19.00;Kroa;Kom;https://fest.example/q.jpg;utsolgt;;ja;Medlemmer 50 / ikke-medlemmer 100;2 timer og 30 minutter`,
      'tur;Tur;lørdag 7. februar 2026;hele dagen;;;;;utsatt;;gratis;',
      'revy;Revy;mandag 9. og tirsdag 10. februar 2026;19;;;;;utsolgt;;;',
      'kladd;Kladd;2026-02-11;;;;;;ikke publisert;;;',
      'skjult;Skjult;2026-02-11;;;;;;;ikke publisert;;',
    ].join('\n'),
    'kor.ics': calendarOf(['UTSOLGT: Konsert', 'AVLYST: Møte', 'Utsatt: Prøve', 'Flyttet: Øving', 'Kor']),
    'skjema.csv': 'Id;Tittel;Start\n1;Loppemarked;2026-03-08\n2;Salg;2026-03-09',
    'desk.csv': [
      'Lenke;Skjul;Godkjent;Sted;Kategori;Beskrivelse;Status;Fremhev;Samme som;Ikke samme som;Merknad',
      'fest:quiz;;;;Familie;Ny tekst;ikke utsolgt;ja;;kor:4;a',
      'fest:revy;;;Kroen;;;utsatt;;;;',
      'kor:4;skjul;;;;;;;;;',
      'skjema:1;;ja;;;;utsolgt;;;;',
      'skjema:2;;nei;;;;;;;;',
    ].join('\n'),
  },
  Nynorsk: {
    'steder.csv': 'Namn;Adresse;Andre namn;Tilgjenge\nKroa;Torget 5, 7170 Lillevik;Kroen;teiknspråktolking',
    'fest.csv': [
      'Id;Tittel;Dato;Klokka;Stad;Skildring;Bilete;Utseld;Status;Publisert;Pris;Varigheit',
      `quiz;Quiz;torsdag 5. februar 2026;kl. 19.00;Kroa;Kom;https://fest.example/q.jpg;utseld;;ja;Medlemer 50 / ikkje-medlemer 100;2 timar og 30 minutt`,
      'tur;Tur;laurdag 7. februar 2026;heile dagen;;;;;utsett;;gratis;',
      'revy;Revy;måndag 9. og tysdag 10. februar 2026;19;;;;;utselt;;;',
      'kladd;Kladd;2026-02-11;;;;;;ikkje publisert;;;',
      'skjult;Skjult;2026-02-11;;;;;;;ikkje publisert;;',
    ].join('\n'),
    'kor.ics': calendarOf(['UTSELD: Konsert', 'AVLYST: Møte', 'Utsett: Prøve', 'Flytta: Øving', 'Kor']),
    'skjema.csv': 'Id;Tittel;Start\n1;Loppemarked;2026-03-08\n2;Salg;2026-03-09',
    'desk.csv': [
      'Lenkje;Gøym;Godkjend;Stad;Kategori;Skildring;Status;Framhev;Same som;Ikkje same som;Merknad',
      'fest:quiz;;;;Familie;Ny tekst;ikkje utseld;ja;;kor:4;a',
      'fest:revy;;;Kroen;;;utsett;;;;',
      'kor:4;gøym;;;;;;;;;',
      'skjema:1;;ja;;;;utseld;;;;',
      'skjema:2;;nei;;;;;;;;',
    ].join('\n'),
  },
};
const WRITTEN_FEEDS = [
  { id: 'steder', kind: 'venues', file: 'steder.csv' },
  { id: 'fest', kind: 'csv', file: 'fest.csv' },
  { id: 'kor', kind: 'ical', file: 'kor.ics' },
  { id: 'skjema', kind: 'csv', file: 'skjema.csv', needsApproval: true },
  DESK,
];

for (const [language, files] of Object.entries(WRITTEN_NORWEGIAN)) {
  test(`F15, F16, L0, L1, G2: should understand tables, calendars and sheets in ${language}`, async () => {
    const { event, dates, ids, lines } = await shownAfter({
      'licence.json': { ...LICENCE, categories: CATEGORIES },
      ...files,
      'sources.json': WRITTEN_FEEDS,
    });
    const states = ids.map((id) => [id, ...dates(id), event(id).eventSoldOut ? 'sold out' : ''].join(' '));
    assert.equal(
      states.map((state) => state.trim()),
      [
        'fest:quiz 02-05 19:00–21:30 Kroa',
        'fest:revy 02-09 19:00 Kroa POSTPONED 02-10 19:00 Kroa POSTPONED sold out',
        'fest:tur 02-07 1 d POSTPONED',
        'kor:0 02-10 19:00 sold out',
        'kor:1 02-11 19:00 CANCELLED',
        'kor:2 02-12 19:00 POSTPONED',
        'kor:3 02-13 19:00 POSTPONED',
        'skjema:1 03-08 1 d sold out',
      ],
    );
    const { categories, desc_nb, isFeaturedEvent, images, prices } = event('fest:quiz');
    assert.equal([categories, desc_nb, isFeaturedEvent], [['FAMILY'], 'Ny tekst', true]);
    assert.equal(images, [{ urlLarge: 'https://fest.example/q.jpg' }]);
    assert.equal(prices, [
      { type: 'MEMBERS', price: 50 },
      { type: 'REGULAR', price: 100 },
    ]);
    assert.is(event('fest:tur').ticketsInformation, 'free');
    const expected = ['a row that is public', 'a row that is public', A_NEW_DATE, A_NEW_DATE];
    assert.is(lines.length, expected.length, lines.join('\n'));
    for (const [index, line] of lines.entries()) assertIncludes(line, `expected ${expected[index]}, found`);
  });
}

test.run();
