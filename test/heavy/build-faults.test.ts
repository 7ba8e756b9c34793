/** G1: builds that are killed, or run out of disk, leave the published snapshot as it was. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  copyFileSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
} from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { parseManifest } from '../../src/snapshot/manifest.ts';
import { openVerified } from '../../src/snapshot/verify.ts';
import { assertAbove, assertBelow } from '../helpers/assertions.ts';
import { unfinishedIn } from '../helpers/build.ts';
import { temporaryFolder } from '../helpers/folder.ts';
import { currentSecond, generationFiles } from '../helpers/generations.ts';
import { startMixedLoad } from '../helpers/mixed-load.ts';
import { sourceFolder } from '../helpers/native-source.ts';
import { asNobody } from '../helpers/nobody.ts';
import {
  fixtureOf,
  SHORT_LIVED,
  scriptOf,
  startProgram,
  startServerProgram,
  stopProgram,
} from '../helpers/program.ts';
import { ran } from '../helpers/rebuild.ts';
import { IS_LONG } from '../helpers/run-options.ts';
import { makeSmallDisk } from '../helpers/small-disk.ts';
import { until } from '../helpers/until.ts';
import { when } from '../helpers/when.ts';

/** The steps of publishing: a process dies before each of them. */
const STEPS = IS_LONG ? 'open,readdir,rename,rm,stat,writeFile' : 'rename,rm,writeFile';
/** KiB of room on the full disk, between that with which a build fails and that with which it does not. */
const SMALLEST_STEP = IS_LONG ? 16 : 64;
const DAY = 86_400;
const KILOBYTE = 1_024;

/** A file system of its own where that is possible: where the server reads and builds publish. */
const disk = makeSmallDisk(8);
const folder = disk?.folder ?? temporaryFolder();
const manifest = () => readFileSync(join(folder, 'manifest.json'), 'utf8');

let generation = 0;
/** The source of another calendar than those before. */
const nextSource = () => sourceFolder(generationFiles(++generation, currentSecond()));

async function rebuild(source: string, now = currentSecond()) {
  const { code, stdout, stderr } = await ran([], { source, target: folder }, now);
  return { code, output: stdout + stderr };
}

assert.is((await rebuild(nextSource())).code, 0);
/** It answers the whole time, whatever happens to builds. */
const server = await startServerProgram('serve', { ALMANAKK_SNAPSHOTS: folder });
// The load is to be there at each moment that matters, not to be heavy.
const load = startMixedLoad({ url: server.url, connections: 4, restMs: IS_LONG ? 20 : 240 });

async function goesOn(): Promise<void> {
  const { requests } = load.tally();
  await until('the load goes on', () => load.tally().requests > requests + 4);
  assert.equal(load.tally().failures, []);
}

await goesOn();

/** Expects that the folder, the server and those who ask it are as if there had been no build. */
async function isUntouched(since: string): Promise<void> {
  assert.is(manifest(), since);
  assert.equal(unfinishedIn(folder), []);
  const { status, text } = await server.send('/readyz');
  assert.is(status, 200);
  assert.match(text, `"id":"${parseManifest(since).id}"`);
  await goesOn();
}

/** Waits until the server answers from the folder's current snapshot; gives its id. */
async function hasSwapped(): Promise<string> {
  const { id } = parseManifest(manifest());
  await server.says(new RegExp(`snapshot adopted id=${id}`));
  await goesOn();
  return id;
}

const faulty = suite('build faults');

faulty('G3: a source that is gone should stop the build and nothing else', async () => {
  const output =
    /expected a readable source folder at \/nowhere, but it is not there; look at the source in \/nowhere, then build again/;
  await isRefused('/nowhere', output);
});

faulty('G1: a folder of somebody else should stop the build and nothing else', async () => {
  const source = nextSource();
  chmodSync(source, 0o755);
  chmodSync(folder, 0o555);
  try {
    await asNobody(() => isRefused(source, /EACCES: .*: make sure that this user may write to the folder/));
  } finally {
    chmodSync(folder, 0o755);
  }
});

faulty('G6: should build one after the other when builds begin at once, and say who is at work', async () => {
  const env = { ALMANAKK_SOURCE: nextSource(), ALMANAKK_SNAPSHOTS: folder };
  const outcomes = await Promise.all(
    [0, 1, 2].map(async () => {
      const { ended, lines } = startProgram({ script: scriptOf('jobs/cli'), args: ['rebuild'], env });
      const { code } = await ended;
      return outcomeOf(lines.join('\n'), code);
    }),
  );
  assert.is(outcomes.filter((outcome) => outcome === 'published').length, 1, outcomes.join());
  assert.not(outcomes.includes('else'), outcomes.join());
  await hasSwapped();
});

