/** Messages about mistakes in sources: each names the place and the remedy. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { runCheck } from '../../../jobs/commands/check.ts';
import { annexSteps } from '../../helpers/annex.ts';
import { assertIncludes } from '../../helpers/assertions.ts';
import { built, events, MONTHS } from '../../helpers/build.ts';
import { BUILD_SETTINGS } from '../../helpers/build-choices.ts';
import { NOW } from '../../helpers/calendar.ts';
import { SOME_KIND } from '../../helpers/feed-kinds.ts';
import { temporaryFolder } from '../../helpers/folder.ts';
import { type Files, sourceFolder } from '../../helpers/native-source.ts';

const test = suite('mistakes of editors');

async function checked(files: Files, target = temporaryFolder()) {
  let printed = '';
  const print = (text: string) => {
    printed += text;
  };
  const steps = await annexSteps();
  const source = sourceFolder(files);
  const defaults = { ...BUILD_SETTINGS, source, target, horizonMonths: MONTHS, ...steps };
  const code = await runCheck([], {
    defaults,
    now: NOW,
    clock: Date.now,
    stdout: print,
    stderr: print,
  });
  return { code, printed };
}

const good = events(3);
const text = JSON.stringify(good, null, 2);
const second = '"title_nb": "Hendelse 1"';
const NOT_JSON = 'expected JSON, but';
const feed = { id: 'kor', kind: 'csv', file: 'kor.csv' };
const withFeed = (more: object) => ({ 'events.json': good, 'sources.json': [{ ...feed, ...more }] });

interface StoppingFault {
  readonly files: Files;
  readonly line: string;
}

/** Mistakes that stop a build. Those in JSON itself are in `calendar/json.test.ts`. */
const STOPPING: Readonly<Record<string, StoppingFault>> = {
  'a comma is missing': {
    files: { 'events.json': text.replace(`${second},`, second) },
    line: `events.json:17: ${NOT_JSON} a comma is missing after "Hendelse 1";`,
  },
  'a tab within a text, from an editor that begins files with a mark': {
    files: { 'events.json': `\ufeff${text.replace('Hendelse 1', 'Hendelse\t1')}` },
    line: `events.json:17: ${NOT_JSON} a tab within a string is not written as \\t;`,
  },
  'a list that is not closed': {
    files: { 'events.json': text.replace(/\n\]$/, '') },
    line: `events.json:40: ${NOT_JSON} it ends after };`,
  },
  'an empty file': { files: { 'events.json': '' }, line: `events.json:1: ${NOT_JSON} nothing is there;` },
  'lines in a .json file': {
    files: { 'events.json': good.map((event) => JSON.stringify(event)).join('\n') },
    line: 'events.json: expected one value, found one a line: name it events.ndjson;',
  },
  'a list in an .ndjson file': {
    files: { 'events.ndjson': text },
    line: 'events.ndjson: expected one record a line, found a list: name it events.json;',
  },
  'a file with a slip in its name': {
    files: { 'event.json': good },
    line: 'found none; the nearest is "event.json";',
  },
  'a licence with a slip in its name': {
    files: { 'licence.json': undefined, 'lisence.json': {}, 'events.json': good },
    line: 'found none; the nearest is "lisence.json";',
  },
  'a setting of a feed that there is not': {
    files: withFeed({ colums: { title_nb: 'Navn' } }),
    line: 'sources.json:1 "kor": expected a known setting; the nearest is "columns", found "colums";',
  },
  'a kind of feed that there is not': {
    files: withFeed({ kind: 'excel' }),
    line: `sources.json:1 "kor" kind: expected ${SOME_KIND}, found "excel";`,
  },
};

test('G3: should print the place of a fault that stops a build, and the remedy', async () => {
  for (const [mistake, { files, line }] of Object.entries(STOPPING)) {
    const { code, printed } = await checked(files);
    assert.is(code, 2, mistake);
    assertIncludes(printed, line);
  }
});

test('G3: should say that a source folder is not there', async () => {
  const print = temporaryFolder();
  const thrown = await built('/nowhere', print).catch(String);
  assert.match(String(thrown), 'expected a readable source folder at /nowhere, but it is not there;');
});

const on = [{ start: '2026-02-01 19:00' }];
const named = { title_nb: 'Konsert', categories: ['MUSIC'] };

