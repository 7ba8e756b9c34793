/** Mails about planned changes: to whom, with what text, and what `--dry-run` and `--test` print. */
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { decodeHTML } from 'entities/decode';
import PostalMime from 'postal-mime';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { runAnnounce } from '../../../../jobs/annexes/announce/command.ts';
import { assertDefined, assertIncludes, assertMissing } from '../../../helpers/assertions.ts';
import { rejects } from '../../../helpers/errors.ts';
import { temporaryFolder } from '../../../helpers/folder.ts';
import {
  AVIS,
  CHANGELOG,
  issue,
  KIOSK,
  mailServer,
  NOW,
  prepare,
  QUOTA,
  RADIO,
  RETIREMENT,
  recipientsOf,
  recordOf,
  run,
  snapshots,
} from './announcing.ts';

const announce = suite('announce');
prepare(announce);

announce('K3: should mail each application once, and print the ones without an address', async () => {
  const server = await mailServer();
  const issued = await issue([AVIS, ['Uten adresse'], RADIO, KIOSK, AVIS]);
  const [avis = '', without = '', radio = '', kiosk = '', other = ''] = issued.ids;
  await issued.keys('revoke', kiosk);
  assert.equal(await run(issued, server), {
    code: 0,
    lines: [
      `sent: Lillevik avis (${avis}, ${other}): ${QUOTA}, ${RETIREMENT}`,
      `skipped: Uten adresse (${without}), no address`,
      `sent: Radio Røros (${radio}): ${QUOTA}, ${RETIREMENT}`,
    ],
  });
  assert.equal(recipientsOf(server.mails), ['post@avis.example', 'vakt@radio.example']);
});

announce('K3: should skip an application with a new key for a revoked one as already notified', async () => {
  const server = await mailServer();
  const issued = await issue([AVIS]);
  await run(issued, server);
  await issued.keys('revoke', issued.ids[0] ?? '');
  await issued.keys('issue', '--app', AVIS[0], '--email', AVIS[1]);
  assert.equal(await run(issued, server), {
    code: 0,
    lines: [`skipped: Lillevik avis (${issued.ids[1]}), already notified`],
  });
  assert.equal(recipientsOf(server.mails), ['post@avis.example']);
});

/** The mail to an application, as sent and as a mail program reads it. */
async function mailTo(application: readonly [app: string, email: string]) {
  const server = await mailServer();
  const issued = await issue([application]);
  await run(issued, server);
  const [arrived] = server.mails;
  assertDefined(arrived, 'a mail');
  return { arrived, mail: await PostalMime.parse(arrived.raw), id: issued.ids[0] ?? '' };
}

announce('K3: should describe the changes in Norwegian and English, as plain text and as HTML', async () => {
  const { mail } = await mailTo(AVIS);
  const { html, text: plain } = mail;
  assertDefined(html, 'a part in HTML');
  assertDefined(plain, 'a part in plain text');
  for (const text of [plain, html]) {
    for (const part of PARTS) assertIncludes(decodeHTML(text.replace(/<\/?code>/g, '`')), part);
  }
  assert.match(html, '<div lang="en">');
  assert.not.match(html, '<nå>');
  assert.not.match(plain, 'past');
});

announce('K3: should write the headers that mail servers and mail programs expect', async () => {
  const { arrived, mail, id } = await mailTo(AVIS);
  assert.is(arrived.from, 'kalender@roros.example');
  assert.equal(mail.from, { name: 'Kalenderen på Røros', address: 'kalender@roros.example' });
  assert.equal(mail.to, [{ name: '', address: 'post@avis.example' }]);
  assert.is(mail.subject, 'Hva skjer på Røros: endringer fra 15. januar 2027 / changes from 15 January 2027');
  assert.is(mail.date, '2026-11-22T10:00:00.000Z');
  const header = (name: string) => mail.headers.filter(({ key }) => key === name).map(({ value }) => value);
  const [messageId = ''] = header('message-id');
  assert.match(messageId, /^<[0-9a-f]{40}@roros\.example>$/);
  assert.equal(header('list-unsubscribe'), [`<mailto:kalender@roros.example?subject=unsubscribe%20${id}>`]);
  assert.equal(header('auto-submitted'), ['auto-generated']);
  // Lines that mail servers take: ASCII, and short enough (RFC 5322).
  for (const line of arrived.raw.split('\r\n')) assert.match(line, /^[\t -~]{0,998}$/);
  const other = await mailTo(RADIO);
  assert.is.not(other.mail.messageId, mail.messageId);
});

