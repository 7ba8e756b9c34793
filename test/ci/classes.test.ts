/** `.ci/classes.mjs`: the class of each part. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { packagePath } from '../../src/package.ts';
import { temporaryFolder } from '../helpers/folder.ts';

const classes = suite('classes of parts');

const { faults } = await import(packagePath('.ci/classes.mjs'));

classes('should all have an annex or files, and no annex should lack a class', () => {
  assert.equal(faults(packagePath('.')), []);
});

classes('should name an annex without a class, and a class without an annex', () => {
  const folder = temporaryFolder();
  for (const name of ['jobs/annexes', 'src/annexes/mcp', 'src/annexes/new', 'src/annexes/kit'])
    mkdirSync(join(folder, name), { recursive: true });
  for (const name of ['mcp', 'new']) writeFileSync(join(folder, `src/annexes/${name}/annex.ts`), '');
  const found: readonly string[] = faults(folder);
  assert.equal(
    found.filter((line) => /annexes\/(?:mcp|new|kit|quota)/.test(line)),
    [
      'src/annexes/new: expected its class in .ci/classes.mjs, found none',
      '.ci/classes.mjs: expected an annex src/annexes/quota, found none',
    ],
  );
});

classes.run();
