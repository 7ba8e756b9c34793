/** The peers' packages: installed into this folder by the benchmark itself, and by nothing else. */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const FOLDER = fileURLToPath(new URL('.', import.meta.url));
/** What npm itself writes about the tree that it installed. */
const INSTALLED = join(FOLDER, 'node_modules/.package-lock.json');

/** Throws with npm's own words when it cannot be done. */
export function installPeers(): void {
  if (isInstalled()) return;
  console.error('bench: installing the servers to compare with into test/bench/node_modules');
  const { status, stderr } = spawnSync('npm', ['ci', '--ignore-scripts', '--loglevel=error'], {
    cwd: FOLDER,
    encoding: 'utf8',
  });
  if (status === 0) return;
  throw new Error(
    `the servers to compare with could not be installed (npm ci in test/bench). Is the package registry in reach?\n${stderr}`,
  );
}

/** Versions by name, for the results. */
export function peerVersions(): Readonly<Record<string, string>> {
  const { dependencies } = readJson('package.json');
  return Object.fromEntries(
    Object.keys(dependencies ?? {}).map((name) => [
      name,
      readJson(`node_modules/${name}/package.json`).version ?? '',
    ]),
  );
}

function isInstalled(): boolean {
  if (!existsSync(INSTALLED)) return false;
  return Object.keys(readJson('package.json').dependencies ?? {}).every(
    (name) =>
      readJson('package-lock.json').packages?.[`node_modules/${name}`]?.version === installedVersion(name),
  );
}

function installedVersion(name: string): string | undefined {
  const path = `node_modules/${name}/package.json`;
  return existsSync(join(FOLDER, path)) ? readJson(path).version : undefined;
}

interface PackageJson {
  readonly version?: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly packages?: Readonly<Record<string, { readonly version?: string }>>;
}

function readJson(path: string): PackageJson {
  return JSON.parse(readFileSync(join(FOLDER, path), 'utf8'));
}
