import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { measureJson } from '../../src/calendar/json.ts';
import { costsAtMost } from '../helpers/usage.ts';

const test = suite('size of JSON');

const SIZES: readonly (readonly [json: string, depth: number, values: number])[] = [
  ['', 0, 1],
  ['"[[[,"', 0, 1],
  ['[]', 1, 2],
  ['{"a":[1,{"b":2}],"c":[[]]}', 3, 8],
  ['["\\"[[[",[1]]', 2, 4],
  ['["\\\\",[1]]', 2, 4],
  ['["open [[[', 1, 2],
  [']]]]', 0, 1],
];

test('should count levels and values outside of strings', () => {
  for (const [json, depth, values] of SIZES) {
    assert.equal(measureJson(Buffer.from(json)), { depth, values }, json);
  }
});

test('should measure the deepest there is in one pass', async () => {
  for (const unit of ['[', '{"a":', '"', '\\', '"\\"']) {
    const bytes = Buffer.from(unit.repeat(16_000_000 / unit.length));
    await costsAtMost(150, () => measureJson(bytes), { what: unit });
  }
});

test.run();
