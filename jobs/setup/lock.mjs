import { linkSync, readFileSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { SetupProblem, say } from './run.mjs';

const HEARTBEAT_MS = 2_000;
const POLL_MS = 200;
/** So many polls without a heartbeat (30 s) and the holder is gone. Counted, not clocked: laptops sleep. */
const SILENT_POLLS = 150;

/**
 * Runs `work` while holding the lock file; a second process waits. The lock of a process that died on this machine
 * is taken over at once, one from elsewhere (another container, another host) when its heartbeat has stopped.
 * `work` is handed `{ add, remove }` for the ids of child processes: they keep the lock alive even if the process
 * that started them is killed.
 */
export async function withLock(path, work) {
  const pids = new Set([process.pid]);
  let text = describe(pids);
  await acquire(path, text);
  const note = () => {
    text = describe(pids);
    writeFileSync(path, text);
  };
  const heartbeat = setInterval(() => touch(path), HEARTBEAT_MS);
  try {
    return await work({
      add: (pid) => note(pids.add(pid)),
      remove: (pid) => note(pids.delete(pid)),
    });
  } finally {
    clearInterval(heartbeat);
    if (read(path)?.text === text) rmSync(path, { force: true });
  }
}

async function acquire(path, text) {
  let before;
  let silent = 0;
  while (!create(path, text)) {
    const held = read(path);
    if (held === undefined) continue;
    silent = before?.beat === held.beat ? silent + 1 : 0;
    if (isDead(held) || silent > SILENT_POLLS) {
      takeAway(path, held);
      continue;
    }
    if (before === undefined) say(`another setup is at work here (${path}), waiting for it`);
    before = held;
    await sleep(POLL_MS);
  }
}

function describe(pids) {
  return JSON.stringify({ host: hostname(), pids: [...pids] });
}

function create(path, text) {
  try {
    writeFileSync(path, text, { flag: 'wx' });
    return true;
  } catch (error) {
    if (error.code === 'EEXIST') return false;
    throw new SetupProblem(`there is work to do, but this folder cannot be written: ${error.message}`);
  }
}

function read(path) {
  try {
    return { text: readFileSync(path, 'utf8'), beat: statSync(path).mtimeMs };
  } catch (error) {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  }
}

function touch(path) {
  try {
    utimesSync(path, new Date(), new Date());
  } catch {
    // Somebody removed it by hand; the work goes on, and the release looks before it removes.
  }
}

function isDead({ text }) {
  try {
    const { host, pids } = JSON.parse(text);
    return host === hostname() && !pids.some((pid) => pid !== process.pid && isAlive(pid));
  } catch {
    return false; // Half written; its heartbeat will tell.
  }
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}

/** Moves the stale lock aside first: of several that found it stale one gets it, and a fresh one is put back. */
function takeAway(path, held) {
  const aside = `${path}.${process.pid}`;
  try {
    renameSync(path, aside);
    if (readFileSync(aside, 'utf8') !== held.text) linkSync(aside, path);
  } catch (error) {
    if (error.code !== 'ENOENT' && error.code !== 'EEXIST') throw error;
  } finally {
    rmSync(aside, { force: true });
  }
}
