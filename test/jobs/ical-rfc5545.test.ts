/** What RFC 5545 says of files as programs write them, section by section. Built on 1 January 2026, noon UTC. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { datesOf, type ServedFeed, serveFeed } from '../helpers/feeds.ts';

interface Case {
  readonly section: string;
  readonly what: string;
  /** Further properties of the event, DTSTART among them. */
  readonly event: string;
  /** Overrides. */
  readonly more?: string;
  readonly dates: readonly string[];
}

const LOTUS = [
  ...['BEGIN:VTIMEZONE', 'TZID:Lotus'],
  ...['BEGIN:STANDARD', 'DTSTART:19501029T020000', 'TZOFFSETFROM:+0200', 'TZOFFSETTO:+0100'],
  ...['RRULE:FREQ=YEARLY;BYMINUTE=0;BYHOUR=2;BYDAY=-1SU;BYMONTH=10', 'END:STANDARD'],
  ...['BEGIN:DAYLIGHT', 'DTSTART:19500326T020000', 'TZOFFSETFROM:+0100', 'TZOFFSETTO:+0200'],
  ...['RRULE:FREQ=YEARLY;BYMINUTE=0;BYHOUR=2;BYDAY=-1SU;BYMONTH=3', 'END:DAYLIGHT', 'END:VTIMEZONE'],
];
const KYIV = [
  ...['BEGIN:VTIMEZONE', 'TZID:Helsinki\\, Kyiv\\, Riga', 'BEGIN:STANDARD', 'DTSTART:16010101T000000'],
  ...['TZOFFSETFROM:+0200', 'TZOFFSETTO:+0200', 'END:STANDARD', 'END:VTIMEZONE'],
];

const CASES: Readonly<Record<string, Case>> = {
  lotus: {
    section: '3.6.5',
    what: 'a time zone whose rules tell the hour',
    event: 'DTSTART;TZID=Lotus:20260710T190000',
    dates: ['2026-07-10 19:00:00+02:00'],
  },
  text: {
    section: '3.8.3.1',
    what: 'the name of a time zone as a text',
    event: 'DTSTART;TZID="Helsinki, Kyiv, Riga":20260210T190000',
    dates: ['2026-02-10 18:00:00+01:00'],
  },
};

const test = suite<{ feed: ServedFeed }>('RFC 5545');

test.before(async (context) => {
  const events = Object.entries(CASES).map(([uid, { event, more = '' }]) =>
    [`BEGIN:VEVENT\nUID:${uid}\nSUMMARY:Kveld\n${event}\nEND:VEVENT`, more].join('\n'),
  );
  const lines = ['BEGIN:VCALENDAR', ...LOTUS, ...KYIV, ...events, 'END:VCALENDAR', ''];
  context.feed = await serveFeed(lines.join('\n'));
});

test.after(async ({ feed }) => feed.close());

for (const [uid, { section, what, dates }] of Object.entries(CASES)) {
  test(`${section}: should read ${what}`, async ({ feed }) => {
    assert.equal(datesOf(await feed.event(uid)), dates);
  });
}

test.run();
