import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { writeNumber } from '../../../../src/annexes/page/reader.ts';

const test = suite('numbers of pages');

test('should write a number in English, with commas between thousands', () => {
  assert.is(writeNumber(1_234_567.25, 'en'), '1,234,567.3');
});

test('should write a number in Norwegian, with spaces between thousands and a decimal comma', () => {
  // Versions of Node differ in the kind of space.
  assert.is(writeNumber(1_234_567.25, 'nb').replaceAll(/\s/g, ' '), '1 234 567,3');
});

test.run();
