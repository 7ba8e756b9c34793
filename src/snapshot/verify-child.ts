/** Verifies one file in a process of its own: see `verify-apart.ts`, which writes the task to it and reads the answer. */
import { text } from 'node:stream/consumers';
import { messageOf } from '../calendar/errors.ts';
import { verifyFile } from './verify.ts';
import type { Answer, Task } from './verify-apart.ts';

// A statement without an end would hold up any other way to end.
process.once('disconnect', () => process.kill(process.pid, 'SIGKILL'));

const { path, expected, depth }: Task = JSON.parse(await text(process.stdin));
const answer = await verifyFile(path, expected, depth).then(
  (verified): Answer => ({ verified }),
  (cause): Answer => ({ problem: messageOf(cause) }),
);
process.stdout.write(JSON.stringify(answer), () => process.exit());
