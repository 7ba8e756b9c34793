#!/usr/bin/env node
/** Entry point of `almanakk COMMAND`, and of the scripts in package.json. A server starts builds by it, too (schedule annex). */
import { enter } from '../src/runtime/entry.ts';

await enter(async () => {
  const { runCommandLine } = await import('./commands/commands.ts');
  await runCommandLine(process.argv.slice(2));
});
