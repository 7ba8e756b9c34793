/** What an endpoint says of iCalendar files of one's own writing. Built on 1 January 2026, noon UTC. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { datesOf, fixture, type ServedFeed, serveFeed } from '../../helpers/feeds.ts';

const HALL = {
  map: { konsert: 'MUSIC', Teater: ['ART'] },
  defaults: { ticketsInformation: 'ticketsInfo', categories: ['JAZZ'] },
};

interface Feeds {
  hall: ServedFeed;
  times: ServedFeed;
}

const test = suite<Feeds>('iCalendar');

test.before(async (feeds) => {
  feeds.hall = await serveFeed(fixture('hall.ics'), HALL);
  feeds.times = await serveFeed(fixture('times.ics'));
});

test.after(async ({ hall, times }) => {
  for (const feed of [hall, times]) await feed.close();
});

test('should take over what an entry says', async ({ hall }) => {
  assert.equal(await hall.event('konsert-118@brygga.example'), {
    id: 'f:konsert-118@brygga.example',
    title_nb: 'Ærlig talt: en kveld med viser; og prat',
    title_en: 'Honestly, an evening of songs',
    desc_nb: 'Kåre Øverås synger.\n\nDørene åpner en time før. Sitteplasser, ikke nummererte; kom tidlig.',
    desc_en: 'Kåre Øverås sings.',
    categories: ['MUSIC'],
    tags: ['Viser', 'Inne, sitteplasser'],
    mode: 'offline',
    moreInfoURL: 'https://brygga.example/program/118',
    streamingURL: null,
    ticketsInformation: 'ticketsInfo',
    created_at: '2025-11-01 09:00:00+00:00',
    updated_at: '2025-12-15 12:15:30+00:00',
    organizers: [{ name: 'Visens Venner: Trondheim' }],
    images: [
      { urlLarge: 'https://brygga.example/118.jpg', urlSmall: 'https://brygga.example/118.jpg' },
      { urlLarge: 'https://brygga.example/118-2.png', urlSmall: 'https://brygga.example/118-2.png' },
    ],
    startDate: '2026-02-14 19:30:00+01:00',
    endDate: '2026-02-14 22:00:00+01:00',
    startTime: '19:30',
    duration: 150,
    venue: {
      id: 'f:brygga-kulturhus-sjogata-4-7010-trondheim-367de99f',
      name: 'Brygga Kulturhus',
      address: 'Sjøgata 4, 7010 Trondheim',
      location: { latitude: 63.4326, longitude: 10.4043 },
    },
    allDay: false,
    eventCancelled: false,
    repetitions: [],
  });
});

test('should know a place by name and address, however they are spelled and parted', async ({ hall }) => {
  const [concert, theatre] = [
    await hall.event('konsert-118@brygga.example'),
    await hall.event('teater-9@brygga.example'),
  ];
  assert.equal(theatre?.venue, concert?.venue);
  assert.is(hall.report.lists.venues.kept, 1);
});

test('should show a cancelled event as cancelled, with categories by the map', async ({ hall }) => {
  const event = await hall.event('teater-9@brygga.example');
  assert.is(event?.eventCancelled, true);
  assert.equal(event?.categories, ['ART']);
  assert.is(event?.duration, 105);
});

test('should not publish addresses of persons', async ({ hall }) => {
  assert.equal((await hall.event('teater-9@brygga.example'))?.organizers, []);
});

test('should take a place on the web for a stream, and defaults where an entry says nothing', async ({
  hall,
}) => {
  const event = await hall.event('strom-1@brygga.example');
  assert.is(event?.mode, 'online');
  assert.is(event?.streamingURL, 'https://video.example/rom/1');
  assert.is(event?.venue, null);
  assert.equal(event?.categories, ['JAZZ']);
});

test('should leave out what its owner calls private, and say so', async ({ hall }) => {
  assert.is(await hall.event('styremote@brygga.example'), null);
  assert.equal(
    hall.findingsOf('styremote@brygga.example').map(({ action, origin, field }) => [action, origin, field]),
    [['left out', { file: 'feed f', line: 58 }, 'privacy (CLASS)']],
  );
  assert.equal(hall.report.feeds[0]?.counts, { entries: 4, events: 3, merged: 0, dropped: 1 });
});

const TIMES: readonly (readonly [uid: string, dates: string, what: string])[] = [
  [
    'all-day',
    '2026-05-17 00:00:00+02:00 | 2026-05-18 00:00:00+02:00 | all day',
    'a whole day to the midnight that follows',
  ],
  [
    'all-days',
    '2026-03-27 00:00:00+01:00 | 2026-03-30 00:00:00+02:00 | all day',
    'whole days to an exclusive end',
  ],
  ['all-day-open', '2026-05-17 00:00:00+02:00 | 2026-05-18 00:00:00+02:00 | all day', 'a day without an end'],
  [
    'all-day-same',
    '2026-05-17 00:00:00+02:00 | 2026-05-18 00:00:00+02:00 | all day',
    'an end that is not exclusive',
  ],
  ['all-day-week', '2026-06-01 00:00:00+02:00 | 2026-06-08 00:00:00+02:00 | all day', 'a duration of days'],
  ['no-end', '2026-02-14 19:30:00+01:00', 'no end'],
  ['utc', '2026-07-10 19:00:00+02:00 | 2026-07-10 21:00:00+02:00', 'times in UTC'],
  ['floating', '2026-07-10 17:00:00+02:00 | 2026-07-10 19:00:00+02:00', 'floating times as Norwegian ones'],
  ['elsewhere', '2026-03-10 17:00:00+01:00 | 2026-03-10 18:00:00+01:00', 'a zone without VTIMEZONE'],
  ['two-zones', '2026-03-10 12:00:00+01:00 | 2026-03-10 14:00:00+01:00', 'an end in another zone'],
  ['windows', '2026-07-10 17:00:00+02:00', "Windows' name of a zone"],
  ['prefixed', '2026-07-10 17:00:00+02:00', 'a prefixed name, and half a VTIMEZONE'],
  ['custom-winter', '2026-02-10 16:00:00+01:00', 'a zone of the feed’s own in winter'],
  ['custom-summer', '2026-07-10 16:00:00+02:00', 'a zone of the feed’s own in summer'],
  ['unknown-zone', '2026-07-10 17:00:00+02:00', 'an unknown zone as Norway’s'],
  [
    'skipped',
    '2026-03-29 03:30:00+02:00 | 2026-03-29 04:00:00+02:00 | as 02:30',
    'a time that is skipped (A12)',
  ],
  ['night', '2026-10-24 22:00:00+02:00 | 2026-10-25 05:00:00+01:00', 'hours of a DURATION as elapsed time'],
  ['backwards', '2026-02-14 19:30:00+01:00', 'no end where that is before the start'],
];

for (const [uid, dates, what] of TIMES) {
  test(`should read ${what} (${uid})`, async ({ times }) => {
    assert.equal(datesOf(await times.event(uid)), [dates]);
  });
}

test('should say which times it had to guess', ({ times }) => {
  const told = times.report.findings.map(({ id, field, action }) => `${id} ${field} ${action}`);
  assert.equal(told, [
    'f:unknown-zone start (DTSTART;TZID) changed value',
    'f:backwards end (DTEND) changed value',
  ]);
});

test.run();
