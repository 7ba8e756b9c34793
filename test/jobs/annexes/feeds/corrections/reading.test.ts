/** F15: correction sheets, as they are read: columns, cells and rows, without a build. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { readCorrectionSheet } from '../../../../../jobs/annexes/feeds/corrections/sheet.ts';
import type { FeedRecord } from '../../../../../jobs/annexes/feeds/last-good.ts';
import { TABLE_FIELDS, type TableField } from '../../../../../jobs/annexes/feeds/table-fields.ts';
import { isObject } from '../../../../../src/calendar/json.ts';
import { assertIncludes } from '../../../../helpers/assertions.ts';
import { costsAtMost } from '../../../../helpers/cost.ts';
import { refusalOf, taskOf } from '../../../../helpers/feed-reading.ts';

const test = suite('F15: reading correction sheets');

interface Case {
  readonly sheet: string | Buffer;
  readonly language?: 'nb' | 'en';
  /** `line where set`, or a finding. */
  readonly read: readonly string[];
}

const ONE_STATE = 'one status, not two that contradict each other';
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
  {
    sheet:
      'Id;Status\na;avlyst, som planlagt, utsolgt\nb;utsolgt/ikke utsolgt\nc;avlyst, cancelled, sold out',
    read: [
      `2 "a" Status: dropped record, expected ${ONE_STATE}, found "avlyst, som planlagt, utsolgt"`,
      `2 "a" Id: dropped value, ${NO_EFFECT}`,
      `3 "b" Status: dropped record, expected ${ONE_STATE}, found "utsolgt/ikke utsolgt"`,
      '3 "b" Id: dropped value, expected a row that also says what to change, found "b"',
      '4 c {"status":"CANCELLED","eventSoldOut":true}',
    ],
  },
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
      '2 a {"ticketsInformation":"ticketsInfo","prices":[{"type":"REGULAR","price":250,"name_nb":"Voksen"},{"type":"CHILD","price":100,"name_nb":"barn"}]}',
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

/** All names that the column of a field has in a table of events. */
const namesInTables = (field: TableField) => [...TABLE_FIELDS[field].names.split('|'), field];

/** Columns that tables of events have, too: a cell, and the change that it makes. */
const OF_TABLES = {
  prices: { cell: '0', set: '{"ticketsInformation":"free","prices":[]}' },
  ticketsURL: { cell: 'https://a.example', set: '{"ticketsURL":"https://a.example"}' },
  images: { cell: 'ingen', set: '{"images":null}' },
  // A build finds the organizer.
  organizers: { cell: 'Korlaget', set: '{}' },
  ageRestriction: { cell: '18', set: '{"ageRestriction":"18"}' },
  municipality: { cell: 'Oppdal', set: '{"municipality":"Oppdal"}' },
} as const satisfies Partial<Record<TableField, object>>;

test('F15: should read columns by the names that they have in a table of events', () => {
  for (const [field, { cell, set }] of Object.entries(OF_TABLES))
    for (const name of namesInTables(field as keyof typeof OF_TABLES))
      assert.equal(readSheet(`Id;${name}\na;${cell}`), [`2 a ${set}`], name);
});

test('F15: should read a description in the language of its column, or else in that of the feed', () => {
  // In a table, `ingress` is a description, too.
  const names = [...namesInTables('desc_nb'), ...namesInTables('desc_en')].filter(
    (name) => name !== 'ingress',
  );
  for (const name of names)
    for (const language of ['nb', 'en'] as const) {
      const ofColumn = /norsk|_nb/.test(name) ? 'nb' : /engelsk|english|_en/.test(name) ? 'en' : undefined;
      const set = JSON.stringify({ [`desc_${ofColumn ?? language}`]: 'B' });
      assert.equal(
        readSheet(`Id;${name}\na;B`, language),
        [`2 a ${set}`],
        `${name}, in a feed in ${language}`,
      );
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

test.run();
