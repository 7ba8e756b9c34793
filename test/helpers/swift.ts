/** OpenStack Swift with its S3 interface: four servers with one device, in a temporary folder, as a store of the tests' own. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Test } from 'uvu';
import { createSigner, type StoreAccess } from '../../jobs/kit/s3-signer.ts';
import { temporaryFolder } from './folder.ts';
import { freePort } from './nginx.ts';
import { eventually } from './until.ts';
import { isInstalled, when } from './when.ts';

/** A suite that is skipped where there is no Swift. */
export function withSwift<T>(suite: Test<T>): Test<T> {
  return when(isInstalled('swift-proxy-server'), 'OpenStack Swift is not installed here', suite);
}

export type Swift = Awaited<ReturnType<typeof startSwift>>;

const KINDS = ['account', 'container', 'object', 'proxy'] as const;

const MOST_ATTEMPTS = 3;

/** Another process may take a port between the moment at which it is found free and Swift's start: then once more, with other ports. */
export async function startSwift() {
  for (let attempt = 1; attempt <= MOST_ATTEMPTS; attempt++) {
    const swift = await startOnce();
    if (swift !== null) return swift;
  }
  throw new Error(`expected Swift to start, found that a part of it ended in ${MOST_ATTEMPTS} attempts`);
}

/** Null if one of its servers ended. */
async function startOnce() {
  const folder = temporaryFolder();
  mkdirSync(join(folder, 'devices', 'd1'), { recursive: true });
  const ports = { account: 0, container: 0, object: 0, proxy: 0 };
  for (const kind of KINDS) ports[kind] = await freePort();
  writeConfiguration(folder, ports);
  const children = KINDS.map((kind) => startKind(folder, kind));
  const kill = () => {
    for (const child of children) child.kill('SIGKILL');
  };
  process.once('exit', kill);
  const url = new URL(`http://127.0.0.1:${ports.proxy}/`);
  const access: StoreAccess = {
    endpoint: url,
    region: 'us-east-1',
    accessKeyId: 'test:tester',
    secretAccessKey: 'testing',
    sessionToken: null,
  };
  const sign = createSigner(access, Date.now);
  const ask = async (method: string, path: string, headers: Readonly<Record<string, string>> = {}) => {
    const target = new URL(path, url);
    return fetch(target, { method, headers: await sign({ method, url: target, headers }) });
  };
  const isUp = async () => (await ask('PUT', 'ready/')).ok && (await ask('PUT', 'ready/all-four')).ok;
  const hasEnded = () => children.some(({ exitCode }) => exitCode !== null);
  // Python is slow to start, and slower on a machine that is busy.
  await eventually('Swift answers', async () => hasEnded() || (await isUp()));
  if (hasEnded()) {
    process.off('exit', kill);
    await Promise.all(children.map(end));
    return null;
  }
  return {
    /** The address of the S3 interface, with a slash at its end. */
    url,
    access,
    /** For programs that publish there or read from there. */
    env: {
      ALMANAKK_S3_ENDPOINT: url.href,
      AWS_ACCESS_KEY_ID: access.accessKeyId,
      AWS_SECRET_ACCESS_KEY: access.secretAccessKey,
    },
    /** Makes a bucket; gives where everybody may read it without a key, ending in a slash. */
    makeBucket: async (name: string) => {
      const { ok, status } = await ask('PUT', `${name}/`);
      // Swift's own words for it; its S3 interface has others for each object.
      const open = await ask('PUT', `${name}/?acl`, { 'x-amz-acl': 'public-read' });
      if (!ok || !open.ok) throw new Error(`expected a public bucket, found ${status} and ${open.status}`);
      return new URL(`v1/AUTH_test/${name}/`, url).href;
    },
    stop: async () => {
      process.off('exit', kill);
      await Promise.all(children.map(end));
    },
  };
}

type Ports = Readonly<Record<(typeof KINDS)[number], number>>;

function writeConfiguration(folder: string, ports: Ports): void {
  const write = (name: string, text: string) => writeFileSync(join(folder, name), text);
  const common = (port: number) => `[DEFAULT]
bind_ip = 127.0.0.1
bind_port = ${port}
workers = 0
user = ${execFileSync('id', ['-un'], { encoding: 'utf8' }).trim()}
swift_dir = ${folder}
devices = ${folder}/devices
mount_check = false
disable_fallocate = true
log_level = ERROR
`;
  write('swift.conf', '[swift-hash]\nswift_hash_path_suffix = almanakk\n');
  for (const kind of ['account', 'container', 'object'] as const) {
    write(
      `${kind}.conf`,
      `${common(ports[kind])}[pipeline:main]\npipeline = ${kind}-server\n[app:${kind}-server]\nuse = egg:swift#${kind}\n`,
    );
  }
  const filters = ['catch_errors', 's3api', 'tempauth', 'slo', 'proxy-logging']
    .map((name) => `[filter:${name}]\nuse = egg:swift#${name.replace('-', '_')}\n`)
    .join('');
  write(
    'proxy.conf',
    `${common(ports.proxy)}[pipeline:main]
pipeline = catch_errors proxy-logging cache s3api tempauth slo proxy-logging proxy-server
[app:proxy-server]
use = egg:swift#proxy
account_autocreate = true
[filter:cache]
use = egg:swift#memcache
memcache_servers = 127.0.0.1:1
${filters.replace('egg:swift#tempauth\n', 'egg:swift#tempauth\nuser_test_tester = testing .admin\n')}`,
  );
  const rings = (['account', 'container', 'object'] as const).map((kind) => [kind, ports[kind]]);
  // One process in place of nine of swift-ring-builder.
  execFileSync('/usr/bin/python3', ['-c', MAKE_RINGS, folder, JSON.stringify(rings)]);
}

const MAKE_RINGS = `import json, sys
from swift.common.ring import RingBuilder
folder, rings = sys.argv[1], json.loads(sys.argv[2])
for kind, port in rings:
    builder = RingBuilder(1, 1, 1)
    builder.add_dev(dict(region=1, zone=1, ip='127.0.0.1', port=port, device='d1', weight=1))
    builder.rebalance()
    builder.get_ring().save(f'{folder}/{kind}.ring.gz')
`;

/** They make sessions of their own, so nothing but this ends them with a test that is killed. */
function startKind(folder: string, kind: string): ChildProcess {
  const server = [`swift-${kind}-server`, join(folder, `${kind}.conf`)];
  return spawn('setpriv', ['--pdeathsig', 'KILL', '--', ...server], { stdio: 'ignore' });
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGKILL');
  await once(child, 'exit');
}