/** Mistakes of single records: all in one list, one record a line, from line 62 on. */
const RECORDS: readonly (readonly [record: object, line: string])[] = [
  [
    { id: 'a', tittel_nb: 'Konsert', dates: on },
    '"a" title_nb: dropped record, expected a title in Norwegian or English, found nothing; "tittel_nb" is not a field',
  ],
  [
    { id: 'b', ...named, dates: on, venue: 'storsaln' },
    '"b" venue: dropped reference, expected the id of a venue; the nearest is "storsalen", found "storsaln"',
  ],
  [
    { id: 'd', ...named, dates: on, organizers: ['korret'] },
    '"d" organizers[0]: dropped reference, expected the id of an organizer; the nearest is "koret", found "korret"',
  ],
  [
    { id: 'e', ...named, dates: on, categories: ['MUSIK'] },
    '"e" categories[0]: dropped reference, expected a category of the licence; the nearest is "MUSIC" (for a retired one, name its replacements in retiredCategories), found "MUSIK"',
  ],
  [
    { id: 'e3', ...named, dates: on },
    '"e3" id: dropped record, expected a unique id, found "e3", which events.ndjson:4 has',
  ],
  [
    { id: 'g', ...named, repeats: [{ rule: 'FREQ=WEEKLY;BYDAY=XX;COUNT=0', start: '2026-02-01 19:00' }] },
    '"g" repeats[0].rule: dropped record, expected BYDAY: weekdays such as MO or, within a month or year, -1FR; COUNT: a positive whole number, found BYDAY: XX; COUNT: 0',
  ],
  [
    { id: 'k', ...named, dates: [{ start: '2025-02-03 19:00' }] },
    '"k" dates: over, expected a future date, found the last one on 2025-02-03',
  ],
  [
    { id: 'p', ...named, dates: on, ticketsURL: 'www.billett.no' },
    '"p" ticketsURL: made safe, expected an absolute http or https URL, found "www.billett.no"',
  ],
];

const BROKEN = '{"id":"q","title_nb":"Konsert",}';

test('G2: should print the place of each mistake in records and feeds, and the likely meaning', async () => {
  const lines = [...events(60), ...RECORDS.map(([record]) => record)].map((record) => JSON.stringify(record));
  const { code, printed } = await checked({
    'events.ndjson': `${[...lines, BROKEN].join('\n')}\n`,
    'venues.json': [{ id: 'storsalen', name: 'Den store salen' }],
    'organizers.json': [{ id: 'koret', name: 'Koret' }],
    'sources.json': [feed, { id: 'idrettslaget', kind: 'csv', file: 'idrettslaget.CSV' }],
    'kor.csv': Buffer.from(
      'Tittel;Start;Arangør;Rad\nKjør;14.02.2026 19:00;Koret;1\nØl;32.02.2026;;2\n',
      'latin1',
    ),
    'idrettslaget.csv': 'Tittel;Start\nCup;14.02.2026\n',
  });
  assert.is(code, 1);
  for (const [at, [, line]] of RECORDS.entries())
    assertIncludes(printed, `\n  events.ndjson:${61 + at} ${line}\n`);
  for (const line of [
    `  events.ndjson:${61 + RECORDS.length}: dropped record, expected JSON, found other text: there is one comma too many\n`,
    '  feed kor:1 Arangør: changed value, expected a known column; the nearest is "arrangor", found "Arangør"\n',
    '  feed kor:3 Start: dropped record, expected a date such as 14.02.2027 kl. 19.00 or 2027-02-14 19:00, found "32.02.2026"\n',
    ': idrettslaget.CSV: it is not there; the nearest is "idrettslaget.csv"\n',
    'events.tittel_nb (1; the nearest is "title_nb")',
  ])
    assertIncludes(printed, line);
  assert.not.match(printed, /UTF-8|Windows|ENOENT/);
});

test('L0: should say which feed was taken out, with its events', async () => {
  const files = { 'events.json': good, 'kor.csv': 'Tittel;Start\nKor;14.02.2026 19:00\n' };
  const target = temporaryFolder();
  await built(sourceFolder({ ...files, 'sources.json': [feed] }), target);
  const { printed } = await checked({ ...files, 'sources.json': [] }, target);
  assert.match(
    printed,
    '\n  sources.json "kor": left out, expected the feed, as before, found none: 1 event went with it\n',
  );
});

test.run();
