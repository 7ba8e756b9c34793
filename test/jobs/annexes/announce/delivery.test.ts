/** Announcements when mail servers refuse, fall silent, want passwords or cannot be trusted, and when the command is killed. */
import { readFileSync, statSync } from 'node:fs';
import PostalMime from 'postal-mime';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { assertMissing } from '../../../helpers/assertions.ts';
import { type Certificate, makeCertificate } from '../../../helpers/certificate.ts';
import type { Arrived } from '../../../helpers/mail-server.ts';
import { scriptOf, startProgram } from '../../../helpers/program.ts';
import { startSilentServer } from '../../../helpers/silent-server.ts';
import { until } from '../../../helpers/until.ts';
import { isExpected, when } from '../../../helpers/when.ts';
import {
  AVIS,
  closing,
  environmentFor,
  issue,
  KIOSK,
  mailServer,
  prepare,
  RADIO,
  recipientsOf,
  recordOf,
  run,
} from './announcing.ts';

const delivery = suite('delivery of announcements');
prepare(delivery);

const refuseRadio = (to: string) =>
  to === 'vakt@radio.example' ? `550 5.1.1 <${to}>: no such user here` : undefined;

delivery(
  'K3: should mail the others if a recipient is refused, and only that one the next time',
  async () => {
    const server = await mailServer({ refuse: refuseRadio });
    const issued = await issue([AVIS, RADIO, KIOSK]);
    const { code, lines } = await run(issued, server);
    assert.is(code, 1, 'exit code');
    assert.match(lines[1] ?? '', /^not reached: Radio Røros \(\w+\), .*550 .*no such user here/);
    assert.match(lines[2] ?? '', /^sent: Kiosk/);
    const later = await mailServer();
    assert.is((await run(issued, later)).code, 0, 'exit code of the second run');
    assert.equal(recipientsOf(later.mails), ['vakt@radio.example']);
  },
);

delivery(
  'K3: should write no key, and no address of another recipient, to mails, output and record',
  async () => {
    const server = await mailServer({ refuse: refuseRadio });
    const issued = await issue([AVIS, RADIO, KIOSK]);
    const { lines } = await run(issued, server);
    assert.equal(recipientsOf(server.mails), ['post@avis.example', 'kiosk@sol.example']);
    const record = readFileSync(recordOf(issued.file), 'utf8');
    assert.is(statSync(recordOf(issued.file)).mode & 0o777, 0o600);
    const hashes = JSON.parse(readFileSync(issued.file, 'utf8')).keys.map(
      ({ hash }: { hash: string }) => hash,
    );
    for (const text of [...server.mails.map(({ raw }) => raw), lines.join('\n'), record])
      for (const secret of [...issued.secrets, ...hashes]) assert.not.match(text, secret);
    for (const [, email] of [AVIS, RADIO, KIOSK]) {
      assert.not.match(lines.join('\n') + record, email);
      for (const { to, raw } of server.mails) assert.is(raw.includes(email), to.includes(email), email);
    }
  },
);

delivery('K3: should try a silent mail server twice, then give up', async () => {
  const silent = closing(await startSilentServer());
  const issued = await issue([AVIS, RADIO, KIOSK]);
  const { code, lines } = await run(issued, { port: silent.port, patience: 100 });
  assert.is(code, 1);
  const why = '(Greeting never received|Connection timeout|Timeout)';
  assert.match(lines[0] ?? '', new RegExp(`^not reached: Lillevik avis \\(\\w+\\), ${why}`));
  assert.match(lines[1] ?? '', new RegExp(`^not reached: Radio Røros .*, ${why}`));
  assert.match(lines[2] ?? '', /^not reached: Kiosk \(\w+\), no further attempts$/);
  assertMissing(recordOf(issued.file));
});

