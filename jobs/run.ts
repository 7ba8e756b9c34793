/** Entry point of `npm run NAME`, for each command that an annex brings. */
import { enter } from '../src/runtime/entry.ts';

await enter(async () => {
  const { runCommand } = await import('../src/runtime/builder.ts');
  process.exitCode = await runCommand(process.argv.slice(2));
});
