/** Rules for blocks about the reader's own calendar: files are saved and built, and queries sent. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import { feedsSchema } from '../../jobs/annexes/feeds/config.ts';
import { readCalendarFeed } from '../../jobs/annexes/feeds/ical/calendar.ts';
import { readSettings } from '../../jobs/settings.ts';
import { packagePath } from '../../src/package.ts';
import { assertAtMost, assertExists } from '../helpers/assertions.ts';
import { readDocuments } from '../helpers/feed-reading.ts';
import { always, type FeedServer, startFeedServer } from '../helpers/feed-server.ts';
import { builds, type Check, type Rule, saves } from './checks.ts';
import { readPage, tableIn } from './document.ts';
import { runShell } from './shell.ts';

const HALL = { code: 'store', name: 'Store scene', street: 'Teatergata 1, 7170 Lillevik' };
const night = (day: number, off: boolean) => ({
  from: `2031-03-0${day}T19:00:00+01:00`,
  to: `2031-03-0${day}T21:30:00+01:00`,
  off,
});
const PLAY = { number: 17, title: 'Et dukkehjem', text: '<p>Av Henrik Ibsen.</p>', price: 390 };
const SHOWS = {
  halls: [HALL],
  shows: [
    { ...PLAY, hall: 'store', nights: [night(1, false), night(2, true)] },
    { number: 18, title: 'Åpen prøve', text: '', price: 0, hall: 'store', nights: [night(3, false)] },
  ],
};

/** A script of thirty lines, as the page promises, and an API for it to ask. */
const savesScript: Check = async (block, world) => {
  assertAtMost(block.text.trimEnd().split('\n').length, 30, 'lines');
  const api = await startFeedServer(always(200, JSON.stringify(SHOWS)));
  world.onClose(api.close);
  const text = block.text.replace('https://api.teater.example', api.url);
  assert.is.not(text, block.text);
  return saves({ ...block, text }, world);
};

const COLUMNS = 'id,date,hide,title,summary,start,end,category,venue,status,featured,note';
const rowOf = (cells: Readonly<Record<string, string>>) =>
  COLUMNS.split(',')
    .map((name) => cells[name] ?? '')
    .join('\t');
const sheetOf = (...rows: readonly Readonly<Record<string, string>>[]) =>
  [COLUMNS.replaceAll(',', '\t'), ...rows.map(rowOf)].join('\r\n');

/** The festival's sheet also has a row without a change, and one about the church. */
const SHEETS: Readonly<Record<string, string>> = {
  '/vinterfest': sheetOf(
    { id: 'vinterfest:aking', hide: 'Ja' },
    { id: 'vinterfest:sanddans', date: '2031-02-15', start: '19:00', end: '21:00', status: 'Avlyst' },
    { id: 'vinterfest:fakkeltog', note: 'ring arrangøren' },
    { id: 'kirken:korkveld@kirken.example', hide: 'ja' },
  ),
  '/desk': sheetOf(
    {
      id: 'kirken:korkveld@kirken.example',
      title: 'Korkveld med gjester',
      start: '20:00',
      category: 'MUSIC',
      summary: 'Tre kor synger.',
      featured: 'ja',
      note: 'ny tittel',
    },
    { id: 'vinterfest:sanddans', date: '2031-02-16', venue: 'store', status: 'utsolgt' },
  ),
};

