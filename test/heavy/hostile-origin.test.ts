/** H7: a replica of a hostile origin logs what is wrong, goes on, takes the next good snapshot, and stops in time. */
import { createHash } from 'node:crypto';
import { copyFileSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { withLock } from '../../jobs/publish/lock.ts';
import { MANIFEST, snapshotFile, snapshotId } from '../../src/snapshot/files.ts';
import { type Manifest, renderManifest } from '../../src/snapshot/manifest.ts';
import { openWriter } from '../../src/snapshot/sqlite.ts';
import { publishCalendar, temporaryFolder } from '../helpers/folder.ts';
import { type Origin, startOrigin } from '../helpers/origin.ts';
import { endPrograms, scriptOf, startProgram, stopProgram } from '../helpers/program.ts';

const test = suite<{ origins: Origin[] }>('hostile origin', { origins: [] });

test.after.each(async ({ origins }) => {
  endPrograms();
  for (const origin of origins.splice(0)) await origin.close();
});

const ENDLESS =
  'with recursive n (i) as (select 1 union all select i + 1 from n) select i as event, i as body from n';

test('H7: a replica should refuse an endless view, and take the next good snapshot', async (context) => {
  const theirs = temporaryFolder();
  const ours = temporaryFolder();
  const first = await publishCalendar(theirs, { name: 'Første' });
  const origin = await startOrigin(theirs);
  context.origins.push(origin);
  const env = { ALMANAKK_ORIGIN: origin.url.href, ALMANAKK_SNAPSHOTS: ours, ALMANAKK_POLL_SECONDS: '1' };
  const replica = startProgram({ script: scriptOf('src/main'), args: ['start'], env });
  await replica.says(adopted(first));
  await spoil(theirs, first, `drop table event; create view event as ${ENDLESS}`);
  await replica.says(/pull failed .*found view .*event/);
  const next = await publishCalendar(theirs, { name: 'Neste' });
  await replica.says(adopted(next));
  // Between two copies the replica leaves the folder to others.
  assert.is(await withLock(ours, async () => 'free', { wait: 10 }), 'free');
  await stopProgram(replica);
});

test.run();

const adopted = ({ id }: Manifest) => new RegExp(`snapshot adopted id=${id}`);

/** Puts a changed copy into the folder, with a name, a size, a SHA-256 and a manifest that are its own. */
async function spoil(folder: string, manifest: Manifest, sql: string): Promise<void> {
  const draft = join(folder, 'draft');
  copyFileSync(join(folder, manifest.file), draft);
  const writer = await openWriter(draft);
  await writer.exec(sql);
  await writer.close();
  const sha256 = createHash('sha256').update(readFileSync(draft)).digest('hex');
  const id = snapshotId(sha256);
  const spoiled = { ...manifest, id, sha256, file: snapshotFile(id), bytes: statSync(draft).size };
  renameSync(draft, join(folder, spoiled.file));
  writeFileSync(draft, renderManifest(spoiled));
  renameSync(draft, join(folder, MANIFEST));
}
