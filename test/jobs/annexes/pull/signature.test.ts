/** J3: what a replica accepts of signed manifests. */
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { copySnapshot, fetchManifest, readOriginManifest } from '../../../../jobs/annexes/pull/copy.ts';
import { readTrust, type Trust } from '../../../../jobs/kit/signature.ts';
import { type Sign, verifyAndPublish } from '../../../../jobs/publish/publish.ts';
import { unfinishedPath } from '../../../../jobs/publish/unfinished.ts';
import { writeSnapshot } from '../../../../jobs/write.ts';
import { MANIFEST } from '../../../../src/snapshot/files.ts';
import { type Manifest, renderManifest, signedText } from '../../../../src/snapshot/manifest.ts';
import { built, sourceOfEvents } from '../../../helpers/build.ts';
import { makeCalendar, NOW } from '../../../helpers/calendar.ts';
import { rejects } from '../../../helpers/errors.ts';
import { publishCalendar, snapshotContentOf, temporaryFolder } from '../../../helpers/folder.ts';
import { verifyHere } from '../../../helpers/keeper.ts';
import { LICENCE } from '../../../helpers/native-source.ts';
import { type Origin, startOrigin } from '../../../helpers/origin.ts';
import { type Keys, manifestIn, newKeys } from '../signing/signing.ts';

const signatures = suite<{ origins: Origin[] }>('signatures for replicas', { origins: [] });

signatures.after.each(async ({ origins }) => {
  for (const origin of origins.splice(0)) await origin.close();
});

const trustIn = (...keys: readonly Keys[]): Trust | null => readTrust(keys.map(({ file }) => `${file}.pub`));

const ours = await newKeys();
const WEEK = 7 * 86_400;

interface Made {
  readonly name: string;
  readonly builtAt?: number;
  readonly sign?: Sign;
}

/** Builds and publishes as a builder with that key does. */
async function publishSigned(folder: string, { name, builtAt, sign = ours.sign }: Made): Promise<Manifest> {
  const file = unfinishedPath(folder, 'calendar.sqlite');
  await writeSnapshot(file, snapshotContentOf(await makeCalendar({ name }), builtAt));
  return verifyAndPublish({ folder, file, sign });
}

/** A builder's folder, `theirs`, and a replica that trusts our key. */
async function builderAndReplica({ origins }: { origins: Origin[] }) {
  const theirs = temporaryFolder();
  const replica = temporaryFolder();
  const origin = await startOrigin(theirs);
  origins.push(origin);
  const { signal } = new AbortController();
  const common = { origin: origin.url, signal, allowPrivate: false, verify: verifyHere, folder: replica };
  const pull = async (trust: Trust | null = trustIn(ours)) => {
    origin.asked.length = 0;
    const options = { ...common, trust };
    return copySnapshot(options, await readOriginManifest(await fetchManifest(options), options));
  };
  /** Expects that the manifest is refused, before the file is fetched. */
  const refused = async (message: RegExp) => {
    await rejects(pull(), 'ORIGIN_UNUSABLE', message);
    assert.equal(origin.asked, [MANIFEST]);
  };
  return { theirs, replica, pull, refused };
}

signatures(
  'J3: a replica should accept the signature of any key that it trusts, and keep it in its manifest',
  async (context) => {
    const { theirs, replica, pull } = await builderAndReplica(context);
    const next = await newKeys();
    const both = trustIn(ours, next);
    const { signature } = await publishSigned(theirs, { name: 'Gammel nøkkel' });
    await pull(both);
    assert.equal([signature?.key, manifestIn(replica).signature], [ours.id, signature]);
    const text = readFileSync(join(replica, MANIFEST), 'utf8');
    await readOriginManifest(text, { folder: temporaryFolder(), trust: trustIn(ours) });
    const { id } = await publishSigned(theirs, { name: 'Ny nøkkel', sign: next.sign, builtAt: NOW + 60 });
    assert.is((await pull(both)).id, id);
    await rejects(
      pull(),
      'ORIGIN_UNUSABLE',
      new RegExp(`a signature by ${ours.id}, found one by ${next.id}$`),
    );
  },
);

/** Fields of a good manifest, each with one bit or digit changed. */
const CHANGES: Readonly<Record<string, (manifest: Manifest) => Partial<Manifest>>> = {
  'SHA-256': ({ sha256 }) => ({ sha256: flippedIn(sha256, 'hex') }),
  bytes: ({ bytes }) => ({ bytes: bytes ^ 1 }),
  'build time': ({ builtAt }) => ({ builtAt: builtAt.replace('00Z', '01Z') }),
  licence: ({ licence = '' }) => ({ licence: flippedIn(licence, 'latin1') }),
  signature: ({ signature = { key: '', value: '' } }) => ({
    signature: { ...signature, value: flippedIn(signature.value, 'base64') },
  }),
};

