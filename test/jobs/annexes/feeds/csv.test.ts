/** Spreadsheets as feeds (L1, L3): their encodings, columns and cells, and the rows that are one event. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { readFeeds } from '../../../../jobs/annexes/feeds/config.ts';
import { readTableFeed } from '../../../../jobs/annexes/feeds/csv/events.ts';
import { readDocuments, tableOf, testReadings, wordsOf } from '../../../helpers/feed-reading.ts';
import { sourceFolder } from '../../../helpers/native-source.ts';
import { readPage, tableIn } from '../../../readme/document.ts';

const read = (table: string | Buffer, feed = {}) => readDocuments(readTableFeed, table, feed);

const test = suite('spreadsheets');

const HEAD = 'Tittel;Start;Sted';
const ROW = 'Blåtimen;14.02.2027 kl. 19.00;Brygga';
const SAME = `${HEAD}\n${ROW}\n`;
const latin1 = (text: string) => Buffer.from(text.replaceAll('–', '\x96'), 'latin1');
const utf16 = (text: string) => Buffer.from(text, 'utf16le');

const ENCODINGS: Readonly<Record<string, string | Buffer>> = {
  'UTF-8': SAME,
  'UTF-8 with a byte order mark': `\ufeff${SAME}`,
  'UTF-16 of Excel': utf16(`\ufeff${SAME.replaceAll(';', '\t')}`),
  'UTF-16 without a mark': utf16(SAME),
  'UTF-16, the other way round': utf16(`\ufeff${SAME}`).swap16(),
  'UTF-16, the other way round, without a mark': utf16(SAME).swap16(),
  'Windows-1252': latin1(SAME),
  commas: SAME.replaceAll(';', ','),
  tabs: SAME.replaceAll(';', '\t'),
  'Excel’s line with the separator': `sep=;\r\n${SAME}`,
  'a separator that only Excel’s line names': `sep=#\r\n${SAME.replaceAll(';', '#')}`,
  'quotes around everything': SAME.replace(/[^;\n]+/g, '"$&"'),
  'line ends of Windows': SAME.replaceAll('\n', '\r\n'),
  'line ends of old Macintoshes': SAME.replaceAll('\n', '\r'),
  'empty rows everywhere': `\n;;\n${HEAD}\n\n;;\n${ROW}\n;;\n\n`,
  'the festival’s name above': `Vinterfest 2027;;\n;;\n${SAME}`,
  'columns in another order, with commas in them':
    'Sted,Tittel,Start\nBrygga,Blåtimen,"14.02.2027, kl. 19.00"\n',
  'English headings': SAME.replace(HEAD, 'Title;Starts;Venue'),
  'capitals, colons and brackets': SAME.replace(HEAD, 'TITTEL:;start (dato og kl.);sted *'),
  'date and time in columns of their own': 'Dato;Kl.;Tittel;Sted\n14.02.2027;19.00;Blåtimen;Brygga\n',
  'a start that is a time of day': 'Dato;Start;Tittel;Sted\n14.02.2027;19:00;Blåtimen;Brygga\n',
};

for (const [what, table] of Object.entries(ENCODINGS)) {
  test(`L1: should read a table with ${what}`, () => {
    const reading = read(table);
    assert.equal(wordsOf(reading), ['Blåtimen | 2027-02-14 19:00 | venue: Brygga']);
    assert.equal(reading.counts, { entries: 1, events: 1, merged: 0, dropped: 0 });
  });
}

test('L1: should read the sheet that the page for editors shows', () => {
  const table = tableIn(readPage('docs/redaktor.md'), 'Legg inn et arrangement');
  const rows = table.split('\n').filter((row) => row !== '' && !row.startsWith('|---'));
  const cells = rows.map((row) =>
    row
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
  const map = { Konsert: 'MUSIC', Teater: 'MUSIC', Annet: 'MUSIC' };
  const { events, findings } = read(cells.map((row) => row.join(';')).join('\n'), { map });
  assert.equal(
    events.map(({ title_nb, dates }) => [title_nb, datesOf(dates)]),
    [
      ['Korkveld', ['2031-02-14']],
      ['Quiz', ['2031-02-20', '2031-02-27 cancelled']],
      ['Revy', ['2031-03-01 sold out']],
      ['Påskevandring', ['2031-04-11']],
    ],
  );
  assert.is(findings.length, 1, findings.join('\n'));
  assert.match(findings[0] ?? '', /Publisert: left out, .* found "nei"$/);
});

function datesOf(dates: unknown): readonly string[] {
  if (!Array.isArray(dates)) throw new Error(`expected dates, found ${dates}`);
  return dates.map(({ start, eventCancelled, eventSoldOut }) =>
    [`${start}`.slice(0, 10), eventCancelled && 'cancelled', eventSoldOut && 'sold out']
      .filter(Boolean)
      .join(' '),
  );
}

test('G2: should report only a table that can be neither Unicode nor Windows-1252', () => {
  const table = (title: string) => latin1(`Tittel;Start\nA;2027-02-14\n${title};2027-02-15\n`);
  assert.equal(read(table('Blå – blå')).findings, []);
  assert.equal(read(table('Bl\x86')).findings, [
    '3: changed value, expected UTF-8, found other bytes, and read as Windows-1252',
  ]);
});

/** Tables of one row, with the settings of the feed and the event that is read. */
const TABLES = tableOf(
  ['what', 'settings', 'head', 'row', 'event'],
  `
  read a web address in the column of the place as a stream → {}
    → Tittel;Start;Sted → A;2027-02-14;https://strom.example/a → A | 2027-02-14 | mode: online | streamingURL: https://strom.example/a
  read a title in a column without a language in the language of the feed → {} → Title;Description;Start → A;B;2027-02-14 → A | 2027-02-14 | desc_nb: B
  give a title the language of the feed → {"language": "en"} → Title;Description;Start → A;B;2027-02-14 → 2027-02-14 | title_en: A | desc_en: B
  read two titles as those of two languages → {"language": "en"} → Tittel;Title;Start → A;B;2027-02-14 → A | 2027-02-14 | title_en: B
  read a column whose name has (engelsk) as English → {} → Tittel;Tittel (engelsk);Start → A;B;2027-02-14 → A | 2027-02-14 | title_en: B
  read columns by the names that settings give → {"columns": {"title_nb": "Hva skjer hos oss", "start": "Oppmøte", "venue": "Rom"}}
    → Oppmøte;Hva skjer hos oss;Rom;Sted → 2027-02-14;Kor;B12;Huset → Kor | 2027-02-14 | Sted: null | venue: B12
  read one column as two fields → {"columns": {"title_nb": "Hvem", "organizers": "Hvem"}}
    → Hvem;Start → Koret;2027-02-14 → Koret | 2027-02-14 | organizers: Koret
  read one column as a position → {"columns": {"latitude": "Posisjon", "longitude": "Posisjon"}}
    → Tittel;Start;Posisjon;Sted → A;2027-02-14;"63.83, 10.05";Brygga → A | 2027-02-14 | venue: Brygga, 63.83, 10.05
  find columns by number and by name in one table → {"columns": {"title_nb": 1, "start": 2, "venue": "Rom"}}
    → Hva;Naar;Rom → Kor;2027-02-14;Sal 2 → Kor | 2027-02-14 | venue: Sal 2
`,
);

