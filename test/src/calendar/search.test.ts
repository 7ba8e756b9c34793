/** B10: terms and words of a search, and the errors that a word may have. */
import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  codePointsOf,
  createIsWithin,
  letterSet,
  lettersAllow,
} from '../../../src/calendar/edit-distance.ts';
import {
  isWord,
  LONGEST_TERM,
  partsOf,
  readTerm,
  toleranceOf,
  wordsOf,
} from '../../../src/calendar/search-term.ts';
import { fold } from '../../../src/calendar/text.ts';
import { assertAbove } from '../../helpers/assertions.ts';
import { costsAtMost } from '../../helpers/cost.ts';
import { IS_LONG } from '../../helpers/run-options.ts';
import { editDistance } from '../../oracle/text.ts';

const RUNS = IS_LONG ? 5_000 : 1_000;

const test = suite('search terms');

test('B10: should fold a term, split it at white space and keep each part once', () => {
  for (const { term, parts, words } of [
    {
      term: '  Kåre\tØKLAND \n kare ',
      parts: ['kare', 'okland'],
      words: ['kare', 'okland'],
    },
    {
      term: 'rock’n’roll AC/DC',
      parts: ['rock’n’roll', 'ac/dc'],
      words: ['rock', 'n', 'roll', 'ac', 'dc'],
    },
    {
      term: 'jul 2026\u00a0kl.\u300019:00',
      parts: ['jul', '2026', 'kl.', '19:00'],
      words: ['jul', '2026', 'kl', '19', '00'],
    },
    { term: '"NEAR" % * \0', parts: ['"near"', '%', '*', '\0'], words: ['near'] },
    { term: '🎄 مرحبا', parts: ['🎄', 'مرحبا'], words: ['مرحبا'] },
    { term: '\u0301\u0308', parts: [], words: [] },
    { term: ' \u2003 ', parts: [], words: [] },
  ] as const) {
    assert.equal(readTerm(term), { parts: [...parts], words: [...words] }, JSON.stringify(term));
  }
});

test('B10: should cut a term at 256 code points, blanks at its ends not counted', () => {
  const { parts } = readTerm(`  ${'🎄'.repeat(LONGEST_TERM + 1)}`);
  assert.equal(parts, ['🎄'.repeat(LONGEST_TERM)]);
  assert.equal(readTerm(`${'a'.repeat(LONGEST_TERM - 1)} b`).parts, ['a'.repeat(LONGEST_TERM - 1)]);
  assert.is(readTerm('x'.repeat(10_000)).parts.join().length, LONGEST_TERM);
});

test('B10: should take words as runs of letters and digits of any script', () => {
  const words = wordsOf(fold('Jul-i-byen: «Æ, ø & å» 3x3 (10 år) Привет'));
  assert.is(words.join(' '), 'jul i byen ae o a 3x3 10 ar привет');
  assert.equal(partsOf(fold(' Jul-i-byen:\n«Æ »')), ['jul-i-byen:', '«ae', '»']);
  for (const word of ['abc', '3x3', 'привет']) assert.ok(isWord(word), word);
  for (const word of ['a-b', '«a', '🎄', '']) assert.not(isWord(word), word);
});

test('B10: should allow one error from three letters, two from six, none below', () => {
  assert.equal([1, 2, 3, 5, 6, 256].map(toleranceOf), [null, null, 1, 1, 2, 2]);
});

/** Few letters, so that random words come close to each other; one of them lies beyond UTF-16's single units. */
const word = fc
  .array(fc.constantFrom('a', 'b', 'c', '1', '🎄'), { maxLength: 9 })
  .map((letters) => letters.join(''));
const tolerance = fc.constantFrom(1 as const, 2 as const);

test('B10: should agree with the whole matrix on words within one or two errors', () => {
  let within = 0;
  fc.assert(
    fc.property(word, word, tolerance, (left, right, most) => {
      const codePoints = codePointsOf(right);
      const isWithin = createIsWithin(codePointsOf(left), most);
      const expected = editDistance(left, right) <= most;
      if (expected) within += 1;
      // Amid other letters, and twice, because an aligner is used many times.
      const amid = [7, ...codePoints, 8];
      assert.is(isWithin(codePoints, 0, codePoints.length), expected, `${left} ${right} ${most}`);
      assert.is(isWithin(amid, 1, amid.length - 1), expected, `${left} ${right} ${most} again`);
    }),
    { numRuns: RUNS },
  );
  assertAbove(within, RUNS / 25, 'pairs that are close');
});

test('B10: should count a swap of neighbours as one error, and edit nothing between swapped letters', () => {
  const within = (left: string, right: string) =>
    ([1, 2] as const).map((most) =>
      createIsWithin(codePointsOf(left), most)(codePointsOf(right), 0, right.length),
    );
  for (const { left, right } of [
    { left: 'visesagn', right: 'visesang' },
    { left: 'konsrt', right: 'konsert' },
    { left: 'kulturhsu', right: 'kulturhs' },
  ] as const)
    assert.equal(within(left, right), [true, true], left);
  assert.equal(within('museumm', 'muesum'), [false, true]);
  // Three errors by optimal string alignment, two if letters could be put between the swapped ones.
  assert.equal(within('ca', 'abc'), [false, false]);
});

test('should never rule out by its letters a word that is within the distance', () => {
  const setOf = (text: string) => letterSet(codePointsOf(text), 0, codePointsOf(text).length);
  fc.assert(
    fc.property(word, word, tolerance, (left, right, most) => {
      if (editDistance(left, right) <= most) assert.is(lettersAllow(setOf(left), setOf(right), most), true);
    }),
    { numRuns: RUNS },
  );
  assert.is(lettersAllow(setOf('konsert'), setOf('visesang'), 2), false);
});

test('should fold a term full of combining marks without delay', async () => {
  // In canonical order these marks change places with each other: sorting them takes seconds.
  const marks = '\u0301\u0316'.repeat(60_000);
  await costsAtMost(100, () => assert.is(fold(`a${marks}b`), 'ab'));
});

test.run();
