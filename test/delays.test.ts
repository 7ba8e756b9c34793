/** The tables of how long a change takes, for editors: each figure follows from a setting, a timer or a header. */
import { readFileSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { readSettings } from '../jobs/settings.ts';
import { debianFile } from './helpers/debian-files.ts';
import { temporaryFolder } from './helpers/folder.ts';
import { readPage, tableIn } from './readme/document.ts';

const test = suite('how long a change takes');

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const { settings } = readSettings({}, temporaryFolder());

/** The number that a pattern finds in a file. Its parts are multiplied. */
function numberIn(file: string, pattern: RegExp): number {
  const found = pattern.exec(file);
  if (found === null) throw new Error(`expected ${pattern}, found none`);
  return found
    .slice(1)
    .flatMap((product) => product.split('*'))
    .reduce((number, factor) => number * Number(factor.replaceAll('_', '')), 1);
}

const source = (path: string) => readFileSync(path, 'utf8');
const TIMER = debianFile('etc/systemd/system/almanakk-workbooks.timer');
const PICTURES = debianFile('etc/nginx/almanakk-pictures.conf');

/** Of copies of pictures: in browsers and in a CDN, until the original is fetched again, and until a copy that nobody requests is deleted. */
const inBrowsers = numberIn(PICTURES, /max-age=(\d+)/);
const refetching = numberIn(PICTURES, /proxy_cache_valid 200 (\d+)d;/) * DAY;
const deleting = numberIn(PICTURES, /inactive=(\d+)d/) * DAY;
const syncing =
  numberIn(debianFile('etc/systemd/system/almanakk-sync@.timer'), /^OnCalendar=\*:0\/(\d+)$/m) * MINUTE;
const keptDays =
  settings.keepDays ?? numberIn(source('jobs/commands/command-context.ts'), /KEEP_DAYS = (\d+);/);
const copying =
  numberIn(TIMER, /^OnCalendar=\*:0\/(\d+)$/m) * MINUTE + numberIn(TIMER, /^RandomizedDelaySec=(\d+)$/m);
const SHEETS = source('jobs/annexes/feeds/urgent-sheets.ts');
const BUILDS = source('jobs/annexes/feeds/urgent-builds.ts');
/** A pause of polling is up to a tenth longer. */
const JITTER = 1.1;
const looking = (numberIn(SHEETS, /POLL_MS = ([\d_]+);/) / 1_000) * JITTER;
const repeating = numberIn(BUILDS, /LONGEST_RETRY_MS = ([\d_]+);/) / 1_000 + looking;
const embedding = numberIn(source('src/annexes/embed/assets/schedule.js'), /OLDEST = ([\d* ]+) \* SECOND;/);
const [php = '', node = ''] = ['php', 'mjs'].map((kind) => source(`docs/examples/event-page.${kind}`));

/** Seconds, in the order of the rows that have a figure; null for rows without one. */
const FIGURES: readonly (number | null)[] = [
  null,
  Math.ceil(copying / MINUTE) * MINUTE,
  Math.round(looking),
  numberIn(String(settings.cron), /^\*\/(\d+) /) * MINUTE,
  null,
  Math.ceil(repeating / MINUTE) * MINUTE,
  (settings.buildTimeoutSeconds * 2) / 3,
  settings.pollSeconds,
  settings.maxAge,
  embedding,
  numberIn(source('docs/examples/almanakk-events/cache.php'), /const FRESH = (\d+);/),
  numberIn(php, /const FRESH = (\d+);/) + numberIn(php, /max-age=(\d+)/),
  null,
  refetching,
  inBrowsers,
  null,
];

const UNITS: readonly (readonly [RegExp, number])[] = [
  [/(\d+) (?:seconds?|sekund(?:er)?)/, 1],
  [/(\d+) (?:minutes?|minutt(?:er)?)/, MINUTE],
  [/(\d+) (?:hours?|timer)/, HOUR],
  [/(\d+) (?:days?|døgn|dager)/, DAY],
];

function secondsIn(cell: string): number | null {
  for (const [pattern, seconds] of UNITS) {
    const [, count] = pattern.exec(cell) ?? [];
    if (count !== undefined) return Number(count) * seconds;
  }
  return null;
}

for (const [page, heading] of [
  ['docs/editors.md', 'How long a change takes'],
  ['docs/redaktor.md', 'Hvor lang tid en endring tar'],
] as const) {
  test(`should have the figures of the code in ${page}`, () => {
    const rows = tableIn(readPage(page), heading).trim().split('\n').slice(2);
    assert.equal(
      rows.map((row) => secondsIn(row.split('|')[2] ?? '')),
      FIGURES,
    );
  });
}

/** Seconds until a server stops showing an event, of the ways whose time follows from a setting. */
const OF_WAYS: Readonly<Record<string, number>> = {
  'a row in any other sheet': numberIn(String(settings.cron), /^\*\/(\d+) /) * MINUTE,
  'en rad i et annet ark': numberIn(String(settings.cron), /^\*\/(\d+) /) * MINUTE,
  "a line in the group's list": numberIn(php, /const FRESH = (\d+);/),
  'en linje i konsernets liste': numberIn(php, /const FRESH = (\d+);/),
};

for (const [page, heading] of [
  ['docs/editors.md', 'Compare the ways to take something down'],
  ['docs/redaktor.md', 'Hvor lenge det tar før et arrangement er borte'],
] as const) {
  test(`should have the figures of the code, and those measured, for each way in ${page}`, () => {
    const rows = tableIn(readPage(page), heading).trim().split('\n').slice(2);
    const cells = rows.map((row) => row.split('|').map((cell) => cell.trim()));
    const named = cells.flatMap(([, way = '', , time = '']) =>
      way in OF_WAYS ? [[OF_WAYS[way], secondsIn(time)]] : [],
    );
    assert.is(named.length, 2, 'ways with a time');
    for (const [expected, written] of named) assert.is(written, expected);
    // The figures of the pages that describe the measurements.
    const measured = [source('docs/sources.md'), source('docs/operating.md')];
    for (const [at, text] of measured.entries()) {
      const figures = cells[at]?.[3]?.match(/\d+ (?:to|til) \d+/g) ?? [];
      assert.is(figures.length, 2);
      for (const figure of figures) assert.match(text, figure.replace('til', 'to'));
    }
  });
}

/** It has the measured runs of almanakk-hide. */
const HIDING = source('docs/operating.md').replace(/\s+/g, ' ');

const rowsOf = (page: string, heading: string) =>
  tableIn(readPage(page), heading)
    .trim()
    .split('\n')
    .slice(2)
    .map((row) => row.split('|').map((cell) => cell.trim()));

for (const [page, heading] of [
  ['docs/newspapers.md', 'Takedown card'],
  ['docs/aviser.md', 'Vaktkort: når noe må bort'],
] as const) {
  test(`should have the figures of the code on the card of ${page}`, () => {
    assert.equal(
      rowsOf(page, heading).map(([, , , , after = '']) => secondsIn(after)),
      [
        numberIn(php, /const FRESH = (\d+);/),
        numberIn(HIDING, /runs took \d+ to (\d+) seconds/),
        settings.maxAge,
        embedding,
        null,
        syncing,
        inBrowsers,
        null,
      ],
    );
    const [range = 'none'] = /\d+ (?:to|til) \d+/.exec(tableIn(readPage(page), heading)) ?? [];
    assert.match(HIDING, `${range.replace('til', 'to')} seconds`);
    const kept = /(\d+) (?:days|dager)\. \[/.exec(readPage(page))?.[1];
    assert.is(Number(kept), keptDays);
  });
}

test('should have the figures of the code for each copy of a removed picture', () => {
  const figures = rowsOf('docs/privacy.md', 'Copies of a removed picture').map((cells) =>
    cells.slice(2, 4).flatMap((cell) => {
      const found = [...cell.matchAll(/\d+ (?:minutes|hours)/g)].map(([figure]) => secondsIn(figure));
      return found.filter((seconds) => seconds !== 0);
    }),
  );
  assert.equal(figures.slice(0, 5), [
    [deleting, refetching],
    [syncing],
    [],
    [inBrowsers, inBrowsers],
    [inBrowsers, inBrowsers],
  ]);
  assert.is(figures.slice(5).flat().length, 0, 'other figures');
});

test('should cache the event pages of both examples equally long', () => {
  assert.is(numberIn(node, /max-age=(\d+)/), numberIn(php, /max-age=(\d+)/));
  assert.is(numberIn(node, /const FRESH = ([\d_]+);/) / 1_000, numberIn(php, /const FRESH = (\d+);/));
});

test('should have a share of a build for feeds, and a refresh of subscriptions, as in the table', () => {
  assert.match(source('jobs/annexes/feeds/merge.ts'), 'SHARE_OF_BUILD = 2 / 3;');
  assert.match(source('src/annexes/feeds/icalendar.ts'), "REFRESH = 'PT1H'");
});

test.run();
