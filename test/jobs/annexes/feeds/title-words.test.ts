/** L0: cancelled, postponed and sold-out dates by the words of their titles. Built on 1 January 2026, noon UTC. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { readTableFeed } from '../../../../jobs/annexes/feeds/csv/events.ts';
import {
  A_NEW_DATE,
  stateOfDate,
  stateOfEvent,
  THE_SAME_TITLE,
} from '../../../../jobs/annexes/feeds/title-words.ts';
import { vcalendar } from '../../../helpers/feed-files.ts';
import { testReadings } from '../../../helpers/feed-reading.ts';
import { serveFeed } from '../../../helpers/feeds.ts';
import { rowsOf } from '../../../helpers/tables.ts';
import { randomFrom } from '../../../oracle/random.ts';
import { readEntries } from './ical/cases.ts';

const test = suite('L0: cancelled in its title');

test('L0, A16: should serve a date of a series as cancelled if its title says so', async () => {
  const series = 'SUMMARY:Korøvelse\nDTSTART:20260302T180000Z\nRRULE:FREQ=WEEKLY;COUNT=5\nSTATUS:CONFIRMED';
  const dates = {
    '09': 'AVLYST: Korøvelse',
    16: 'Korøvelse (utsatt)',
    23: 'Korøvelse med gjest & kaffe',
    30: 'Korøvelse – UTSOLGT',
  };
  const overrides = Object.entries(dates).map(
    ([day, title]) => `RECURRENCE-ID:202603${day}T180000Z\nSTATUS:CONFIRMED\nSUMMARY:${title}`,
  );
  const entries = [series, ...overrides].map((lines) => `BEGIN:VEVENT\nUID:1\n${lines}\nEND:VEVENT\n`);
  const feed = await serveFeed(vcalendar(...entries));
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
        ['title (SUMMARY)', THE_SAME_TITLE, '"Korøvelse med gjest & kaffe"'],
        ['title (SUMMARY)', A_NEW_DATE, '"Korøvelse (utsatt)"'],
      ],
    );
  } finally {
    await feed.close();
  }
});

testReadings(
  test,
  readEntries,
  `
# L0: should give a state to one date only of a series that is not there, which it names first
  UID:1
  RECURRENCE-ID:20260302T180000Z
  DTSTART:20260302T180000Z
  SUMMARY:UTSOLGT: Quiz
  STATUS:CANCELLED
  +
  UID:1
  RECURRENCE-ID:20260309T180000Z
  DTSTART:20260309T180000Z
  SUMMARY:Quiz
  = Quiz
    | 2026-03-09 18:00:00Z eventCancelled=false, 2026-03-02 18:00:00Z eventCancelled=true eventSoldOut=true
# L0: should give a state to one date only of a series that is not there, which it names last
  UID:1
  RECURRENCE-ID:20260309T180000Z
  DTSTART:20260309T180000Z
  SUMMARY:Quiz
  +
  UID:1
  RECURRENCE-ID:20260302T180000Z
  DTSTART:20260302T180000Z
  SUMMARY:UTSOLGT: Quiz
  STATUS:CANCELLED
  = Quiz
    | 2026-03-09 18:00:00Z eventCancelled=false, 2026-03-02 18:00:00Z eventCancelled=true eventSoldOut=true
# L0: should give a state to one date only of a series that is not there, each of which has one
  UID:1
  RECURRENCE-ID:20260302T180000Z
  DTSTART:20260302T180000Z
  SUMMARY:UTSOLGT: Quiz
  STATUS:CANCELLED
  +
  UID:1
  RECURRENCE-ID:20260309T180000Z
  DTSTART:20260309T180000Z
  SUMMARY:Quiz (avlyst)
  = UTSOLGT: Quiz
    | 2026-03-02 18:00:00Z eventCancelled=true eventSoldOut=true, 2026-03-09 18:00:00Z eventCancelled=true
# L0: should prefer the title of a date to that of a cancelled series
  UID:1
  SUMMARY:AVLYST: Korøvelse
  DTSTART:20260302T180000Z
  RDATE:20260309T180000Z,20260316T180000Z,20260323T180000Z,20260330T180000Z
  +
  UID:1
  SUMMARY:Korøvelse
  RECURRENCE-ID:20260309T180000Z
  +
  UID:1
  SUMMARY
  RECURRENCE-ID:20260316T180000Z
  +
  UID:1
  SUMMARY:Konsert
  RECURRENCE-ID:20260323T180000Z
  +
  UID:1
  SUMMARY:Korøvelse
  RECURRENCE-ID:20260330T180000Z
  STATUS:CANCELLED
  = AVLYST: Korøvelse
    | 2026-03-02 18:00:00Z, 2026-03-09 18:00:00Z eventCancelled=false, 2026-03-16 18:00:00Z eventCancelled=true, 2026-03-23 18:00:00Z eventCancelled=false, 2026-03-30 18:00:00Z eventCancelled=true
    | eventCancelled: true | desc_nb: 2026-03-23 19:00: Konsert
  ! 18 "f:1" title (SUMMARY): changed value, expected the title of the series (this title is put before the description, with its date), found "Konsert"
# L0: should read the title of a single event, and report a postponed one without a new date
  SUMMARY:Konsert (avlyst)
  DTSTART:20260302T180000Z
  +
  SUMMARY:Utsatt: Quiz
  DTSTART:20260302T180000Z
  +
  SUMMARY:UTSOLGT Revy
  DTSTART:20260302T180000Z
  +
  SUMMARY:Utsatt ungdom
  DTSTART:20260302T180000Z
  = Konsert (avlyst) | 2026-03-02 18:00:00Z | eventCancelled: true
  = Utsatt: Quiz | 2026-03-02 18:00:00Z | status: POSTPONED
  = UTSOLGT Revy | 2026-03-02 18:00:00Z | eventSoldOut: true
  = Utsatt ungdom | 2026-03-02 18:00:00Z
  ! 8 "f:2" title (SUMMARY): changed value, expected a new date (without one, it is shown as postponed), found "Utsatt: Quiz"
`,
);

testReadings(
  test,
  readTableFeed,
  `
# L0: should not read a plain word as a status in a table without ids
  Tittel;Start;Sted
  AVLYST: Korøvelse;2026-03-02 19:00;Kirka
  Korøvelse;2026-03-09 19:00;Kirka
  Korøvelse (utsolgt);2026-03-16 19:00;Kirka
  Korøvelse utsatt;2026-03-23 19:00;Kirka
  = Korøvelse | 2026-03-02 19:00 eventCancelled=true, 2026-03-09 19:00, 2026-03-16 19:00 eventSoldOut=true
    | venue: Kirka
  = Korøvelse utsatt | 2026-03-23 19:00 | venue: Kirka
# L0: should read a plain word as a status in a table with ids
  Id;Tittel;Start;Sted
  k;AVLYST: Korøvelse;2026-03-02 19:00;Kirka
  k;Korøvelse;2026-03-09 19:00;Kirka
  k;Korøvelse (utsolgt);2026-03-16 19:00;Kirka
  k;Korøvelse utsatt;2026-03-23 19:00;Kirka
  = Korøvelse
    | 2026-03-02 19:00 eventCancelled=true, 2026-03-09 19:00, 2026-03-16 19:00 eventSoldOut=true, 2026-03-23 19:00 status=POSTPONED
    | venue: Kirka
  ! 5 "f:k" Tittel: changed value, expected a new date (without one, it is shown as postponed), found "Korøvelse utsatt"
# L0: should put another title of a row before the description, and report it
  Id;Tittel;Start;Beskrivelse
  k;Kino;2026-03-02 19:00;<p>Velkommen</p>
  k;Kino: Flåklypa <3;2026-03-09 19:00;
  k;Kino: Gråt;2025-03-09 19:00;
  = Kino | 2026-03-02 19:00, 2026-03-09 19:00, 2025-03-09 19:00
    | desc_nb: <p>2026-03-09 19:00: Kino: Flåklypa &lt;3</p><p>Velkommen</p>
  ! 3 "f:k" Tittel: changed value, expected the title of the series (this title is put before the description, with its date), found "Kino: Flåklypa <3"
  ! 4 "f:k" Tittel: changed value, expected the title of the series (this title is put before the description, with its date), found "Kino: Gråt"
`,
);

/** Titles of dates of `Korøvelse` by their state: cancelled, sold out, postponed, or a title of the date's own that visitors must see. */
const OF_DATES = titlesOf(`
  nothing → Korøvelse | KORØVELSE!
  cancelled → AVLYST: Korøvelse | Avlyst - korøvelse | avlyst – Korøvelse | Avlyst Korøvelse | AVLYST!!! Korøvelse
  cancelled → ** AVLYST ** Korøvelse | [Avlyst] Korøvelse | Korøvelse (AVLYST) | Korøvelse avlyst | Korøvelse er avlyst
  cancelled → Korøvelse – INNSTILT | Avlyst | AVLYST! | Korøvelse avlyses | Kansellert: Korøvelse | Cancelled: Korøvelse
  cancelled → CANCELED Korøvelse | Inställt: Korøvelse | INSTÄLLT: Korøvelse | Insta\u0308llt: Korøvelse | Aflyst: Korøvelse
  cancelled → PERUTTU: Korøvelse
  cancelled → Korøvelse blir avlyst | Korøvelse vert innstilt
  postponed → Utsett: Korøvelse | Korøvelse (utsett) | Korøvelse flytta | Korøvelse er utsett
  soldOut → UTSELD: Korøvelse | Korøvelse utselt
  postponed → Utsatt: Korøvelse | Korøvelse flyttet | POSTPONED – Korøvelse
  soldOut → UTSOLGT: Korøvelse | Korøvelse (Sold out)
  cancelled soldOut → UTSOLGT – AVLYST: Korøvelse
  own → Korøvelse med gjest | Avlyst bryllup | Flyttet til biblioteket: Korøvelse | Avlystinga av Korøvelse
  own → Korøvelse ikkeavlyst | Flytta til biblioteket: Korøvelse
  cancelled own → AVLYST: Korøvelse med gjest
`);

