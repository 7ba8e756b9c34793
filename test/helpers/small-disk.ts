/** A file system of its own for a folder, small enough to be filled. Only a superuser of Linux may make one. */
import { spawnSync } from 'node:child_process';
import { rmSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from './folder.ts';

/** Null where this user may not. */
export function makeSmallDisk(megabytes: number) {
  const folder = temporaryFolder();
  const options = `size=${megabytes}m,mode=755`;
  if (spawnSync('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', folder]).status !== 0) return null;
  // Whoever still has a file open there keeps it, and the rest is gone.
  const remove = () => spawnSync('umount', ['--lazy', folder]);
  process.once('exit', remove);
  const filler = join(folder, 'filler');
  return {
    folder,
    /** Leaves that many bytes of room; null gives all of it back. */
    leave: (room: number | null) => {
      rmSync(filler, { force: true });
      const { bavail, bsize } = statfsSync(folder);
      if (room !== null) writeFileSync(filler, Buffer.alloc(Math.max(0, bavail * bsize - room)));
    },
    setWritable: (writable: boolean) => {
      const remount = ['-o', `remount,${writable ? 'rw' : 'ro'}`, folder];
      if (spawnSync('mount', remount).status !== 0)
        throw new Error(`expected mount ${remount.join(' ')} to work`);
    },
    remove: () => {
      process.off('exit', remove);
      remove();
    },
  };
}
