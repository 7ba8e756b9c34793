/** Entry point of `npm run rebuild`: one build. A server starts it, too, as a child (src/runtime/builder.ts). */
import { enter } from '../src/runtime/entry.ts';

// Where a server has started it: nothing else ends a build that hangs once that server is gone.
process.once('disconnect', () => process.exit(1));
process.channel?.unref();
if (process.connected === false) process.exit(1);

await enter(async () => {
  const { rebuildByCommand } = await import('./rebuild/entry.ts');
  process.exitCode = await rebuildByCommand(process.argv.slice(2));
});
