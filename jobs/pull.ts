/** Entry point of `npm run pull`: copies the origin's snapshot once, or follows it with `--watch` (H6). */
import { enter } from '../src/runtime/entry.ts';

await enter(async () => {
  const { pullByCommand } = await import('./pull/entry.ts');
  await pullByCommand(process.argv.slice(2));
});
