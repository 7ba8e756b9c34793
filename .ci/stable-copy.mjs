// What a copy of the tree lacks that has only the stable parts.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { classOf, KEYS, STABLE } from './classes.mjs';
import { filesIn, takeAway } from './copies.mjs';

/** Tests of the whole: they compare pages, limits, delays, folders, planted faults, checks and steps of recipes with all parts. */
const WHOLE = [
  'test/ci',
  ...['readme', 'recipe', 'structure', 'limits', 'delays'].map((name) => `test/${name}.test.ts`),
];

/** Takes away all that is not stable, except for pages of docs/, whose blocks many tests read. */
export function takeAwayUnstable(copy) {
  const folders = ['src', 'jobs', 'test', 'docs'].filter((folder) => existsSync(join(copy, folder)));
  const all = folders.flatMap((folder) => filesIn(copy, folder));
  const isPage = (path) => /^docs\/[^/]+\.md$/.test(path);
  const gone = all.filter((path) => classOf(path) !== STABLE && !isPage(path));
  const code = all.filter((path) => /^(?:src|jobs)\/.*\.ts$/.test(path));
  takeAway(copy, [...gone, ...WHOLE], { editable: code, keys: KEYS });
}
