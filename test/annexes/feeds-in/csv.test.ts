/** Spreadsheets as feeds (L1, L3): which columns there are, what cells say, which rows are one event. */
import { readFileSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { readTableFeed } from '../../../jobs/annexes/feeds/csv/events.ts';
import { FeedProblem } from '../../../jobs/annexes/feeds/health.ts';
import { problemsOf, readDocuments } from '../../helpers/feed-reading.ts';
import { datesOf, type ServedFeed, serveFeed } from '../../helpers/feeds.ts';

const FESTIVAL = readFileSync('test/fixtures/csv/festival.csv');
const read = (table: string | Buffer, feed = {}) => readDocuments(readTableFeed, table, feed);

const test = suite<{ served: ServedFeed }>('spreadsheets');

test.before(async (context) => {
  context.served = await serveFeed(FESTIVAL, { kind: 'csv' });
});
test.after(({ served }) => served.close());

test('L1: should read a festival’s table with no settings but where it is', async ({ served }) => {
  const [feed] = served.report.feeds;
  assert.equal(feed?.counts, { entries: 5, events: 4, merged: 1, dropped: 0 });
  // G2: this calendar has none of the table's categories.
  assert.equal([...new Set(served.report.findings.map(({ action }) => action))], ['kept as tag']);
  const concert = await served.event('apningskonsert-kulturbrygga-fe85c967');
  assert.equal(datesOf(concert), ['2027-02-14 19:00:00+01:00 | 2027-02-14 21:30:00+01:00 | Kulturbrygga']);
  assert.is(concert?.title_nb, 'Åpningskonsert');
  assert.is(concert?.desc_nb, 'Kvartett og kor.\nTa med varme klær.');
  assert.is(concert?.moreInfoURL, 'https://www.vinterfest.example/apning');
  assert.equal(concert?.organizers, [{ name: 'Lillevik jazzklubb' }]);
  assert.equal([concert?.tags, concert?.ticketsInformation], [['Konsert', 'Åpning'], 'ticketsInfo']);
});

test('L1: should take rows with the same title and place for dates of one event', async ({ served }) => {
  assert.equal(datesOf(await served.event('sanddans-kulturbrygga-a6a2ad2f')), [
    '2027-02-15 18:00:00+01:00 | Kulturbrygga',
    '2027-02-16 18:00:00+01:00 | Kulturbrygga',
  ]);
  const rows = ['Brygga', 'Torget', 'Brygga'].map((Sted, at) => ({
    Tittel: 'Quiz',
    Start: `2027-02-1${at}`,
    Sted,
  }));
  const { events } = read(tableOf(rows));
  assert.equal(
    events.map(({ dates }) => dates),
    [[{ start: '2027-02-10' }, { start: '2027-02-12' }], [{ start: '2027-02-11' }]],
  );
});

test('A15: should take a date without a time for a whole day, and an end for the last one', async ({
  served,
}) => {
  const day = await served.event('barnas-vinterdag-torget-98a448aa');
  assert.equal(datesOf(day), ['2027-02-15 00:00:00+01:00 | 2027-02-17 00:00:00+01:00 | all day | Torget']);
  assert.is(day?.ticketsInformation, 'free');
});

test('should count columns that mean nothing here as unknown fields', ({ served }) => {
  assert.equal(served.report.ignored, [{ name: 'events.Målgruppe', count: 2 }]);
});

const HEAD = 'Tittel;Start;Sted';
const ROW = 'Blåtimen;14.02.2027 kl. 19.00;Brygga';
const latin1 = (text: string) => Buffer.from(text.replaceAll('–', '\x96'), 'latin1');
const utf16 = (text: string, isBig = false) => {
  const bytes = Buffer.from(text, 'utf16le');
  return isBig ? bytes.swap16() : bytes;
};
const SAME = `${HEAD}\n${ROW}\n`;

const ENCODINGS: Readonly<Record<string, string | Buffer>> = {
  'UTF-8': SAME,
  'UTF-8 with a byte order mark': `\ufeff${SAME}`,
  'UTF-16 of Excel': utf16(`\ufeff${SAME.replaceAll(';', '\t')}`),
  'UTF-16 without a mark': utf16(SAME),
  'UTF-16, the other way round': utf16(`\ufeff${SAME}`, true),
  'UTF-16, the other way round, without a mark': utf16(SAME, true),
  'Windows-1252': latin1(SAME),
  commas: SAME.replaceAll(';', ','),
  tabs: SAME.replaceAll(';', '\t'),
  'Excel’s line that says the separator': `sep=;\r\n${SAME}`,
  'a separator that Excel’s line alone tells': `sep=#\r\n${SAME.replaceAll(';', '#')}`,
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
    const { events, venues, counts } = read(table);
    const said = events.map(({ title_nb, dates }) => ({ title_nb, dates }));
    assert.equal(said, [{ title_nb: 'Blåtimen', dates: [{ start: '2027-02-14 19:00' }] }]);
    assert.equal(
      venues.map(({ name }) => name),
      ['Brygga'],
    );
    assert.equal(counts, { entries: 1, events: 1, merged: 0, dropped: 0 });
  });
}

