/** The commands that the documentation gives to people on duty, with an address that a shell would divide. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { assertAbove } from './helpers/assertions.ts';
import { temporaryFolder } from './helpers/folder.ts';
import { runCommand } from './helpers/program.ts';
import { filesIn, readPage } from './readme/document.ts';

const test = suite('commands for people on duty');

/** Of a site without permalinks: `&` ends a command, and some shells look for files that match `?`. */
const ADDRESS = 'https://avisen.example/?page_id=7&arrangement=korkveld&dato=2026-12-04';

/** As in "run `almanakk-hide 'ADDRESS'`". */
const COMMAND = /`((?:ssh|sh|almanakk-hide|almanakk-remove-picture)\s[^`]*\b(?:ADDRESS|ADRESSE)\b[^`]*)`/g;

/** Rules and synopses describe what a command takes, so they have no quotation marks. */
const SYNOPSES = ['docs/rules.md'];

const commands = filesIn('docs')
  .filter((page) => page.endsWith('.md') && !SYNOPSES.includes(page))
  .flatMap((page) =>
    [...readPage(page).matchAll(COMMAND)].map(([, command = '']) => ({
      page,
      command: command.replaceAll(/\s+/g, ' '),
    })),
  );

/** Prints its name and the last argument. */
const SHOW = '#!/bin/sh\nfor last; do :; done\necho "$(basename "$0") $last"\n';
const PROGRAMS = {
  'almanakk-hide': SHOW,
  'almanakk-remove-picture': SHOW,
  sudo: '#!/bin/sh\nexec "$@"\n',
  // As OpenSSH does, it joins its arguments with blanks, and a shell on the other machine reads the result.
  ssh: '#!/bin/sh\nshift\nexec sh -c "$*"\n',
};

test('should pass on an address with ? and & as it is', async () => {
  for (const page of ['newspapers', 'aviser', 'editors', 'redaktor', 'operating', 'on-call']) {
    const ofPage = commands.filter((command) => command.page === `docs/${page}.md`);
    assertAbove(ofPage.length, 0, `commands of docs/${page}.md`);
  }
  const folder = temporaryFolder();
  const programs = join(folder, 'bin');
  mkdirSync(programs);
  for (const [name, text] of Object.entries(PROGRAMS))
    writeFileSync(join(programs, name), text, { mode: 0o755 });
  writeFileSync(join(folder, 'hidden-on-sites.sh'), 'echo "$0 $1"\n');
  const script = commands.map(({ command }) => command.replace(/ADDRESS|ADRESSE/, ADDRESS)).join('\n');
  const { stdout } = await runCommand('sh', ['-c', `${script}\nwait`], {
    cwd: folder,
    env: { ...process.env, PATH: `${programs}:${process.env.PATH}` },
  });
  const shown = stdout.trimEnd().split('\n');
  const expected = commands.map(({ command }) => {
    const [name] = /hidden-on-sites\.sh|almanakk-[a-z-]+/.exec(command) ?? [];
    return `${name} ${ADDRESS}`;
  });
  assert.equal(shown, expected);
});

test.run();
