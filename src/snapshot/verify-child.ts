/** Verifies one file in its own process, as a server needs it, and hands over what the server loads of it. */
import { writev } from 'node:fs';
import { promisify } from 'node:util';
import { ASIDE } from '../package.ts';
import { type Lift, storeLift } from './lift.ts';
import { verifyFile } from './verify.ts';
import { serveVerifier } from './verify-apart.ts';

// One call, from a thread of libuv: it goes on while checks keep the event loop.
const handOver = (lift: Lift) => promisify(writev)(ASIDE, storeLift(lift));

await serveVerifier((path, expected) => verifyFile(path, expected, { handOver }));