faulty('G1: should leave a whole snapshot whichever step of publishing a build is killed at', async () => {
  let died = 0;
  for (let alive = false; !alive; died++) {
    alive = await outlives(died, nextSource());
    const expected = parseManifest(manifest());
    const snapshot = await openVerified(join(folder, expected.file), expected);
    await snapshot.close();
    await hasSwapped();
  }
  assertAbove(died, 4, 'steps at which the build died');
  assert.is((await rebuild(nextSource())).code, 0);
  await hasSwapped();
  assert.equal(
    readdirSync(folder).filter((name) => name.startsWith('.')),
    ['.lock'],
  );
});

faulty('H5: should publish with a clock that was set back, with a warning', async () => {
  const { code, output } = await rebuild(nextSource(), currentSecond() - DAY);
  assert.is(code, 0, output);
  assert.match(
    output,
    /warning: calendar-\w+\.sqlite: built at .*, later than now \(.*\): check this machine's clock/,
  );
  await hasSwapped();
});

/** Changes to the published snapshot while it is served, as by copying or restoring a folder. */
const SPOILED: Readonly<Record<string, (folder: string, file: string) => void>> = {
  'a current file that is cut short': (folder, file) => {
    copyFileSync(join(folder, file), join(folder, 'copy'));
    truncateSync(join(folder, 'copy'), 4_096);
    renameSync(join(folder, 'copy'), join(folder, file));
  },
  'half a manifest': (folder) => truncateSync(join(folder, 'manifest.json'), 60),
  'nothing at all': (folder) => {
    for (const name of readdirSync(folder)) rmSync(join(folder, name));
  },
};

for (const [what, spoil] of Object.entries(SPOILED)) {
  faulty(`G7: should build over ${what}, with the old snapshot served until then`, async () => {
    const before = parseManifest(manifest());
    spoil(folder, before.file);
    const ready = (await server.send('/readyz')).text;
    assert.match(ready, `"id":"${before.id}"`);
    const { code, output } = await rebuild(nextSource());
    assert.is(code, 0, output);
    if (what !== 'nothing at all') assert.match(output, /warning: .*: expected /);
    assert.is.not(await hasSwapped(), before.id);
  });
}

const onSmallDisk = when(disk !== null, 'no disk may be mounted here', faulty);

onSmallDisk('G1: a file system that is read-only should stop the build and nothing else', async () => {
  disk?.setWritable(false);
  try {
    await isRefused(nextSource(), /EROFS: .*: make sure that the folder is writable/);
  } finally {
    disk?.setWritable(true);
  }
});

onSmallDisk('G1: a full disk should stop the build wherever it is full, and nothing else', async () => {
  /** Whether that many bytes of room are enough. */
  const isEnough = async (room: number) => {
    disk?.leave(room);
    const before = manifest();
    const snapshots = readdirSync(folder);
    const { code, output } = await rebuild(nextSource());
    if (code === 0) {
      await hasSwapped();
      return true;
    }
    assert.match(
      output,
      /^(?:.*\n)*Nothing was published\. .*: free some space on this disk\n$/,
      `${room} bytes`,
    );
    assert.equal(readdirSync(folder), snapshots, `${room} bytes`);
    await isUntouched(before);
    return false;
  };
  for (const room of [0, 8, 32]) assert.not.ok(await isEnough(room * KILOBYTE), `${room} KiB`);
  let [tooLittle, enough] = [32, 2_048];
  while (enough - tooLittle > SMALLEST_STEP) {
    const room = Math.round((tooLittle + enough) / 8) * 4;
    if (await isEnough(room * KILOBYTE)) enough = room;
    else tooLittle = room;
  }
  disk?.leave(null);
  assertBelow(enough, 2_048, 'KiB');
});

faulty('H5: through all of that no request should have failed', async () => {
  const { failed, failures, connections } = await load.stop();
  await stopProgram(server);
  assert.equal([failures, failed], [[], 0]);
  assert.is(connections, 4, 'no connection was ever cut');
});

faulty.after(() => {
  server.kill('SIGKILL');
  load.kill();
  disk?.remove();
});

async function isRefused(source: string, output: RegExp): Promise<void> {
  const before = manifest();
  const result = await rebuild(source);
  assert.is(result.code, 1, result.output);
  assert.match(result.output, /Nothing was published\. /);
  assert.match(result.output, output);
  await isUntouched(before);
}

function outcomeOf(output: string, code: number | null | undefined): string {
  if (code === 0) return /^(published|unchanged): /m.exec(output)?.[1] ?? 'else';
  // Between taking the lock and saying so, a build is "another process".
  return /a build is already running there \((process \d+ on .*|another process)\): start again when it has finished/.test(
    output,
  )
    ? 'locked'
    : 'else';
}

/** Whether a build ends before that step of publishing; else it is killed there. */
async function outlives(step: number, source: string): Promise<boolean> {
  const args = [fixtureOf('build-dies'), source, folder, `${currentSecond()}`, `${step}`, STEPS];
  const child = spawn(process.execPath, [...SHORT_LIVED, ...args], { stdio: 'inherit' });
  const [code, signal] = await once(child, 'exit');
  if (code !== 0) assert.is(signal, 'SIGKILL');
  return code === 0;
}

faulty.run();