test('G2: should say of a table where it is certainly neither Unicode nor Windows-1252, and of no other', () => {
  const table = (title: string) => latin1(`Tittel;Start\nA;2027-02-14\n${title};2027-02-15\n`);
  assert.equal(read(table('Blå – blå')).findings, []);
  assert.equal(read(table('Bl\x86')).findings, [
    '3: changed value, expected UTF-8, found other bytes, and read as Windows-1252',
  ]);
});

test('L1: should read prices (test/annexes/feeds-in/prices.test.ts has the rest)', () => {
  const cells = ['150', 'Fri entré', 'Voksen 250,- / barn 100,-'];
  const { events, findings } = read(
    tableOf(cells.map((Pris) => ({ Tittel: Pris, Start: '2027-02-14', Pris }))),
  );
  assert.equal(
    events.map(({ ticketsInformation, prices }) => [ticketsInformation, prices]),
    [
      ['ticketsInfo', [{ type: 'REGULAR', price: '150' }]],
      ['free', []],
      [
        'ticketsInfo',
        [
          { type: 'REGULAR', price: '250', name_nb: 'Voksen' },
          { type: 'CHILD', price: '100', name_nb: 'barn' },
        ],
      ],
    ],
  );
  assert.equal(findings, []);
});

test('should keep a price that is none as words, and say so', () => {
  const { events, findings } = read(tableOf([{ Tittel: 'A', Start: '2027-02-14', Pris: '150–250 kr' }]));
  assert.equal(events[0]?.prices, [{ type: 'REGULAR', price: null, name_nb: '150–250 kr' }]);
  assert.equal(findings, [
    '2 Pris: changed value, expected a price such as 150 or 149,50, or gratis (the text is kept), found "150–250 kr"',
  ]);
});

test('L1: should take rows with the same id for dates of one event, and give each what it has of its own', () => {
  const table = [
    'Id;Tittel;Start;Sted;Pris;Billetter;Avlyst;Utsolgt',
    'k1;Kor;2027-02-14 19:00;Brygga;200;https://b.example/1;;',
    'k2;Kor;2027-02-14 20:00;Torget;;;;',
    'k1;;2027-02-15 19:00;Kirken;250;https://b.example/2;;',
    'k1;Kor;2027-02-16 19:00;;;;ja;x',
  ].join('\n');
  const { events, venues, findings } = read(table);
  const [brygga, torget, kirken] = venues.map(({ id }) => id);
  assert.equal(findings, []);
  assert.equal(events, [
    {
      id: 'f:k1',
      title_nb: 'Kor',
      venue: brygga,
      ticketsURL: 'https://b.example/1',
      ticketsInformation: 'ticketsInfo',
      prices: [{ type: 'REGULAR', price: '200' }],
      dates: [
        { start: '2027-02-14 19:00' },
        {
          start: '2027-02-15 19:00',
          venue: kirken,
          ticketsURL: 'https://b.example/2',
          prices: [{ type: 'REGULAR', price: '250' }],
        },
        { start: '2027-02-16 19:00', eventCancelled: true, eventSoldOut: true },
      ],
    },
    { id: 'f:k2', title_nb: 'Kor', venue: torget, dates: [{ start: '2027-02-14 20:00' }] },
  ]);
  assert.equal(
    read(table, { keepIds: true }).events.map(({ id }) => id),
    ['k1', 'k2'],
  );
});

