/** A Debian machine in namespaces of its own, over the files of this computer. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { dirname, join } from 'node:path';
import { temporaryFolder } from './folder.ts';
import { ROOT, SHORT_LIVED } from './program.ts';

export type Machine = Awaited<ReturnType<typeof bootMachine>>;

interface MachineOptions {
  /** A folder that the machine has as `/mnt/shared`. */
  readonly shared: string;
  /** A folder of programs that come first in PATH. */
  readonly programs: string;
}

const BOOT = `
set -e
mount --make-rprivate /
mount -t tmpfs tmpfs "$AT"
mkdir "$AT/upper" "$AT/work" "$AT/root"
mount -t overlay overlay -o "lowerdir=/,upperdir=$AT/upper,workdir=$AT/work" "$AT/root"
cd "$AT/root"
mount -t proc proc proc
mount --rbind /dev dev
mount -t tmpfs -o mode=1777 tmpfs tmp
mount -t tmpfs tmpfs run
mkdir -p mnt/shared mnt/node_modules mnt/programs
mount --bind "$SHARED" mnt/shared
mount --bind "$MODULES" mnt/node_modules
mount --bind "$PROGRAMS" mnt/programs
touch mnt/node
mount --bind "$NODE" mnt/node
rm -f usr/bin/node
printf '#!/bin/sh\\nexec /mnt/node %s "$@"\\n' "$OPTIONS" > usr/bin/node
chmod +x usr/bin/node
ip link set lo up
echo up
# Until this process ends, whichever way.
exec cat`;

const NAMESPACES = ['--mount', '--net', '--pid'];

/** Whether this computer lets a test have a machine: it needs root, namespaces and an overlay of its files. */
export function canBoot(): boolean {
  if (process.getuid?.() !== 0) return false;
  const mounts = 'mount --make-rprivate / && mount -t tmpfs tmpfs /mnt && mkdir /mnt/u /mnt/w /mnt/r';
  const over = 'mount -t overlay overlay -o lowerdir=/,upperdir=/mnt/u,workdir=/mnt/w /mnt/r';
  const { status } = spawnSync('unshare', [
    ...NAMESPACES,
    '--fork',
    'sh',
    '-c',
    `${mounts} && ${over} && ip link`,
  ]);
  return status === 0;
}

/**
 * Debian as it is here, with namespaces of its own: processes, ports and mounts are nobody else's, and whatever is written lies over
 * the files of this machine, in memory, until `close`. Only root may have one.
 */
export async function bootMachine({ shared, programs }: MachineOptions) {
  const at = temporaryFolder();
  const kernel = spawn('unshare', [...NAMESPACES, '--fork', '--kill-child', 'sh', '-c', BOOT], {
    env: {
      PATH: PATH,
      AT: at,
      SHARED: shared,
      PROGRAMS: programs,
      MODULES: join(ROOT, 'node_modules'),
      NODE: process.execPath,
      OPTIONS: SHORT_LIVED.join(' '),
    },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const ended = once(kernel, 'exit');
  const booted = await Promise.race([once(kernel.stdout, 'data'), ended.then(() => null)]);
  if (booted === null) throw new Error('expected a machine, found that its mounts failed');
  const of = (kind: string) => `/proc/${kernel.pid}/ns/${kind}`;
  const enter = ['nsenter', `--mount=${of('mnt')}`, `--pid=${of('pid_for_children')}`];
  /** Runs lines as root, in its home; the first that fails is the last. Throws with all that was said. */
  const run = (text: string, { input = '', online = false } = {}) => {
    const net = online ? [] : [`--net=${of('net')}`];
    const [command = '', ...args] = [...enter, ...net, 'chroot', join(at, 'root'), 'sh', '-e', '-c'];
    const { status, stdout, stderr } = spawnSync(command, [...args, `cd /root\n${text}`], {
      // The way out may need proxies and certificates.
      env: { ...(online ? process.env : {}), PATH: `/mnt/programs:${PATH}`, HOME: '/root', LANG: 'C.UTF-8' },
      timeout: LONGEST_MS,
      input,
      encoding: 'utf8',
    });
    if (status !== 0) throw new Error(`expected it to succeed, found ${status}: ${text}\n${stdout}${stderr}`);
    return stdout;
  };
  return {
    run,
    save: (path: string, text: string) =>
      void run(`mkdir -p '${dirname(path)}' && cat > '${path}'`, { input: text }),
    close: async () => {
      kernel.stdin.end();
      await ended;
    },
  };
}

/** For lines that wait for what does not come. */
const LONGEST_MS = 180_000;

const PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';
