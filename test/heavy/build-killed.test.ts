import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { parseManifest, readManifestText } from '../../src/snapshot/folder.ts';
import { openVerified } from '../../src/snapshot/verify.ts';
import { built, snapshotsIn } from '../helpers/build.ts';
import { NOW } from '../helpers/calendar.ts';
import { temporaryFolder } from '../helpers/folder.ts';
import { sourceFolder } from '../helpers/native-source.ts';
import { fixtureOf } from '../helpers/program.ts';

const killing = suite<{ children: ChildProcess[] }>('build killed', { children: [] });
const KILLS = process.env.ALMANAKK_TEST_LONG === '1' ? 60 : 4;
const DAY = 86_400;

killing.after.each(({ children }) => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
});

killing(
  'G1: should leave a whole snapshot whenever a build is killed, and no debris after the next',
  async ({ children }) => {
    const [source, target] = [sourceFolder({ 'events.json': daily(60) }), temporaryFolder()];
    await built(source, target);
    let published = '';
    let swaps = 0;
    for (let kill = 0; kill < KILLS; kill++) {
      const child = startBuilding(source, target, (kill + 1) * 700);
      children.push(child);
      await nextLine(child);
      const begun = performance.now();
      await nextLine(child);
      // One build took that long: the kills are spread over all of it.
      await pause(((performance.now() - begun) * kill) / KILLS);
      child.kill('SIGKILL');
      await once(child, 'exit');
      const id = await servableId(target);
      if (id !== published) swaps++;
      published = id;
    }
    assert.is(swaps, KILLS, 'each process published something before it was killed');
    await built(source, target, { now: NOW + (KILLS + 1) * 700 * DAY });
    assert.equal(
      readdirSync(target).filter((name) => name.startsWith('.')),
      ['.lock'],
    );
    const names = snapshotsIn(target);
    assert.is(names.filter((name) => name.endsWith('.sqlite')).length, 3);
    // One that was killed between the two has none.
    const copies = names.filter((name) => name.endsWith('.br'));
    assert.ok(copies.every((name) => names.includes(name.replace('.br', ''))));
  },
);

/** Rules without an end, so that every day has the same events. */
function daily(count: number): readonly unknown[] {
  return Array.from({ length: count }, (_, at) => ({
    id: `e${at}`,
    title_nb: `Hver mandag ${at}`,
    repeats: [{ rule: 'FREQ=WEEKLY;BYDAY=MO', start: '2026-01-05 19:00', duration: 90 }],
  }));
}

function startBuilding(source: string, target: string, day: number): ChildProcess {
  return spawn(process.execPath, [fixtureOf('build-again'), source, target, String(day)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}

async function nextLine({ stdout }: ChildProcess): Promise<void> {
  if (stdout === null) throw new Error('expected a pipe');
  const [line] = await once(stdout, 'data');
  assert.match(String(line), /^published\n/);
}

/** The id of the folder's snapshot, which must be there and be whole. */
async function servableId(target: string): Promise<string> {
  const manifest = parseManifest((await readManifestText(target)) ?? '');
  const snapshot = await openVerified(join(target, manifest.file), manifest);
  await snapshot.close();
  return manifest.id;
}

killing.run();
