/** What RFC 5545 says of files as programs write them, section by section. Built on 1 January 2026, noon UTC. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { datesOf, type ServedFeed, serveFeed } from '../../helpers/feeds.ts';

const EASTERN = [
  ...['BEGIN:VTIMEZONE', 'TZID:EST', 'BEGIN:STANDARD', 'DTSTART:20071104T020000', 'TZOFFSETFROM:-0400'],
  ...['TZOFFSETTO:-0500', 'RRULE:FREQ=YEARLY;BYMONTH=11;BYDAY=1SU', 'END:STANDARD', 'BEGIN:DAYLIGHT'],
  ...['DTSTART:20070311T020000', 'TZOFFSETFROM:-0500', 'TZOFFSETTO:-0400'],
  ...['RRULE:FREQ=YEARLY;BYMONTH=3;BYDAY=2SU', 'END:DAYLIGHT', 'END:VTIMEZONE'],
];
const FOUR = [
  ...['BEGIN:VTIMEZONE', 'TZID:Four'],
  ...[
    ['STANDARD', '+0200', '+0100', 'BYMONTH=9;BYDAY=-1SU;UNTIL=19950924T010000Z'],
    ['STANDARD', '+0200', '+0100', 'BYMONTH=10;BYDAY=-1SU'],
    ['DAYLIGHT', '+0100', '+0200', 'BYMONTH=4;BYDAY=1SU;UNTIL=19800406T010000Z'],
    ['DAYLIGHT', '+0100', '+0200', 'BYMONTH=3;BYDAY=-1SU'],
  ].flatMap(([name, from, to, rule]) => [
    ...[`BEGIN:${name}`, 'DTSTART:16010101T020000', `TZOFFSETFROM:${from}`, `TZOFFSETTO:${to}`],
    ...[`RRULE:FREQ=YEARLY;${rule}`, `END:${name}`],
  ]),
  'END:VTIMEZONE',
];

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

const MINSK = [
  ...['BEGIN:VTIMEZONE', 'TZID:(UTC+03:00) Moskva\\, Minsk', 'BEGIN:STANDARD', 'DTSTART:16010101T000000'],
  ...['TZOFFSETFROM:+0300', 'TZOFFSETTO:+0300', 'END:STANDARD', 'END:VTIMEZONE'],
];
const MOSCOW = [
  ...['BEGIN:VTIMEZONE', 'TZID:"GMT +0300 (Moskva)"', 'BEGIN:STANDARD', 'DTSTART:16010101T000000'],
  ...['TZOFFSETFROM:+0300', 'TZOFFSETTO:+0300', 'END:STANDARD', 'END:VTIMEZONE'],
];

const wholeDays = (...pairs: readonly string[]) =>
  pairs.map((pair) => {
    const [first, next] = pair.split(' ').map((day) => `2026-${day} 00:00:00+02:00`);
    return `${first} | ${next} | all day`;
  });

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
  ended: {
    section: '3.3.10',
    what: 'a series that ends before it begins as none',
    event: 'DTSTART:20260601T100000Z\nRRULE:FREQ=DAILY;UNTIL=20260501T100000Z',
    dates: [],
  },
  twice: {
    section: '3.8.5.2',
    what: 'a date that is given twice as one',
    event:
      'DTSTART;TZID=Europe/Oslo:20260601T100000\nDTEND;TZID=Europe/Oslo:20260601T110000\nRRULE:FREQ=DAILY;COUNT=3\n' +
      'RDATE;TZID=Europe/Oslo:20260602T100000,20260605T100000,20260605T100000\n' +
      'RDATE;VALUE=PERIOD:20260606T080000Z/PT2H,20260606T080000Z/PT2H,20260603T080000Z/PT3H',
    dates: [
      '2026-06-01 10:00:00+02:00 | 2026-06-01 11:00:00+02:00',
      '2026-06-02 10:00:00+02:00 | 2026-06-02 11:00:00+02:00',
      '2026-06-03 10:00:00+02:00 | 2026-06-03 13:00:00+02:00',
      '2026-06-05 10:00:00+02:00 | 2026-06-05 11:00:00+02:00',
      '2026-06-06 10:00:00+02:00 | 2026-06-06 12:00:00+02:00',
    ],
  },
  itself: {
    section: '3.8.5.2',
    what: 'a period that begins with the event as that event',
    event: 'DTSTART:20260601T080000Z\nRDATE;VALUE=PERIOD:20260601T080000Z/PT2H',
    dates: ['2026-06-01 10:00:00+02:00 | 2026-06-01 12:00:00+02:00'],
  },
  cancelled: {
    section: '3.8.4.4',
    what: 'a cancellation that says only of what date it is',
    event: 'DTSTART:20260601T080000Z\nDTEND:20260601T090000Z\nRRULE:FREQ=DAILY;COUNT=2',
    more: 'BEGIN:VEVENT\nUID:cancelled\nRECURRENCE-ID:20260602T080000Z\nSTATUS:CANCELLED\nEND:VEVENT',
    dates: [
      '2026-06-01 10:00:00+02:00 | 2026-06-01 11:00:00+02:00',
      '2026-06-02 10:00:00+02:00 | 2026-06-02 11:00:00+02:00 | cancelled',
    ],
  },
  days: {
    section: '3.8.5.1',
    what: 'a day taken out by the instant at which it begins',
    event: 'DTSTART;VALUE=DATE:20260601\nRRULE:FREQ=DAILY;COUNT=4\nEXDATE:20260601T220000Z',
    more:
      'BEGIN:VEVENT\nUID:days\nSUMMARY:Kveld\nRECURRENCE-ID:20260602T220000Z\n' +
      'DTSTART;VALUE=DATE:20260610\nEND:VEVENT',
    dates: wholeDays('06-01 06-02', '06-04 06-05', '06-10 06-11'),
  },
  listed: {
    section: '3.8.2.4',
    what: 'listed days, less one, as whole days of as many days each (A15)',
    event:
      'DTSTART;VALUE=DATE:20260601\nDTEND;VALUE=DATE:20260603\nRDATE;VALUE=DATE:20260610,20260620\n' +
      'EXDATE;VALUE=DATE:20260610',
    dates: wholeDays('06-01 06-03', '06-20 06-22'),
  },
  moved: {
    section: '3.8.4.4',
    what: 'a day of a series that is moved to an evening as that, one that is longer, and one that is cancelled (A15)',
    event: 'DTSTART;VALUE=DATE:20260601\nRRULE:FREQ=DAILY;COUNT=4',
    more: [
      'BEGIN:VEVENT\nUID:moved\nSUMMARY:Kveld\nRECURRENCE-ID;VALUE=DATE:20260602',
      'DTSTART;TZID=Europe/Oslo:20260602T190000\nDTEND;TZID=Europe/Oslo:20260602T210000\nEND:VEVENT',
      'BEGIN:VEVENT\nUID:moved\nSUMMARY:Kveld\nRECURRENCE-ID;VALUE=DATE:20260603',
      'DTSTART;VALUE=DATE:20260603\nDURATION:PT48H\nEND:VEVENT',
      'BEGIN:VEVENT\nUID:moved\nRECURRENCE-ID:20260603T220000Z\nSTATUS:CANCELLED\nEND:VEVENT',
    ].join('\n'),
    dates: [
      ...wholeDays('06-01 06-02'),
      '2026-06-02 19:00:00+02:00 | 2026-06-02 21:00:00+02:00',
      ...wholeDays('06-03 06-05'),
      ...wholeDays('06-04 06-05').map((day) => `${day} | cancelled`),
    ],
  },
  evenings: {
    section: '3.2.13',
    what: 'days that are evenings from one of them on as what they are (A15)',
    event: 'DTSTART;VALUE=DATE:20260601\nRRULE:FREQ=DAILY;COUNT=3',
    more:
      'BEGIN:VEVENT\nUID:evenings\nSUMMARY:Kveld\nRECURRENCE-ID;RANGE=THISANDFUTURE;VALUE=DATE:20260602\n' +
      'DTSTART;TZID=Europe/Oslo:20260602T190000\nDTEND;TZID=Europe/Oslo:20260602T210000\nEND:VEVENT',
    dates: [
      ...wholeDays('06-01 06-02'),
      '2026-06-02 19:00:00+02:00 | 2026-06-02 21:00:00+02:00',
      '2026-06-03 19:00:00+02:00 | 2026-06-03 21:00:00+02:00',
    ],
  },
  hidden: {
    section: '3.8.1.3',
    what: 'a private override as the end of that date',
    event: 'DTSTART:20260601T080000Z\nRRULE:FREQ=DAILY;COUNT=3',
    more:
      'BEGIN:VEVENT\nUID:hidden\nSUMMARY:Lukket\nCLASS:PRIVATE\nRECURRENCE-ID:20260602T080000Z\n' +
      'DTSTART:20260602T100000Z\nEND:VEVENT',
    dates: ['2026-06-01 10:00:00+02:00', '2026-06-03 10:00:00+02:00'],
  },
  both: {
    section: '3.3.10',
    what: 'a rule with COUNT and UNTIL to the first of them',
    event: 'DTSTART:20260601T080000Z\nRRULE:FREQ=DAILY;COUNT=5;UNTIL=20260602T230000Z',
    dates: ['2026-06-01 10:00:00+02:00', '2026-06-02 10:00:00+02:00'],
  },
  ordinals: {
    section: '3.3.10',
    what: 'a weekly rule with numbered weekdays, an X- part, blanks and an empty UNTIL as what is meant',
    event: 'DTSTART:20260601T080000Z\nRRULE:FREQ=WEEKLY;UNTIL=;X-EVERY=1;BYDAY=1MO, 2WE;COUNT=3',
    dates: ['2026-06-01', '2026-06-03', '2026-06-08'].map((day) => `${day} 10:00:00+02:00`),
  },
  future: {
    section: '3.8.1.3',
    what: 'a private override of all that follows as the end of the series',
    event: 'DTSTART:20260601T080000Z\nRRULE:FREQ=DAILY;COUNT=9',
    more:
      'BEGIN:VEVENT\nUID:future\nSUMMARY:Lukket\nCLASS:PRIVATE\n' +
      'RECURRENCE-ID;RANGE=THISANDFUTURE:20260603T080000Z\nDTSTART:20260603T100000Z\nEND:VEVENT',
    dates: ['2026-06-01 10:00:00+02:00', '2026-06-02 10:00:00+02:00'],
  },
  eastern: {
    section: '3.8.3.1',
    what: 'a name that is no place as the feed defines it',
    event: 'DTSTART;TZID=EST:20260710T100000',
    dates: ['2026-07-10 16:00:00+02:00'],
  },
  microsoft: {
    section: '3.2.19',
    what: 'UTC by the name that Microsoft has for it',
    event: 'DTSTART;TZID="tzone://Microsoft/Utc":20260710T100000',
    dates: ['2026-07-10 12:00:00+02:00'],
  },
  ahead: {
    section: '3.2.19',
    what: 'a time zone that is an offset',
    event: 'DTSTART;TZID=UTC+3:20260710T100000\nRDATE;TZID=GMT-0130:20260711T100000',
    dates: ['2026-07-10 09:00:00+02:00', '2026-07-11 13:30:00+02:00'],
  },
  rules: {
    section: '3.6.5',
    what: 'a time zone with four rules from 1601 on',
    event: 'DTSTART;TZID=Four:20260710T100000',
    dates: ['2026-07-10 10:00:00+02:00'],
  },
  winter: {
    section: '3.6.5',
    what: 'the winter of such a time zone',
    event: 'DTSTART;TZID=Four:20261210T100000',
    dates: ['2026-12-10 10:00:00+01:00'],
  },
  quoted: {
    section: '3.8.3.1',
    what: 'the name of a time zone that stands in quotes where it is defined',
    event: 'DTSTART;TZID="GMT +0300 (Moskva)":20260210T190000',
    dates: ['2026-02-10 17:00:00+01:00'],
  },
  escaped: {
    section: '3.3.10',
    what: 'a rule whose separators are escaped',
    event: 'DTSTART:20260601T080000Z\nRRULE:FREQ=WEEKLY\\;BYDAY=MO\\,WE\\;COUNT=3',
    dates: ['2026-06-01', '2026-06-03', '2026-06-08'].map((day) => `${day} 10:00:00+02:00`),
  },
  counted: {
    section: '3.8.5.3',
    what: 'a start that the rule does not give as the first of COUNT',
    event: 'DTSTART:20260601T080000Z\nRRULE:FREQ=WEEKLY;BYDAY=WE;COUNT=3',
    dates: ['2026-06-01', '2026-06-03', '2026-06-10'].map((day) => `${day} 10:00:00+02:00`),
  },
  once: {
    section: '3.8.5.3',
    what: 'such a start as all there is of COUNT=1',
    event: 'DTSTART:20260601T080000Z\nRRULE:FREQ=WEEKLY;BYDAY=WE;COUNT=1',
    dates: ['2026-06-01 10:00:00+02:00'],
  },
  missed: {
    section: '3.8.5.1',
    what: 'exceptions that hit nothing as none',
    event:
      'DTSTART:20260601T080000Z\nRRULE:FREQ=DAILY;COUNT=3\nRDATE:20260605T080000Z\n' +
      'EXDATE:20260602T090000Z,20260603T080000Z,20260604T080000Z,20260605T080000Z',
    dates: ['2026-06-01 10:00:00+02:00', '2026-06-02 10:00:00+02:00'],
  },
  alone: {
    section: '3.8.5.1',
    what: 'an exception to what does not recur, and hits it not',
    event: 'DTSTART:20260601T080000Z\nEXDATE:20260602T080000Z',
    dates: ['2026-06-01 10:00:00+02:00'],
  },
  careless: {
    section: '3.3.10',
    what: 'a rule with a part twice, one without a value, commas too many and an end with hyphens as what is meant',
    event:
      'DTSTART:20260601T080000Z\n' +
      'RRULE:FREQ=WEEKLY;FREQ=WEEKLY;BYMONTH=;BYDAY=MO,,WE,;UNTIL=2026-06-08T23:00:00Z',
    dates: ['2026-06-01', '2026-06-03', '2026-06-08'].map((day) => `${day} 10:00:00+02:00`),
  },
  hourly: {
    section: '3.3.10',
    what: 'a rule of hours of a day as that day',
    event: 'DTSTART;VALUE=DATE:20260601\nRRULE:FREQ=HOURLY;COUNT=3',
    dates: wholeDays('06-01 06-02'),
  },
  position: {
    section: '3.3.10',
    what: 'a position among nothing else as no position',
    event: 'DTSTART:20260601T080000Z\nRRULE:FREQ=MONTHLY;BYSETPOS=1;COUNT=2',
    dates: ['2026-06-01 10:00:00+02:00', '2026-07-01 10:00:00+02:00'],
  },
  offset: {
    section: '3.2.19',
    what: 'the name of a time zone that has a colon and no quotes',
    event: 'DTSTART;TZID=(UTC+03:00) Moskva\\, Minsk:20260710T100000',
    dates: ['2026-07-10 09:00:00+02:00'],
  },
  lost: {
    section: '3.3.10',
    what: 'a rule that cannot be read as its first date',
    event: 'DTSTART:20260601T080000Z\nRRULE:FREQ=SOMETIMES;COUNT=9',
    dates: ['2026-06-01 10:00:00+02:00'],
  },
  times: {
    section: '3.3.10',
    what: 'a rule of days without the times that it tells',
    event: 'DTSTART;VALUE=DATE:20260601\nRRULE:FREQ=DAILY;COUNT=2;BYHOUR=9,18;BYMINUTE=30',
    dates: wholeDays('06-01 06-02', '06-02 06-03'),
  },
};

const test = suite<{ feed: ServedFeed }>('RFC 5545');

test.before(async (context) => {
  const page = [
    'BEGIN:VEVENT\nUID:page\nSUMMARY:Rock &amp; roll &#8211; &lt;3 <b>du</b>&lt;script&gt;x&lt;/script&gt;',
    'LOCATION:K&aring;re &amp; co\nCATEGORIES:Dans &amp; sang\nDTSTART:20260601T080000Z\nEND:VEVENT',
  ];
  const events = Object.entries(CASES).map(([uid, { event, more = '' }]) =>
    [`BEGIN:VEVENT\nUID:${uid}\nSUMMARY:Kveld\n${event}\nEND:VEVENT`, more].join('\n'),
  );
  const lines = [
    'BEGIN:VCALENDAR',
    ...LOTUS,
    ...KYIV,
    ...EASTERN,
    ...FOUR,
    ...MOSCOW,
    ...MINSK,
    ...events,
    ...page,
    'END:VCALENDAR',
    '',
  ];
  context.feed = await serveFeed(lines.join('\n'));
});

test.after(async ({ feed }) => feed.close());

for (const [uid, { section, what, dates }] of Object.entries(CASES)) {
  test(`${section}: should read ${what}`, async ({ feed }) => {
    assert.equal(datesOf(await feed.event(uid)), dates);
  });
}

test('G2: should say what of a rule was passed over', ({ feed }) => {
  const told = [feed.findingsOf('both'), feed.findingsOf('ordinals')].flat();
  assert.equal(
    told.map(({ action, field, found }) => [action, field, found]),
    [
      ['changed value', 'repeat (RRULE)', '"COUNT with UNTIL: the first of them ends it"'],
      ['changed value', 'repeat (RRULE)', '"blanks, UNTIL=, X-EVERY=1, BYDAY=1MO,2WE"'],
    ],
  );
});

test('G2: should count a lost series as that, and not as one date', ({ feed }) => {
  assert.equal(
    feed.findingsOf('lost').map(({ action, field }) => [action, field]),
    [['dropped series', 'repeat (RRULE;FREQ)']],
  );
  const { actions } = feed.report;
  assert.equal([actions['dropped series'], actions['dropped date']], [2, 0]);
});

test('3.8.5.1: should report exceptions that hit nothing', ({ feed }) => {
  const told = ['missed', 'alone', 'hidden', 'days'].map((uid) =>
    feed.findingsOf(uid).filter(({ field }) => field === 'dates taken out (EXDATE)'),
  );
  assert.equal(
    told.map((findings) => findings.map(({ action, found }) => [action, found])),
    [
      [['changed value', '2026-06-02 09:00:00 and 1 more']],
      [['changed value', '2026-06-02 08:00:00']],
      [],
      [],
    ],
  );
});

test('3.3.11: should read what is escaped for a page as what it stands for, and keep it from being markup', async ({
  feed,
}) => {
  const event = await feed.event('page');
  assert.is(event?.title_nb, 'Rock & roll – <3 du');
  assert.is(event?.venue?.name, 'Kåre & co');
  assert.equal(event?.tags, ['Dans & sang']);
});

test.run();
