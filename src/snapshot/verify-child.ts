/** Verifies one file in its own process, as a server needs it. */
import { verifyFile } from './verify.ts';
import { serveVerifier } from './verify-apart.ts';

await serveVerifier((path, expected) => verifyFile(path, expected));
