/** Entry point of `npm run schedule`: keeps the snapshot folder current, for servers that do not do it themselves. */
import { runBuilder } from '../src/runtime/builder.ts';
import { enter } from '../src/runtime/entry.ts';
import { readSettings } from '../src/settings.ts';

await enter(async () => runBuilder(readSettings(process.env, process.cwd())));