for (const [field, change] of Object.entries(CHANGES)) {
  signatures(
    `J3: should not fetch the file of a manifest whose ${field} was changed after signing`,
    async (context) => {
      const { theirs, replica, refused } = await builderAndReplica(context);
      const manifest = await publishSigned(theirs, { name: 'Endret' });
      const expected = `expected what ${ours.id} has signed, found something else: it was changed on the way`;
      writeFileSync(join(theirs, MANIFEST), renderManifest({ ...manifest, ...change(manifest) }));
      await refused(new RegExp(`^manifest\\.json: ${expected}$`));
      assert.equal(readdirSync(replica), []);
    },
  );
}

signatures(
  'J3: should not fetch the file of a manifest that is unsigned, or signed with an unknown key',
  async (context) => {
    const { theirs, refused } = await builderAndReplica(context);
    const stranger = await newKeys();
    const by = `expected a signature by ${ours.id}, found`;
    await publishCalendar(theirs, { name: 'Usignert' });
    await refused(new RegExp(`${by} none$`));
    const { signature, ...manifest } = await publishSigned(theirs, { name: 'Fremmed', sign: stranger.sign });
    await refused(new RegExp(`${by} one by ${stranger.id}$`));
    const lie = { ...manifest, signature: { key: ours.id, value: signature?.value ?? '' } };
    writeFileSync(join(theirs, MANIFEST), renderManifest(lie));
    await refused(/found something else: it was changed on the way$/);
  },
);

signatures(
  'J3: should refuse a signed calendar older than its own, unless its folder is empty',
  async (context) => {
    const { theirs, replica, pull, refused } = await builderAndReplica(context);
    const old = await publishSigned(theirs, { name: 'Forrige uke', builtAt: NOW - WEEK });
    await pull();
    const current = await publishSigned(theirs, { name: 'I dag' });
    await pull();
    writeFileSync(join(theirs, MANIFEST), renderManifest(old));
    const expected = `expected no older calendar than that of ${current.builtAt}, found one of ${old.builtAt}`;
    await refused(new RegExp(`^manifest\\.json: ${expected}$`));
    assert.is(manifestIn(replica).id, current.id);
    // H14: as an operator does after a restore.
    rmSync(replica, { recursive: true });
    await pull();
    assert.is(manifestIn(replica).id, old.id, 'an empty folder has nothing newer');
    const next = await publishSigned(theirs, { name: 'I morgen', builtAt: NOW + 60 });
    await pull();
    assert.is(manifestIn(replica).id, next.id);
  },
);

signatures('J3: should refuse the calendar of another licence, whoever signed it', async (context) => {
  const { theirs, replica, pull, refused } = await builderAndReplica(context);
  const target = temporaryFolder();
  await publishSigned(theirs, { name: 'Vår' });
  await pull();
  const licence = { ...LICENCE, id: 'nabobyen' };
  await built(sourceOfEvents(3, { 'licence.json': licence }), target, { sign: ours.sign, now: NOW + 600 });
  writeFileSync(join(theirs, MANIFEST), readFileSync(join(target, MANIFEST)));
  const refusal = /^manifest\.json: expected the calendar test, found nabobyen, another licence’s$/;
  await refused(refusal);
  // A snapshot from before there were signatures names its licence in its file.
  const { licence: _, signature: __, ...unsigned } = manifestIn(replica);
  writeFileSync(join(replica, MANIFEST), renderManifest(unsigned));
  await refused(refusal);
});

signatures('J3: should refuse a file whose licence is not that of its manifest', async (context) => {
  const { theirs, pull } = await builderAndReplica(context);
  const manifest = await publishCalendar(theirs, { name: 'Vår' });
  const lie = { ...manifest, licence: 'nabobyen' };
  writeFileSync(
    join(theirs, MANIFEST),
    renderManifest({ ...lie, signature: ours.sign(signedText(lie)) } as Manifest),
  );
  await rejects(pull(), 'SNAPSHOT_UNUSABLE', /expected the licence nabobyen, found test$/);
});

signatures.run();

/** With the lowest bit of its last byte changed. */
function flippedIn(text: string, coding: 'hex' | 'base64' | 'latin1'): string {
  const bytes = Buffer.from(text, coding);
  bytes.writeUInt8(bytes.readUInt8(bytes.length - 1) ^ 1, bytes.length - 1);
  return bytes.toString(coding);
}
