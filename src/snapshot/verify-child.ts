/** Verifies one file in its own process: see `verify-apart.ts`, which sends the task and reads the answer. */
import { text } from 'node:stream/consumers';
import { messageOf } from '../calendar/errors.ts';
import { verifyFile } from './verify.ts';
import type { Answer, Task } from './verify-apart.ts';

// An endless statement would block any other way to end.
process.once('disconnect', end);
// The parent may have ended while modules were loading.
if (process.connected === false) end();

const { path, expected, depth }: Task = JSON.parse(await text(process.stdin));
const answer = await verifyFile(path, expected, depth).then(
  (verified): Answer => ({ verified }),
  (cause): Answer => ({ problem: messageOf(cause) }),
);
process.stdout.write(JSON.stringify(answer), () => process.exit());

function end(): void {
  process.kill(process.pid, 'SIGKILL');
}
