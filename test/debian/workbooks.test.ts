/** almanakk-workbooks, which copies spreadsheets from a cloud with rclone. */
import { closeSync, openSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { debianFile } from '../helpers/debian-files.ts';
import { mustRun, runScript, save, saveProgram } from '../helpers/debian-root.ts';
import { temporaryFolder } from '../helpers/folder.ts';
import { isExpected, when } from '../helpers/when.ts';

interface Context {
  /** With copies of both workbooks. No test removes one. */
  readonly copied: Desk;
}

const workbooks = when(
  isExpected('rclone'),
  'rclone is not installed here',
  suite<Context>('almanakk-workbooks'),
);

workbooks.before(async (context) => {
  const copied = createDesk();
  await copied.run();
  Object.assign(context, { copied });
});

type Desk = ReturnType<typeof createDesk>;

/** Where the script copies from, as its settings have it. */
const [, FROM = ''] = /^FROM=(.*)$/m.exec(debianFile('etc/default/almanakk-workbooks')) ?? [];

/** A machine with the script, and a folder in place of the cloud, which has two workbooks and other files. */
function createDesk() {
  const root = temporaryFolder();
  const folder = join(root, 'var/lib/almanakk-workbooks');
  const inCloud = (path: string) => join(root, 'sky/Kalender', path);
  save(join(folder, 'rclone.conf'), `[desk]\ntype = alias\nremote = ${root}/sky\n`);
  for (const name of ['program.xlsx', 'Kino.CSV', '~$program.xlsx', 'notat.docx', 'arkiv/gammel.csv'])
    save(inCloud(name), `first ${name}`);
  const text = debianFile('usr/local/sbin/almanakk-workbooks').replace('cd /var', `cd ${root}/var`);
  const copyOf = (name: string) => join(folder, 'files', name);
  return {
    root,
    /** The file whose time is that of the last run that succeeded. */
    mark: join(folder, 'copied'),
    inCloud,
    copyOf,
    /** The names of all copies. */
    copies: () => readdirSync(join(folder, 'files')).sort(),
    textOf: (name: string) => readFileSync(copyOf(name), 'utf8'),
    run: (settings: Readonly<Record<string, string>> = {}) =>
      runScript(text, { root, env: { FROM, HOME: root, ...settings } }),
  };
}

workbooks('should fail until it has copied for the first time, and then copy workbooks alone', async () => {
  const { copies, copyOf, run } = createDesk();
  const never = await run({ FROM: 'desk:Borte' });
  assert.is(never.code, 1, never.stdout);
  assert.is((await run()).code, 0);
  assert.equal(copies(), ['Kino.CSV', 'program.xlsx']);
  assert.is(statSync(copyOf('program.xlsx')).mode & 0o777, 0o666 & ~process.umask());
});

workbooks('should replace a changed workbook in one step, and leave the others', async ({ copied }) => {
  const { inCloud, copyOf, textOf, run } = copied;
  const before = openSync(copyOf('program.xlsx'), 'r');
  const unchanged = statSync(copyOf('Kino.CSV')).ino;
  save(inCloud('program.xlsx'), 'second program, and longer');
  const { code, stdout, stderr } = await run();
  assert.equal([code, stdout], [0, 'copied: program.xlsx\n'], stderr);
  const read = readFileSync(before, 'utf8');
  closeSync(before);
  assert.is(read, 'first program.xlsx', 'for a build that reads the file at that time');
  assert.is(textOf('program.xlsx'), 'second program, and longer');
  assert.is(statSync(copyOf('Kino.CSV')).ino, unchanged, 'an unchanged file');
});

workbooks('should copy nothing if there are more bytes than a run may copy', async ({ copied }) => {
  const { inCloud, copies, run } = copied;
  const before = copies();
  save(inCloud('stor.csv'), 'x'.repeat(5_000));
  const { stdout, stderr } = await run({ MOST: '4Ki' });
  rmSync(inCloud('stor.csv'));
  assert.match(`${stdout}${stderr}`, /transfer limit/);
  assert.equal(copies(), before);
});

workbooks('should keep the copies when rclone fails, and fail itself after an hour', async ({ copied }) => {
  const { root, mark, textOf, run } = copied;
  const before = textOf('program.xlsx');
  saveProgram(root, 'rclone', `printf half > incoming/program.xlsx\nexit 1`);
  assert.is((await run()).code, 0, 'within the hour');
  assert.is(textOf('program.xlsx'), before);
  await mustRun(`touch --date '61 minutes ago' ${mark}`, { root });
  assert.is((await run()).code, 1, 'after the hour');
  rmSync(join(root, 'bin/rclone'));
});

workbooks('should remove the copy of a workbook that is no longer in the cloud', async () => {
  const { inCloud, copies, textOf, run } = createDesk();
  await run();
  rmSync(inCloud('Kino.CSV'));
  const { stdout } = await run();
  assert.match(stdout, 'removed, because it is no longer in desk:Kalender: Kino.CSV\n');
  assert.equal(copies(), ['program.xlsx']);
  assert.is(textOf('program.xlsx'), 'first program.xlsx');
});

workbooks.run();
