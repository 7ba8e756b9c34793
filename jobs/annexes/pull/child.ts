/** Verifies one file of a stranger in its own process: see copy.ts. */
import { serveVerifier } from '../../../src/snapshot/verify-apart.ts';
import { verifyStranger } from './stranger.ts';

await serveVerifier(verifyStranger);
