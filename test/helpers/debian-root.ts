/** A folder that looks like the root of the Debian machine, in which a script of docs/debian runs with programs of the test. */
import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import * as assert from 'uvu/assert';
import { debianFile } from './debian-files.ts';
import { runCommand } from './program.ts';

/** Writes a file, and makes its folders. */
export function save(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

/** Puts a program into the folder that stands before all others in the path. */
export function saveProgram(root: string, name: string, text: string): void {
  const path = join(root, 'bin', name);
  save(path, `#!/bin/sh\n${text}\n`);
  chmodSync(path, 0o755);
}

/** A script that works in `/`, as it works in that folder. */
export function scriptIn(root: string, name: string): string {
  const text = debianFile(`usr/local/sbin/${name}`);
  assert.match(text, /^cd \/$/m);
  return text.replace('=/var/backups', `=${root}/var/backups`).replace(/^cd \/$/m, `cd ${root}`);
}

/** Each file with its text, and each folder with its mode, without those whose paths match `leftOut`. */
export function contentsOf(root: string, leftOut: RegExp): Readonly<Record<string, string>> {
  const names = readdirSync(root, { recursive: true, encoding: 'utf8' });
  const paths = names.filter((path) => !leftOut.test(path)).sort();
  return Object.fromEntries(paths.map((path) => [path, textOrMode(join(root, path))]));
}

/** The text of a file, or the mode of a folder. */
export function textOrMode(path: string): string {
  const stats = statSync(path);
  return stats.isDirectory() ? `mode ${(stats.mode & 0o777).toString(8)}` : readFileSync(path, 'latin1');
}

interface Machine {
  readonly root: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly args?: readonly string[];
}

/** Runs a script there, and resolves with its exit code and output. */
export function runScript(text: string, { root, env = {}, args = [] }: Machine) {
  const PATH = `${root}/bin:${process.env.PATH}`;
  return runCommand('sh', ['-c', text, 'script', ...args], { cwd: root, env: { ...env, PATH } });
}

/** The same for a script that must succeed. */
export async function mustRun(text: string, machine: Machine) {
  const done = await runScript(text, machine);
  assert.is(done.code, 0, `${text}\n${done.stdout}${done.stderr}`);
  return done;
}
