/** A server that answers a mixed load out of a folder the whole time, whatever happens to builds into that folder. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import { parseManifest } from '../../src/snapshot/folder.ts';
import { unfinishedIn } from './build.ts';
import { temporaryFolder } from './folder.ts';
import { currentSecond, generationFiles } from './generations.ts';
import { startMixedLoad } from './mixed-load.ts';
import { type Files, sourceFolder } from './native-source.ts';
import { startServerProgram, stopProgram } from './program.ts';
import { ran } from './rebuild.ts';
import { makeSmallDisk } from './small-disk.ts';
import { until } from './until.ts';

export type Standing = Awaited<ReturnType<typeof startStanding>>;

/** Of each client after each answer: the load is to be there at each moment that matters, not to be heavy. */
const REST_MS = process.env.ALMANAKK_TEST_LONG === '1' ? 20 : 60;

export async function startStanding() {
  const disk = makeSmallDisk(8);
  const folder = disk?.folder ?? temporaryFolder();
  const manifest = () => readFileSync(join(folder, 'manifest.json'), 'utf8');
  let generation = 0;
  /** The source of another calendar than those before, with other files where some are given. */
  const nextSource = (files: Files = {}) => {
    generation++;
    return sourceFolder({ ...generationFiles(generation, currentSecond()), ...files });
  };
  const rebuild = async (source: string, now = currentSecond()) => {
    const { code, stdout, stderr } = await ran([], { source, target: folder }, now);
    return { code, said: stdout + stderr };
  };
  assert.is((await rebuild(nextSource())).code, 0);
  const server = await startServerProgram('serve', { ALMANAKK_SNAPSHOTS: folder });
  const load = startMixedLoad({ url: server.url, connections: 4, restMs: REST_MS });
  const goesOn = async () => {
    const { requests } = load.tally();
    await until('the load goes on', () => load.tally().requests > requests + 8);
    assert.equal(load.tally().failures, []);
  };
  await goesOn();

  return {
    folder,
    disk,
    server,
    nextSource,
    rebuild,
    manifest,
    /** Expects that the folder, the server and those who ask it are as if there had been no build. */
    isUntouched: async (since: string) => {
      assert.is(manifest(), since);
      assert.equal(unfinishedIn(folder), []);
      const ready = await fetch(`${server.url}/readyz`);
      assert.is(ready.status, 200);
      assert.match(await ready.text(), `"id":"${parseManifest(since).id}"`);
      await goesOn();
    },
    /** Waits until the server answers from what the folder has now; gives its id. */
    hasSwapped: async () => {
      const { id } = parseManifest(manifest());
      await server.says(new RegExp(`snapshot adopted id=${id}`));
      await goesOn();
      return id;
    },
    /** Ends everything; gives what the load has seen. */
    stop: async () => {
      const tally = await load.stop();
      await stopProgram(server);
      disk?.remove();
      return tally;
    },
    kill: () => {
      server.kill('SIGKILL');
      load.kill();
      disk?.remove();
    },
  };
}
