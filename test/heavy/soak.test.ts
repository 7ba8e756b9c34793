import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { temporaryFolder } from '../helpers/folder.ts';

const soaking = suite('soak');

/** Three minutes. */
const isRun = process.env.ALMANAKK_TEST_LONG === '1' && process.platform === 'linux';

(isRun ? soaking : soaking.skip)(
  'D14: a server should stay as it is while calendars are built, broken and stormed around it',
  () => {
    const out = temporaryFolder();
    const bench = ['--import', 'tsx', 'test/bench/bench.ts', '--soak', '--quick', '--out', out];
    const { stderr } = spawnSync(process.execPath, bench, { encoding: 'utf8', timeout: 600_000 });
    const table = readFileSync(join(out, 'soak.md'), 'utf8');
    const found = (wanted: string) => new RegExp(`^\\| ${wanted}.* \\| (\\S+) \\|$`, 'm').exec(table)?.[1];
    for (const wanted of [
      'the server still there',
      'nothing failed outside',
      'no slope: descriptors',
      'builds of',
    ]) {
      assert.is(found(wanted), 'met', `${wanted}:\n${table}\n${stderr}`);
    }
  },
);

soaking.run();