test('L0: should read the state of one date of a series from its title', () => {
  for (const [expected, title] of [['nothing', ''], ...OF_DATES] as const) {
    const { isOwn, ...state } = stateOfDate(title, 'Korøvelse');
    assert.is(stateText(state, isOwn), expected, title);
  }
});

test('L0: should keep a date of a cancelled series whose own title has no such word', () => {
  const series = 'AVLYST: Korøvelse';
  for (const [title, status, isOwn] of [
    ['', 'CANCELLED', false],
    [series, 'CANCELLED', false],
    ['Korøvelse', null, false],
    ['Konsert', null, true],
  ] as const) {
    const state = stateOfDate(title, series);
    assert.equal([state.status, state.isOwn], [status, isOwn], title);
  }
});

const OF_EVENTS = titlesOf(`
  cancelled → AVLYST: Konsert | Konsert (avlyst) | Konsert avlyst | INNSTILT Konsert
  postponed → Utsatt: Konsert
  soldOut → UTSOLGT! Konsert
  postponed → Utsett: Konsert | Konsert – flytta
  soldOut → UTSELD Konsert | Konsert (utselt)
  nothing → Utsett ungdom | Flytta heimanfrå | Utsett-festivalen | Utsetting i fjord | Utselde hus
  nothing → Innstilt på suksess | Utsatt ungdom | Utsatt-festivalen | Flyttet hjemmefra | Konsert som ble avlyst i fjor | Avlysning av saker
  nothing → AVLYST: ${'Konsert '.repeat(100)}
`);

