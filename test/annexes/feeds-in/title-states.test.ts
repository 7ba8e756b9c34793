/** L0, as visitors meet it: what titles of calendars, tables and pages say of one date. Built on 1 January 2026, noon UTC. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { readTableFeed } from '../../../jobs/annexes/feeds/csv/events.ts';
import { readCalendarFeed } from '../../../jobs/annexes/feeds/ical/calendar.ts';
import { readLinkedData } from '../../../jobs/annexes/feeds/jsonld/events.ts';
import { readDocuments } from '../../helpers/feed-reading.ts';
import { serveFeed } from '../../helpers/feeds.ts';

const test = suite('L0: cancelled in its title');

const SERIES = [
  'SUMMARY:Korøvelse',
  'DTSTART:20260302T180000Z',
  'RRULE:FREQ=WEEKLY;COUNT=5',
  'STATUS:CONFIRMED',
];
const override = (day: string, ...lines: readonly string[]) => [
  ...[`RECURRENCE-ID:${day}T180000Z`, `DTSTART:${day}T180000Z`, 'STATUS:CONFIRMED'],
  ...lines,
];

test('L0, A16: should show a date of a series as cancelled, or sold out, where its title says so', async () => {
  const feed = await serveFeed(
    fileOf(
      SERIES,
      override('20260309', 'SUMMARY:AVLYST: Korøvelse'),
      override('20260316', 'SUMMARY:Korøvelse (utsatt)'),
      override('20260323', 'SUMMARY:Korøvelse med gjest & kaffe'),
      override('20260330', 'SUMMARY:Korøvelse – UTSOLGT'),
    ),
  );
  try {
    const event = await feed.event('1');
    assert.equal(
      [event, ...(event?.repetitions ?? [])].map((date) => date?.eventCancelled),
      [false, true, true, false, false],
    );
    assert.is(event?.title_nb, 'Korøvelse');
    assert.is(event?.desc_nb, '2026-03-23 19:00: Korøvelse med gjest & kaffe');
    assert.equal(
      feed.findingsOf('1').map(({ field, expected, found }) => [field, expected, found]),
      [
        [
          'title (SUMMARY)',
          'the title of the series (this one stands before the description, with its time)',
          '"Korøvelse med gjest & kaffe"',
        ],
        [
          'title (SUMMARY)',
          'a date on which it is held (without another one it is shown as cancelled)',
          '"Korøvelse (utsatt)"',
        ],
      ],
    );
  } finally {
    await feed.close();
  }
});

test('L0: should let what a date’s own title says win over a series that is cancelled', () => {
  const [first = '', ...others] = SERIES;
  const lines = fileOf(
    [first.replace(':', ':AVLYST: '), ...others],
    override('20260309', 'SUMMARY:Korøvelse'),
    override('20260316'),
    override('20260323', 'SUMMARY:Konsert'),
    [
      ...override('20260330', 'SUMMARY:Korøvelse').filter((line) => !/^STATUS/.test(line)),
      'STATUS:CANCELLED',
    ],
  );
  const { events } = readDocuments(readCalendarFeed, lines);
  assert.is(events[0]?.eventCancelled, true);
  assert.equal(cancelledOf(events[0]), [false, true, false, true]);
});

test('L0: should read a single event of this kind, and say of a postponed one that it has no new date', () => {
  const { events, findings } = readDocuments(
    readCalendarFeed,
    fileOf(
      ['SUMMARY:Konsert (avlyst)', 'DTSTART:20260302T180000Z'],
      ['SUMMARY:Utsatt: Quiz', 'DTSTART:20260302T180000Z'],
      ['SUMMARY:UTSOLGT Revy', 'DTSTART:20260302T180000Z'],
      ['SUMMARY:Utsatt ungdom', 'DTSTART:20260302T180000Z'],
    ).replace(/UID:1/g, () => `UID:${++uid}`),
  );
  assert.equal(
    events.map(({ eventCancelled, eventSoldOut }) => [eventCancelled, eventSoldOut]),
    [
      [true, undefined],
      [true, undefined],
      [undefined, true],
      [undefined, undefined],
    ],
  );
  assert.is(findings.length, 1);
});

test('L0: should read the rows of a table alike, with or without ids', () => {
  for (const id of ['', 'k']) {
    const table = [
      'Id;Tittel;Start;Sted',
      `${id};AVLYST: Korøvelse;2026-03-02 19:00;Kirka`,
      `${id};Korøvelse;2026-03-09 19:00;Kirka`,
      `${id};Korøvelse (utsolgt);2026-03-16 19:00;Kirka`,
      `${id};Korøvelse utsatt;2026-03-23 19:00;Kirka`,
    ];
    const { events, findings } = readDocuments(readTableFeed, table.join('\n'));
    // Without ids, a plain `utsatt` could be a part of the title.
    const [event, ...more] = id === '' ? events.filter(({ dates }) => Object(dates).length > 1) : events;
    assert.is(event?.title_nb, 'Korøvelse');
    assert.is(more.length, 0);
    assert.equal(statesOf(event).slice(0, 3), ['cancelled', '', 'soldOut']);
    if (id !== '') {
      assert.equal(statesOf(event)[3], 'cancelled');
      assert.equal(findings, [
        '5 "f:k" Tittel: changed value, expected a date on which it is held (without another one it is shown as cancelled), found "Korøvelse utsatt"',
      ]);
    }
  }
});

test('L0: should put another title of a row before the description, and say so', () => {
  const { events, findings } = readDocuments(
    readTableFeed,
    'Id;Tittel;Start;Beskrivelse\nk;Kino;2026-03-02 19:00;<p>Velkommen</p>\nk;Kino: Flåklypa <3;2026-03-09 19:00;\nk;Kino: Gråt;2025-03-09 19:00;\n',
  );
  assert.is(events[0]?.desc_nb, '<p>2026-03-09 19:00: Kino: Flåklypa &lt;3</p><p>Velkommen</p>');
  assert.is(findings.length, 2);
  assert.match(findings[0] ?? '', /^3 "f:k" Tittel: changed value, expected the title of the series/);
});

test('L0: should read events of pages alike, and their sub-events', () => {
  const at = (name: string, day: string) => ({
    '@type': 'Event',
    name,
    startDate: `2026-03-${day}T19:00`,
    location: 'Kirka',
  });
  const { events } = readDocuments(
    readLinkedData,
    JSON.stringify([
      at('AVLYST: Korøvelse', '02'),
      at('Korøvelse', '09'),
      {
        ...at('Revy', '01'),
        subEvent: [at('Revy', '02'), at('Revy &#8211; AVLYST', '03'), at('Revy utsolgt', '04')],
      },
      at('Quiz (utsatt)', '05'),
    ]),
  );
  assert.equal(
    events.map((event) => [event.title_nb, statesOf(event)]),
    [
      ['Korøvelse', ['cancelled', '']],
      ['Revy', ['', 'cancelled', 'soldOut']],
      ['Quiz (utsatt)', ['cancelled']],
    ],
  );
});

test.run();

function statesOf(event: Readonly<Record<string, unknown>> | undefined): readonly string[] {
  return Array.isArray(event?.dates)
    ? event.dates.map((date) => (date.eventCancelled ? 'cancelled' : date.eventSoldOut ? 'soldOut' : ''))
    : [];
}

let uid = 0;

function fileOf(...events: readonly (readonly string[])[]): string {
  return [
    ...['BEGIN:VCALENDAR', 'VERSION:2.0'],
    ...events.flatMap((lines) => ['BEGIN:VEVENT', 'UID:1', ...lines, 'END:VEVENT']),
    'END:VCALENDAR',
  ].join('\r\n');
}

function cancelledOf(event: Readonly<Record<string, unknown>> | undefined): readonly unknown[] {
  return Array.isArray(event?.dates) ? event.dates.map(({ eventCancelled }) => eventCancelled) : [];
}
