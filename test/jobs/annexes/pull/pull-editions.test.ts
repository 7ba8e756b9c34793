/** J4, J5: compressed copies and public editions of an origin’s snapshot. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, constants } from 'node:zlib';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { run } from '../../../../jobs/annexes/pull/pull.ts';
import { readSettings } from '../../../../jobs/settings.ts';
import { MANIFEST } from '../../../../src/snapshot/files.ts';
import { type PublicFile, parseManifest } from '../../../../src/snapshot/manifest.ts';
import { assertExists, assertMissing, assertSameBytes } from '../../../helpers/assertions.ts';
import { manifestTextIn, temporaryFolder } from '../../../helpers/folder.ts';
import { verifyHere } from '../../../helpers/keeper.ts';
import {
  addCopy,
  type Context,
  closingOrigins,
  flipped,
  onManifest,
  publishDamagedEdition,
  publishEdition,
  publishedIn,
  startOriginToPull,
} from './pulling.ts';

const pulling = closingOrigins(suite<Context>('editions of an origin', { origins: [] }));

pulling('J5: should copy the public edition', async (context) => {
  const { theirs, ours, pull } = await startOriginToPull(context);
  const { edition } = await publishEdition(theirs, 3);
  await pull();
  assert.equal(publishedIn(ours).sort(), publishedIn(theirs).sort());
  assertSameBytes(readFileSync(join(ours, edition.file)), readFileSync(join(theirs, edition.file)));
});

interface BadEdition {
  readonly reason: RegExp;
  /** Changes the file in the origin's folder, or its entry in the manifest. */
  readonly spoil: (path: string) => Partial<PublicFile>;
}

const BAD_EDITIONS: Readonly<Record<string, BadEdition>> = {
  damaged: {
    reason: /public-\w+\.sqlite: expected \d+ bytes, found 3$/,
    spoil: (path) => {
      writeFileSync(path, 'bad');
      return {};
    },
  },
  'larger than any': {
    reason: /expected a file of 8589934592 bytes at most, found 8589934593$/,
    spoil: () => ({ bytes: 8 * 1_024 ** 3 + 1 }),
  },
};

for (const [what, { reason, spoil }] of Object.entries(BAD_EDITIONS)) {
  pulling(
    `J5: should copy a snapshot without its public edition if the edition is ${what}, and report it`,
    async (context) => {
      const { theirs, ours, origin, pull } = await startOriginToPull(context);
      const { manifest, edition } = await publishEdition(theirs, 3);
      const spoiled = spoil(join(theirs, edition.file));
      const changed = { ...manifest, public: { ...edition, compressed: undefined, ...spoiled } };
      origin.behave(onManifest(changed));
      const reasons: string[] = [];
      let draftsBesides: readonly string[] = [];
      const verify: typeof verifyHere = (...given) => {
        draftsBesides = readdirSync(ours).filter((name) => name.includes('public-'));
        return verifyHere(...given);
      };
      await pull(origin.url, { onPublicLost: (why) => reasons.push(why), verify });
      assert.is(reasons.length, 1);
      assert.match(reasons[0] ?? '', reason);
      assert.equal(draftsBesides, [], 'drafts that take room while the snapshot is verified');
      assertMissing(join(ours, edition.file));
    },
  );
}

pulling('J5: the command should print that the public edition was not copied, and why', async (context) => {
  const { theirs, ours, origin } = await startOriginToPull(context);
  const { manifest } = await publishDamagedEdition(theirs);
  const environment = { ALMANAKK_SNAPSHOTS: ours, ALMANAKK_ORIGIN: origin.url.href };
  const { settings } = readSettings(environment, temporaryFolder());
  const printed: string[] = [];
  const code = await run([], {
    settings,
    now: new Date(manifest.builtAt),
    print: (line) => printed.push(line),
    keepCurrent: async () => undefined,
  });
  const [lost = '', published = ''] = printed;
  assert.match(lost, /^public edition not copied: public-\w+\.sqlite: expected \d+ bytes, found 3$/);
  assert.match(published, `published: ${manifest.file}, built at ${manifest.builtAt}, 3 events`);
  assert.is(code, 0);
});

/** Compressed as quickly as can be: Brotli's best takes seconds. */
const compressedZeros = (bytes: number) =>
  brotliCompressSync(Buffer.alloc(bytes), { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } });

/** Bodies of a compressed copy, made from the bytes of the file; null for no copy. */
const BAD_COPIES: Readonly<Record<string, (bytes: Buffer) => Buffer | null>> = {
  missing: () => null,
  'a bomb': (bytes) => compressedZeros(bytes.length + 50_000_000),
  'half of the file': (bytes) => brotliCompressSync(bytes.subarray(0, bytes.length / 2)),
  'another file': (bytes) => brotliCompressSync(flipped(bytes)),
  'not compressed by Brotli': (bytes) => bytes.subarray(0, 20_000),
  truncated: (bytes) => brotliCompressSync(bytes).subarray(0, -100),
};

pulling(
  'J4: should fetch the compressed copy, and keep it for others that follow this folder',
  async (context) => {
    const { theirs, ours, origin, manifest, pull } = await startOriginToPull(context);
    const bytes = readFileSync(join(theirs, manifest.file));
    const copy = addCopy(theirs, manifest, brotliCompressSync(bytes));
    assert.equal(await pull(), parseManifest(manifestTextIn(theirs)));
    assert.equal(origin.asked, [MANIFEST, copy]);
    assertExists(join(ours, copy));
    assertSameBytes(readFileSync(join(ours, manifest.file)), bytes);
  },
);

for (const [what, make] of Object.entries(BAD_COPIES)) {
  pulling(`J4: should fetch the plain file if the compressed copy is ${what}`, async (context) => {
    const { theirs, ours, origin, manifest, pull } = await startOriginToPull(context);
    const bytes = readFileSync(join(theirs, manifest.file));
    const copy = addCopy(theirs, manifest, make(bytes));
    assert.equal(await pull(), manifest);
    assert.equal(origin.asked, [MANIFEST, copy, manifest.file]);
    assertMissing(join(ours, copy));
    assertSameBytes(readFileSync(join(ours, manifest.file)), bytes);
  });
}

pulling('J4: should not fetch a byte of a copy that is no shorter than the file', async (context) => {
  const { theirs, origin, manifest, pull } = await startOriginToPull(context);
  addCopy(theirs, manifest, Buffer.alloc(manifest.bytes));
  assert.equal(await pull(), manifest);
  assert.equal(origin.asked, [MANIFEST, manifest.file]);
});

pulling.run();