/** The columns that the first cells of a page's table name. */
function columnsOf(page: string, heading: string): readonly string[] {
  const cells = [...tableIn(readPage(page), heading).matchAll(/^\| (`.+?) \|/gm)];
  return cells.flatMap(([, cell = '']) => [...cell.matchAll(/`(\w+)`/g)].map(([, name = '']) => name));
}

/** A script, and sheets for it to read. */
const savesSheetScript: Check = async (block, world) => {
  const sheets = await startFeedServer(({ url = '' }, response) => {
    response.end(SHEETS[url.replace('?output=tsv', '')]);
  });
  world.onClose(sheets.close);
  const text = block.text.replaceAll('https://sheet.example', sheets.url);
  assert.equal(columnsOf('docs/sources.md', 'Correct events in a spreadsheet'), COLUMNS.split(','));
  assert.equal(columnsOf('docs/redaktor.md', 'Rett andres arrangementer'), COLUMNS.split(','));
  assert.is.not(text, block.text);
  await saves({ ...block, text }, world);
  world.found.set('sheets', sheets);
};

const correctsBySheet: Check = async (block, world) => {
  await builds(block, world);
  const file = join(world.own(), 'my-town/corrections.json');
  const written = readFileSync(file, 'utf8');
  const title = { title_nb: 'Korkveld med gjester', start: '20:00', summary_nb: 'Tre kor synger.' };
  assert.equal(JSON.parse(written), [
    { where: { id: 'vinterfest:aking' }, hide: true },
    {
      where: { id: 'vinterfest:sanddans', date: '2031-02-15' },
      set: { start: '19:00', end: '21:00', status: 'CANCELLED' },
    },
    {
      where: { id: 'kirken:korkveld@kirken.example' },
      set: { ...title, categories: ['MUSIC'], isFeaturedEvent: true },
      note: 'ny tittel',
    },
    {
      where: { id: 'vinterfest:sanddans', date: '2031-02-16' },
      set: { venue: 'store', eventSoldOut: true },
    },
  ]);
  assert.match(`${world.found.get('output')}`, /corrections\.json:\d+ changes 1 event: ny tittel/);

  // A sheet with another column keeps its previous corrections.
  const [script = ''] = block.text.split('\n');
  const sheets = world.found.get('sheets') as FeedServer;
  const { answer } = sheets;
  sheets.answer = (request, response) =>
    request.url?.startsWith('/desk') ? response.end('id\tdato\n') : answer(request, response);
  const { code, stdout } = await runShell(script, { folder: world.own() });
  assert.is(code, 1);
  assert.match(stdout, /^sheet desk: expected the columns id,date,.*, found id,dato; its previous/m);
  assert.is(readFileSync(file, 'utf8'), written);
};

const savesSettings: Check = async (block, world) => {
  await saves(block, world);
  const folder = world.own();
  const { settings, warnings } = readSettings({}, folder);
  assert.equal(warnings, []);
  assertExists(join(settings.source, 'licence.json'));
  assertExists(join(settings.snapshots, 'manifest.json'));
};

const isFileOfEditor: Check = ({ text, file }) => {
  assert.is(text, readFileSync(packagePath(file ?? ''), 'utf8'));
};

/** The faults of the made-up feed whose report a page shows. */
const FAULTS = [
  'BEGIN:VCALENDAR',
  ...[
    ['UID:uten-start'],
    ['UID:feil', 'DTSTART:i morgen'],
    ['UID:styremote', 'DTSTART:20310106T180000Z', 'CLASS:PRIVATE'],
    ['UID:kor', 'DTSTART:20310106T180000Z', 'RRULE:FREQ=WEEKLY;COUNT=6', 'SUMMARY:Korøvelse'],
    ['UID:kor', 'RECURRENCE-ID:20310127T180000Z', 'SUMMARY:Utsatt: Korøvelse'],
  ].flatMap((lines) => ['BEGIN:VEVENT', ...lines, 'END:VEVENT']),
  'END:VCALENDAR',
].join('\r\n');

const reportsFaults: Check = ({ text }) => {
  const { findings } = readDocuments(readCalendarFeed, FAULTS);
  assert.is(findings.length, 4);
  for (const finding of findings) assert.match(text, finding.replace(/^\d+ "f:/, '"bygda:'));
};

const isFeed: Check = ({ text }) => {
  const { error } = feedsSchema.safeParse([JSON.parse(text)]);
  assert.is(error, undefined);
};

export const CALENDAR_RULES: readonly Rule[] = [
  { shape: { file: /^\.env$/ }, check: savesSettings },
  { shape: { file: /^\.vscode\// }, check: isFileOfEditor },
  { shape: { file: /\/corrections\.mjs$/ }, check: savesSheetScript },
  { shape: { language: 'js', file: /^my-/ }, check: savesScript },
  { shape: { language: 'sh', says: /^node my-town\/corrections\.mjs$/m }, check: correctsBySheet },
  { shape: { file: /^my-/ }, check: saves },
  { shape: { language: 'json', says: /^\{ "id": .*"kind": / }, check: isFeed },
  { shape: { language: 'text', says: /"bygda:\w/ }, check: reportsFaults },
  {
    shape: { language: 'sh', says: /npm run (?:rebuild(?! -- --json)|check:source -- --source my-)/ },
    check: builds,
  },
];
