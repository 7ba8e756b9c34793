import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { run } from './run.mjs';
import { SetupProblem, say } from './say.mjs';

const CONFIG = 'jobs/tsconfig.build.json';
/** What decides the compiled code besides the .ts files of src/ and jobs/. */
const INPUTS = ['package-lock.json', 'tsconfig.json', CONFIG];
const STAMP = '.sources.sha256';

/** Whether dist/ was compiled from exactly these sources. By content: a checkout moves every mtime. */
export function isCompiled(root) {
  try {
    return readFileSync(join(root, 'dist', STAMP), 'utf8') === fingerprint(root);
  } catch (error) {
    if (error.code === 'ENOENT') return false;
    throw error;
  }
}

/** Compiles beside dist/ and swaps the finished folder in, so that a failure leaves the old one working. */
export async function compile(root, { lock }) {
  const fresh = join(root, '.setup.dist');
  const old = join(root, '.setup.old');
  const dist = join(root, 'dist');
  for (const debris of [fresh, old]) rmSync(debris, { recursive: true, force: true });

  say('compiling src/ and jobs/ to dist/');
  const stamp = fingerprint(root);
  const tsc = join(root, 'node_modules/typescript/bin/tsc');
  const { code, output } = await run([process.execPath, tsc, '-p', CONFIG, '--outDir', fresh], {
    root,
    lock,
  });
  if (code !== 0) {
    rmSync(fresh, { recursive: true, force: true });
    throw new SetupProblem(`the sources do not compile (tsc -p ${CONFIG}):\n${output.trimEnd()}`);
  }
  writeFileSync(join(fresh, STAMP), stamp);
  if (existsSync(dist)) renameSync(dist, old);
  renameSync(fresh, dist);
  rmSync(old, { recursive: true, force: true });
}

function fingerprint(root) {
  const hash = createHash('sha256');
  for (const path of [...INPUTS, ...sources(root, 'src'), ...sources(root, 'jobs')]) {
    const bytes = readFileSync(join(root, path));
    hash.update(`${path}\n${bytes.length}\n`).update(bytes);
  }
  return hash.digest('hex');
}

function sources(root, folder) {
  const found = [];
  for (const entry of readdirSync(join(root, folder), { withFileTypes: true })) {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory()) found.push(...sources(root, path));
    else if (entry.name.endsWith('.ts')) found.push(path);
  }
  return found.sort();
}
