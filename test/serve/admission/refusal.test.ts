import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { measureRefusal } from '../../bench/storm/refusal.ts';

const refusals = suite('refusals');

refusals('D14: a refusal should cost at most twice what an answer at hand does', async () => {
  const { cached, refused } = await measureRefusal();
  assert.ok(refused <= 2 * cached, `${refused.toFixed(1)} µs refused, ${cached.toFixed(1)} µs at hand`);
});

refusals.run();