test('L0: should read the state of an event from the words of L0 only', () => {
  for (const [expected, title] of OF_EVENTS) assert.is(stateText(stateOfEvent(title)), expected, title);
});

test('L0: should recognise a word in any case, in brackets, and before or after the title', () => {
  const random = randomFrom(41);
  const words = 'avlyst avlyses kansellert innstilt cancelled canceled inställt aflyst peruttu'.split(' ');
  for (let round = 0; round < 500; round++) {
    const title = random.pick(['Korøvelse', 'Åpen scene', 'C++ for alle', 'Møte: årsmøte 2027', '🎄']);
    const word = random.pick(words);
    const written = random.pick([
      word,
      word.toUpperCase(),
      `(${word})`,
      `[${word.toUpperCase()}]`,
      `*${word}*`,
    ]);
    const sign = random.pick([': ', ' - ', ' – ', ' ', '! ']);
    const whole = random.chance(0.5) ? `${written}${sign}${title}` : `${title}${sign}${written}`;
    const state = stateOfDate(whole, title);
    assert.equal([state.status, state.isOwn], ['CANCELLED', false], whole);
  }
});

/** Each title of a table with the state that it stands for. */
function titlesOf(text: string): readonly (readonly [state: string, title: string])[] {
  return rowsOf(text).flatMap(([state = '', titles = '']) =>
    titles.split(' | ').map((title) => [state, title] as const),
  );
}

function stateText({ status, eventSoldOut }: ReturnType<typeof stateOfEvent>, isOwn = false) {
  const flags = {
    cancelled: status === 'CANCELLED',
    soldOut: eventSoldOut,
    postponed: status === 'POSTPONED',
    own: isOwn,
  };
  const names = Object.entries(flags).flatMap(([name, isSet]) => (isSet ? [name] : []));
  return names.join(' ') || 'nothing';
}

test.run();
