/** Entry point of `npm run schedule`: keeps the snapshot folder current, for servers that do not do it themselves. */
import { enter } from '../src/runtime/entry.ts';

await enter(async () => {
  const { runBuilder } = await import('../src/runtime/builder.ts');
  const { readSettings } = await import('../src/settings.ts');
  await runBuilder(readSettings(process.env, process.cwd()));
});
