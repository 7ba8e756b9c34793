/** Entry point of the server. Of src/, only this file and package.ts name jobs/: a server reads settings and may build. */
import { enter } from './runtime/entry.ts';

await enter(async () => {
  const { serveByCommand } = await import('../jobs/serve.ts');
  await serveByCommand(process.argv.slice(2));
});
