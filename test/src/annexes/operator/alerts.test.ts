/** H12: mails to the operator about concerns that last. Time is counted in looks, one a minute. */
import { readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createMailer } from '../../../../src/annexes/common/mail.ts';
import { createAlerts, stateFile } from '../../../../src/annexes/operator/alerts.ts';
import { concernOf } from '../../../../src/annexes/operator/concerns.ts';
import { plainly } from '../../../../src/annexes/operator/reasons.ts';
import { contextOf, type GivenSettings } from '../../../helpers/annex.ts';
import { assertExists, assertMissing } from '../../../helpers/assertions.ts';
import { closedAfterEach } from '../../../helpers/closing.ts';
import { rejects } from '../../../helpers/errors.ts';
import { startMailServer } from '../../../helpers/mail-server.ts';
import { assertInNynorsk } from '../../../helpers/nynorsk.ts';
import { until } from '../../../helpers/until.ts';
import { createFixture, DOWN, MINUTE, START, settingsOf, TO } from './alerting.ts';

const alerts = suite('alerts');
const opened = closedAfterEach(alerts);

alerts('H12: should mail a concern that has lasted ten minutes, once', async () => {
  const here = createFixture();
  const look = here.process();
  here.concerns = [concernOf('build failed')];
  await here.pass(10, look);
  assert.is(here.mails.length, 0, 'mails within ten minutes');
  await here.pass(1, look);
  assert.is(here.mails.length, 1, 'mails after ten minutes');
  await here.pass(120, look);
  assert.is(here.mails.length, 1, 'mails two hours later');
});

alerts('H12: should mail nothing while it cannot read which mails were sent', async () => {
  const here = createFixture();
  const look = here.process();
  const file = stateFile(here.keys);
  symlinkSync(basename(file), file);
  here.concerns = [concernOf('build failed')];
  await here.pass(120, look);
  assert.is(here.mails.length, 0, 'mails while the file is a link to itself');
  rmSync(file);
  await here.pass(12, look);
  assert.is(here.mails.length, 1, 'mails once it is gone');
});

alerts('H12: should mail the end of a mailed concern, once', async () => {
  const here = createFixture();
  const look = here.process();
  here.concerns = [concernOf('build failed')];
  await here.pass(120, look);
  here.concerns = [];
  await here.pass(120, look);
  assert.equal(
    here.mails.map(({ subject }) => subject),
    [
      'Hva skjer: 1 ting å se på / 1 thing to look into',
      'Hva skjer: alt er i orden igjen / all is well again',
    ],
  );
});

alerts('H12: should say in both languages what failed, since when, where, and what to do', async () => {
  const here = createFixture();
  here.concerns = [concernOf('build failed', { details: [plainly('events.json: expected an array')] })];
  await here.pass(11, here.process());
  const [{ text = '' } = {}] = here.mails;
  assert.match(text, /Siste bygging eller kopiering mislyktes.*siden 22\. november 2026 kl\. 10\.00/);
  for (const part of [
    'The last build or copy failed',
    'events.json: expected an array',
    'This is about the calendar “Hva skjer” on the server tre.',
    'Fix the error that the message describes. The log has the details.\n',
    'Details: https://by.example/status\n',
  ])
    assert.match(text, part);
});

alerts('H12: should write Nynorsk in place of Bokmål, in a calendar whose Norwegian it is', async () => {
  const here = createFixture();
  const look = here.process({ norwegian: () => 'nn' });
  here.concerns = [
    concernOf('feed failing', {
      parts: [{ id: 'hall', since: null, detail: plainly('ECONNREFUSED', 'hall') }],
    }),
  ];
  await here.pass(120, look);
  here.concerns = [];
  await here.pass(120, look);
  const [begun = '', over = ''] = here.mails.map(({ subject, text }) => `${subject}\n${text}`);
  assert.match(
    begun,
    /^Hva skjer: 1 ting å sjå på \/ 1 thing to look into\n\(English below\.\) Dette gjeld kalenderen/,
  );
  assert.match(begun, 'hall: ingen server svarar på adressa');
  assert.match(begun, 'hall: no server answers at the address');
  assert.match(over, 'problemet byrja 22. november 2026');
  for (const text of [begun, over])
    assertInNynorsk(`<body>${text.replaceAll('Hva skjer', '').split('-'.repeat(40))[0]}</body>`);
});

