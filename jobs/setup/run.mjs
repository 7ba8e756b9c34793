import { spawnSync } from 'node:child_process';
import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

const POLL_MS = 200;

/** Runs one program in the package's folder; all of its output goes to stderr. Returns its exit code. */
export function run(root, [file, ...args], env = process.env) {
  const { status, error } = spawnSync(file, args, { cwd: root, env, stdio: ['ignore', 2, 2] });
  if (error !== undefined) throw new SetupProblem(`${file} cannot be started: ${error.message}`);
  return status ?? 1;
}

/** A problem that a person must solve; only its message is printed. */
export class SetupProblem extends Error {}

/** Prints to stderr, so that a job's own output on stdout (`--json`) stays clean. */
export function say(text) {
  for (const line of text.split('\n')) process.stderr.write(`setup: ${line}\n`);
}

/** Runs `work` while this process holds the lock file; another process waits. The lock of a process that died is taken over. */
export async function withLock(path, work) {
  const own = `${process.pid}`;
  for (let turn = 0; !create(path, own); turn++) {
    const holder = read(path);
    if (holder === null) continue;
    if (!isAlive(Number(holder))) {
      takeAway(path, holder);
      continue;
    }
    if (turn === 0) say(`another setup is at work here (process ${holder}, ${path}), waiting for it`);
    await sleep(POLL_MS);
  }
  try {
    work();
  } finally {
    if (read(path) === own) rmSync(path, { force: true });
  }
}

function create(path, own) {
  try {
    writeFileSync(path, own, { flag: 'wx' });
    return true;
  } catch (error) {
    if (error.code === 'EEXIST') return false;
    throw new SetupProblem(`there is work to do, but this folder cannot be written: ${error.message}`);
  }
}

function read(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (error.code === 'ENOENT') return null;
    throw error;
  }
}

/** An empty file is just being written, and its process is alive. */
function isAlive(pid) {
  try {
    return pid === 0 || process.kill(pid, 0);
  } catch (error) {
    return error.code === 'EPERM';
  }
}

/** Moves the stale lock aside first: of several processes only one succeeds, and a fresh lock is put back. */
function takeAway(path, holder) {
  const aside = `${path}.${process.pid}`;
  try {
    renameSync(path, aside);
    if (readFileSync(aside, 'utf8') !== holder) linkSync(aside, path);
  } catch (error) {
    if (error.code !== 'ENOENT' && error.code !== 'EEXIST') throw error;
  } finally {
    rmSync(aside, { force: true });
  }
}
