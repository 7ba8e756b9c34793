/** OpenStack Swift with its S3 interface: four servers in one process with one device, in a temporary folder, as a store of the tests' own. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Test } from 'uvu';
import { createSigner, type StoreAccess } from '../../jobs/kit/s3-signer.ts';
import { temporaryFolder } from './folder.ts';
import { eventually } from './until.ts';
import { isExpected, when } from './when.ts';

/** A suite that is skipped where there is no Swift. */
export function withSwift<T>(suite: Test<T>): Test<T> {
  return when(isExpected('swift-proxy-server'), 'OpenStack Swift is not installed here', suite);
}

export type Swift = Awaited<ReturnType<typeof startSwift>>;

export async function startSwift() {
  const folder = temporaryFolder();
  mkdirSync(join(folder, 'devices', 'd1'), { recursive: true });
  writeConfiguration(folder);
  const server = startProcess(folder);
  const kill = () => void server.kill('SIGKILL');
  process.once('exit', kill);
  const stop = async () => {
    process.off('exit', kill);
    kill();
    if (!hasEnded(server)) await once(server, 'exit');
  };
  const { url, access, ask } = await answering(server).catch(async (error) => {
    await stop();
    throw error;
  });
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
    stop,
  };
}

type Server = ReturnType<typeof startProcess>;

const hasEnded = ({ exitCode, signalCode }: Server): boolean => exitCode !== null || signalCode !== null;

/** A bucket that the same caller has made. */
const CONFLICT = 409;

/** Resolves once all four servers have answered. Rejects with what the process has said if it ends before that. */
async function answering(server: Server) {
  const failure = failureOf(server);
  const port = await portOf(server);
  if (port === null) throw failure();
  const url = new URL(`http://127.0.0.1:${port}/`);
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
  const isThere = async (bucket: string) => {
    const { ok, status } = await ask('PUT', bucket);
    return ok || status === CONFLICT;
  };
  const isUp = async () => (await isThere('ready/')) && (await ask('PUT', 'ready/all-four')).ok;
  await eventually('Swift answers', async () => hasEnded(server) || (await isUp()));
  if (hasEnded(server)) throw failure();
  return { url, access, ask };
}

/** Seconds. Swift gives up after half a second otherwise, which is too short for a busy machine. */
const CONNECTION_TIMEOUT = 30;

function writeConfiguration(folder: string): void {
  const write = (name: string, text: string) => writeFileSync(join(folder, name), text);
  const common = `[DEFAULT]
swift_dir = ${folder}
devices = ${folder}/devices
mount_check = false
disable_fallocate = true
log_level = ERROR
conn_timeout = ${CONNECTION_TIMEOUT}
error_suppression_limit = 1000000
`;
  write('swift.conf', '[swift-hash]\nswift_hash_path_suffix = almanakk\n');
  for (const kind of ['account', 'container', 'object'] as const) {
    write(
      `${kind}.conf`,
      `${common}[pipeline:main]\npipeline = ${kind}-server\n[app:${kind}-server]\nuse = egg:swift#${kind}\n`,
    );
  }
  const filters = ['catch_errors', 's3api', 'tempauth', 'slo']
    .map((name) => `[filter:${name}]\nuse = egg:swift#${name}\n`)
    .join('');
  write(
    'proxy.conf',
    `${common}[pipeline:main]
pipeline = catch_errors s3api tempauth slo proxy-server
[app:proxy-server]
use = egg:swift#proxy
account_autocreate = true
${filters.replace('egg:swift#tempauth\n', 'egg:swift#tempauth\nuser_test_tester = testing .admin\n')}`,
  );
}

/**
 * One process for all four servers: each would take a second of CPU to load its modules. What they know of accounts and buckets is in a table
 * in place of memcached: without one, each request takes about twice the CPU. It prints the port of the S3 interface.
 */
const SERVE = `import json
import sys
import eventlet
from eventlet.wsgi import server
from swift.common import utils
utils.eventlet_monkey_patch()
from swift.common.ring import RingBuilder
from swift.common.wsgi import NullLogger, SwiftHttpProtocol, loadapp
class Cache:
    def __init__(self):
        self.texts = {}
    def get(self, key, **options):
        return json.loads(self.texts.get(key, 'null'))
    def set(self, key, value, **options):
        self.texts[key] = json.dumps(value)
    def delete(self, key, **options):
        self.texts.pop(key, None)
cache = Cache()
def with_cache(app):
    return lambda env, start: app({**env, 'swift.cache': cache}, start)
folder = sys.argv[1]
utils.set_swift_dir(folder)
utils.validate_configuration()
kinds = ['account', 'container', 'object', 'proxy']
sockets = {kind: eventlet.listen(('127.0.0.1', 0)) for kind in kinds}
for kind in kinds[:3]:
    builder = RingBuilder(1, 1, 1)
    port = sockets[kind].getsockname()[1]
    builder.add_dev(dict(region=1, zone=1, ip='127.0.0.1', port=port, device='d1', weight=1))
    builder.rebalance()
    builder.get_ring().save(f'{folder}/{kind}.ring.gz')
for kind in kinds:
    app = loadapp(f'{folder}/{kind}.conf', global_conf={'log_name': kind})
    app = with_cache(app) if kind == 'proxy' else app
    options = dict(protocol=SwiftHttpProtocol, capitalize_response_headers=False)
    eventlet.spawn(server, sockets[kind], app, NullLogger(), **options)
print(sockets['proxy'].getsockname()[1], flush=True)
while True:
    eventlet.sleep(3600)
`;

/** It ends with a test that is killed. */
function startProcess(folder: string) {
  const command = ['/usr/bin/python3', '-c', SERVE, folder];
  return spawn('setpriv', ['--pdeathsig', 'KILL', '--', ...command], { stdio: ['ignore', 'pipe', 'pipe'] });
}

/** What it prints, or null if it ends before that. The stream stays open: a process ends if it writes to a closed one. */
async function portOf(server: Server): Promise<number | null> {
  const line = once(createInterface(server.stdout), 'line');
  const [text = null] = await Promise.race([line, once(server, 'close').then(() => [])]);
  return text === null ? null : Number(text);
}

/** The error of a process that has ended, with what it has said last. */
function failureOf(server: Server): () => Error {
  let said = '';
  server.stderr.setEncoding('utf8').on('data', (text: string) => {
    said = (said + text).slice(-MOST_OF_PROBLEM);
  });
  return () => new Error(`expected Swift to answer, found that it has ended:\n${said}`);
}

const MOST_OF_PROBLEM = 2_000;
