/** J5: the commands of docs/planning.md and docs/data.md that export and verify the public edition. */
import { spawnSync } from 'node:child_process';
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { makeSigningKeys } from '../../../jobs/kit/signature.ts';
import { MANIFEST } from '../../../src/snapshot/files.ts';
import { assertExists } from '../../helpers/assertions.ts';
import { events, sourceOfEvents } from '../../helpers/build.ts';
import { temporaryFolder } from '../../helpers/folder.ts';
import { scriptOf } from '../../helpers/program.ts';
import { spawned } from '../../helpers/rebuild.ts';
import { isExpected, when, withPart } from '../../helpers/when.ts';
import { theBlock } from '../../readme/blocks.ts';

const exporting = when(isExpected('sqlite3'), 'sqlite3 is not installed', suite('docs/planning.md'));

exporting(
  'J5: should export more events than a page of a list has, and all their dates up to the horizon',
  async () => {
    const [place, trial] = [temporaryFolder(), temporaryFolder()];
    const weekly = { start: '2026-02-05 18:00', duration: 60, rule: 'FREQ=WEEKLY' };
    const files = {
      'events.json': [...events(1_200), { id: 'uke', title_nb: 'Uke = "alt", ja', repeats: [weekly] }],
    };
    const commands = [/--trial .*export$/m, /-csv calendar\.sqlite/].map(
      (says) => theBlock({ language: 'sh', says }).text,
    );
    const script = `almanakk() { "$NODE" "$CLI" "$@" --now 2026-01-01T12:00:00Z; }\n${commands.join('')}`;
    const inTrial = script.replaceAll('/var/lib/almanakk/export', trial);
    const env = {
      ...process.env,
      NODE: process.execPath,
      CLI: scriptOf('jobs/cli'),
      ALMANAKK_SOURCE: sourceOfEvents(0, files),
      ALMANAKK_SNAPSHOTS: temporaryFolder(),
    };
    const { status, stderr } = spawnSync('bash', ['-e', '-c', inTrial], {
      cwd: place,
      encoding: 'utf8',
      env,
    });
    assert.is(status, 0, stderr);
    const rowsOf = (table: string) =>
      readFileSync(join(place, `${table}.csv`), 'utf8')
        .trimEnd()
        .split('\n')
        .slice(1);
    const weeks = rowsOf('occurrence').filter((row) => row.startsWith('uke@'));
    assert.equal([rowsOf('event').length, rowsOf('occurrence').length - weeks.length], [1_201, 1_200]);
    assertExists(join(place, 'upcoming.csv'));
    // 18 months ahead, far beyond the twelve months and twenty dates of a list.
    assert.is(weeks.length, 74);
    assert.match(weeks.sort().at(-1) ?? '', ',"2027-07-01 18:00",');
  },
);

const verifying = when(isExpected('openssl'), 'openssl is not installed', suite('docs/data.md, verifying'));

withPart('jobs/annexes/store', verifying)(
  'J5: should be verified by openssl alone, which refuses a changed one',
  async () => {
    const [place, open] = [temporaryFolder(), temporaryFolder()];
    const { privateKey, publicKey } = makeSigningKeys();
    writeFileSync(join(place, 'signing.pem'), privateKey, { mode: 0o600 });
    const env = {
      ALMANAKK_SOURCE: sourceOfEvents(3),
      ALMANAKK_SNAPSHOTS: temporaryFolder(),
      ALMANAKK_PUBLIC_FILE: 'true',
      ALMANAKK_PUBLISH_PUBLIC: `file://${open}`,
      ALMANAKK_SIGNING_KEY: join(place, 'signing.pem'),
    };
    const { code, stderr } = await spawned(['--now', '2026-01-01T12:00:00Z'], { env });
    assert.is(code, 0, stderr);
    writeFileSync(join(open, 'calendar.pub'), publicKey);
    const verify = () =>
      spawnSync('bash', ['-e', '-c', theBlock({ language: 'bash', says: /manifest\.json/ }).text], {
        cwd: open,
        encoding: 'utf8',
      });
    const good = verify();
    assert.is(good.status, 0, good.stderr);
    assert.match(good.stdout, /Signature Verified Successfully/);
    assert.match(good.stdout, /public-[0-9a-f]{16}\.sqlite: OK/);
    const manifest = readFileSync(join(open, MANIFEST), 'utf8');
    writeFileSync(join(open, MANIFEST), manifest.replace(/"bytes": \d+/, '"bytes": 1'));
    assert.is.not(verify().status, 0, 'a changed manifest');
    writeFileSync(join(open, MANIFEST), manifest);
    copyFileSync(join(open, 'calendar.pub'), join(open, JSON.parse(manifest).file));
    assert.is.not(verify().status, 0, 'another file under the name of the edition');
  },
);

exporting.run();
verifying.run();
