/** What `npm run rebuild` says of arguments that it refuses, and of a disk that is full. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { built, snapshotsIn, sourceOf, unfinishedIn } from '../../helpers/build.ts';
import { temporaryFolder } from '../../helpers/folder.ts';
import { ran, spawned } from '../../helpers/rebuild.ts';

const rebuilding = suite('refused arguments of rebuild');

const WRONG: readonly (readonly [args: readonly string[], finding: RegExp])[] = [
  [['--sauce', 'x'], /Unknown option '--sauce'[\s\S]*Usage: npm run rebuild/],
  [['extra'], /Unexpected argument 'extra'/],
  [['--source'], /'--source <value>' argument missing/],
  [['--now', 'tomorrow'], /--now: expected a moment with its offset, .*found "tomorrow"/],
  [['--now', '2026-05-17 12:00:00'], /--now: expected/],
  [['--now', '2026-02-30T12:00:00Z'], /--now: expected/],
  [['--wait', 'long'], /--wait: expected whole seconds, found "long"/],
];

for (const [args, finding] of WRONG) {
  rebuilding(`H2: should refuse ${args.join(' ')}`, async () => {
    const { code, stdout, stderr } = await ran(args);
    assert.is(code, 1);
    assert.is(stdout, '');
    assert.match(stderr, finding);
  });
}

rebuilding('G1: should leave the snapshot as it is when there is no room for another', async () => {
  const target = temporaryFolder();
  await built(sourceOf(3), target);
  const before = snapshotsIn(target);
  const args = ['--source', sourceOf(1_000), '--target', target, '--now', '2026-01-01T13:00:00Z'];
  const { code, stderr } = await spawned(args, { limit: '400' });
  assert.is(code, 1);
  assert.match(stderr, /^Nothing was published\. .*(room|limit)/);
  assert.not.match(stderr, /\n +at /);
  assert.equal(snapshotsIn(target), before);
  assert.equal(unfinishedIn(target), []);
});

rebuilding.run();