alerts('H12: should not mail that mails cannot be sent', async () => {
  const here = createFixture();
  here.concerns = [concernOf('mail failing')];
  await here.pass(120, here.process());
  assert.equal(here.mails, []);
});

interface Spells {
  readonly title: string;
  /** Minutes with and without the concern, in turns. */
  readonly minutes: readonly number[];
  /** The minute of the mail. */
  readonly mailedAt: number | null;
}

const SPELLS: readonly Spells[] = [
  {
    title: 'send no mail about a concern that ends again and again before its tenth minute',
    minutes: [9, 5, 9, 5, 9, 5],
    mailedAt: null,
  },
  {
    title: 'count on over a minute without the concern',
    minutes: [5, 1, 20],
    mailedAt: 10,
  },
  {
    title: 'count afresh after two minutes without the concern',
    minutes: [5, 2, 20],
    mailedAt: 17,
  },
];

for (const { title, minutes, mailedAt } of SPELLS) {
  alerts(`H12: should ${title}`, async () => {
    const here = createFixture();
    const look = here.process();
    for (const [place, count] of minutes.entries()) {
      here.concerns = place % 2 === 0 ? [concernOf('feed failing')] : [];
      await here.pass(count, look);
    }
    const [mail] = here.mails;
    assert.is(mail === undefined ? null : (mail.date.getTime() - START) / MINUTE, mailedAt);
  });
}

alerts('H12: should send at most one mail an hour, with all concerns', async () => {
  const here = createFixture();
  const { pass, mails } = here;
  const look = here.process();
  here.concerns = [concernOf('build failed')];
  await pass(11, look);
  here.concerns = [concernOf('feed failing'), concernOf('store failing')];
  await pass(59, look);
  assert.is(mails.length, 1);
  await pass(2, look);
  assert.is(mails.length, 2);
  for (const part of ['One or more feeds', 'The object store', 'The last build or copy failed'])
    assert.match(mails[1]?.text ?? '', part);
  assert.is(mails[1]?.subject, 'Hva skjer: 2 ting å se på / 2 things to look into');
});

alerts('H12: should not repeat a mail after a restart, nor from a process that does not build', async () => {
  const here = createFixture();
  here.concerns = [concernOf('build failed')];
  const server = here.process({ concerns: async () => [] });
  await here.pass(11, here.process(), server);
  await here.pass(90, here.process(), server);
  assert.is(here.mails.length, 1);
});

alerts('H12: should keep its state in a file for the owner alone, without addresses', async () => {
  const here = createFixture();
  here.concerns = [concernOf('build failed')];
  await here.pass(11, here.process());
  const file = stateFile(here.keys);
  assert.is(statSync(file).mode & 0o777, 0o600);
  assert.not.match(readFileSync(file, 'utf8'), '@');
});

alerts('H12: should log once an hour that mails cannot be sent, with the number of tries', async () => {
  const here = createFixture();
  const look = here.process();
  here.isDown = true;
  here.concerns = [concernOf('no snapshot')];
  await look();
  await here.pass(121, look);
  assert.equal(
    here.logged,
    [1, 62, 122].map((tries) => `mails cannot be sent tries=${tries}`),
  );
});

alerts('H12: should send the mail as soon as mails can be sent again', async () => {
  const here = createFixture();
  const look = here.process();
  here.isDown = true;
  here.concerns = [concernOf('no snapshot')];
  await here.pass(121, look);
  assert.equal(here.mails, []);
  here.isDown = false;
  await here.pass(121, look);
  assert.is(here.mails.length, 1);
});

