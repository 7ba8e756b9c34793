import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { languageOf, technicalLanguageOf, writeNumber } from '../../../../src/annexes/page/reader.ts';

const test = suite('language and numbers of pages');

test('should write a number in English, with commas between thousands', () => {
  assert.is(writeNumber(1_234_567.25, 'en'), '1,234,567.3');
});

test('should write a number in Norwegian, with spaces between thousands and a decimal comma', () => {
  // Versions of Node differ in the kind of space.
  assert.is(writeNumber(1_234_567.25, 'nb').replaceAll(/\s/g, ' '), '1 234 567,3');
});

/** What a browser prefers, and the language of the page: in a calendar of Bokmål, and in one of Nynorsk. */
const PREFERRED = [
  { accept: '', nb: 'nb', nn: 'nn' },
  { accept: 'nb-NO,nb;q=0.9,no;q=0.8,nn;q=0.7,en;q=0.6', nb: 'nb', nn: 'nn' },
  { accept: 'nn-NO,nn;q=0.9,nb;q=0.8', nb: 'nn', nn: 'nn' },
  { accept: 'en;q=0.5, NN', nb: 'nn', nn: 'nn' },
  { accept: 'no', nb: 'nb', nn: 'nn' },
  { accept: 'sv, en', nb: 'nb', nn: 'nn' },
  { accept: 'de, en;q=0.9, nn;q=0.8', nb: 'en', nn: 'en' },
  { accept: 'de, se', nb: 'en', nn: 'en' },
] as const;

for (const { accept, ...languages } of PREFERRED) {
  test(`I16: should choose a language for “${accept}”`, () => {
    const headers = { 'accept-language': accept };
    for (const own of ['nb', 'nn'] as const) {
      const chosen = { language: languages[own], inAddress: false };
      assert.equal(languageOf({ headers, search: 'lang=da' }, own), chosen, own);
    }
    const named = { language: 'nn', inAddress: true };
    assert.equal(languageOf({ headers, search: 'lang=nn' }, 'nb'), named);
  });
}

test('I16: should have pages for developers in Bokmål for a reader of Nynorsk, and links in any language', () => {
  const headers = { 'accept-language': 'nn' };
  const chosen = { language: 'nb', inAddress: false };
  assert.equal(technicalLanguageOf({ headers, search: '' }), chosen);
  assert.equal(technicalLanguageOf({ headers, search: 'lang=nn' }), chosen);
  assert.equal(technicalLanguageOf({ headers, search: 'lang=en' }), { language: 'en', inAddress: true });
});

test.run();
