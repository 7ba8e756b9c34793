/** B10, F6, A8: folding, slugs, and the orders of texts. */
import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { printable, printableLine, shortened } from '../../../src/calendar/display-text.ts';
import { createNearest } from '../../../src/calendar/nearest.ts';
import { wordsOf } from '../../../src/calendar/search-term.ts';
import {
  byNameThenId,
  compareCodePoints,
  compareNorwegian,
  fold,
  nameKey,
  slugOf,
} from '../../../src/calendar/text.ts';
import { assertBelow } from '../../helpers/assertions.ts';
import { anyCharacter } from '../../helpers/characters.ts';
import { editDistance } from '../../oracle/text.ts';

const text = suite('text');

for (const { written, folded } of [
  { written: 'Jazz', folded: 'jazz' },
  { written: 'ÆØÅ æøå', folded: 'aeoa aeoa' },
  { written: 'Økland', folded: 'okland' },
  { written: 'Ærøskøbing', folded: 'aeroskobing' },
  { written: 'Ðorður þór', folded: 'dordur thor' },
  { written: 'Đorđe', folded: 'dorde' },
  { written: 'Łódź', folded: 'lodz' },
  { written: 'Straße STRASSE ẞ', folded: 'strasse strasse ss' },
  { written: 'Œuvre', folded: 'oeuvre' },
  { written: 'Café', folded: 'cafe' },
  { written: 'Cafe\u0301', folded: 'cafe' },
  { written: 'Ångström \u212b', folded: 'angstrom a' },
  { written: 'İstanbul', folded: 'istanbul' },
  { written: 'ﬁn ﬂøyte', folded: 'fin floyte' },
  { written: 'Ｊａｚｚ', folded: 'jazz' },
  { written: '½ m²', folded: '1⁄2 m2' },
  { written: 'Čakti Sámi đáža ŋ', folded: 'cakti sami daza ŋ' },
  { written: 'Ǿ Ǽ', folded: 'o ae' },
  { written: '日本', folded: '日本' },
  { written: '', folded: '' },
] as const)
  text(`B10: should fold ${JSON.stringify(written)}`, () => assert.is(fold(written), folded));

text('B10: should fold a folded text to itself, and plain text like any other', () => {
  const anyLetter = fc.string({ unit: fc.constantFrom(...'æøåÆØÅðÞđŁßœéÈñ aB-1') });
  const ascii = fc.string({ unit: 'grapheme-ascii' });
  for (const written of [anyLetter, ascii])
    fc.assert(fc.property(written, (one) => assert.is(fold(fold(one)), fold(one))));
  // The short cut for ASCII must not differ: a letter beyond it takes the long way.
  fc.assert(fc.property(ascii, (one) => assert.is(fold(`${one}ø`), `${fold(one)}o`)));
});

for (const { title, slug } of [
  { title: 'Sommerkonsert i parken', slug: 'sommerkonsert-i-parken' },
  { title: 'Blåbær & fløte: årets fest!', slug: 'blabaer-flote-arets-fest' },
  { title: '  --Hei--  ', slug: 'hei' },
  { title: '100 % moro', slug: '100-moro' },
  { title: '«Ærlig talt»', slug: 'aerlig-talt' },
  { title: '日本', slug: '' },
  { title: '', slug: '' },
] as const)
  text(`F6: should make a slug of ${JSON.stringify(title)}`, () => assert.is(slugOf(title), slug));

text('F6: should make slugs of letters, digits and single hyphens only', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (title) =>
      assert.match(slugOf(title), /^([a-z0-9]+(-[a-z0-9]+)*)?$/),
    ),
  );
});

/** Names in their order. */
for (const names of ['a A B Z Æ Ø Å', 'Alf Zoo Ærlig Øl Ål', 'Abel Zoo Aas Åse Åsen', 'Zoo Äng Öst Å']) {
  text(`E10: should sort as Norwegian lists of names do: ${names}`, () => {
    assert.is(names.split(' ').reverse().sort(compareNorwegian).join(' '), names);
  });
}

