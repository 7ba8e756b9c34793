/** D14: the time that each address has used lately. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createUsage } from '../../../../src/serve/admission/usage.ts';

const test = suite('usage');

test('D14: should forget half of the time that an address has used after each five seconds', () => {
  let now = 0;
  const usage = createUsage(() => now);
  usage.add('a', 100);
  usage.add('b', 0.9);
  assert.equal([usage.of('a'), usage.of('b'), usage.of('c')], [100, 0, 0]);
  now += 5_000;
  assert.is(usage.of('a'), 50);
  usage.add('a', 50);
  now += 10_000;
  assert.is(usage.of('a'), 25);
});

test('D14: should remember 10,000 addresses, and forget who was seen least recently', () => {
  const usage = createUsage(() => 0);
  for (let nth = 0; nth < 10_001; nth++) usage.add(`a${nth}`, 1);
  assert.equal([usage.of('a0'), usage.of('a1'), usage.of('a10000')], [0, 1, 1]);
});

test.run();
