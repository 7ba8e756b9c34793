/** The whole process of `verify-apart.ts`: reads its task, verifies the file, prints the answer. */
import { text } from 'node:stream/consumers';
import { messageOf } from '../calendar/errors.ts';
import { Unverified } from './unusable.ts';
import { verifyFile } from './verify.ts';
import type { Answer, Task } from './verify-apart.ts';

// An endless statement would block any other way to end.
const end = () => process.kill(process.pid, 'SIGKILL');
process.once('disconnect', end);
// The parent may have ended while modules were loading.
if (process.connected === false) end();
const { path, expected, thoroughness }: Task = JSON.parse(await text(process.stdin));
const answer: Answer = await verifyFile(path, expected, thoroughness).catch((cause: unknown) => ({
  fault: messageOf(cause),
  isVerdict: !(cause instanceof Unverified),
}));
process.stdout.write(JSON.stringify(answer), end);
