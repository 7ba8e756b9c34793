/** F15, F16, L0, L1, G2: tables, calendars and sheets in Bokmål and in Nynorsk. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { A_NEW_DATE } from '../../../../jobs/annexes/feeds/title-words.ts';
import { assertIncludes } from '../../../helpers/assertions.ts';
import { shownAfter } from '../../../helpers/corrections.ts';
import { vcalendar } from '../../../helpers/feed-files.ts';
import { type Files, LICENCE } from '../../../helpers/native-source.ts';
import { CATEGORIES, DESK } from './corrections/town.ts';

const test = suite('written Norwegian');

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
