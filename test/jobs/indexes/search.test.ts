/** B10: the search index: its words, prefixes and needles. */
import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { assertAbove } from '../../helpers/assertions.ts';
import { anyCharacter } from '../../helpers/characters.ts';
import { IS_LONG } from '../../helpers/run-options.ts';
import { columnsOf, indexed, slowly, type Texts } from '../../helpers/search.ts';
import { fold } from '../../oracle/text.ts';

const test = suite('search index');

test('B10: should find words of titles, descriptions, tags, venue, organizer and label', async () => {
  const { columns, find } = indexed([
    { title_nb: 'Konsert i Økland', tags: ['Blåmandag'] },
    { title_en: 'AC/DC night', desc_nb: '<p class="kveld">Visesang &aring;ret rundt</p>' },
    { desc_en: 'Stand-up, 18:00' },
  ]);
  for (const [words, expected] of [
    ['onse okland blamandag', [0]],
    ['ac/dc c/ aret', [1]],
    ['stand-up, 18:00 :', [2]],
    ['s ornulf as usik', [0, 1, 2]],
    // A word does not reach over white space, nor from one text into another; markup has none.
    ['ti oklandb kveld', []],
    // An event that is left out leaves no word of its own.
    ['utelatt ubrukt#', []],
  ] as const)
    for (const word of words.split(' ')) assert.equal(await find('literal', [word]), [...expected], word);
  assert.equal(await find('approximate', ['konsrt']), [0]);
  assert.equal(await find('approximate', ['visesagn', 'ar']), [1]);
  // Tags and names are not matched approximately.
  assert.equal(await find('approximate', ['blamandga']), []);
  assert.equal(await find('approximate', ['ornulf']), []);
  assert.equal(await find('approximate', ['as']), []);
  const text = Buffer.from(columns.wordText).toString();
  assert.match(text, 'visesang');
  assert.not.match(text, 'utelatt');
});

const VOCABULARY =
  'Konsert konserten jazzkonsert Visesang visekveld Teater teaterfest Økland Ærlig Bærtur Kåre og i på å en et Åpen dag rock’n’roll AC/DC 18:00 stand-up jul Jul! «Barn» barna Crème brûlée Straße Łódź Œuvre Þór 3x3 2026 ½ m² привет Да 日本 日 🎄 🎷🎷 the night music Ring ringing'.split(
    ' ',
  );
const anyWord = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom(...VOCABULARY) },
  { weight: 1, arbitrary: fc.string({ unit: anyCharacter, maxLength: 6 }) },
  { weight: 1, arbitrary: fc.stringMatching(/^[a-cæø]{1,5}$/) },
);
const anyText = fc
  .array(anyWord, { maxLength: 12 })
  .chain((words) => fc.constantFrom(' ', '\n', '\u00a0', '  ').map((blank) => words.join(blank)));
const anyTexts: fc.Arbitrary<Texts> = fc.record(
  {
    title_nb: anyText,
    title_en: anyText,
    desc_nb: anyText,
    desc_en: anyText,
    tags: fc.array(anyText, { maxLength: 2 }),
  },
  { requiredKeys: [] },
);

/** A word as people type it: whole, cut, with errors, or anything at all. */
const anyTyped = fc
  .tuple(
    anyWord,
    fc.nat(),
    fc.nat(),
    fc.constantFrom('whole', 'cut', 'swap', 'drop', 'double', 'wrong', 'none'),
  )
  .map(([word, one, two, error]) => {
    const letters = [...fold(word)];
    const at = one % Math.max(1, letters.length);
    const [letter = '', next = ''] = letters.slice(at);
    const changes: Readonly<Record<string, () => readonly string[]>> = {
      cut: () => letters.slice(at, at + 1 + (two % letters.length)),
      swap: () => letters.toSpliced(at, 2, next, letter),
      drop: () => letters.toSpliced(at, 1),
      double: () => letters.toSpliced(at, 0, letter),
      wrong: () => letters.toSpliced(at, 1, 'x'),
    };
    return (changes[error]?.() ?? letters).join('').replace(/\s/g, '') || 'e';
  });

test('B10: should find the same events in random texts as a search word by word', async () => {
  let hits = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.array(anyTexts, { minLength: 8, maxLength: 40 }),
      fc.array(fc.array(anyTyped, { minLength: 1, maxLength: 3 }), { minLength: 40, maxLength: 40 }),
      async (events, terms) => {
        const { find } = indexed(events);
        for (const words of terms) {
          for (const step of ['literal', 'approximate'] as const) {
            const asked =
              step === 'literal' ? words : words.flatMap((word) => word.match(/[\p{L}\p{N}]+/gu) ?? []);
            const found = await find(step, asked);
            hits += found.length;
            assert.equal(found, slowly(events, step, asked), `${step} ${JSON.stringify(asked)}`);
          }
        }
      },
    ),
    { numRuns: IS_LONG ? 500 : 12 },
  );
  assertAbove(hits, 1_000, 'hits');
});

test('B10, D14: should find words of most events, and none in events without text', async () => {
  const events = Array.from(
    { length: 2_000 },
    (_, event): Texts => ({
      title_nb: event % 7 === 0 ? 'ringer' : `bor ${event}`,
      tags: event % 500 === 0 ? ['qz?'] : ['å'],
    }),
  );
  for (const word of ['x', '!', 'konsert']) assert.equal(await indexed([{}]).find('literal', [word]), []);
  const { find } = indexed(events);
  for (const word of ['r', 'ri', 'bor', 'q', 'qz', 'qz?', 'a', 'zz', 'ing', 'w', '1']) {
    assert.equal(await find('literal', [word]), slowly(events, 'literal', [word]), word);
    if (word.length < 3)
      assert.equal(await find('approximate', [word]), slowly(events, 'approximate', [word]), word);
  }
});

test('G5: should make the same columns of the same events', () => {
  const events = fc.sample(anyTexts, { numRuns: 200, seed: 1 });
  assert.equal(columnsOf(events), columnsOf(events));
  assert.not.equal(columnsOf(events.slice(1)), columnsOf(events));
});

test.run();
