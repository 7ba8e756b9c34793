/** Verifies one file in a process of its own: see `verify-apart.ts`, which writes the task to it and reads the answer. */
import { text } from 'node:stream/consumers';
import { messageOf } from '../calendar/errors.ts';
import { verifyFile } from './verify.ts';
import type { Answer, Task } from './verify-apart.ts';

// A statement without an end would hold up any other way to end.
process.once('disconnect', end);
// The program that started it may have ended while its modules were loaded.
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
