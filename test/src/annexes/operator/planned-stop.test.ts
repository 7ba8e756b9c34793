/** When a server last stopped because it was told to, as its next process reads it. */
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createPlannedStop } from '../../../../src/annexes/operator/planned-stop.ts';
import { temporaryFolder } from '../../../helpers/folder.ts';

const stops = suite('planned stops');

stops('H12: should know the last planned stop of this port, from the next process on', () => {
  const keys = join(temporaryFolder(), 'keys.json');
  const first = createPlannedStop({ keys, port: 4000 });
  assert.is(first.lastAt, 0);
  first.note();
  assert.is(first.lastAt, 0);
  const second = createPlannedStop({ keys, port: 4000 });
  assert.ok(Math.abs(second.lastAt - Date.now() / 1_000) < 3_600, `${second.lastAt}`);
  // Like a process that is killed, it does not note its end.
  assert.is(createPlannedStop({ keys, port: 4000 }).lastAt, second.lastAt);
  assert.is(createPlannedStop({ keys, port: 4001 }).lastAt, 0);
});

stops('H12: should stop all the same where it may not write beside the keys', () => {
  const keys = join(temporaryFolder(), 'none', 'keys.json');
  createPlannedStop({ keys, port: 4000 }).note();
  assert.is(createPlannedStop({ keys, port: 4000 }).lastAt, 0);
});

stops.run();
