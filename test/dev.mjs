// Serves a calendar from the sources as they are, without dist/: one process answers, one builds.
//
//   npm run dev                                 the sample, at http://localhost:4000/
//   ALMANAKK_SOURCE=my-calendar npm run dev     another source; every other setting counts, too
//
// A change in src/ or jobs/ compiles what it concerns (esbuild, types unchecked) and starts again the programs that have it: the server,
// the one that builds, or both. A change of the source builds by itself (H11). Snapshots go to a folder of their own, which is empty at first.

import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, watch, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
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
  metafile: true,
  write: false,
});
const server = program('src/main', ['serve'], ofFolder('src'));
const builder = program('jobs/cli', ['schedule'], ofFolder('jobs'));
/** Content hashes, by path. */
const written = new Map();
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

/** What does not compile leaves the programs as they are; esbuild has said what is wrong. */
async function compile() {
  const { metafile, outputFiles } = await compiler.rebuild().catch(() => ({}));
  if (metafile === undefined) return;
  // Chunks that are no longer used stay: a program that runs may load them yet.
  for (const { path, contents, hash } of outputFiles) {
    if (written.get(path) === hash) continue;
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, contents);
    written.set(path, hash);
  }
  const codes = new Map(
    Object.entries(metafile.outputs).map(([path, output]) => [relative(dist, join(ROOT, path)), output]),
  );
  server.take(codes);
  if (builder.take(codes)) forgetBuild();
}

/** A build of the same source by other code is another one: without a manifest it is not "unchanged" (G7). */
function forgetBuild() {
  rmSync(join(env.ALMANAKK_SNAPSHOTS, 'manifest.json'), { force: true });
}

/** Threads and children begin in the folder of the program that has them. */
function ofFolder(folder) {
  return PROGRAMS.filter((name) => name.startsWith(`${folder}/`));
}

/** A program, and those whose code it depends on as well. */
function program(name, args, others) {
  let child;
  let known;
  const start = () => {
    if (children.has(child)) kill(child);
    const script = join(dist, `${name}.js`);
    child = spawn(process.execPath, ['--enable-source-maps', '--import', TIED, script, ...args], {
      cwd: ROOT,
      env,
      // A group of its own: Control-C ends this process alone, and no other program has a word to say about it.
      detached: true,
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
    const started = child;
    children.add(started);
    started.once('exit', () => children.delete(started));
  };
  /** Starts it where its code is another one; gives whether it is. */
  const take = (codes) => {
    const code = others.map((entry) => codeOf(codes, `${entry}.js`)).join();
    if (code === known) return false;
    known = code;
    start();
    return true;
  };
  return { start, take };
}

/** With what it has started. */
function kill({ pid }) {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // It has just ended.
  }
}

/** The files that a program loads: a chunk's name has the hash of what is in it. */
function codeOf(codes, path, seen = new Set()) {
  if (seen.has(path)) return '';
  seen.add(path);
  const { imports, bytes } = codes.get(path);
  const inner = imports.filter(({ external }) => external !== true);
  return [
    path,
    bytes,
    ...inner.map((one) => codeOf(codes, relative(dist, join(ROOT, one.path)), seen)),
  ].join();
}

function onChange(folder) {
  let timer;
  watch(join(ROOT, folder), { recursive: true }, (_, name) => {
    if (!/\.(ts|graphql|js|css)$/.test(name ?? '')) return;
    clearTimeout(timer);
    timer = setTimeout(() => {
      console.log(`${folder}/${name} has changed`);
      compiling = compiling.then(name.endsWith('.ts') ? compile : startBoth);
    }, QUIET_MS);
  });
}

/** Other files are read as a program begins. */
function startBoth() {
  server.start();
  forgetBuild();
  builder.start();
}
