/** Rules for blocks about the reader's own calendar: files are saved and built, and queries sent. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import { feedsSchema } from '../../jobs/annexes/feeds/config-schema.ts';
import { CORRECTION_LAYOUT } from '../../jobs/annexes/feeds/corrections/sheet-columns.ts';
import { readCalendarFeed } from '../../jobs/annexes/feeds/ical/calendar.ts';
import { LIST_LAYOUT } from '../../jobs/annexes/feeds/lists/sheet-columns.ts';
import { VENUE_LAYOUT } from '../../jobs/annexes/feeds/venues/sheet-columns.ts';
import { readSettings } from '../../jobs/settings.ts';
import { licenceSchema } from '../../jobs/validate/schemas.ts';
import { packagePath } from '../../src/package.ts';
import { assertAtMost, assertExists } from '../helpers/assertions.ts';
import { readDocuments } from '../helpers/feed-reading.ts';
import { always, startFeedServer } from '../helpers/feed-server.ts';
import { builds, type Check, type Rule, saves } from './checks.ts';
import { readPage, tableIn } from './document.ts';

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

/** The columns that the first cells of a page's table name. */
function columnsOf(page: string, heading: string): readonly string[] {
  const cells = [...tableIn(readPage(page), heading).matchAll(/^\| (`.+?) \|/gm)];
  return cells.flatMap(([, cell = '']) => [...cell.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name));
}

/**
 * A correction sheet, and the names of columns that the pages about it list. Its addresses are compared with those of a build, so no server has
 * to run there.
 */
const savesSheet: Check = async ({ text, file }, { own }) => {
  writeFileSync(join(own(), file ?? ''), text);
  for (const [page, heading] of SHEET_TABLES) {
    const names = columnsOf(page, heading);
    assert.ok(names.includes('Skjul'), page);
    for (const name of names)
      assert.is(
        CORRECTION_LAYOUT.countNamed([{ number: 1, cells: ['Id', name] }]),
        name === 'Id' ? 1 : 2,
        name,
      );
  }
  for (const { heading, required, layout } of OTHER_SHEETS) {
    const names = columnsOf('docs/sources.md', heading);
    assert.ok(names.includes(required));
    for (const name of names) assert.is(layout.countNamed([{ number: 1, cells: [name] }]), 1, name);
  }
};

const OTHER_SHEETS = [
  { heading: 'Keep the venues in a spreadsheet', required: 'Sted', layout: VENUE_LAYOUT },
  { heading: "Keep a desk's feeds in a spreadsheet", required: 'Adresse', layout: LIST_LAYOUT },
];

const SHEET_TABLES = [
  ['docs/sources.md', 'Correct events in a spreadsheet'],
  ['docs/redaktor.md', 'Rett andres arrangementer'],
] as const;

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

/** Fields of `licence.json`, without those that it needs. */
const isPartOfLicence: Check = async ({ text }) => {
  licenceSchema.partial().strict().parse(JSON.parse(text));
};

const isFeed: Check = ({ text }) => {
  const { error } = feedsSchema.safeParse([JSON.parse(text)]);
  assert.is(error, undefined);
};

export const CALENDAR_RULES: readonly Rule[] = [
  { shape: { file: /^\.env$/ }, check: savesSettings },
  { shape: { file: /^\.vscode\// }, check: isFileOfEditor },
  { shape: { file: /\/desk\.csv$/ }, check: savesSheet },
  { shape: { language: 'js', file: /^my-/ }, check: savesScript },
  { shape: { file: /^my-/ }, check: saves },
  { shape: { language: 'json', says: /^\{\s*"id": "[^"]+",\s*"kind": / }, check: isFeed },
  { shape: { language: 'json', says: /^\{\s*"eventPages": / }, check: isPartOfLicence },
  { shape: { language: 'text', says: /"bygda:\w/ }, check: reportsFaults },
  {
    shape: { language: 'sh', says: /npm run (?:rebuild(?! -- --json)|check:source -- --source my-)/ },
    check: builds,
  },
];
