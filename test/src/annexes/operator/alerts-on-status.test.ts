/** H12: concerns that only the server itself can see: mails that cannot be sent, old backups, and disks that are nearly full. */
import { readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createMailer } from '../../../../src/annexes/common/mail.ts';
import { isNearlyFull, readDisk } from '../../../../src/annexes/operator/disk.ts';
import { packagePath } from '../../../../src/package.ts';
import { closedAfterEach } from '../../../helpers/closing.ts';
import { temporaryFolder } from '../../../helpers/folder.ts';
import { startMailServer } from '../../../helpers/mail-server.ts';
import { startPages } from '../../../helpers/pages.ts';
import { createFixture, START, settingsOf } from './alerting.ts';

const alerts = suite('alerts on /status');
const opened = closedAfterEach(alerts);

alerts('H12: should show on /status and in the metrics while mails cannot be sent', async () => {
  const here = createFixture();
  const settings = { ...settingsOf(here.keys), smtpUrl: new URL('smtp://127.0.0.1:1') };
  const running = opened(await startPages({ clock: () => here.now, settings }));
  const read = async () => {
    const { concerns } = JSON.parse((await running.send('/status?format=json')).text);
    const metrics = (await running.send('/metrics')).text;
    return { concerns, gauge: /almanakk_concern\{name="mail failing"\} (\d)/.exec(metrics)?.[1] };
  };
  await here.process({ mailer: createMailer(settings.smtpUrl) })();
  const { concerns, gauge } = await read();
  assert.is(gauge, '1');
  assert.is(concerns[0].name, 'mail failing');
  assert.is(concerns[0].since, new Date(START).toISOString());
  assert.is(concerns[0].details[0].en, 'no server answers at the address');
  assert.match(concerns[0].advice.en, 'announce -- --test ADDRESS');
  const server = opened(await startMailServer());
  settings.smtpUrl.port = `${server.port}`;
  await here.process({ mailer: createMailer(settings.smtpUrl) })();
  assert.equal(await read(), { concerns: [], gauge: '0' });
  assert.is(server.mails.length, 0, 'mails to find out');
});

alerts('H12: should show on /status that the last backup is missing or old', async () => {
  const here = createFixture();
  const backupMark = join(dirname(here.keys), 'backup.made');
  const settings = { ...settingsOf(here.keys), smtpUrl: null, alertTo: [], backupMark };
  const running = opened(await startPages({ clock: () => here.now, settings }));
  const backupIsOld = async () => {
    const { concerns } = JSON.parse((await running.send('/status?format=json')).text);
    const [found = null] = concerns.filter(({ name }: { readonly name: string }) => name === 'backup old');
    return found === null ? null : { since: found.since };
  };
  assert.equal(await backupIsOld(), { since: null }, 'missing');
  const secondsAgo = (hours: number) => here.now / 1_000 - hours * 3_600;
  writeFileSync(backupMark, '');
  utimesSync(backupMark, 0, secondsAgo(25));
  assert.is(await backupIsOld(), null, 'a day old');
  utimesSync(backupMark, 0, secondsAgo(27));
  assert.equal(await backupIsOld(), { since: new Date(secondsAgo(27) * 1_000).toISOString() });
  const { text } = await running.send('/metrics');
  assert.match(text, /^almanakk_concern\{name="backup old"\} 1$/m);
});

alerts('H12: should count a disk as nearly full below the bounds of the rule for Prometheus', () => {
  const rule = readFileSync(packagePath('docs/alerts.yml'), 'utf8');
  const least = Number(/free_bytes < (\d+) \* 1024 \* 1024$/m.exec(rule)?.[1]) * 1_024 * 1_024;
  const files = Number(/free_bytes < (\d+) \* almanakk_snapshot_bytes$/m.exec(rule)?.[1]);
  for (const [free, file, isExpected] of [
    [least, null, false],
    [least - 1, null, true],
    [least - 1, 1, true],
    [files * least, least, false],
    [files * least - 1, least, true],
  ] as const)
    assert.is(isNearlyFull(free, file), isExpected, `${free} bytes with a file of ${file}`);
});

alerts('H12: should show on /status that the disk is nearly full', async () => {
  const here = createFixture();
  // Linux gives its own file systems no free bytes.
  const settings = { ...settingsOf(here.keys), smtpUrl: null, alertTo: [], snapshots: '/proc' };
  const { send } = opened(await startPages({ clock: () => here.now, settings }));
  const { concerns, disk } = JSON.parse((await send('/status?format=json')).text);
  assert.equal(disk, { freeBytes: 0, fileBytes: null, isNearlyFull: true });
  assert.is(await readDisk(join(temporaryFolder(), 'none'), null), null);
  const inFile = join(packagePath('package.json'), 'snapshots');
  assert.match(
    await readDisk(inFile, null).then(() => 'read', String),
    /expected to read its size and the free space on its disk, found/,
  );
  const found = concerns.find(({ name }: { readonly name: string }) => name === 'disk nearly full');
  assert.equal(found?.details, [{ nb: '0 MB ledig', en: '0 MB free', nn: '0 MB ledig' }]);
  assert.match((await send('/metrics')).text, '\nalmanakk_concern{name="disk nearly full"} 1\n');
});

alerts.run();
