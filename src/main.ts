/** Entry point of the server. No other file of src/ names jobs/: settings and builds are of both halves. */
import { enter } from './runtime/entry.ts';

await enter(async () => {
  const { serveByCommand } = await import('../jobs/serve.ts');
  await serveByCommand(process.argv.slice(2));
});