test('should know a venue’s address from the row that gives it', () => {
  const { venues } = read(
    'Tittel;Start;Sted;Adresse;Postnummer;Breddegrad;Lengdegrad\nA;2027-02-14;Brygga;;;;\nB;2027-02-14;brygga;Havnegata 2;150;63,83;10,05\n',
  );
  assert.equal(venues, [
    {
      id: venues[0]?.id,
      name: 'Brygga',
      address: 'Havnegata 2',
      postalCode: '0150',
      latitude: 63.83,
      longitude: 10.05,
    },
  ]);
});

test('should take a place that is an address on the web for a stream', () => {
  const [event] = read('Tittel;Start;Sted\nA;2027-02-14;https://strom.example/a\n').events;
  assert.equal(
    [event?.mode, event?.streamingURL, event?.venue],
    ['online', 'https://strom.example/a', undefined],
  );
});

test('should give titles and descriptions the language that their columns say, else the feed’s', () => {
  const textsOf = (head: string, language: 'nb' | 'en') => {
    const {
      id: _,
      dates: __,
      ...texts
    } = read(`${head};Start\nA;B;2027-02-14\n`, { language }).events[0] ?? {};
    return texts;
  };
  assert.equal(textsOf('Title;Description', 'nb'), { title_nb: 'A', desc_nb: 'B' });
  assert.equal(textsOf('Title;Description', 'en'), { title_en: 'A', desc_en: 'B' });
  assert.equal(textsOf('Tittel;Title', 'en'), { title_nb: 'A', title_en: 'B' });
  assert.equal(textsOf('Tittel;Tittel (engelsk)', 'nb'), { title_nb: 'A', title_en: 'B' });
});

test('L1: should read columns by the names that settings give', () => {
  const columns = { title_nb: 'Hva skjer hos oss', start: 'Oppmøte', venue: 'Rom' };
  const { events, findings } = read('Oppmøte;Hva skjer hos oss;Rom;Sted\n2027-02-14;Kor;B12;Huset\n', {
    columns,
  });
  assert.equal([events[0]?.title_nb, events[0]?.Sted, findings], ['Kor', null, []]);
});

