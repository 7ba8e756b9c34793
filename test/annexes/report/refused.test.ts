/** What `npm run rebuild` says of arguments that it refuses. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ran } from '../../helpers/rebuild.ts';

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

rebuilding.run();