/** Texts of a mail in both of its forms. */
const PARTS = [
  'Til dere som har laget Lillevik avis',
  '15. januar 2027: Kvote uten nøkkel',
  'Be om en `nøkkel` i tide.',
  '1. februar 2027: Kategorien «Museum» legges ned – følg med',
  'Ærlig talt: på Røros også.',
  'Bruk `ART` der du spør etter `MUSEUM` <nå>.',
  '`MUSEUM` legges ned og erstattes av `ART`, `MUSIC`',
  'https://kalender.roros.example/changelog?lang=nb',
  '15 January 2027: A quota without a key',
  '1 February 2027: The category “Museum” is retired & replaced',
  'Ask for `ART` where you ask for `MUSEUM` <today>.',
  '`MUSEUM` is retired and replaced by `ART`, `MUSIC`',
  'https://kalender.roros.example/changelog?lang=en',
];

announce('K3: should print the recipients and mails with --dry-run, and send nothing', async () => {
  const issued = await issue([AVIS, RADIO]);
  const server = await mailServer();
  const { code, lines } = await run(issued, { port: server.port, args: ['--dry-run'] });
  assert.is(code, 0);
  const text = lines.join('\n');
  assert.match(text, `would notify: Lillevik avis (${issued.ids[0]}): ${QUOTA}, ${RETIREMENT}`);
  assert.match(text, 'To: vakt@radio.example\nSubject: Hva skjer på Røros: endringer fra 15. januar 2027');
  assert.match(text, 'Bruk `ART` der du spør etter `MUSEUM` <nå>.');
  assert.equal(server.tried, []);
  assertMissing(`${issued.file}.announced`);
});

announce('K3: should announce new and moved changes, but none that has taken effect', async () => {
  const server = await mailServer();
  const issued = await issue([AVIS]);
  const [id = ''] = issued.ids;
  const lineOf = async (changelog: string, now = NOW) =>
    (await run(issued, { port: server.port, changelog, now })).lines;
  assert.equal(await lineOf(''), [`sent: Lillevik avis (${id}): ${RETIREMENT}`]);
  assert.equal(await lineOf(CHANGELOG), [`sent: Lillevik avis (${id}): ${QUOTA}`]);
  const moved = CHANGELOG.replace('2027-01-15', '2027-01-20');
  assert.equal(await lineOf(moved), [`sent: Lillevik avis (${id}): interface:quota@2027-01-20`]);
  assert.equal(await lineOf(CHANGELOG, new Date('2027-02-01T00:00:00Z')), [
    `skipped: Lillevik avis (${id}), already notified`,
  ]);
  assert.equal(await lineOf(CHANGELOG, new Date('2027-02-02T00:00:00Z')), [
    'nothing is planned: no emails to send',
  ]);
});

announce('K3: should mail an application again if its line in the record is torn', async () => {
  const server = await mailServer();
  const issued = await issue([AVIS, RADIO]);
  await run(issued, server);
  const file = recordOf(issued.file);
  const [first = '', second = ''] = readFileSync(file, 'utf8').split('\n');
  writeFileSync(file, `${first}\n${second.slice(0, -5)}`);
  const { lines } = await run(issued, server);
  assert.match(lines.join('\n'), /^skipped: Lillevik avis .*\nsent: Radio Røros/);
  const again = await run(issued, server);
  assert.match(again.lines.join('\n'), /^skipped: Lillevik avis .*\nskipped: Radio Røros/);
});

