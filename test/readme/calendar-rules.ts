/** What is done with the blocks of the pages about a calendar of one's own, in their order. */
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import { feedsSchema } from '../../jobs/annexes/feeds/config.ts';
import { readCalendarFeed } from '../../jobs/annexes/feeds/ical/calendar.ts';
import { readSettings } from '../../jobs/settings.ts';
import { packagePath } from '../../src/package.ts';
import { readDocuments } from '../helpers/feed-reading.ts';
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
  'Your own calendar › json 1': saves(inOwn),
  'Your own calendar › json 2': saves(inOwn),
  'Your own calendar › sh 1': builds,
  'Your own calendar › text 1': isOutput,
  'Your own calendar › ini 1': (block, world) => {
    const folder = world.own();
    saves(inOwn)(block, world);
    const { settings, warnings } = readSettings({}, folder);
    assert.equal(warnings, []);
    assert.is(settings.source, join(folder, 'my-calendar'));
    assert.ok(existsSync(join(settings.snapshots, 'manifest.json')), 'where the build published');
  },
};

export const SOURCE_FORMAT_RULES: Rules = {
  'A whole calendar › json 1': saves(inOwn),
  'A whole calendar › json 2': saves(inOwn),
  'A whole calendar › json 3': saves(inOwn),
  'A whole calendar › json 4': saves(inOwn),
  'A whole calendar › sh 1': builds,
  'A whole calendar › text 1': isOutput,
  'A whole calendar › graphql 1': asks(({ ownAtNoon }) => ownAtNoon()),
  'A whole calendar › json 5': isAnswer,

  'In an editor › json 1': ({ text, file }) => {
    assert.is(text, readFileSync(packagePath(file ?? ''), 'utf8'));
  },
  'One event once › json 1': saves(inOwn),
  'Notices › json 1': saves(inOwn),
};

const SHOWS = {
  halls: [{ code: 'store', name: 'Store scene', street: 'Teatergata 1, 7170 Lillevik' }],
  shows: [
    {
      number: 17,
      title: 'Et dukkehjem',
      text: '<p>Av Henrik Ibsen.</p>',
      hall: 'store',
      price: 390,
      nights: [
        { from: '2031-03-01T19:00:00+01:00', to: '2031-03-01T21:30:00+01:00', off: false },
        { from: '2031-03-02T19:00:00+01:00', to: '2031-03-02T21:30:00+01:00', off: true },
      ],
    },
    {
      number: 18,
      title: 'Åpen prøve',
      text: '',
      hall: 'store',
      price: 0,
      nights: [{ from: '2031-03-03T12:00:00+01:00', to: '2031-03-03T13:00:00+01:00', off: false }],
    },
  ],
};

/** A script of thirty lines, as the page promises, and an API for it to ask. */
const savesScript: Rule = async (block, world) => {
  assert.ok(block.text.trimEnd().split('\n').length <= 30);
  const api = createServer((_, response) => response.end(JSON.stringify(SHOWS))).listen(0, '127.0.0.1');
  await once(api, 'listening');
  world.onClose(async () => void api.close());
  const { port } = api.address() as AddressInfo;
  const text = block.text.replace('https://api.teater.example', `http://127.0.0.1:${port}`);
  assert.is.not(text, block.text);
  return saves(inOwn)({ ...block, text }, world);
};

export const SOURCES_RULES: Rules = {
  'Where events come from › json 1': saves(inOwn),

  'A calendar › ics 1': saves(inOwn),
  'A calendar › json 1': saves(inOwn),
  'A calendar › sh 1': builds,
  'A calendar › text 1': isOutput,

  'A spreadsheet › csv 1': saves(inOwn),
  'A spreadsheet › json 1': saves(inOwn),
  'A spreadsheet › sh 1': builds,
  'A spreadsheet › text 1': isOutput,

  'A web site › html 1': saves(inOwn),
  'A web site › json 1': saves(inOwn),
  'A web site › sh 1': builds,
  'A web site › text 1': isOutput,

  'An API of your own › js 1': savesScript,
  'An API of your own › sh 1': builds,
  'An API of your own › text 1': isOutput,
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
  'An iCalendar feed › ics 1': saves(inOwn),
  'An iCalendar feed › json 1': saves(inOwn),
  'An iCalendar feed › sh 1': builds,
  'An iCalendar feed › text 1': isOutput,
  'An iCalendar feed › text 2': ({ text }) => {
    const { findings } = readDocuments(readCalendarFeed, FAULTS);
    assert.is(findings.length, 4);
    for (const finding of findings) assert.match(text, finding.replace(/^\d+ "f:/, '"bygda:'));
  },

  'Pages with events › json 1': ({ text }) => {
    assert.ok(feedsSchema.safeParse([JSON.parse(text)]).success);
  },
  'A mirror › json 1': saves(inOwn),
  'A mirror › json 2': async (block, world) => {
    const { url } = await world.ownServer();
    return saves(inOwn)({ ...block, text: block.text.replace(ADDRESS, url) }, world);
  },
  'A mirror › sh 1': builds,
  'A mirror › text 1': isOutput,
};
