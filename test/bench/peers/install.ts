/** The peers: their packages, which are installed for the measurement only, and their processes. */
import { spawnSync } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Built } from '../builds.ts';
import { ROOT, type Served, startServer } from '../processes.ts';

/** graphql 16 is what almanakk runs with. better-sqlite3 13 no longer runs on Node 20. */
const PACKAGES = [
  'fastify@5.12.8',
  'mercurius@16.10.1',
  '@apollo/server@5.5.1',
  'graphql-yoga@5.24.1',
  'graphql@16.15.0',
  'better-sqlite3@12.11.1',
];
const FILES = ['server.mjs', 'array.mjs', 'calendar.mjs', 'database.mjs', 'answer-cache.mjs'];

export interface Peer {
  /** Arguments of `server.mjs`. */
  readonly kind: string;
  readonly way: string;
  readonly name: string;
}

const KINDS = [
  { kind: 'mercurius', name: 'Mercurius' },
  { kind: 'apollo', name: 'Apollo Server' },
  { kind: 'yoga', name: 'GraphQL Yoga' },
  { kind: 'sql', name: 'node:http and SQL' },
] as const;

/** The peer without SQL. */
export const IN_MEMORY = 'node:http and an array in memory, cached';

export const PEERS: readonly Peer[] = [
  ...KINDS.map(({ kind, name }) => ({ kind, way: 'again', name })),
  ...KINDS.map(({ kind, name }) => ({ kind, way: 'once', name: `${name}, selected once, cached` })),
  { kind: 'sql', way: 'sync', name: 'node:http and SQL with better-sqlite3, selected once, cached' },
  { kind: 'array', way: 'memory', name: IN_MEMORY },
];

/** Installs the peers in a folder of their own, beside the project's sqlite3; gives the folder. */
export function installPeers(work: string, say: (what: string) => void): string {
  const folder = join(work, 'peers');
  say('installing the peers');
  // An earlier run may have left links there.
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(join(folder, 'node_modules'), { recursive: true });
  const manifest = { private: true, type: 'module', allowScripts: { 'better-sqlite3': true } };
  writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest));
  const args = ['install', '--no-audit', '--no-fund', '--loglevel=error', ...PACKAGES];
  const { status, stderr } = spawnSync('npm', args, { cwd: folder, env: installEnv(), encoding: 'utf8' });
  if (status !== 0) throw new Error(`expected npm to install ${PACKAGES.join(', ')}, found:\n${stderr}`);
  symlinkSync(join(ROOT, 'node_modules/sqlite3'), join(folder, 'node_modules/sqlite3'));
  for (const name of FILES) {
    copyFileSync(fileURLToPath(new URL(name, import.meta.url)), join(folder, name));
  }
  return folder;
}

/** better-sqlite3's binary is of one version of Node: it is fetched, or compiled, for the Node that measures. */
function installEnv(): NodeJS.ProcessEnv {
  const folder = dirname(process.execPath);
  const env = { ...process.env, PATH: `${folder}${delimiter}${process.env.PATH ?? ''}` };
  // Headers that came with Node need not be downloaded.
  const withHeaders = dirname(folder);
  const hasHeaders = existsSync(join(withHeaders, 'include/node/node.h'));
  return hasHeaders ? { ...env, npm_config_nodedir: withHeaders } : env;
}

export function startPeer({ kind, way, name }: Peer, folder: string, built: Built): Promise<Served> {
  const manifest = JSON.parse(readFileSync(join(built.folder, 'manifest.json'), 'utf8'));
  return startServer({
    name,
    file: join(folder, 'server.mjs'),
    args: [kind, way, join(built.folder, manifest.public.file)],
    ready: { path: '/' },
  });
}
