import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ask, closeAsked, each, event } from './cases.ts';
import { editDistance, fold } from './text.ts';

const test = suite('oracle: search');

const LATER = { dates: [{ start: '2026-06-20 20:00' }] };
const EVENTS = [
  event('a', {
    ...LATER,
    title_nb: 'Konsert i Økland',
    categories: ['JAZZ'],
    venue: 'v1',
    tags: ['Blåmandag'],
  }),
  event('b', {
    ...LATER,
    title_nb: 'Ærlig talt',
    desc_nb: '<p class="kveld">Visesang med <b>Kåre</b> &amp; J&oslash;rgen &lt;3</p>',
    organizers: ['o1'],
  }),
  event('c', {
    title_nb: 'Teaterfest',
    title_en: 'Drama at 8',
    categories: ['ART'],
    dates: [{ start: '2026-05-01 20:00', venue: 'v2' }, { start: '2026-06-21 20:00' }],
  }),
];
const CALENDAR = {
  events: EVENTS,
  venues: [
    { id: 'v1', name: 'Dokkhuset' },
    { id: 'v2', name: 'Ferjeleiet' },
  ],
  organizers: [{ id: 'o1', name: 'Ugla Skole' }],
};

/** Ids of what a term finds in June, concatenated. */
async function find(searchTerm: string, filter = {}): Promise<string> {
  const { events } = ask(CALENDAR, '2026-06-01 10:00');
  return each(await events({ ...filter, searchTerm }), 'id').join('');
}

test('B10: should fold accents, case and the letters of the north', async () => {
  assert.is(fold('ÆØÅ æøå Ðð Þþ Đđ Łł ẞß Œœ Éñ ﬁ ½'), 'aeoa aeoa dd thth dd ll ssss oeoe en fi 1⁄2');
});

test('B10: should find every word literally somewhere in the texts of an event', async () => {
  for (const [term, expected] of [
    ['okland', 'a'],
    ['KÅRE', 'b'],
    ['kare', 'b'],
    ['aerlig', 'b'],
    ['onse', 'a'],
    ['visesang aer ugla', 'b'],
    ['konsert aerlig', ''],
    ['teater fest', 'c'],
    ['blamandag', 'a'],
    ['dokk', 'a'],
    ['JØRGEN & <3', 'b'],
    ['amp', ''],
    ['jazz', 'a'],
    ['kunst', 'c'],
    ['drama 8', 'c'],
    ['i', 'ab'],
    // Its venue then was over at build time.
    ['ferjeleiet', ''],
    // Markup is no text; a label of the parent category is not the event's.
    ['kveld', ''],
    ['musikk', ''],
  ]) {
    assert.is(await find(term ?? ''), expected, term);
  }
});

test('B10: should match titles and descriptions approximately when nothing matches literally', async () => {
  for (const [term, expected] of [
    ['konsrt', 'a'],
    // Six letters and two errors; five letters allow one only.
    ['knsrt', ''],
    ['knosetr', 'a'],
    ['visesagn', 'b'],
    ['teatrefset', 'c'],
    ['karr', 'b'],
    ['talk', 'b'],
    ['dokhuset', ''],
    ['konsrt okland', 'a'],
    ['konsrt aerlig', ''],
    // Shorter words must be there literally, as a part of a text.
    ['konsrt ok', 'a'],
    ['konsrt ox', ''],
    // Words are runs of letters and digits; the rest of the term is nothing.
    ['konsrt!!!', 'a'],
    ['!!!', ''],
  ]) {
    assert.is(await find(term ?? ''), expected, term);
  }
});

test('B10: should count an adjacent swap as one error, and nothing moved across it', async () => {
  assert.is(editDistance('abcd', 'abdc'), 1);
  assert.is(editDistance('ca', 'abc'), 3);
  assert.is(editDistance('', 'abc'), 3);
  assert.is(editDistance('kitten', 'sitting'), 3);
  assert.is(editDistance('𝄞a', 'a'), 1);
});

test('B10: should not match approximately while anything visible now matches literally, whatever else is asked', async () => {
  assert.is(await find('konsert', { mode: 'online' }), '');
  const events = [
    event('far', { title_nb: 'Konserten', dates: [{ start: '2026-07-01 20:00' }] }),
    event('near', {
      title_nb: 'Konsertane',
      dates: [{ start: '2026-06-10 20:00', end: '2026-06-10 22:00' }],
    }),
    event('hidden', {
      title_nb: 'Xkonsertane',
      publishingDate: '2026-06-30 00:00',
      dates: [{ start: '2026-07-02 20:00' }],
    }),
  ];
  const at = async (now: string, filter = {}) =>
    each(
      await ask({ events }, '2026-06-01 10:00', now).events({ searchTerm: 'konsertane', ...filter }),
      'id',
    ).join(' ');
  assert.is(await at('2026-06-10 19:59:59'), 'near');
  // A later window does not see it, but it is visible now.
  assert.is(await at('2026-06-10 19:59:59', { fromDate: '2026-06-20 00:00:00Z' }), '');
  assert.is(await at('2026-06-10 20:00:00'), 'far');
  assert.is(await at('2026-06-29 22:00:00'), 'hidden');
});

test('B10: should take a term that folds to nothing as not given, and cut what is longer than 256', async () => {
  assert.is(await find('  '), 'abc');
  assert.is(await find('\u0301\u0308'), 'abc');
  assert.is(await find(`  konsert${' '.repeat(249)}nowhere`), 'a');
  assert.is(await find(`konsert${' '.repeat(248)}xyzzy`), '');
});

test.after(closeAsked);

test.run();
