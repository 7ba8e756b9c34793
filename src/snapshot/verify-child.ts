/** Verifies one file in a process of its own: see `verify-apart.ts`, which sends the task and takes the answer. */
import { messageOf } from '../calendar/errors.ts';
import { verifyFile } from './verify.ts';
import type { Answer, Task } from './verify-apart.ts';

/** Nothing here has to end in good order, and a statement without an end would hold up any other way out. */
process.once('disconnect', () => process.kill(process.pid, 'SIGKILL'));

process.once('message', async ({ path, expected, depth }: Task) => {
  const answer = await verifyFile(path, expected, depth).then(
    (verified): Answer => ({ verified }),
    (cause): Answer => ({ problem: messageOf(cause) }),
  );
  process.send?.(answer);
});
