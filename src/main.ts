/** Entry point of the server: `start` keeps its snapshot current and serves, `serve` serves only (H1, H2). */
import { enter } from '../runtime/entry.ts';

await enter(async () => {
  const { runServer } = await import('../runtime/server.ts');
  await runServer(process.argv.slice(2));
});
