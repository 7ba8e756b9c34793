/** D14: the memory that a server shares out among its caches and its work. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createBudget, SHARES } from '../../../../src/serve/admission/budget.ts';
import { assertAtMost } from '../../../helpers/assertions.ts';

const test = suite('budget');
const MB = 1_024 ** 2;

test('D14: shares should be parts of what the program and two snapshots leave', () => {
  const budget = createBudget(512 * MB);
  assert.is(budget.setUsage({ program: 100 * MB, snapshot: 50 * MB }), null);
  assert.is(budget.cacheBytes({ part: 1, most: 512 * MB }), 312 * MB);
  assert.is(budget.cacheBytes({ part: 1, most: MB }), MB);
  for (const [name, share] of Object.entries(SHARES)) {
    assert.is(budget.share(name as keyof typeof SHARES), Math.floor(share * 312 * MB));
  }
  const sum = Object.values<number>(SHARES).reduce((total, share) => total + share);
  assertAtMost(sum, 0.5, 'of the budget');
});

test('D14: should name the memory that a too large calendar needs', () => {
  const budget = createBudget(256 * MB);
  assert.is(
    budget.setUsage({ program: 100 * MB, snapshot: 70 * MB }),
    'ALMANAKK_MEMORY_MB: expected at least 275 for this calendar, found 256: the program takes 100 MB, and each of two snapshots during a swap 70 MB',
  );
  assert.is(budget.cacheBytes({ part: 1, most: 256 * MB }), 32 * MB, 'an eighth is shared out at any rate');
});

test('D14: should name the memory below which servers have exceeded their budget', () => {
  const usage = { program: 100 * MB, snapshot: MB };
  assert.is(
    createBudget(256 * MB, 384 * MB).setUsage(usage),
    'ALMANAKK_MEMORY_MB: expected at least 384 with this version of Node, found 256: with less, servers have taken more than the setting under heavy load',
  );
  assert.is(createBudget(384 * MB, 384 * MB).setUsage(usage), null);
  assert.is(createBudget(256 * MB).setUsage(usage), null);
});

test.run();
