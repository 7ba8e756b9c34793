/** The fingerprint of the code that reads feeds: if it changes, unchanged feeds are read anew. */
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
// @ts-expect-error: plain JavaScript
import { fingerprintOfReaders } from '../../../../jobs/bundle.mjs';
import { packagePath } from '../../../../src/package.ts';
import { assertIncludes } from '../../../helpers/assertions.ts';
import { temporaryFolder } from '../../../helpers/folder.ts';
import { hasPart } from '../../../helpers/when.ts';

const test = suite('fingerprint of the readers of feeds');

/** The fingerprint of a copy of the tree with some text of a file replaced. */
async function fingerprintAfter({ file, from, to }: Change): Promise<string> {
  const root = temporaryFolder();
  for (const half of ['src', 'jobs']) cpSync(packagePath(half), join(root, half), { recursive: true });
  const before = readFileSync(join(root, file), 'utf8');
  assertIncludes(before, from);
  writeFileSync(join(root, file), before.replace(from, to));
  return fingerprintOfReaders(root);
}

interface Change {
  readonly file: string;
  readonly from: string;
  readonly to: string;
}

const CHANGES_OF_READERS: readonly Change[] = [
  { file: 'jobs/annexes/feeds/written-address.ts', from: '{3,4}', to: '{2,4}' },
  { file: 'jobs/annexes/feeds/mirror/records.ts', from: "'dropped reference'", to: "'dropped record'" },
  { file: 'jobs/source/encodings.ts', from: "'latin1'", to: "'ascii'" },
];

const OTHER_CHANGES: readonly Change[] = [
  { file: 'jobs/annexes/feeds/ical/event.ts', from: 'import ', to: '// A comment.\nimport ' },
  { file: 'jobs/write.ts', from: "'meta'", to: "'other'" },
];

const UNCHANGED: Change = { file: 'jobs/write.ts', from: 'meta', to: 'meta' };

test('L3: should change the fingerprint with the code of the readers', async () => {
  const own = await fingerprintAfter(UNCHANGED);
  for (const change of CHANGES_OF_READERS.filter(({ file }) => hasPart(file)))
    assert.is.not(await fingerprintAfter(change), own, change.file);
});

test('L3: should keep the fingerprint when comments or other code change', async () => {
  const own = await fingerprintAfter(UNCHANGED);
  for (const change of OTHER_CHANGES) assert.is(await fingerprintAfter(change), own, change.file);
});

test.run();
