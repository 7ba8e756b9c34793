import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
// @ts-expect-error: plain JavaScript
import { fingerprintOfReaders } from '../../../../jobs/bundle.mjs';
import { packagePath } from '../../../../src/package.ts';
import { assertIncludes } from '../../../helpers/assertions.ts';
import { temporaryFolder } from '../../../helpers/folder.ts';

const test = suite('fingerprint of the readers of feeds');

/** The fingerprint of a copy of the tree with some text of a file replaced. */
async function fingerprintAfter(file: string, text: string, other: string): Promise<string> {
  const root = temporaryFolder();
  for (const half of ['src', 'jobs']) cpSync(packagePath(half), join(root, half), { recursive: true });
  const before = readFileSync(join(root, file), 'utf8');
  assertIncludes(before, text);
  writeFileSync(join(root, file), before.replace(text, other));
  return fingerprintOfReaders(root);
}

/** A change, and whether feeds have to be read anew after it. */
const CHANGES: readonly (readonly [file: string, text: string, other: string, isOther: boolean])[] = [
  ['jobs/annexes/feeds/ical/event.ts', 'import ', '// A comment.\nimport ', false],
  ['jobs/write.ts', "'meta'", "'other'", false],
  ['jobs/annexes/feeds/places.ts', '{3,4}', '{2,4}', true],
  ['jobs/annexes/feeds/mirror/records.ts', "'dropped reference'", "'dropped record'", true],
  ['jobs/encodings.ts', "'latin1'", "'ascii'", true],
];

test('should have a fingerprint that changes with the readers’ code, and with no other', async () => {
  const own = await fingerprintAfter('jobs/write.ts', 'meta', 'meta');
  for (const [file, text, other, isOther] of CHANGES)
    assert.is((await fingerprintAfter(file, text, other)) !== own, isOther, file);
});

test.run();
