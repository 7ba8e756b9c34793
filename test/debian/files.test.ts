/** All files of docs/debian: units, settings, calls of ssh, and their table. test/heavy/debian.test.ts installs all of them. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { readSettings } from '../../jobs/settings.ts';
import { packagePath } from '../../src/package.ts';
import { assertAbove } from '../helpers/assertions.ts';
import { debianFile, debianPaths } from '../helpers/debian-files.ts';
import { mustRun, runScript, save } from '../helpers/debian-root.ts';
import { temporaryFolder } from '../helpers/folder.ts';
import { isExpected, when } from '../helpers/when.ts';
import { theBlock } from '../readme/blocks.ts';
import { readPage } from '../readme/document.ts';

const files = suite('docs/debian');
const withProgram = (name: string) => when(isExpected(name), `${name} is not installed here`, files);

withProgram('gpg-agent')('should trust a file with the key of NodeSource alone', async () => {
  const root = temporaryFolder();
  const { text } = theBlock({ language: 'sh', says: /nodesource-repo/ });
  const [, fingerprint = ''] = /= ([0-9A-F]{40}) && cp/.exec(text) ?? [];
  const lines = text.slice(text.indexOf('fingerprints=')).replace('/etc/apt/keyrings', 'keyrings');
  const env = { GNUPGHOME: join(root, 'gnupg') };
  mkdirSync(env.GNUPGHOME, { mode: 0o700 });
  mkdirSync(join(root, 'keyrings'));
  const { stdout } = await mustRun(
    `for name in one two; do
      gpg --quiet --batch --passphrase '' --quick-generate-key $name ed25519
      gpg --armor --export $name > $name.asc
      gpg --list-keys --with-colons $name | awk -F: '/^fpr/ { print $10 }'
    done`,
    { root, env },
  );
  const [own = ''] = stdout.split('\n');
  const copied: string[] = [];
  for (const file of ['two.asc', 'one.asc two.asc', 'two.asc one.asc', 'none.asc', 'one.asc']) {
    const command = `cat ${file} > nodesource.asc\n${lines.replace(fingerprint, own)}`;
    await runScript(command, { root, env });
    if (existsSync(join(root, 'keyrings/nodesource.asc'))) copied.push(file);
  }
  assert.equal(copied, ['one.asc']);
});

withProgram('systemd-analyze')('should have units that systemd accepts', () => {
  const begin = 'etc/systemd/system/';
  const units = debianPaths().filter((path) => path.startsWith(begin));
  const folder = temporaryFolder();
  for (const path of units) {
    // Its program is not on this machine.
    const text = debianFile(path).replaceAll(/^(Exec\w+)=\+?\/usr\/local\/sbin\/.*/gm, '$1=/bin/true');
    save(join(folder, path.slice(begin.length)), text);
  }
  for (const path of units) {
    // A drop-in is read with its unit.
    const unit = path.slice(begin.length).replace(/\.d\/.*/, '');
    const { status, stderr } = spawnSync('systemd-analyze', ['verify', join(folder, unit)], {
      encoding: 'utf8',
    });
    assert.equal([stderr, status], ['', 0], path);
  }
});

/** Files that call ssh or scp, or have a line for a timer that does. */
const CALLERS = [
  ...debianPaths().map((path) => `docs/debian/${path}`),
  'docs/compose-backup.sh',
  'docs/containers.md',
  'docs/operating.md',
];

files('should notice within a minute that a machine on the other side has lost its power', () => {
  const calls = CALLERS.flatMap((path) => {
    const text = readFileSync(packagePath(path), 'utf8').replaceAll(/\\\n\s*/g, '');
    return [...text.matchAll(/\b(?:ssh|scp) -.*/g)].map(([call]) => `${path}: ${call}`);
  });
  assert.is(calls.length, 6, calls.join('\n'));
  for (const call of calls) assert.match(call, / -o ConnectTimeout=10 -o ServerAliveInterval=15 /);
});

files('should have a time limit for each unit that systemd would otherwise wait for forever', () => {
  const units = debianPaths().filter((path) => path.endsWith('.service'));
  const oneshot = units.filter((path) => debianFile(path).includes('Type=oneshot\n'));
  assertAbove(oneshot.length, 5, 'units');
  for (const path of oneshot) assert.match(debianFile(path), /^TimeoutStartSec=\d+(?:min|h)$/m, path);
});

files('should have settings that are known, with valid values', () => {
  const { warnings } = readSettings(parseEnv(debianFile('etc/almanakk/.env')), temporaryFolder());
  assert.equal(warnings, []);
});

files('should have each file in the table of docs/operating.md, and scripts that can be run', () => {
  const linked = [...readPage('docs/operating.md').matchAll(/\]\(debian\/([^)]+)\)/g)].map(
    ([, path]) => path,
  );
  assert.equal(linked.sort(), [...debianPaths()].sort());
  for (const path of debianPaths()) {
    const isScript = (statSync(packagePath(`docs/debian/${path}`)).mode & 0o100) > 0;
    assert.is(isScript, path.startsWith('usr/local/sbin/'), path);
  }
});

files.run();
