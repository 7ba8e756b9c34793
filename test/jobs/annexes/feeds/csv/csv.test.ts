/** Spreadsheets as feeds (L1): their encodings, and the rows that are one event. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { readTableFeed } from '../../../../../jobs/annexes/feeds/csv/events.ts';
import type { FeedId } from '../../../../../jobs/annexes/feeds/last-good.ts';
import { readDocuments, taskOf, testReadings, wordsOf } from '../../../../helpers/feed-reading.ts';
import { readPage, tableIn } from '../../../../readme/document.ts';

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

test('L1, F11: should read one name in two municipalities as two events that keep their ids', () => {
  const rowOf = (day: number, town: string) => `Språkkafé;2027-02-${day};Biblioteket;${town}`;
  const idsOf = (rows: readonly string[], lastIds: readonly FeedId[] = []) => {
    const ids: FeedId[] = [];
    const eventIds: unknown[] = [];
    const bytes = Buffer.from(['Tittel;Start;Sted;Kommune', ...rows].join('\n'));
    readTableFeed([{ origin: null, bytes }], { ...taskOf(), ids: lastIds }, (line) => {
      if (line.list === 'ids') ids.push(line);
      if (line.list === 'events') eventIds.push(line.value.id);
    });
    return { ids, eventIds };
  };
  const [id] = idsOf(['Språkkafé;2027-02-10;Biblioteket;']).eventIds;
  const [first, second, third] = [rowOf(10, 'Åfjord'), rowOf(11, 'Ørland'), rowOf(12, 'Åfjord kommune')];
  assert.equal(idsOf([first, third]).eventIds, [id]);
  const both = idsOf([first, second, third]);
  assert.equal(both.eventIds, [id, `${id}-2`]);
  assert.equal(idsOf([second, third], both.ids).eventIds, [`${id}-2`, id]);
  const left = idsOf([second], both.ids);
  assert.equal(left.eventIds, [`${id}-2`]);
  assert.equal(idsOf([second], left.ids).eventIds, [`${id}-2`]);
});

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
    | ticketsInformation: ticketsInfo | prices: REGULAR 149.5
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
# G2: should suggest the nearest word of the map, or category, for an unknown word
  @ {"map": {"Konsert": "MUSIC", "Forestilling": ["ART"]}, "categoryNames": {"sport": "SPORT"}}
  Tittel;Start;Kategori
  A;2027-02-14;Konset, forestiling, Sprot, Dans
  = A | 2027-02-14 | tags: Konset + forestiling + Sprot + Dans
  ! 2 "f:a-87428fc5" categories: kept as tag, expected a category of the licence; the nearest is "Konsert", found "Konset"
  ! 2 "f:a-87428fc5" categories: kept as tag, expected a category of the licence; the nearest is "Forestilling", found "forestiling"
  ! 2 "f:a-87428fc5" categories: kept as tag, expected a category of the licence; the nearest is "SPORT", found "Sprot"
  ! 2 "f:a-87428fc5" categories: kept as tag, expected a category of the licence, found "Dans"
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

test.run();
