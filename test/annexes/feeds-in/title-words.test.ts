import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { stateOfDate, stateOfEvent } from '../../../jobs/annexes/feeds/title-words.ts';
import { rowsOf } from '../../helpers/feed-reading.ts';
import { randomFrom } from '../../oracle/random.ts';

const test = suite('L0: words in titles');

/** What a title says of a date of `Korøvelse`: cancelled, sold out, postponed, or something else that visitors must see. */
const OF_DATES = titlesOf(`
  nothing → Korøvelse | KORØVELSE!
  cancelled → AVLYST: Korøvelse | Avlyst - korøvelse | avlyst – Korøvelse | Avlyst Korøvelse | AVLYST!!! Korøvelse
  cancelled → ** AVLYST ** Korøvelse | [Avlyst] Korøvelse | Korøvelse (AVLYST) | Korøvelse avlyst | Korøvelse er avlyst
  cancelled → Korøvelse – INNSTILT | Avlyst | AVLYST! | Korøvelse avlyses | Kansellert: Korøvelse | Cancelled: Korøvelse
  cancelled → CANCELED Korøvelse | Inställt: Korøvelse | INSTÄLLT: Korøvelse | Insta\u0308llt: Korøvelse | Aflyst: Korøvelse
  cancelled → PERUTTU: Korøvelse
  cancelled postponed → Utsatt: Korøvelse | Korøvelse flyttet | POSTPONED – Korøvelse
  soldOut → UTSOLGT: Korøvelse | Korøvelse (Sold out)
  cancelled soldOut → UTSOLGT – AVLYST: Korøvelse
  own → Korøvelse med gjest | Avlyst bryllup | Flyttet til biblioteket: Korøvelse | Avlystinga av Korøvelse
  own → Korøvelse ikkeavlyst
  cancelled own → AVLYST: Korøvelse med gjest
`);

test('L0: should read what one date of a series says in its title', () => {
  for (const [expected, title] of [['nothing', ''], ...OF_DATES] as const) {
    const { isOwn, ...state } = stateOfDate(title, 'Korøvelse');
    assert.is(said(state, isOwn), expected, title);
  }
});

test('L0: should let a date with a title of its own take place where the whole series is cancelled', () => {
  const off = 'AVLYST: Korøvelse';
  assert.is(stateOfDate('', off).eventCancelled, true);
  assert.is(stateOfDate(off, off).eventCancelled, true);
  assert.is(stateOfDate('Korøvelse', off).eventCancelled, false);
  assert.is(stateOfDate('Korøvelse', off).isOwn, false);
  assert.is(stateOfDate('Konsert', off).eventCancelled, false);
});

const OF_EVENTS = titlesOf(`
  cancelled → AVLYST: Konsert | Konsert (avlyst) | Konsert avlyst | INNSTILT Konsert
  cancelled postponed → Utsatt: Konsert
  soldOut → UTSOLGT! Konsert
  nothing → Innstilt på suksess | Utsatt ungdom | Flyttet hjemmefra | Konsert som ble avlyst i fjor | Avlysning av saker
  nothing → AVLYST: ${'Konsert '.repeat(100)}
`);

test('L0: should read what an event says in its title, and no more than it says', () => {
  for (const [expected, title] of OF_EVENTS) assert.is(said(stateOfEvent(title)), expected, title);
});

test('L0: should find the word in whatever it is dressed, and the title without it', () => {
  const random = randomFrom(41);
  const words = 'avlyst avlyses kansellert innstilt cancelled canceled inställt aflyst peruttu'.split(' ');
  for (let round = 0; round < 500; round++) {
    const title = random.pick(['Korøvelse', 'Åpen scene', 'C++ for alle', 'Møte: årsmøte 2027', '🎄']);
    const word = random.pick(words);
    const dressed = random.pick([
      word,
      word.toUpperCase(),
      `(${word})`,
      `[${word.toUpperCase()}]`,
      `*${word}*`,
    ]);
    const sign = random.pick([': ', ' - ', ' – ', ' ', '! ']);
    const whole = random.chance(0.5) ? `${dressed}${sign}${title}` : `${title}${sign}${dressed}`;
    const state = stateOfDate(whole, title);
    assert.equal([state.eventCancelled, state.isOwn], [true, false], whole);
  }
});

/** What is said, and a title that says it. */
function titlesOf(text: string): readonly (readonly [said: string, title: string])[] {
  return rowsOf(text).flatMap(([said = '', titles = '']) =>
    titles.split(' | ').map((title) => [said, title] as const),
  );
}

function said({ eventCancelled, eventSoldOut, isPostponed }: ReturnType<typeof stateOfEvent>, isOwn = false) {
  const flags = { cancelled: eventCancelled, soldOut: eventSoldOut, postponed: isPostponed, own: isOwn };
  const names = Object.entries(flags).flatMap(([name, isSaid]) => (isSaid ? [name] : []));
  return names.join(' ') || 'nothing';
}

test.run();