delivery('K3: should give up a mail that the server does not answer', async () => {
  const hanging = await mailServer({ onMail: () => 'hang' });
  const { lines } = await run(await issue([AVIS]), { port: hanging.port, patience: 200 });
  assert.match(lines[0] ?? '', /^not reached: Lillevik avis \(\w+\), Timeout/);
});

delivery('K3: should send nobody the same twice when it is killed, and run again', async () => {
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
  // The third mail may have been delivered or not when the run died. With one Message-ID, mail programs show it once.
  const idOf = async (mail: Arrived | undefined) => (await PostalMime.parse(mail?.raw ?? '')).messageId;
  assert.is(await idOf(stuck.mails[2]), await idOf(server.mails[0]));
  assert.equal(recipientsOf(stuck.mails), ['post@avis.example', 'vakt@radio.example', 'kiosk@sol.example']);
  assert.equal(recipientsOf(server.mails), ['kiosk@sol.example', 'fire@fjerde.example']);
});

const withOpenssl = when(isExpected('openssl'), 'openssl is not installed here', delivery);

const USER = 'kalender';
const PASSWORD = 'hemmelig/æøå';

interface Login {
  readonly port: number;
  readonly scheme: 'smtp' | 'smtps';
  readonly password: string;
  readonly certificate: Certificate;
}

/** Announces to one application, with a program that trusts the certificate. */
async function announceAt({ port, scheme, password, certificate }: Login) {
  const { file } = await issue([AVIS]);
  const url = `${scheme}://${USER}:${encodeURIComponent(password)}@localhost:${port}`;
  const env = { ...environmentFor(file, url), NODE_EXTRA_CA_CERTS: certificate.file };
  const program = startProgram({ script: scriptOf('jobs/cli'), args: ['announce'], env });
  const { code } = await program.ended;
  const text = program.lines.join('\n');
  assert.not.match(text, password);
  return { code, text };
}

for (const scheme of ['smtp', 'smtps'] as const) {
  withOpenssl(`K3: should log in over TLS to a server at ${scheme}://`, async () => {
    const certificate = makeCertificate();
    const implicit = scheme === 'smtps';
    const { port, mails } = await mailServer({
      secured: { certificate, user: USER, password: PASSWORD, implicit },
    });
    const { code, text } = await announceAt({ port, scheme, password: PASSWORD, certificate });
    assert.match(text, /^sent: Lillevik avis/);
    assert.is(code, 0, text);
    assert.equal(
      mails.map(({ secure, user }) => ({ secure, user })),
      [{ secure: true, user: USER }],
    );
  });
}

withOpenssl('K3: should report a wrong password', async () => {
  const certificate = makeCertificate();
  const { port, mails } = await mailServer({ secured: { certificate, user: USER, password: PASSWORD } });
  const { code, text } = await announceAt({ port, scheme: 'smtp', password: 'noe annet', certificate });
  assert.match(text, /not reached: Lillevik avis .*535/);
  assert.is(code, 1, text);
  assert.equal(mails, []);
});

withOpenssl('K3: should give its password to no server without TLS', async () => {
  const certificate = makeCertificate();
  const { port, tried } = await mailServer();
  const { code, text } = await announceAt({ port, scheme: 'smtp', password: PASSWORD, certificate });
  assert.match(text, /not reached: Lillevik avis .*STARTTLS/);
  assert.is(code, 1, text);
  assert.equal(tried, []);
});

withOpenssl(
  'K3: should give its password to no server with a certificate that it does not trust',
  async () => {
    const secured = { certificate: makeCertificate(), user: USER, password: PASSWORD };
    const { port, tried } = await mailServer({ secured });
    // This process does not know the certificate.
    const { code, lines } = await run(await issue([AVIS]), { url: `smtp://${USER}:x@localhost:${port}` });
    assert.match(lines[0] ?? '', /not reached: Lillevik avis .*self-signed certificate/);
    assert.is(code, 1);
    assert.equal(tried, []);
  },
);

delivery.run();