announce('K3: should refuse a record with another line, and send nothing', async () => {
  const server = await mailServer();
  const issued = await issue([AVIS]);
  await run(issued, server);
  appendFileSync(recordOf(issued.file), '{"at":5}\n');
  const finding = /told\.ndjson:2: expected a line about a sent mail/;
  await rejects(run(issued, server), 'INVALID_SETTING', finding);
  assert.is(server.mails.length, 1, 'mails');
});

announce('K3: should name a missing setting before it sends the first mail', async () => {
  const { file: keys } = await issue([AVIS]);
  const settings = { keys, snapshots, smtpUrl: null, mailFrom: null, publicUrl: null, alertTo: [] };
  const announceWith = (changes: object, ...args: readonly string[]) =>
    runAnnounce(args, {
      changelog: CHANGELOG,
      now: NOW,
      print: () => undefined,
      readInput: async () => '',
      settings: { ...settings, ...changes },
    });
  const refused = (work: Promise<unknown>, message: RegExp) => rejects(work, 'INVALID_SETTING', message);
  await refused(announceWith({}), /^ALMANAKK_SMTP_URL: expected to be set, found nothing$/);
  const smtpUrl = new URL('smtp://127.0.0.1:1');
  await refused(announceWith({ smtpUrl }), /^ALMANAKK_MAIL_FROM: expected to be set/);
  assert.is(await announceWith({}, '--dry-run'), 0, '--dry-run, which needs neither');
  const empty = announceWith({ snapshots: temporaryFolder() });
  await rejects(empty, 'SNAPSHOT_UNUSABLE', /expected a snapshot, found none/);
  await refused(announceWith({}, '--all'), /Unknown option '--all'.*Usage: npm run announce/s);
});

const sendTest = (to: string, port: number) => run({ file: 'nowhere' }, { port, args: ['--test', to] });

announce('K3: should send one mail by --test, without a key', async () => {
  const { port, mails } = await mailServer();
  const address = 'drift@by.example';
  assert.equal(await sendTest(address, port), { code: 0, lines: [`sent: ${address}`] });
  const { subject, text } = await PostalMime.parse(mails[0]?.raw ?? '');
  assert.is(subject, 'almanakk: e-post virker / email works');
  assert.match(text ?? '', /er en test.*This is a test/s);
});

announce('K3: should print why --test has not sent its mail', async () => {
  const { port } = await mailServer({ refuse: () => '550 No such user' });
  const refused = await sendTest('gone@by.example', port);
  assert.is(refused.code, 1);
  assert.match(refused.lines.join(), /^not sent: gone@by\.example, .*550/);
  assert.match((await sendTest('drift@by.example', 1)).lines.join(), 'ECONNREFUSED');
  const wrong = sendTest('drift', port);
  await rejects(wrong, 'INVALID_SETTING', /^--test: expected an email address, found "drift"/);
});

announce(
  'K3: should send the input to each operator by --alert, and exit with 1 if one is not reached',
  async () => {
    const { port, mails } = await mailServer({
      refuse: (to) => (to.startsWith('gone') ? '550 No such user' : undefined),
    });
    const alert = (alertTo: string) =>
      run(
        { file: 'nowhere' },
        { port, alertTo, args: ['--alert', 'almanakk-backup.service failed'], input: 'Disken er full.\n' },
      );
    const to = 'drift@by.example, Vakt <vakt@by.example>';
    assert.equal(await alert(to), { code: 0, lines: ['sent: drift@by.example', 'sent: vakt@by.example'] });
    assert.equal(recipientsOf(mails), ['drift@by.example', 'vakt@by.example']);
    const { subject, text } = await PostalMime.parse(mails[1]?.raw ?? '');
    assert.equal([subject, text], ['almanakk-backup.service failed', 'Disken er full.\n']);
    const { code, lines } = await alert('gone@by.example, drift@by.example');
    assert.is(code, 1);
    assert.match(lines.join('\n'), /^not sent: gone@by\.example, .*550.*\nsent: drift@by\.example$/);
    await rejects(alert(''), 'INVALID_SETTING', /^ALMANAKK_ALERT_TO: expected to be set, found nothing$/);
  },
);

announce.run();