text('A8: should order by code point, not by UTF-16 unit', () => {
  for (const { left, right } of [
    // The first UTF-16 unit of U+1F600 is smaller than U+FFFD.
    { left: '\u{fffd}', right: '\u{1f600}' },
    { left: '\ue000', right: '\u{10000}' },
    { left: 'a', right: 'ab' },
    { left: 'Z', right: 'a' },
    { left: 'z', right: 'å' },
  ] as const)
    assertBelow(compareCodePoints(left, right), 0, `for ${left} and ${right}`);
  assert.is(compareCodePoints('å', 'å'), 0);
});

const anyText = fc.string({ unit: anyCharacter });
const inBytes = (left: string, right: string) => Buffer.compare(Buffer.from(left), Buffer.from(right));

text('A8: should order as the UTF-8 bytes do', () => {
  fc.assert(
    fc.property(anyText, anyText, (left, right) => {
      assert.is(Math.sign(compareCodePoints(left, right)), inBytes(left, right));
    }),
  );
});

text('C1: should order entities of one name by their id', () => {
  const entities = ['b Å', 'a Å', 'c A'].map((one) => ({ id: one.slice(0, 1), name: one.slice(2) }));
  assert.is(
    entities
      .sort(byNameThenId)
      .map(({ id }) => id)
      .join(' '),
    'c a b',
  );
});

text('H8: should leave nothing in a text that steers a terminal, or ends a line of a log', () => {
  const steering = '\x1b]0;a\x07 \x9b31m \u202eb \u2028c \u2029d \x85e \x00f \t \r';
  assert.is(
    printable(`${steering}\nÆ 🫐`),
    '\\u001b]0;a\\u0007 \\u009b31m \\u202eb \\u2028c \\u2029d \\u0085e \\u0000f \\u0009 \\u000d\nÆ 🫐',
  );
  assert.is(printableLine('\n\r\nwarn x'), '\\u000a\\u000d\\u000awarn x');
});

const NAMED = [
  { id: 1, names: ['konsert', 'Concerts'] },
  { id: 2, names: ['teater'] },
  { id: 3, names: ['barn og familie'] },
];

text('should find the nearest of several names by typing errors or by a word', () => {
  const nearest = createNearest(NAMED, ({ names }) => names);
  const found = ['Konsrt', 'CONCRETS', 'teatter', 'Familie'].map((name) => nearest(name)?.id);
  assert.equal(found, [1, 1, 2, 3]);
  for (const name of ['brn', 'politikk', '', 'k'.repeat(5_000)]) assert.is(nearest(name), null);
});

text('should shorten a text without cutting a character in two', () => {
  assert.is(shortened('abc', 3), 'abc');
  assert.is(shortened('abcd', 3), 'abc…');
  assert.is(shortened('ab😀d', 3), 'ab…');
});

text('should find the name that a comparison with each finds, the fewest errors first', () => {
  const word = fc
    .array(fc.constantFrom('a', 'b', 'c', '1', ' ', 'æ'), { maxLength: 12 })
    .map((all) => all.join(''));
  const names = fc.array(fc.array(word, { minLength: 1, maxLength: 2 }), { maxLength: 12 });
  const slowly = (all: readonly (readonly string[])[], asked: string) => {
    const key = nameKey(asked);
    if (key === '') return null;
    const named = all.flatMap((thing) => thing.map((name) => ({ thing, name: nameKey(name) })));
    for (let errors = 0; errors <= Math.min(3, key.length / 3); errors++) {
      const found = named.find(({ name }) => editDistance(key, name) <= errors);
      if (found !== undefined) return found.thing;
    }
    return named.find(({ name }) => wordsOf(name).includes(key))?.thing ?? null;
  };
  const property = fc.property(names, word, (all, asked) => {
    const nearest = createNearest(all, (thing) => thing);
    assert.is(nearest(asked), slowly(all, asked));
  });
  fc.assert(property, { numRuns: 1_000 });
});

text.run();
