/** Runs an image's command as an engine would: as its user, with its environment, on a root that cannot be written. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Image } from './take.ts';

export interface Container {
  readonly pid: number;
  readonly said: () => string;
  readonly kill: (signal: NodeJS.Signals) => void;
  /** The exit code. */
  readonly ended: Promise<number | null>;
}

/** Leaves everything but the volumes readable only. */
const READ_ONLY = `
set -e
mount --make-rprivate /
mount --bind "$ROOT" "$ROOT"
mount --bind "$VOLUME" "$VOLUME"
mount -o remount,bind,ro "$ROOT"
mount -o remount,bind,ro /
exec "$@"`;

const isRoot = process.getuid?.() === 0;
/** Root needs no user namespace of its own for a mount namespace. */
const UNSHARE = ['unshare', '--mount', ...(isRoot ? [] : ['--user', '--map-root-user'])];

/** Whether this machine lets one have a file system of one's own. */
export function canMount(folder: string): boolean {
  const env = { PATH: process.env.PATH, ROOT: folder, VOLUME: folder };
  const [file = '', ...args] = [...UNSHARE, 'sh', '-c', READ_ONLY, 'sh', 'true'];
  return spawnSync(file, args, { env }).status === 0;
}

export interface RunImageOptions {
  readonly env: Readonly<Record<string, string>>;
  readonly readOnly: boolean;
}

export function runImage(image: Image, options: RunImageOptions): Container {
  const child = start(image, image.command, options);
  let said = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text: string) => {
      said += text;
    });
  }
  process.once('exit', () => child.kill('SIGKILL'));
  return {
    pid: child.pid ?? -1,
    said: () => said,
    kill: (signal) => child.kill(signal),
    ended: once(child, 'exit').then(([code]) => code),
  };
}

/** Gives the exit code of another command in it. */
export async function execIn(
  image: Image,
  command: readonly string[],
  options: RunImageOptions,
): Promise<number | null> {
  const [code] = await once(start(image, command, options), 'exit');
  return code;
}

function start(image: Image, command: readonly string[], { env, readOnly }: RunImageOptions): ChildProcess {
  const { root, workdir, user } = image;
  const [uid = '', gid = ''] = user.split(':');
  const asUser = isRoot ? ['setpriv', `--reuid=${uid}`, `--regid=${gid}`, '--clear-groups'] : [];
  const frozen = readOnly ? [...UNSHARE, 'sh', '-c', READ_ONLY, 'sh'] : [];
  const [file = '', ...args] = [...frozen, ...asUser, ...command];
  return spawn(file, args, {
    cwd: join(root, workdir),
    env: {
      PATH: process.env.PATH,
      ROOT: root,
      VOLUME: join(root, image.volumes[0] ?? ''),
      ...pathsOnThisMachine(image),
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

function pathsOnThisMachine({ env, root }: Image): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(env).map(([name, value]) => [name, value.startsWith('/') ? join(root, value) : value]),
  );
}
