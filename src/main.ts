/**
 * Entry point of the server. Of src/, only this file and package.ts name jobs/: a server reads settings and may build.
 * In the comments of all files, codes such as D14 name rules in docs/rules.md.
 */
import { enter } from './runtime/entry.ts';

await enter(async () => {
  const { serveByCommand } = await import('../jobs/serve.ts');
  await serveByCommand(process.argv.slice(2));
});
