// Serves a calendar from the sources as they are, without dist/: one process answers, one builds.
//
//   npm run dev                                 the sample, at http://localhost:4000/
//   ALMANAKK_SOURCE=my-calendar npm run dev     another source; every other setting counts, too
//
// A change in src/ or jobs/ compiles what it concerns (esbuild, types unchecked) and starts the server again, and the one that builds where
// it may have what changed. A change of the source builds by itself (H11). Snapshots go to a folder of their own, which is empty at first.
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, watch } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { context } from 'esbuild';
import { BUNDLED } from '../jobs/bundle.mjs';
import { PROGRAMS } from '../jobs/setup/steps.mjs';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
/** Milliseconds: editors save several files at once. */
const QUIET_MS = 50;
/** Ends a program with this process, however that ends: by SIGKILL, too, the channel between them is closed. */
const TIED = `data:text/javascript,${encodeURIComponent(`
  const end = () => process.exit();
  process.once('disconnect', end);
  if (process.connected === false) end();
`)}`;

const scratch = mkdtempSync(join(tmpdir(), 'almanakk-dev-'));
/** Processes that run. */
const children = new Set();
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(0));
process.once('exit', () => {
  for (const child of children) kill(child);
  rmSync(scratch, { recursive: true, force: true });
});

const env = { ALMANAKK_POLL_SECONDS: '1', ALMANAKK_SNAPSHOTS: join(scratch, 'snapshots'), ...process.env };
const dist = likePackage(join(scratch, 'package'));
const compiler = await context({
  ...BUNDLED,
  absWorkingDir: ROOT,
  entryPoints: PROGRAMS.map((name) => `${name}.ts`),
  outdir: dist,
  outbase: ROOT,
  // A compilation takes a third of the CPU then (0.3 s of 0.9), and a start half as much more (0.9 s of 0.6).
  packages: 'external',
});
const startServer = program('src/main', ['serve']);
const startBuilder = program('jobs/cli', ['schedule']);
/** Files that a build never imports (.ci/imports.mjs). */
const OF_SERVER = /^src\/(?:serve|annexes\/(?!common\/))/;
/** Files that have changed since the last compilation that succeeded; at first, all have. */
const changed = new Set(['']);
let compiling = compile();
onChange('src');
onChange('jobs');

/** The programs look for their package above themselves: all of this one but its dist/, by links. Gives the place of dist/. */
function likePackage(folder) {
  mkdirSync(folder);
  for (const name of readdirSync(ROOT)) {
    if (name !== 'dist') symlinkSync(join(ROOT, name), join(folder, name));
  }
  return join(folder, 'dist');
}

/** Where the code does not compile, the programs go on, and esbuild has printed the reason. Unused chunks stay. */
async function compile() {
  const concerned = [...changed];
  const compiled = await compiler.rebuild().catch(() => null);
  if (compiled === null) return;
  for (const name of concerned) changed.delete(name);
  startServer();
  if (concerned.every((name) => OF_SERVER.test(name))) return;
  // A build of the same source by other code is another one: without a manifest it is not "unchanged" (G7).
  rmSync(join(env.ALMANAKK_SNAPSHOTS, 'manifest.json'), { force: true });
  startBuilder();
}

/** Gives what starts it, in place of the one that runs. */
function program(name, args) {
  let child;
  return () => {
    if (children.has(child)) kill(child);
    const script = join(dist, `${name}.js`);
    const started = spawn(process.execPath, ['--enable-source-maps', '--import', TIED, script, ...args], {
      cwd: ROOT,
      env,
      // A group of its own: Control-C ends this process alone, and no other program has a word to say about it.
      detached: true,
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
    child = started;
    children.add(started);
    started.once('exit', () => children.delete(started));
  };
}

/** Kills a program and its children. */
function kill({ pid }) {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // It has just ended.
  }
}

function onChange(folder) {
  let timer;
  watch(join(ROOT, folder), { recursive: true }, (_, name) => {
    if (!/\.(ts|graphql|js|css)$/.test(name ?? '')) return;
    changed.add(`${folder}/${name}`);
    clearTimeout(timer);
    timer = setTimeout(() => {
      console.log(`${folder}/${name} has changed`);
      compiling = compiling.then(compile);
    }, QUIET_MS);
  });
}
