import { appendFileSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { decodeHTML } from 'entities/decode';
import PostalMime from 'postal-mime';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { runAnnounce } from '../../../../jobs/annexes/announce/command.ts';
import { runKeysCommand } from '../../../../jobs/annexes/keys/commands.ts';
import { readSettings } from '../../../../jobs/settings.ts';
import { KEY_ENTROPY } from '../../../../src/annexes/common/keys.ts';
import { assertDefined, assertMissing } from '../../../helpers/assertions.ts';
import { built, sourceOf } from '../../../helpers/build.ts';
import { makeCertificate } from '../../../helpers/certificate.ts';
import { rejects } from '../../../helpers/errors.ts';
import { temporaryFolder } from '../../../helpers/folder.ts';
import { type Arrived, startMailServer, startSilentServer } from '../../../helpers/mail-server.ts';
import { LICENCE } from '../../../helpers/native-source.ts';
import { RAW_NOTICE } from '../../../helpers/notices.ts';
import { scriptOf, startProgram } from '../../../helpers/program.ts';
import { until } from '../../../helpers/until.ts';
import { isInstalled, when } from '../../../helpers/when.ts';

const NOW = new Date('2026-11-22T10:00:00Z');
const MUSEUM = { id: 'MUSEUM', name_nb: 'Museum', name_en: 'Museum' };
const LICENCE_NOW = { ...LICENCE, name: 'Hva skjer på Røros', categories: [...LICENCE.categories, MUSEUM] };
const PAST = { ...RAW_NOTICE, id: 'past', from: '2026-11-21' };
const CHANGELOG = `# Changelog

### Planned

- 2027-01-15 \`quota\`
  - nb: **Kvote uten nøkkel.** Be om en \`nøkkel\` i tide.
  - en: **A quota without a key.** Ask for a \`key\` in time.
`;
const QUOTA = 'interface:quota@2027-01-15';
const RETIREMENT = 'calendar:museum-2027@2027-02-01';

const snapshots = temporaryFolder();
const servers: { readonly close: () => Promise<unknown> }[] = [];
const announce = suite('announce');

async function mailServer(options?: Parameters<typeof startMailServer>[0]) {
  const server = await startMailServer(options);
  servers.push(server);
  return server;
}

announce.after.each(async () => {
  for (const server of servers.splice(0)) await server.close();
});

announce.before(async () => {
  const files = { 'licence.json': LICENCE_NOW, 'notices.json': [PAST, RAW_NOTICE] };
  await built(sourceOf(3, files), snapshots);
});

/** A key file, by the commands of `npm run keys`, which `keys` runs on it. */
async function issue(applications: readonly (readonly [app: string, email?: string])[]) {
  const file = join(temporaryFolder(), 'keys.json');
  const secrets: string[] = [];
  const ids: string[] = [];
  const keys = async (...args: readonly string[]) => {
    const random = new Uint8Array(KEY_ENTROPY).fill(secrets.length + 1);
    const [key = '', line = ''] = await runKeysCommand(args, { path: file, now: NOW, random });
    if (args[0] === 'issue') {
      secrets.push(key);
      ids.push(/id (\w+)/.exec(line)?.[1] ?? '');
    }
  };
  for (const [app, email] of applications)
    await keys('issue', '--app', app, ...(email === undefined ? [] : ['--email', email]));
  return { file, secrets, ids, keys };
}

const AVIS = ['Lillevik avis', 'post@avis.example'] as const;
const RADIO = ['Radio Røros', 'vakt@radio.example'] as const;
const KIOSK = ['Kiosk', 'kiosk@sol.example'] as const;

interface Run {
  readonly port?: number;
  readonly url?: string;
  readonly args?: readonly string[];
  readonly now?: Date;
  readonly patience?: number;
  readonly changelog?: string;
}

async function run({ file }: { readonly file: string }, given: Run = {}) {
  const { port = 1, url = `smtp://127.0.0.1:${port}`, args = [], ...more } = given;
  const { settings } = readSettings(environmentFor(file, url), temporaryFolder());
  const lines: string[] = [];
  const print = (line: string) => lines.push(line);
  const code = await runAnnounce(args, { settings, changelog: CHANGELOG, now: NOW, print, ...more });
  return { code, lines };
}

const environmentFor = (file: string, url: string) => ({
  ALMANAKK_KEYS: file,
  ALMANAKK_SNAPSHOTS: snapshots,
  ALMANAKK_SMTP_URL: url,
  ALMANAKK_MAIL_FROM: 'Kalenderen på Røros <kalender@roros.example>',
  ALMANAKK_PUBLIC_URL: 'https://kalender.roros.example/',
});

const recordOf = (file: string) => join(`${file}.announced`, 'told.ndjson');
const recipientsOf = (mails: readonly Arrived[]) => mails.flatMap(({ to }) => to);

announce('K3: should mail each application at one address once, and say whom it skipped', async () => {
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
  // A key in place of a revoked one is the same application's.
  await issued.keys('revoke', avis);
  await issued.keys('issue', '--app', AVIS[0], '--email', AVIS[1]);
  assert.equal(await run(issued, server), {
    code: 0,
    lines: [
      `skipped: Lillevik avis (${other}, ${issued.ids[5]}), already notified`,
      `skipped: Uten adresse (${without}), no address`,
      `skipped: Radio Røros (${radio}), already notified`,
    ],
  });
  assert.equal(recipientsOf(server.mails), ['post@avis.example', 'vakt@radio.example']);
});

announce('K3: should write mails that arrive as meant, in both languages and forms', async () => {
  const server = await mailServer();
  const issued = await issue([AVIS, RADIO]);
  const [avis = ''] = issued.ids;
  await run(issued, server);
  const [first, second] = server.mails;
  assertDefined(first, 'a mail');
  assertDefined(second, 'a second mail');
  assert.is(first.from, 'kalender@roros.example');
  const mail = await PostalMime.parse(first.raw);
  assert.equal(mail.from, { name: 'Kalenderen på Røros', address: 'kalender@roros.example' });
  assert.equal(mail.to, [{ name: '', address: 'post@avis.example' }]);
  assert.is(mail.subject, 'Hva skjer på Røros: endringer fra 15. januar 2027 / changes from 15 January 2027');
  assert.is(mail.date, '2026-11-22T10:00:00.000Z');
  for (const text of [mail.text ?? '', mail.html ?? '']) {
    for (const part of PARTS) assert.match(decodeHTML(text.replace(/<\/?code>/g, '`')), part);
  }
  assert.match(mail.html ?? '', '<div lang="en">');
  assert.not.match(mail.html ?? '', '<nå>');
  assert.not.match(mail.text ?? '', 'past');
  const header = (name: string) => mail.headers.filter(({ key }) => key === name).map(({ value }) => value);
  const [messageId = ''] = header('message-id');
  assert.match(messageId, /^<[0-9a-f]{40}@roros\.example>$/);
  assert.equal(header('list-unsubscribe'), [`<mailto:kalender@roros.example?subject=unsubscribe%20${avis}>`]);
  assert.equal(header('auto-submitted'), ['auto-generated']);
  // Lines that mail servers take: ASCII, and short enough (RFC 5322).
  for (const line of first.raw.split('\r\n')) assert.match(line, /^[\t -~]{0,998}$/);
  assert.is.not((await PostalMime.parse(second.raw)).messageId, mail.messageId);
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

announce('K3: should print with --dry-run what would go to whom, and do nothing', async () => {
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

announce('K3: should go on behind a refused recipient, and show no key and no other address', async () => {
  const refuse = (to: string) =>
    to === 'vakt@radio.example' ? `550 5.1.1 <${to}>: no such user here` : undefined;
  const server = await mailServer({ refuse });
  const issued = await issue([AVIS, RADIO, KIOSK]);
  const { code, lines } = await run(issued, server);
  assert.is(code, 1);
  assert.match(lines[1] ?? '', /^not reached: Radio Røros \(\w+\), .*550 .*no such user here/);
  assert.match(lines[2] ?? '', /^sent: Kiosk/);
  const record = readFileSync(recordOf(issued.file), 'utf8');
  assert.is(statSync(recordOf(issued.file)).mode & 0o777, 0o600);
  const hashes = JSON.parse(readFileSync(issued.file, 'utf8')).keys.map(({ hash }: { hash: string }) => hash);
  for (const text of [...server.mails.map(({ raw }) => raw), lines.join('\n'), record])
    for (const secret of [...issued.secrets, ...hashes]) assert.not.match(text, secret);
  for (const [, email] of [AVIS, RADIO, KIOSK]) {
    assert.not.match(lines.join('\n') + record, email);
    for (const { to, raw } of server.mails) assert.is(raw.includes(email), to.includes(email), email);
  }
  // Taken the next time, it is told then, and the others are not told twice.
  const later = await mailServer();
  assert.is((await run(issued, later)).code, 0);
  assert.equal(recipientsOf(later.mails), ['vakt@radio.example']);
});

announce('K3: should try a silent mail server twice, then give up', async () => {
  const silent = await startSilentServer();
  servers.push(silent);
  const issued = await issue([AVIS, RADIO, KIOSK]);
  const { code, lines } = await run(issued, { port: silent.port, patience: 100 });
  assert.is(code, 1);
  const why = '(Greeting never received|Connection timeout|Timeout)';
  assert.match(lines[0] ?? '', new RegExp(`^not reached: Lillevik avis \\(\\w+\\), ${why}`));
  assert.match(lines[1] ?? '', new RegExp(`^not reached: Radio Røros .*, ${why}`));
  assert.match(lines[2] ?? '', /^not reached: Kiosk \(\w+\), no further attempts$/);
  assertMissing(recordOf(issued.file));
  // Nor does it wait for ever for an answer to a mail.
  const hanging = await mailServer({ onMail: () => 'hang' });
  const waited = await run(issued, { port: hanging.port, patience: 200 });
  assert.match(waited.lines[0] ?? '', /^not reached: Lillevik avis \(\w+\), Timeout/);
});

announce('K3: should send nobody the same twice when it is killed, and run again', async () => {
  let isStuck = false;
  const stuck = await mailServer({
    onMail: (_mail, count) => {
      isStuck = count === 3;
      return isStuck ? 'hang' : 'take';
    },
  });
  const issued = await issue([AVIS, RADIO, KIOSK, ['Fjerde', 'fire@fjerde.example']]);
  const env = environmentFor(issued.file, `smtp://127.0.0.1:${stuck.port}`);
  const program = startProgram({ script: scriptOf('jobs/cli'), args: ['announce'], env });
  await until('the third mail', () => isStuck);
  program.kill('SIGKILL');
  await program.ended;
  assert.is(readFileSync(recordOf(issued.file), 'utf8').trimEnd().split('\n').length, 2);
  const server = await mailServer();
  assert.is((await run(issued, { port: server.port, changelog: '' })).code, 0);
  // Taken or not when the run died: under one Message-ID, so that it is shown once.
  const idOf = async (mail: Arrived | undefined) => (await PostalMime.parse(mail?.raw ?? '')).messageId;
  assert.is(await idOf(stuck.mails[2]), await idOf(server.mails[0]));
  assert.equal(recipientsOf(stuck.mails), ['post@avis.example', 'vakt@radio.example', 'kiosk@sol.example']);
  assert.equal(recipientsOf(server.mails), ['kiosk@sol.example', 'fire@fjerde.example']);
});

announce('K3: should skip a torn line of its record, and refuse a file that is no record', async () => {
  const server = await mailServer();
  const issued = await issue([AVIS, RADIO]);
  await run(issued, server);
  const file = recordOf(issued.file);
  const [first = '', second = ''] = readFileSync(file, 'utf8').split('\n');
  writeFileSync(file, `${first}\n${second.slice(0, -5)}`);
  const { lines } = await run(issued, server);
  assert.match(lines.join('\n'), /^skipped: Lillevik avis .*\nsent: Radio Røros/);
  assert.equal(
    (await run(issued, server)).lines.map((line) => line.split(':')[0]),
    ['skipped', 'skipped'],
  );
  appendFileSync(file, '{"at":5}\n');
  const finding = /told\.ndjson:4: expected a line about a sent mail/;
  await rejects(run(issued, server), 'INVALID_SETTING', finding);
  assert.is(server.mails.length, 3);
});

announce('K3: should name what is missing before it sends the first mail', async () => {
  const { file: keys } = await issue([AVIS]);
  const settings = { keys, snapshots, smtpUrl: null, mailFrom: null, publicUrl: null };
  const telling = (changes: object, ...args: readonly string[]) =>
    runAnnounce(args, {
      changelog: CHANGELOG,
      now: NOW,
      print: () => undefined,
      settings: { ...settings, ...changes },
    });
  const refused = (work: Promise<unknown>, message: RegExp) => rejects(work, 'INVALID_SETTING', message);
  await refused(telling({}), /^ALMANAKK_SMTP_URL: expected to be set, found nothing$/);
  const smtpUrl = new URL('smtp://127.0.0.1:1');
  await refused(telling({ smtpUrl }), /^ALMANAKK_MAIL_FROM: expected to be set/);
  assert.is(await telling({}, '--dry-run'), 0, 'which needs neither');
  const nowhere = telling({ snapshots: temporaryFolder() });
  await rejects(nowhere, 'SNAPSHOT_UNUSABLE', /expected a snapshot, found none/);
  await refused(telling({}, '--all'), /Unknown option '--all'.*Usage: npm run announce/s);
});

const withOpenssl = when(isInstalled('openssl'), 'openssl is not installed here', announce);

withOpenssl('K3: should speak TLS where it has a password to give, and give it to nobody else', async () => {
  const certificate = makeCertificate();
  const [user, password] = ['kalender', 'hemmelig/æøå'];
  const server = await mailServer({ secured: { certificate, user, password } });
  const plain = await mailServer();
  const implicit = await mailServer({ secured: { certificate, user, password, implicit: true } });
  const announceAt = async (port: number, secret: string, scheme: string) => {
    const { file } = await issue([AVIS]);
    const url = `${scheme}://${user}:${encodeURIComponent(secret)}@localhost:${port}`;
    const env = { ...environmentFor(file, url), NODE_EXTRA_CA_CERTS: certificate.file };
    const program = startProgram({ script: scriptOf('jobs/cli'), args: ['announce'], env });
    const { code } = await program.ended;
    const text = program.lines.join('\n');
    assert.not.match(text, secret);
    return { code, text };
  };
  for (const [port, secret, scheme, expected, line] of [
    [server.port, password, 'smtp', 0, /^sent: Lillevik avis/],
    [implicit.port, password, 'smtps', 0, /^sent: Lillevik avis/],
    [plain.port, password, 'smtp', 1, /not reached: Lillevik avis .*STARTTLS/],
    [server.port, 'noe annet', 'smtp', 1, /not reached: Lillevik avis .*535/],
  ] as const) {
    const { code, text } = await announceAt(port, secret, scheme);
    assert.is(code, expected, text);
    assert.match(text, line);
  }
  for (const { mails } of [server, implicit]) {
    const [mail, ...more] = mails;
    assert.equal([mail?.secure, mail?.user, more.length], [true, user, 0]);
  }
  assert.equal(plain.tried, []);
  // A certificate that nobody vouches for: this process has not been told of it.
  const { code, lines } = await run(await issue([AVIS]), {
    url: `smtp://${user}:x@localhost:${server.port}`,
  });
  assert.is(code, 1);
  assert.match(lines[0] ?? '', /not reached: Lillevik avis .*self-signed certificate/);
});

announce('K3: should send one mail by --test, without a key, or say why not', async () => {
  const server = await mailServer({
    refuse: (to) => (to.startsWith('gone') ? '550 No such user' : undefined),
  });
  const test = (to: string, port = server.port) => run({ file: 'nowhere' }, { port, args: ['--test', to] });
  const address = 'drift@by.example';
  assert.equal(await test(address), { code: 0, lines: [`sent: ${address}`] });
  const { subject, text } = await PostalMime.parse(server.mails[0]?.raw ?? '');
  assert.is(subject, 'almanakk: e-post virker / email works');
  assert.match(text ?? '', /er en test.*This is a test/s);
  const { code, lines } = await test('gone@by.example');
  assert.is(code, 1);
  assert.match(lines.join(), /^not sent: gone@by\.example, .*550/);
  assert.match((await test(address, 1)).lines.join(), 'ECONNREFUSED');
  await rejects(test('drift'), 'INVALID_SETTING', /^--test: expected an email address, found "drift"/);
});

announce.run();
