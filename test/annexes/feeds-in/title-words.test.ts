import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { stateOfDate, stateOfEvent } from '../../../jobs/annexes/feeds/title-words.ts';
import { randomFrom } from '../../oracle/random.ts';

const test = suite('L0: words in titles');

/** What a title says of a date of `Korøvelse`: cancelled, sold out, postponed, or something else that visitors must see. */
const OF_DATES: Readonly<Record<string, string>> = {
  '': '',
  Korøvelse: '',
  'KORØVELSE!': '',
  'AVLYST: Korøvelse': 'cancelled',
  'Avlyst - korøvelse': 'cancelled',
  'avlyst – Korøvelse': 'cancelled',
  'Avlyst Korøvelse': 'cancelled',
  'AVLYST!!! Korøvelse': 'cancelled',
  '** AVLYST ** Korøvelse': 'cancelled',
  '[Avlyst] Korøvelse': 'cancelled',
  'Korøvelse (AVLYST)': 'cancelled',
  'Korøvelse avlyst': 'cancelled',
  'Korøvelse er avlyst': 'cancelled',
  'Korøvelse – INNSTILT': 'cancelled',
  Avlyst: 'cancelled',
  'AVLYST!': 'cancelled',
  'Korøvelse avlyses': 'cancelled',
  'Kansellert: Korøvelse': 'cancelled',
  'Cancelled: Korøvelse': 'cancelled',
  'CANCELED Korøvelse': 'cancelled',
  'Inställt: Korøvelse': 'cancelled',
  'INSTÄLLT: Korøvelse': 'cancelled',
  'Insta\u0308llt: Korøvelse': 'cancelled',
  'Aflyst: Korøvelse': 'cancelled',
  'PERUTTU: Korøvelse': 'cancelled',
  'Utsatt: Korøvelse': 'cancelled postponed',
  'Korøvelse flyttet': 'cancelled postponed',
  'POSTPONED – Korøvelse': 'cancelled postponed',
  'UTSOLGT: Korøvelse': 'soldOut',
  'Korøvelse (Sold out)': 'soldOut',
  'UTSOLGT – AVLYST: Korøvelse': 'cancelled soldOut',
  'Korøvelse med gjest': 'own',
  'AVLYST: Korøvelse med gjest': 'cancelled own',
  'Avlyst bryllup': 'own',
  'Flyttet til biblioteket: Korøvelse': 'own',
  'Avlystinga av Korøvelse': 'own',
  'Korøvelse ikkeavlyst': 'own',
};

test('L0: should read what one date of a series says in its title', () => {
  for (const [title, expected] of Object.entries(OF_DATES)) {
    const { eventCancelled, eventSoldOut, isPostponed, isOwn } = stateOfDate(title, 'Korøvelse');
    const flags = { cancelled: eventCancelled, soldOut: eventSoldOut, postponed: isPostponed, own: isOwn };
    assert.is(said(flags), expected, title);
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

const OF_EVENTS: Readonly<Record<string, string>> = {
  'AVLYST: Konsert': 'cancelled',
  'Konsert (avlyst)': 'cancelled',
  'Konsert avlyst': 'cancelled',
  'INNSTILT Konsert': 'cancelled',
  'Utsatt: Konsert': 'cancelled postponed',
  'UTSOLGT! Konsert': 'soldOut',
  'Innstilt på suksess': '',
  'Utsatt ungdom': '',
  'Flyttet hjemmefra': '',
  'Konsert som ble avlyst i fjor': '',
  'Avlysning av saker': '',
  [`AVLYST: ${'Konsert '.repeat(100)}`]: '',
};

test('L0: should read what an event says in its title, and no more than it says', () => {
  for (const [title, expected] of Object.entries(OF_EVENTS)) {
    const { eventCancelled, eventSoldOut, isPostponed } = stateOfEvent(title);
    assert.is(
      said({ cancelled: eventCancelled, soldOut: eventSoldOut, postponed: isPostponed }),
      expected,
      title,
    );
  }
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

function said(flags: Readonly<Record<string, boolean>>): string {
  return Object.keys(flags)
    .filter((flag) => flags[flag])
    .join(' ');
}

test.run();
