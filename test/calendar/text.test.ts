import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  byNameThenId,
  codePointOrder,
  compareCodePoints,
  compareNorwegian,
  createNearest,
  fold,
  printable,
  slugOf,
} from '../../src/calendar/text.ts';

const text = suite('text');

for (const [written, folded] of [
  ['Jazz', 'jazz'],
  ['ÆØÅ æøå', 'aeoa aeoa'],
  ['Økland', 'okland'],
  ['Ærøskøbing', 'aeroskobing'],
  ['Ðorður þór', 'dordur thor'],
  ['Đorđe', 'dorde'],
  ['Łódź', 'lodz'],
  ['Straße STRASSE ẞ', 'strasse strasse ss'],
  ['Œuvre', 'oeuvre'],
  ['Café', 'cafe'],
  ['Cafe\u0301', 'cafe'],
  ['Ångström \u212b', 'angstrom a'],
  ['İstanbul', 'istanbul'],
  ['ﬁn ﬂøyte', 'fin floyte'],
  ['Ｊａｚｚ', 'jazz'],
  ['½ m²', '1⁄2 m2'],
  ['Čakti Sámi đáža ŋ', 'cakti sami daza ŋ'],
  ['Ǿ Ǽ', 'o ae'],
  ['日本', '日本'],
  ['', ''],
] as const)
  text(`B10: should fold ${JSON.stringify(written)}`, () => assert.is(fold(written), folded));

text('B10: should fold what is folded to itself', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme-ascii' }), (written) =>
      assert.is(fold(fold(written)), fold(written)),
    ),
  );
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom(...'æøåÆØÅðÞđŁßœéÈñ aB-1') }), (written) =>
      assert.is(fold(fold(written)), fold(written)),
    ),
  );
});

text('B10: should fold plain text as it folds all other', () => {
  // The short cut for ASCII must not differ: a letter beyond it takes the long way.
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme-ascii' }), (written) =>
      assert.is(fold(`${written}ø`), `${fold(written)}o`),
    ),
  );
});

for (const [title, slug] of [
  ['Sommerkonsert i parken', 'sommerkonsert-i-parken'],
  ['Blåbær & fløte: årets fest!', 'blabaer-flote-arets-fest'],
  ['  --Hei--  ', 'hei'],
  ['100 % moro', '100-moro'],
  ['«Ærlig talt»', 'aerlig-talt'],
  ['日本', ''],
  ['', ''],
] as const)
  text(`F6: should make a slug of ${JSON.stringify(title)}`, () => assert.is(slugOf(title), slug));

text('F6: should make slugs of letters, digits and single hyphens only', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (title) =>
      assert.match(slugOf(title), /^([a-z0-9]+(-[a-z0-9]+)*)?$/),
    ),
  );
});

text('E10: should put æ, ø and å last, in that order', () => {
  const sorted = ['Å', 'Ø', 'Z', 'Æ', 'A', 'a', 'B'].sort(compareNorwegian);
  assert.equal(sorted, ['a', 'A', 'B', 'Z', 'Æ', 'Ø', 'Å']);
  assert.equal(['Ål', 'Zoo', 'Øl', 'Ærlig', 'Alf'].sort(compareNorwegian), [
    'Alf',
    'Zoo',
    'Ærlig',
    'Øl',
    'Ål',
  ]);
});

text('E10: should sort aa as å, as Norwegian lists of names do', () => {
  assert.equal(['Åsen', 'Zoo', 'Aas', 'Abel', 'Åse'].sort(compareNorwegian), [
    'Abel',
    'Zoo',
    'Aas',
    'Åse',
    'Åsen',
  ]);
});

text('E10: should sort ä as æ and ö as ø', () => {
  assert.equal(['Öst', 'Zoo', 'Äng', 'Å'].sort(compareNorwegian), ['Zoo', 'Äng', 'Öst', 'Å']);
});

text('A8: should order by code point, not by UTF-16 unit', () => {
  // U+FFFD comes before U+1F600, whose first unit is smaller.
  assert.ok(compareCodePoints('\u{fffd}', '\u{1f600}') < 0);
  assert.ok('\u{fffd}' > '\u{1f600}');
  assert.ok(compareCodePoints('a', 'ab') < 0);
  assert.ok(compareCodePoints('Z', 'a') < 0);
  assert.ok(compareCodePoints('z', 'å') < 0);
  assert.is(compareCodePoints('å', 'å'), 0);
});

const anyText = fc.string({ unit: 'binary' });
const inBytes = (left: string, right: string) => Buffer.compare(Buffer.from(left), Buffer.from(right));

text('A8: should order as the UTF-8 bytes do, whichever comparison is used', () => {
  fc.assert(
    fc.property(anyText, anyText, (left, right) => {
      assert.is(Math.sign(compareCodePoints(left, right)), inBytes(left, right));
      assert.is(Math.sign(codePointOrder([left, right])(left, right)), inBytes(left, right));
    }),
  );
  for (const [left, right] of [
    ['\u{fffd}', '\u{1f600}'],
    ['\ue000', '\u{10000}'],
  ] as const)
    assert.ok(codePointOrder([left, right])(left, right) < 0);
});

text('C1: should order entities of one name by their id', () => {
  const entities = [
    { id: 'b', name: 'Å' },
    { id: 'a', name: 'Å' },
    { id: 'c', name: 'A' },
  ];
  assert.equal(
    entities.sort(byNameThenId).map(({ id }) => id),
    ['c', 'a', 'b'],
  );
});

text('H8: should leave nothing in a text that steers a terminal, or ends a line of a log', () => {
  const steering = '\x1b]0;a\x07 \x9b31m \u202eb \u2028c \u2029d \x85e \x00f \t \r';
  assert.is(
    printable(`${steering}\nÆ 🫐`),
    '\\u001b]0;a\\u0007 \\u009b31m \\u202eb \\u2028c \\u2029d \\u0085e \\u0000f \\u0009 \\u000d\nÆ 🫐',
  );
});

text(
  'should find the nearest of several names, by typing errors or by a word, and none that is like none',
  () => {
    const things = [
      { id: 1, names: ['konsert', 'Concerts'] },
      { id: 2, names: ['teater'] },
      { id: 3, names: ['barn og familie'] },
    ];
    const nearest = createNearest(things, ({ names }) => names);
    for (const [name, id] of [
      ['Konsrt', 1],
      ['CONCRETS', 1],
      ['teatter', 2],
      ['Familie', 3],
      ['brn', undefined],
      ['politikk', undefined],
      ['', undefined],
      ['k'.repeat(5_000), undefined],
    ] as const) {
      assert.is(nearest(name)?.id, id, name.slice(0, 20));
    }
  },
);

text.run();