for (const { what, settings, head, row, event } of TABLES) {
  test(`L1: should ${what}`, () => {
    const reading = read(`${head}\n${row}\n`, JSON.parse(settings));
    assert.equal(reading.findings, []);
    assert.equal(wordsOf(reading), [event]);
  });
}

testReadings(
  test,
  readTableFeed,
  `
# L1, A15: should read a festival’s table without settings
  < test/fixtures/csv/festival.csv
  = Åpningskonsert | 2027-02-14 19:00 to 2027-02-14 21:30 | Målgruppe: null
    | desc_nb: Kvartett og kor. ⏎ Ta med varme klær. | moreInfoURL: https://www.vinterfest.example/apning
    | tags: Konsert + Åpning | organizers: Lillevik jazzklubb
    | venue: Kulturbrygga, Havnegata 2, 7170 Lillevik | ticketsInformation: ticketsInfo | prices: REGULAR 320
  = Barnas vinterdag | 2027-02-15 to 2027-02-16 | Målgruppe: null | desc_nb: Aking og kakao
    | moreInfoURL: https://vinterfest.example/barn | tags: Familie | venue: Torget | ticketsInformation: free
    | prices: none
  = Sanddans | 2027-02-15 18:00, 2027-02-16 18:00 | tags: Konsert
    | venue: Kulturbrygga, Havnegata 2, 7170 Lillevik | ticketsInformation: ticketsInfo
    | prices: REGULAR 250 Voksen + CHILD 100 barn
  = Quiz | 2027-02-18 20:00 to 2027-02-18 22:00 | organizers: Kulturlaget | venue: Brygga pub
    | ticketsInformation: ticketsInfo | prices: REGULAR 149.50
  ! 2 "f:apningskonsert-kulturbrygga-fe85c967" categories: kept as tag, expected a category of the licence, found "Konsert"
  ! 2 "f:apningskonsert-kulturbrygga-fe85c967" categories: kept as tag, expected a category of the licence, found "Åpning"
  ! 3 "f:barnas-vinterdag-torget-98a448aa" categories: kept as tag, expected a category of the licence, found "Familie"
  ! 4 "f:sanddans-kulturbrygga-a6a2ad2f" categories: kept as tag, expected a category of the licence, found "Konsert"
# L1: should read rows with the same title and place as dates of one event
  Tittel;Start;Sted
  Quiz;2027-02-10;Brygga
  Quiz;2027-02-11;Torget
  Quiz;2027-02-12;Brygga
  = Quiz | 2027-02-10, 2027-02-12 | venue: Brygga
  = Quiz | 2027-02-11 | venue: Torget
# L1: should read the price of a row (prices.test.ts has the other forms)
  Tittel;Start;Pris
  A;2027-02-14;150
  B;2027-02-14;Fri entré
  C;2027-02-14;Voksen 250,- / barn 100,-
  D;2027-02-14;150–250 kr
  = A | 2027-02-14 | ticketsInformation: ticketsInfo | prices: REGULAR 150
  = B | 2027-02-14 | ticketsInformation: free | prices: none
  = C | 2027-02-14 | ticketsInformation: ticketsInfo | prices: REGULAR 250 Voksen + CHILD 100 barn
  = D | 2027-02-14 | ticketsInformation: ticketsInfo | prices: REGULAR null 150–250 kr
  ! 5 Pris: changed value, expected a price such as 150 or 149,50, or gratis (the text is kept), found "150–250 kr"
# L1: should read rows with the same id as dates of one event, each with its own values
  Id;Tittel;Start;Sted;Pris;Billetter;Avlyst;Utsolgt
  k1;Kor;2027-02-14 19:00;Brygga;200;https://b.example/1;;
  k2;Kor;2027-02-14 20:00;Torget;;;;
  k1;;2027-02-15 19:00;Kirken;250;https://b.example/2;;
  k1;Kor;2027-02-16 19:00;;;;ja;x
  = Kor
    | 2027-02-14 19:00, 2027-02-15 19:00 venue=Kirken ticketsURL=https://b.example/2 prices=REGULAR 250, 2027-02-16 19:00 eventCancelled=true eventSoldOut=true
    | venue: Brygga | ticketsURL: https://b.example/1 | ticketsInformation: ticketsInfo | prices: REGULAR 200
  = Kor | 2027-02-14 20:00 | venue: Torget
# L1: should give a venue in all rows the address of one row
  Tittel;Start;Sted;Adresse;Postnummer;Breddegrad;Lengdegrad
  A;2027-02-14;Brygga;;;;
  B;2027-02-14;brygga;Havnegata 2;150;63,83;10,05
  = A | 2027-02-14 | venue: Brygga, Havnegata 2, 0150, 63.83, 10.05
  = B | 2027-02-14 | venue: Brygga, Havnegata 2, 0150, 63.83, 10.05
# L1: should read a constant of the settings as any field
  @ {"columns": {"venue": {"value": "Kino"}, "prices": {"value": 150}, "categories": {"value": "Film"}, "duration": {"value": 90}}}
  Tittel;Start
  A;2027-02-14 19:00
  = A | 2027-02-14 19:00 for 90 min | tags: Film | venue: Kino | ticketsInformation: ticketsInfo
    | prices: REGULAR 150
  ! 2 "f:a-kino-e5b7ede9" categories: kept as tag, expected a category of the licence, found "Film"
# G2: should suggest the nearest word of the map, or category, for an unknown word
  @ {"map": {"Konsert": "MUSIC", "Forestilling": ["ART"]}, "categoryNames": {"sport": "SPORT"}}
  Tittel;Start;Kategori
  A;2027-02-14;Konset, forestiling, Sprot, Dans
  = A | 2027-02-14 | tags: Konset + forestiling + Sprot + Dans
  ! 2 "f:a-87428fc5" categories: kept as tag, expected a category of the licence; the nearest is "Konsert", found "Konset"
  ! 2 "f:a-87428fc5" categories: kept as tag, expected a category of the licence; the nearest is "Forestilling", found "forestiling"
  ! 2 "f:a-87428fc5" categories: kept as tag, expected a category of the licence; the nearest is "SPORT", found "Sprot"
  ! 2 "f:a-87428fc5" categories: kept as tag, expected a category of the licence, found "Dans"
# L1: should read each of several price columns as a ticket with the name of the column
  @ {"columns": {"prices": ["Voksen", "Barn", "Ikke-medlem"]}}
  Tittel;Start;Voksen;Barn;Ikke-medlem
  A;2027-02-14;250;gratis;
  B;2027-02-14;;;300
  = A | 2027-02-14 | ticketsInformation: ticketsInfo | prices: REGULAR 250 Voksen + CHILD 0 Barn
  = B | 2027-02-14 | ticketsInformation: ticketsInfo | prices: REGULAR 300 Ikke-medlem
# L1: should join several columns of a field with room for all, and use the first one for other fields
  @ {"columns": {"desc_nb": ["Ingress", "Om"], "tags": ["Sjanger", "Tema"], "address": ["Gate", "By"], "venue": ["Sal", "Hus"]}}
  Tittel;Start;Ingress;Om;Sjanger;Tema;Gate;By;Sal;Hus
  A;2027-02-14;Kort;Langt;Film;Krim, Nytt;Havnegata 2;Lillevik;;Brygga
  Langt | tags: Film + Krim + Nytt | venue: Brygga, Havnegata 2, Lillevik
  = A | 2027-02-14 | desc_nb: Kort ⏎  ⏎ Langt | tags: Film + Krim + Nytt
    | venue: Brygga, Havnegata 2, Lillevik
  ! 3 Start: dropped record, expected a date such as 14.02.2027 kl. 19.00 or 2027-02-14 19:00, found nothing
# L1: should read a table without names by the numbers of its columns
  @ {"columns": {"start": 1, "title_nb": 2, "venue": 3, "prices": 4}}
  14.02.2027 19.00;Kor;Brygga;150
  15.02.2027 19.00;Korps;Torget;Gratis
  = Kor | 2027-02-14 19:00 | venue: Brygga | ticketsInformation: ticketsInfo | prices: REGULAR 150
  = Korps | 2027-02-15 19:00 | venue: Torget | ticketsInformation: free | prices: none
# L1: should ignore names of columns if settings number them, and use the numbers in findings
  @ {"columns": {"title_nb": 1, "start": 2}}
  Hva;Naar
  Kor;2027-02-14
  Korps;i morgen
  = Kor | 2027-02-14
  ! 1: changed value, expected the names of the columns (ignored), found "Hva", "Naar"
  ! 3 column 2: dropped record, expected a date such as 14.02.2027 kl. 19.00 or 2027-02-14 19:00, found "i morgen"
# G2: should report a number of a column that the table does not have
  @ {"columns": {"title_nb": 1, "start": 2, "venue": 5}}
  Kor;2027-02-14
  = Kor | 2027-02-14
  ! 5: changed value, expected a column of this number, as "columns" states for venue, found 2 columns
# G2: should report a column that settings name and the table does not have
  @ {"columns": {"venue": "Rom"}}
  Tittel;Start
  A;2027-02-14
  = A | 2027-02-14
  ! 1 Rom: changed value, expected a column of this name, as "columns" states for venue, found "Tittel", "Start"
# G2, L3: should refuse a table without a title
  Dato;Sted
  2027-02-14;Her
  ! unreadable answer: expected a row that names a column with the title (Tittel) and one with the start (Start or Dato), found "Dato", "Sted"; "columns" can give their names
# G2, L3: should refuse a table without rows
  ""
  ! unreadable answer: expected a row that names a column with the title (Tittel) and one with the start (Start or Dato), found no row; "columns" can give their names
# G2, L3: should refuse a table without names if the column of the settings has no day
  @ {"columns": {"title_nb": 1, "start": 2}}
  Kor;snart
  ! unreadable answer: expected a row with a day in the column that "columns" names, found "Kor", "snart"
# G2, L3: should report a column that is named twice
  Tittel;Start;Lenke;Lenke
  A;2027-02-14;https://a.example;https://b.example
  = A | 2027-02-14 | moreInfoURL: https://a.example
  ! 1 Lenke: changed value, expected each name once (the first column of this name is used), found "Tittel", "Start", "Lenke", "Lenke"
# G2, L3: should report a row above the names of the columns
  Vinterfest
  Tittel;Start
  A;2027-02-14
  = A | 2027-02-14
  ! 1: changed value, expected the names of the columns (ignored), found "Vinterfest"
# G2, L3: should drop rows without a title or a readable date, and report them
  Tittel;Start
  A;2027-02-14
  B;
  C;30.02.2027
  ;2027-02-14
  = A | 2027-02-14
  ! 3 Start: dropped record, expected a date such as 14.02.2027 kl. 19.00 or 2027-02-14 19:00, found nothing
  ! 4 Start: dropped record, expected a date such as 14.02.2027 kl. 19.00 or 2027-02-14 19:00, found "30.02.2027"
  ! 5 Tittel: dropped record, expected a title, found nothing
# G2, L3: should report a time without a day
  Dato;Start;Tittel
  2027-02-14;19.00;A
  ;19.00;B
  = A | 2027-02-14 19:00
  ! 3 Start: dropped record, expected a date such as 14.02.2027 kl. 19.00 or 2027-02-14 19:00, found "19.00"
# G2, L3: should report ends that are unreadable, or before the start
  Tittel;Start;Slutt
  A;2027-02-14 19:00;sent
  B;2027-02-14 19:00;2027-02-13 19:00
  C;2027-02-14;2027-02-13
  = A | 2027-02-14 19:00
  = B | 2027-02-14 19:00
  = C | 2027-02-14
  ! 2 Slutt: changed value, expected a date such as 14.02.2027 kl. 19.00 or 2027-02-14 19:00, found "sent"
  ! 3 Slutt: changed value, expected an end that is not before the start, found "2027-02-13 19:00"
  ! 4 Slutt: changed value, expected an end that is not before the start, found "2027-02-13"
# G2, L3: should report a range that ends before it begins
  Tittel;Dato
  A;16.02.2027 – 14.02.2027
  = A | 2027-02-16
  ! 2 Dato: changed value, expected an end that is not before the start, found "16.02.2027 – 14.02.2027"
# G2, G8, L3: should report links and pictures without an http address
  Tittel;Start;Lenke;Billetter;Bilde
  A;2027-02-14;javascript:alert(1);i døra;bilde.jpg
  = A | 2027-02-14
  ! 2 Billetter: changed value, expected an http or https URL, found "i døra"
  ! 2 Lenke: changed value, expected an http or https URL, found "javascript:alert(1)"
  ! 2 Bilde: changed value, expected the http or https URL of an image, found "bilde.jpg"
# G2, L3: should report unreadable flags and numbers
  Tittel;Start;Avlyst;Breddegrad;Sted
  A;2027-02-14;kanskje;nord;Her
  = A | 2027-02-14 | venue: Her
  ! 2 Breddegrad: changed value, expected a latitude and a longitude such as 63.83 and 10.05, found "nord"
  ! 2 Avlyst: changed value, expected ja or nei, found "kanskje"
# L1: should read the name of a column as a yes in that column only
  Tittel;Start;Avlyst;Heldags
  A;2027-02-14 19:00;Avlyst!;avlyst
  = A | 2027-02-14 19:00 eventCancelled=true
  ! 2 Heldags: changed value, expected ja or nei, found "avlyst"
# G2: should report a punctuation mark in place of a yes or no
  Tittel;Start;Avlyst
  A;2027-02-14;!
  = A | 2027-02-14
  ! 2 Avlyst: changed value, expected ja or nei, found "!"
# G2, L3: should report rows of one event with different titles
  Id;Tittel;Start
  1;Kor;2027-02-14
  1;Korps;2027-02-15
  = Kor | 2027-02-14, 2027-02-15 | desc_nb: 2027-02-15: Korps
  ! 3 "f:1" Tittel: changed value, expected the title of the series (this title is put before the description, with its date), found "Korps"
# G2, L3: should report a repeated row
  Tittel;Start
  A;2027-02-14
  A;2027-02-14
  = A | 2027-02-14
  ! 3 "f:a-87428fc5": left out, expected a date that no earlier row of the event has, found that of row 2
# G2, L3: should report a quote that is never closed
  Tittel;Start
  A;2027-02-14
  "B;2027-02-15
  C;2027-02-16
  = A | 2027-02-14
  ! 3: dropped record, expected a closing quote (the rest is not read), found the end of the file
# G2, L3: should drop all rows of an id with markup, report each, and count a copy once
  Id;Tittel;Start
  <b>;A;2027-02-14
  <b>;A;2027-02-14
  <b>;A;2027-02-15
  B;B;2027-02-14
  = B | 2027-02-14
  ! 3 "f:<b>": left out, expected a date that no earlier row of the event has, found that of row 2
  ! 2 "f:<b>" id: dropped record, expected an id without markup and control characters, found "f:<b>"
  ! 3 "<b>": dropped record, expected an event that is kept (this row is one of its dates), found one that is left out
  ! 4 "<b>": dropped record, expected an event that is kept (this row is one of its dates), found one that is left out
`,
);