/** A mail about a concern, from a server that refuses the first of two recipients. */
async function mailToTwo() {
  const here = createFixture();
  const server = opened(
    await startMailServer({ refuse: (to) => (to.startsWith('gone') ? '550 No such user' : undefined) }),
  );
  here.concerns = [concernOf('no snapshot', { details: [plainly('line\u2028two')] })];
  const mailer = createMailer(new URL(`smtp://127.0.0.1:${server.port}`));
  const alertTo = [{ name: '', address: 'gone@by.example' }, ...TO];
  await here.pass(30, here.process({ mailer, alertTo }));
  return { here, server };
}

alerts('H12: should mail the other recipients where one is refused', async () => {
  const { server } = await mailToTwo();
  assert.equal(server.tried, ['gone@by.example', 'drift@by.example']);
  assert.equal(
    server.mails.map(({ to }) => to),
    [['drift@by.example']],
  );
});

alerts('H12: should log and remember that a recipient is refused', async () => {
  const { here } = await mailToTwo();
  assert.equal(here.logged, ['mails cannot be sent tries=1']);
  const failing = /"failing":\{"since":\d+,"reason":".*No such user/;
  assert.match(readFileSync(stateFile(here.keys), 'utf8'), failing);
});

alerts('H12: should mark a mail as automatic, and keep a detail on one line', async () => {
  const { server } = await mailToTwo();
  const [{ raw = '' } = {}] = server.mails;
  for (const part of ['Auto-Submitted: auto-generated', 'Det finnes ingen kalender', 'line two'])
    assert.match(raw, part);
});

alerts(
  'H12: should leave the state file to a process at work, and take it over from a dead one',
  async () => {
    const here = createFixture();
    const file = stateFile(here.keys);
    writeFileSync(`${file}.next`, '');
    here.now = Date.now();
    const look = here.process();
    await look();
    assertMissing(file);
    here.now += 6 * MINUTE;
    await look();
    assertExists(file);
  },
);

const never = () => {
  throw new Error('expected not to be called');
};

/** The alerts of the process in this slot. */
function alertsOf(settings: GivenSettings, logged: string[] = [], slot = 0) {
  const keeper = { pin: never, state: never, onSwap: never, isDamaged: never };
  const context = contextOf({ keeper, settings, process: { slot, count: 2 } });
  const log = { ...context.log, error: (_: object, event: string) => logged.push(event) };
  return createAlerts(
    { ...context, log, parts: () => [] },
    { concerns: async () => [], statusUrl: null, server: 'tre' },
  );
}

for (const alertTo of [TO, []]) {
  const recipients = alertTo.length === 0 ? 'no recipient' : 'a recipient';
  alerts(
    `H12: should log once after the start that the mail server does not answer: ${recipients}`,
    async () => {
      const { keys, logged } = createFixture();
      const settings = { ...settingsOf(keys), smtpUrl: new URL('smtp://127.0.0.1:1'), alertTo };
      // Of the processes of a machine, the first one asks.
      alertsOf(settings, logged, 1).start();
      alertsOf(settings, logged).start();
      await until('a line is logged', () => logged.length > 0);
      assert.equal(logged, ['mails cannot be sent']);
    },
  );
}

alerts('H12: should drop the concern about a mail server that is no longer set', async () => {
  const { keys, process, now } = createFixture();
  const settings = { ...settingsOf(keys), alertTo: [] };
  const smtpUrl = new URL('smtp://127.0.0.1:1');
  await process({ mailer: { send: async () => DOWN, check: async () => DOWN } })();
  assert.is((await alertsOf({ ...settings, smtpUrl }).failing())?.since, now);
  assert.is(await alertsOf({ ...settings, smtpUrl: null }).failing(), null);
});

alerts('H12: should refuse to start with addresses and no mail server', async () => {
  const starting = (async () => alertsOf({ ...settingsOf('keys.json'), smtpUrl: null }))();
  const message = /^ALMANAKK_SMTP_URL: expected a value, because ALMANAKK_ALERT_TO is set, found none$/;
  await rejects(starting, 'INVALID_SETTING', message);
});

alerts.run();
