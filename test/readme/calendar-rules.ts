/** What is done with the blocks of the pages about a calendar of one's own, in their order. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import { feedsSchema } from '../../jobs/annexes/feeds/config.ts';
import { readCalendarFeed } from '../../jobs/annexes/feeds/ical/calendar.ts';
import { readSettings } from '../../jobs/settings.ts';
import { packagePath } from '../../src/package.ts';
import { readDocuments } from '../helpers/feed-reading.ts';
import { always, startFeedServer } from '../helpers/feed-server.ts';
import { asks, isAnswer, isOutput, type Rule, type Rules, saves } from './checks.ts';
import { ADDRESS, runShell } from './shell.ts';
import type { World } from './world.ts';

const inOwn = (world: World) => world.own();

/** In the clone with a calendar of one's own, whose `.env` holds from the moment that README.md writes it. */
const builds: Rule = async ({ text }, { own, found }) => {
  const { code, stdout, stderr } = await runShell(text, { folder: own() });
  assert.is(code, 0, stdout + stderr);
  found.set('output', stdout);
};

/** In README.md. */
export const OWN_CALENDAR_RULES: Rules = {
  'Your own calendar › json': saves(inOwn),
  'Your own calendar › sh': builds,
  'Your own calendar › text': isOutput,
  'Your own calendar › ini': (block, world) => {
    const folder = world.own();
    saves(inOwn)(block, world);
    const { settings, warnings } = readSettings({}, folder);
    assert.equal(warnings, []);
    assert.is(settings.source, join(folder, 'my-calendar'));
    assert.ok(existsSync(join(settings.snapshots, 'manifest.json')), 'where the build published');
  },
};

/** Of most blocks of the pages about sources: files, a build of them, and what it says. */
const CALENDAR_RULES: Rules = { ics: saves(inOwn), json: saves(inOwn), sh: builds, text: isOutput };

export const SOURCE_FORMAT_RULES: Rules = {
  json: saves(inOwn),
  sh: builds,
  text: isOutput,
  'A whole calendar › graphql': asks(({ ownAtNoon }) => ownAtNoon()),
  'A whole calendar › json 5': isAnswer,
  'In an editor › json': ({ text, file }) => {
    assert.is(text, readFileSync(packagePath(file ?? ''), 'utf8'));
  },
};

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
const savesScript: Rule = async (block, world) => {
  assert.ok(block.text.trimEnd().split('\n').length <= 30);
  const api = await startFeedServer(always(200, JSON.stringify(SHOWS)));
  world.onClose(api.close);
  const text = block.text.replace('https://api.teater.example', api.url);
  assert.is.not(text, block.text);
  return saves(inOwn)({ ...block, text }, world);
};

export const SOURCES_RULES: Rules = {
  ...CALENDAR_RULES,
  csv: saves(inOwn),
  html: saves(inOwn),
  'An API of your own › js': savesScript,
};

/** The faults of the made-up feed whose report the page shows. */
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

export const FEEDS_RULES: Rules = {
  ...CALENDAR_RULES,
  'An iCalendar feed › text 2': ({ text }) => {
    const { findings } = readDocuments(readCalendarFeed, FAULTS);
    assert.is(findings.length, 4);
    for (const finding of findings) assert.match(text, finding.replace(/^\d+ "f:/, '"bygda:'));
  },
  'Pages with events › json': ({ text }) => {
    assert.ok(feedsSchema.safeParse([JSON.parse(text)]).success);
  },
  'A mirror › json 2': async (block, world) => {
    const { url } = await world.ownServer();
    return saves(inOwn)({ ...block, text: block.text.replace(ADDRESS, url) }, world);
  },
};