const PROBLEMS = problemsOf(`
# a column that is named twice
  Tittel;Start;Lenke;Lenke
  A;2027-02-14;https://a.example;https://b.example
  ! 1 Lenke: changed value, expected each name once (the first column of this name is taken), found "Tittel", "Start", "Lenke", "Lenke"
# a row above the names
  Vinterfest
  Tittel;Start
  A;2027-02-14
  ! 1: changed value, expected the names of the columns (passed over), found "Vinterfest"
# rows without a date, with one that is none, or without a title
  Tittel;Start
  A;2027-02-14
  B;
  C;30.02.2027
  ;2027-02-14
  ! 3 Start: dropped record, expected a date such as 14.02.2027 kl. 19.00 or 2027-02-14 19:00, found nothing
  ! 4 Start: dropped record, expected a date such as 14.02.2027 kl. 19.00 or 2027-02-14 19:00, found "30.02.2027"
  ! 5 Tittel: dropped record, expected a title, found nothing
# a time without a day
  Dato;Start;Tittel
  2027-02-14;19.00;A
  ;19.00;B
  ! 3 Start: dropped record, expected a date such as 14.02.2027 kl. 19.00 or 2027-02-14 19:00, found "19.00"
# ends that are none, or lie before the start
  Tittel;Start;Slutt
  A;2027-02-14 19:00;sent
  B;2027-02-14 19:00;2027-02-13 19:00
  C;2027-02-14;2027-02-13
  ! 2 Slutt: changed value, expected a date such as 14.02.2027 kl. 19.00 or 2027-02-14 19:00, found "sent"
  ! 3 Slutt: changed value, expected an end that is not before the start, found "2027-02-13 19:00"
  ! 4 Slutt: changed value, expected an end that is not before the start, found "2027-02-13"
# a range that ends before it begins
  Tittel;Dato
  A;16.02.2027 – 14.02.2027
  ! 2 Dato: changed value, expected an end that is not before the start, found "16.02.2027 – 14.02.2027"
# G8: links and pictures that are none
  Tittel;Start;Lenke;Billetter;Bilde
  A;2027-02-14;javascript:alert(1);i døra;bilde.jpg
  ! 2 Billetter: changed value, expected an http or https URL, found "i døra"
  ! 2 Lenke: changed value, expected an http or https URL, found "javascript:alert(1)"
  ! 2 Bilde: changed value, expected the http or https URL of an image, found "bilde.jpg"
# flags and numbers that are none
  Tittel;Start;Avlyst;Breddegrad;Sted
  A;2027-02-14;kanskje;nord;Her
  ! 2 Breddegrad: changed value, expected a latitude and a longitude such as 63.83 and 10.05, found "nord"
  ! 2 Avlyst: changed value, expected ja or nei, found "kanskje"
# rows of one event that differ in what an event has once
  Id;Tittel;Start
  1;Kor;2027-02-14
  1;Korps;2027-02-15
  ! 3 "f:1" Tittel: changed value, expected the title of the series (this one stands before the description, with its time), found "Korps"
# a row that stands there twice
  Tittel;Start
  A;2027-02-14
  A;2027-02-14
  ! 3 "f:a-87428fc5": left out, expected a date that no row of the event before it has, found that of row 2
# a quote that is never closed
  Tittel;Start
  A;2027-02-14
  "B;2027-02-15
  C;2027-02-16
  ! 3: dropped record, expected a quote to be closed (the rest is not read), found the end of the file
# ids that are no plain text, with all rows of theirs
  Id;Tittel;Start
  <b>;A;2027-02-14
  <b>;A;2027-02-15
  ! 2 "f:<b>" id: dropped record, expected an id without markup and control characters, found "f:<b>"
  ! 3 "<b>": dropped record, expected an event that is kept (this row is one of its dates), found one that is left out
`);

for (const { what, document, findings } of PROBLEMS) {
  test(`G2, L3: should report ${what}`, () => {
    const { counts, ...reading } = read(document);
    assert.equal(reading.findings, findings);
    assert.is(counts.entries, counts.events + counts.merged + counts.dropped);
  });
}

test('G2: should report a column that settings name and the table does not have', () => {
  const { findings } = read('Tittel;Start\nA;2027-02-14\n', { columns: { venue: 'Rom' } });
  assert.equal(findings, [
    '1 Rom: changed value, expected a column of this name, as "columns" says of venue, found "Tittel", "Start"',
  ]);
});

test('G2: should count a row once that is a copy of another and of an event that is left out', () => {
  const { counts } = read('Id;Tittel;Start\n<b>;A;2027-02-14\n<b>;A;2027-02-14\nB;B;2027-02-14\n');
  assert.equal(counts, { entries: 3, events: 1, merged: 0, dropped: 2 });
});

const REFUSED: readonly (readonly [what: string, table: string, message: RegExp])[] = [
  [
    'without a title',
    'Dato;Sted\n2027-02-14;Her\n',
    /^expected a row that names a column with the title \(Tittel\) and one with the start \(Start or Dato\), found "Dato", "Sted"; "columns" can say/,
  ],
  ['without rows', '\n\n', /found no row/],
];

for (const [what, table, message] of REFUSED) {
  test(`L3: should refuse a table ${what}`, () => {
    try {
      read(table);
      assert.unreachable();
    } catch (thrown) {
      assert.ok(thrown instanceof FeedProblem);
      assert.match(thrown.message, message);
    }
  });
}

test.run();

/** A table with the columns of its first row. */
function tableOf(rows: readonly Readonly<Record<string, string>>[]): string {
  const names = Object.keys(rows[0] ?? {});
  const cells = (row: Readonly<Record<string, string>>) =>
    names.map((name) => `"${row[name] ?? ''}"`).join(';');
  return [names.join(';'), ...rows.map(cells)].join('\n');
}
