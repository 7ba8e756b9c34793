/** What the `sqlite3` shell takes to insert the rows and blobs of a snapshot again: the floor of a build. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream, openSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';

/** Seconds, in one transaction and with the same indexes, from a `.dump`; null where there is no such shell. */
export async function insertWithShell(file: string, work: string): Promise<number | null> {
  if (spawnSync('sqlite3', ['--version'], { stdio: 'ignore' }).status !== 0) return null;
  const dump = join(work, 'dump.sql');
  const copy = join(work, 'copy.sqlite');
  rmSync(copy, { force: true });
  const dumping = spawn('sqlite3', ['-readonly', file, '.dump'], { stdio: ['ignore', 'pipe', 'inherit'] });
  await pipeline(dumping.stdout, createWriteStream(dump));
  const started = performance.now();
  const inserting = spawn('sqlite3', [copy], { stdio: [openSync(dump, 'r'), 'inherit', 'inherit'] });
  const [code] = await once(inserting, 'exit');
  const seconds = (performance.now() - started) / 1_000;
  if (code !== 0) throw new Error(`the sqlite3 shell could not insert the dump of ${file}`);
  rmSync(dump);
  rmSync(copy);
  return seconds;
}
