// Serves a calendar from the sources as they are, without dist/: one process answers, one builds.
//
//   npm run dev                                 the sample, at http://localhost:4000/
//   ALMANAKK_SOURCE=my-calendar npm run dev     another source; every other setting counts, too
//
// A change in src/ starts the server again; one in src/ or jobs/ builds again. A change of the source builds by itself (H11). Snapshots
// go to a folder of their own, which is empty at first.

import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, watch } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
/** Milliseconds: editors save several files at once. */
const QUIET_MS = 100;

const snapshots = mkdtempSync(join(tmpdir(), 'almanakk-dev-'));
const env = { ALMANAKK_POLL_SECONDS: '1', ALMANAKK_SNAPSHOTS: snapshots, ...process.env };
const server = program('src/main.ts', 'serve');
const builder = program('jobs/schedule.ts');

onChange('src', () => {
  server.restart();
  builder.restart();
});
onChange('jobs', () => builder.restart());
for (const signal of ['SIGINT', 'SIGTERM']) {
  process.once(signal, () => {
    server.stop();
    builder.stop();
    if (env.ALMANAKK_SNAPSHOTS === snapshots) rmSync(snapshots, { recursive: true, force: true });
    process.exit(0);
  });
}

function program(...args) {
  const start = () =>
    spawn(process.execPath, ['--import', 'tsx', ...args], { cwd: ROOT, env, stdio: 'inherit' });
  let child = start();
  const stop = () => child.kill('SIGKILL');
  const restart = () => {
    stop();
    // A build of the same source by other code is another one: without a manifest it is not "unchanged" (G7).
    if (args[0] !== 'src/main.ts') rmSync(join(env.ALMANAKK_SNAPSHOTS, 'manifest.json'), { force: true });
    child = start();
  };
  return { stop, restart };
}

function onChange(folder, act) {
  let timer;
  watch(join(ROOT, folder), { recursive: true }, (_, name) => {
    if (!/\.(ts|graphql|js|css)$/.test(name ?? '')) return;
    clearTimeout(timer);
    timer = setTimeout(() => {
      console.log(`${folder}/${name} has changed`);
      act();
    }, QUIET_MS);
  });
}
