/** Entry point of `npm run rebuild`: one build. A server starts it, too, as a child (src/runtime/builder.ts). */
import { enter } from '../src/runtime/entry.ts';

// Under a server: if that server dies, nothing else would end a build that hangs.
process.once('disconnect', () => process.exit(1));
process.channel?.unref();
if (process.connected === false) process.exit(1);

await enter(async () => {
  const { rebuildByCommand } = await import('./rebuild/entry.ts');
  process.exitCode = await rebuildByCommand(process.argv.slice(2));
});
