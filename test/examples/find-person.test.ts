/** docs/examples/find-person.mjs on a folder that looks like the root of the Debian machine. */
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { packagePath } from '../../src/package.ts';
import { save, saveProgram } from '../helpers/debian-root.ts';
import { temporaryFolder } from '../helpers/folder.ts';
import { runCommand, SHORT_LIVED } from '../helpers/program.ts';
import { sampleFile } from '../helpers/sample.ts';
import { isExpected, when } from '../helpers/when.ts';
import { archiveOf } from '../helpers/workbooks.ts';

interface Context {
  root: string;
  found: Awaited<ReturnType<typeof find>>;
}

const hasTools = isExpected('sqlite3') && isExpected('unzip');
const test = when(hasTools, 'sqlite3 or unzip is not installed', suite<Context>('finding a person'));

const SOURCE = readFileSync(packagePath('docs/examples/find-person.mjs'), 'utf8');

test.before(async (context) => {
  context.root = await machineRoot();
  context.found = await find(context.root, [
    'Åse Nøkk',
    'kor@kor.example',
    'Origin=https://KOR',
    'Trøndelag Teater',
  ]);
});

test('should find a person in each kind of file, however the name is written', ({ root, found }) => {
  const lines = found.stdout.replaceAll(`${root}/`, '/').trimEnd().split('\n');
  assert.equal(
    lines
      .slice(0, -1)
      .map((line) => line.replace(/: ….*…$/, ''))
      .sort(),
    [
      '/etc/almanakk/.env',
      '/etc/almanakk/keys.json',
      '/srv/kalender/events.json',
      '/srv/kalender/kor.csv',
      '/srv/kalender/long.json',
      '/var/backups/almanakk/almanakk-1.tar.gz/etc/almanakk/keys.json',
      '/var/lib/almanakk-workbooks/files/kor.xlsx',
      '/var/lib/almanakk/snapshots/calendar-1.sqlite',
      '/var/lib/almanakk/snapshots/feeds/kor.pages',
      '/var/log/nginx/access.log.2.gz',
      'journal of almanakk',
    ],
  );
  assert.ok(lines.includes('/srv/kalender/kor.csv: …kor;åse nøkk…'), found.stdout);
  assert.is(lines.at(-1), 'found in 11 of 13 places');
});

test('should say which files it could not search', ({ found }) => {
  const { code, stderr } = found;
  assert.match(stderr, /^not searched: \S+access\.log\.3\.gz: .*header/m);
  assert.match(stderr, /^not searched: \S+almanakk-2\.tar\.gz: expected exit code 0 of tar, found 2$/m);
  assert.is(code, 1);
});

test('should search another folder on request', async ({ root }) => {
  const elsewhere = await find(root, ['--in', join(root, 'srv'), 'nordmann']);
  assert.is(
    elsewhere.stdout,
    `${root}/srv/kalender/others.json: …"åse nordmann", "per nøkk"…\nfound in 1 of 4 places\n`,
  );
  assert.is(elsewhere.code, 0);
});

test('should expect the settings of a machine, unless a folder is given', async () => {
  const other = temporaryFolder();
  const { code: refused, stderr: reason } = await find(other, ['nordmann']);
  assert.equal(
    [refused, reason],
    [2, `find-person: expected the settings in ${other}/etc/almanakk, found none: use --in FOLDER\n`],
  );
});

/** A folder like the root of a machine: the person is in eleven places, and two files are damaged. */
async function machineRoot(): Promise<string> {
  const root = temporaryFolder();
  const write = (path: string, bytes: string | Buffer) => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), bytes);
  };
  write('etc/almanakk/.env', `ALMANAKK_SOURCE=${root}/srv/kalender\nALMANAKK_EDITOR_TOKENS=åse nøkk:abc`);
  write('srv/kalender/events.json', '{"contact":"\\u00c5se N\\u00f8kk"}');
  write('srv/kalender/kor.csv', Buffer.from('kor;Åse\nNøkk', 'latin1'));
  // A file is read in parts of 64 KiB.
  write('srv/kalender/long.json', `${' '.repeat(65_530)}Åse Nøkk`);
  write('srv/kalender/others.json', '"Åse Nordmann", "Per Nøkk"');
  const page = gzipSync('<p>&Aring;se&nbsp;N&#248;kk</p>').toString('base64');
  write('var/lib/almanakk/snapshots/feeds/kor.pages', `{"body":null}\n{"body":"${page}"}\n`);
  copyFileSync(await sampleFile(), join(root, 'var/lib/almanakk/snapshots/calendar-1.sqlite'));
  write(
    'var/lib/almanakk-workbooks/files/kor.xlsx',
    archiveOf({ 'xl/sharedStrings.xml': '<si><t>Åse Nøkk</t></si>' }),
  );
  write('var/log/nginx/access.log.2.gz', gzipSync('GET /events.html?search=%C3%85se+N%C3%B8kk HTTP/2.0'));
  write('var/log/nginx/access.log.3.gz', 'damaged');
  write('etc/almanakk/keys.json', '{"contact":"kor@kor.example"}');
  const archive = join(root, 'var/backups/almanakk/almanakk-1.tar.gz');
  mkdirSync(dirname(archive), { recursive: true });
  spawnSync('tar', ['--create', '--gzip', '--file', archive, '--directory', root, 'etc/almanakk/keys.json']);
  write('var/backups/almanakk/almanakk-2.tar.gz', 'damaged');
  saveProgram(root, 'journalctl', 'printf "%s\\n" "request failed origin=https://kor.example" "$*"');
  return root;
}

function find(root: string, args: readonly string[]) {
  const program = join(root, 'find-person.mjs');
  save(program, SOURCE.replace("const ROOT = '/';", `const ROOT = ${JSON.stringify(root)};`));
  const env = { ...process.env, PATH: `${root}/bin:${process.env.PATH}` };
  return runCommand(process.execPath, [...SHORT_LIVED, program, ...args], { env });
}

test.run();
