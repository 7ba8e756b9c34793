/**
 * L1: the columns of a spreadsheet: how they are found, what settings can say of them, and what is reported. `helpers/feed-reading.ts` says
 * what the marks `→`, `@`, `=`, `!` and `⏎` in the cases mean (`tableOf`, `casesOf`, `wordsOf`).
 */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { readFeeds } from '../../../../../jobs/annexes/feeds/config.ts';
import { readTableFeed } from '../../../../../jobs/annexes/feeds/csv/events.ts';
import { readDocuments, testReadings, wordsOf } from '../../../../helpers/feed-reading.ts';
import { sourceFolder } from '../../../../helpers/native-source.ts';
import { tableOf } from '../../../../helpers/tables.ts';

const read = (table: string, feed: object) => readDocuments(readTableFeed, table, feed);

const test = suite('columns of spreadsheets');

/** Tables of one row, with the settings of the feed and the event that is read. */
const TABLES = tableOf(
  ['what', 'settings', 'head', 'row', 'event'],
  `
  read a web address in the column of the place as a stream → {}
    → Tittel;Start;Sted → A;2027-02-14;https://strom.example/a → A | 2027-02-14 | mode: online | streamingURL: https://strom.example/a
  read a title in a column without a language in the language of the feed → {} → Title;Description;Start → A;B;2027-02-14 → A | 2027-02-14 | desc_nb: B
  read a summary beside a title → {} → title;summary;Start → A;B;2027-02-14 → A | 2027-02-14 | summary_nb: B
  give a title the language of the feed → {"language": "en"} → Title;Description;Start → A;B;2027-02-14 → 2027-02-14 | title_en: A | desc_en: B
  read two titles as those of two languages → {"language": "en"} → Tittel;Title;Start → A;B;2027-02-14 → A | 2027-02-14 | title_en: B
  read a column whose name has (engelsk) as English → {} → Tittel;Tittel (engelsk);Start → A;B;2027-02-14 → A | 2027-02-14 | title_en: B
  read columns by the names that settings give → {"columns": {"title_nb": "Hva skjer hos oss", "start": "Oppmøte", "venue": "Rom"}}
    → Oppmøte;Hva skjer hos oss;Rom;Sted → 2027-02-14;Kor;B12;Huset → Kor | 2027-02-14 | Sted: null | venue: B12
  read one column as two fields → {"columns": {"title_nb": "Hvem", "organizers": "Hvem"}}
    → Hvem;Start → Koret;2027-02-14 → Koret | 2027-02-14 | organizers: Koret
  read one column as a position → {"columns": {"latitude": "Posisjon", "longitude": "Posisjon"}}
    → Tittel;Start;Posisjon;Sted → A;2027-02-14;"63.83, 10.05";Brygga → A | 2027-02-14 | venue: Brygga, 63.83, 10.05
  count a column as unknown, whatever its name is → {}
    → Tittel;Start;unnamed → A;2027-02-14;b → A | 2027-02-14 | unnamed: null
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
# L1: should read a constant of the settings as any field
  @ {"columns": {"venue": {"value": "Kino"}, "prices": {"value": 150}, "categories": {"value": "Film"}, "duration": {"value": 90}}}
  Tittel;Start
  A;2027-02-14 19:00
  = A | 2027-02-14 19:00 for 90 min | tags: Film | venue: Kino | ticketsInformation: ticketsInfo
    | prices: REGULAR 150
  ! 2 "f:a-kino-e5b7ede9" categories: kept as tag, expected a category of the licence, found "Film"
# L1: should read each of several price columns as a ticket with the name of the column
  @ {"columns": {"prices": ["Voksen", "Barn", "Ikke-medlem"]}}
  Tittel;Start;Voksen;Barn;Ikke-medlem
  A;2027-02-14;250;gratis;
  B;2027-02-14;;;300
  = A | 2027-02-14 | ticketsInformation: ticketsInfo | prices: REGULAR 250 Voksen + CHILD 0 Barn
  = B | 2027-02-14 | ticketsInformation: ticketsInfo | prices: REGULAR 300 Ikke-medlem
# L1, G2: should name the column and the cell of each price that cannot be read
  @ {"columns": {"prices": ["Voksen", "Barn", 5, {"value": "ved døra"}]}}
  Tittel;Start;Voksen;Barn;
  A;2027-02-14;250;se plakat;ring oss
  = A | 2027-02-14 | ticketsInformation: ticketsInfo
    | prices: REGULAR 250 Voksen + CHILD null Barn se plakat + REGULAR null ring oss + REGULAR null ved døra
  ! 2 Barn: changed value, expected a price such as 150 or 149,50, or gratis (the text is kept), found "se plakat"
  ! 2 column 5: changed value, expected a price such as 150 or 149,50, or gratis (the text is kept), found "ring oss"
  ! 2 prices: changed value, expected a price such as 150 or 149,50, or gratis (the text is kept), found "ved døra"
# L1, G2: should name the column and the cell of each other value that cannot be read
  @ {"columns": {"organizers": ["Arrangør", "Medarrangør"], "images": ["Bilde", "Plakat"], "date": ["Dag", "Ny dag"], "except": ["Ikke", "Aldri"], "ticketsURL": ["Billett", "Kjøp"], "status": ["Tilstand", "Merknad"]}}
  Tittel;Dag;Ny dag;Regel;Ikke;Aldri;Arrangør;Medarrangør;Bilde;Plakat;Billett;Kjøp;Tilstand;Merknad
  A;2027-02-14;;FREQ=DAILY;2027-02-15;i jula;Koret;b@a.example;https://a.example/a.png;https://a.example/a.png plakat;;ring oss
  A;2027-02-21;;;;;Koret;Korpset;https://a.example/a.png
  B;2027-02-14;senere
  C;2027-02-14;;;;;;;;;;;;utkast
  = A | 2027-02-21, 2027-02-14 rule=FREQ=DAILY | organizers: Koret | images: https://a.example/a.png
  ! 5 Merknad: left out, expected a row that is public, found "utkast"
  ! 2 Aldri: changed value, expected days such as 14.02.2027, 21.02.2027 or 14.–16. februar 2027, found "i jula"
  ! 2 Kjøp: changed value, expected an http or https URL, found "ring oss"
  ! 2 Medarrangør: changed value, expected a name, not an email address, found "b@a.example"
  ! 2 Plakat: changed value, expected the http or https URL of an image, found "https://a.example/a.png plakat"
  ! 4 Ny dag: dropped record, expected a date such as 14.02.2027 kl. 19.00 or 2027-02-14 19:00, found "senere"
  ! 3 "f:a-87428fc5" Medarrangør: changed value, expected what row 2 says, because it is the same event, found ["f:koret-f1bacb98","f:korpset-cb37d352"]
# G2: should name the column of the place for dates of one event on two web addresses
  Id;Tittel;Start;Sted
  1;A;2027-02-14;https://strom.example/a
  1;A;2027-02-21;https://strom.example/b
  = A | 2027-02-14, 2027-02-21 | mode: online | streamingURL: https://strom.example/a
  ! 3 "f:1" Sted: changed value, expected what row 2 says, because it is the same event, found "https://strom.example/b"
# L1: should join several columns of a field with room for all, and use the first one for other fields
  @ {"columns": {"desc_nb": ["Ingress", "Om"], "tags": ["Sjanger", "Tema"], "address": ["Gate", "By"], "venue": ["Sal", "Hus"]}}
  Tittel;Start;Ingress;Om;Sjanger;Tema;Gate;By;Sal;Hus
  A;2027-02-14;Kort;Langt;Film;Krim, Nytt;Havnegata 2;Lillevik;;Brygga
  = A | 2027-02-14 | desc_nb: Kort ⏎  ⏎ Langt | tags: Film + Krim + Nytt
    | venue: Brygga, Havnegata 2, Lillevik
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
# L1: should read that an event does not have a state as none, in Bokmål, Nynorsk and English
  Tittel;Start;Status
  A;2027-02-14;Ikke utsolgt
  B;2027-02-14;Ikkje lenger utseld
  C;2027-02-14;Not sold out
  D;2027-02-14;Ikkje avlyst
  E;2027-02-14;Ikkje avlyst, men utseld
  = A | 2027-02-14
  = B | 2027-02-14
  = C | 2027-02-14
  = D | 2027-02-14
  = E | 2027-02-14 eventSoldOut=true
# L1: should read the name of a column as a yes in that column only
  Tittel;Start;Avlyst;Heldags
  A;2027-02-14 19:00;Avlyst!;avlyst
  = A | 2027-02-14 19:00 eventCancelled=true
  ! 2 Heldags: changed value, expected ja or nei, found "avlyst"
# L1: should read neither column's word in the other
  Tittel;Start;Avlyst;Utsolgt
  A;2027-02-14 19:00;utsolgt;avlyst
  B;2027-02-14 20:00;;Utsolgt
  = A | 2027-02-14 19:00
  = B | 2027-02-14 20:00 eventSoldOut=true
  ! 2 Avlyst: changed value, expected ja or nei, found "utsolgt"
  ! 2 Utsolgt: changed value, expected ja or nei, found "avlyst"
`,
);

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
