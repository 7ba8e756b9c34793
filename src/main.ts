/**
 * Entry point of the server, which start.ts puts together.
 * In the comments of all files, codes such as D14 name rules in docs/rules.md.
 */
import { enter } from './runtime/entry.ts';

await enter(async () => {
  const { startServer } = await import('./start.ts');
  await startServer(process.argv.slice(2));
});