test('L1: should put the id of the feed before that of the table, unless keepIds is set', () => {
  const idsOf = (keepIds: boolean) =>
    read('Id;Tittel;Start\nk1;A;2027-02-14\nk2;B;2027-02-14\n', { keepIds }).events.map(({ id }) => id);
  assert.equal(
    [idsOf(false), idsOf(true)],
    [
      ['f:k1', 'f:k2'],
      ['k1', 'k2'],
    ],
  );
});

interface WrongColumns {
  readonly columns: object;
  readonly field: string;
  readonly found: string;
}

const COLUMNS: readonly WrongColumns[] = [
  { columns: { venue: '' }, field: 'venue', found: '""' },
  { columns: { venue: 0 }, field: 'venue', found: '0' },
  { columns: { venue: { text: 'Kino' } }, field: 'venue', found: '{"text":"Kino"}' },
  { columns: { prices: [] }, field: 'prices', found: '[]' },
  { columns: { prices: ['A', 1.5] }, field: 'prices', found: '["A",1.5]' },
];

for (const { columns, field, found } of COLUMNS) {
  test(`L1: should refuse in sources.json the columns ${JSON.stringify(columns)}`, async () => {
    const source = sourceFolder({ 'sources.json': [{ id: 'a', kind: 'csv', file: 'a.csv', columns }] });
    const thrown = await readFeeds(source).catch(({ message }) => message);
    const expected = 'the name of a column, its number (the first is 1), {"value": "…"}, or a list of these';
    assert.is(thrown, `sources.json:1 "a" columns.${field}: expected ${expected}, found ${found}`);
  });
}

test.run();
