import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createMailer, type Failure, type Mail } from '../../../../src/annexes/common/mail.ts';
import { createAlerts, createCheck, stateFile } from '../../../../src/annexes/operator/alerts.ts';
import { type Concern, concernOf } from '../../../../src/annexes/operator/concerns.ts';
import { plainly } from '../../../../src/annexes/operator/words.ts';
import { contextOf, type GivenSettings } from '../../../helpers/annex.ts';
import { assertExists, assertMissing } from '../../../helpers/assertions.ts';
import { rejects } from '../../../helpers/errors.ts';
import { temporaryFolder } from '../../../helpers/folder.ts';
import { startMailServer } from '../../../helpers/mail-server.ts';
import { startPages } from '../../../helpers/pages.ts';
import { until } from '../../../helpers/until.ts';

const MINUTE = 60_000;
const START = Date.parse('2026-11-22T09:00:00Z');
const FROM = { name: 'Kalenderen', address: 'kalender@by.example' };
const TO = [{ name: '', address: 'drift@by.example' }];
const DOWN: Failure = { reason: 'connect ECONNREFUSED', isOfServer: true };

type Look = () => Promise<void>;

/** Processes of a machine that look each minute, what they see, and what comes of it. */
function scene() {
  const keys = join(temporaryFolder(), 'keys.json');
  const mails: Mail[] = [];
  const logged: string[] = [];
  const here = { keys, mails, logged, now: START, isDown: false, concerns: [] as readonly Concern[] };
  const note = ({ tries }: { readonly tries?: number }, event: string) =>
    logged.push(`${event} tries=${tries}`);
  const mailer = {
    send: async (mail: Mail) => {
      if (here.isDown) return DOWN;
      mails.push(mail);
      return null;
    },
    check: async () => (here.isDown ? DOWN : null),
  };
  /** A process: each call is one look. */
  const process = (more: Partial<Parameters<typeof createCheck>[0]> = {}): Look =>
    createCheck({
      mailer,
      alertTo: TO,
      from: FROM,
      file: stateFile(keys),
      statusUrl: 'https://by.example/status',
      server: 'tre',
      log: { debug: note, info: note, warn: note, error: note },
      clock: () => here.now,
      concerns: async () => here.concerns,
      calendar: () => 'Hva skjer',
      ...more,
    });
  const pass = async (minutes: number, ...looks: readonly Look[]) => {
    for (let minute = 0; minute < minutes; minute++) {
      for (const look of looks) await look();
      here.now += MINUTE;
    }
  };
  return Object.assign(here, { process, pass });
}

const alerts = suite('alerts');

alerts('H12: should mail a concern that has lasted ten minutes, once, and its end, once', async () => {
  const here = scene();
  const { pass, mails } = here;
  const look = here.process();
  here.concerns = [
    concernOf('build failed', { details: [plainly('events.json: expected an array')] }),
    // When a mail about it arrives, it is over.
    concernOf('mail failing'),
  ];
  await pass(10, look);
  assert.is(mails.length, 0);
  await pass(1, look);
  assert.is(mails.length, 1);
  const [{ subject = '', text = '' } = {}] = mails;
  assert.is(subject, 'Hva skjer: 1 ting å se på / 1 thing to look into');
  assert.match(text, /Siste bygging eller kopiering mislyktes.*siden 22\. november 2026 kl\. 10\.00/);
  for (const part of [
    'The last build or copy failed',
    'events.json: expected an array',
    'This is about the calendar “Hva skjer” on the server tre.',
    'Fix the error in the message. The log has the details.\n',
    'Details: https://by.example/status\n',
  ])
    assert.match(text, part);
  await pass(120, look);
  assert.is(mails.length, 1, 'it is not repeated');
  here.concerns = [];
  await pass(120, look);
  assert.equal([mails.length, mails[1]?.subject], [2, 'Hva skjer: alt er i orden igjen / all is well again']);
});

/** Minutes with and without the concern in turns, and the minute of its mail. */
const SPELLS: readonly (readonly [spells: readonly number[], mailedAt: number | null])[] = [
  [[9, 5, 9, 5, 9, 5], null],
  [[5, 1, 20], 10],
  [[5, 2, 20], 17],
];

for (const [spells, mailedAt] of SPELLS)
  alerts(
    `H12: should mail a concern of ${spells} minutes at ${mailedAt}: it is gone after three`,
    async () => {
      const here = scene();
      const look = here.process();
      for (const [place, minutes] of spells.entries()) {
        here.concerns = place % 2 === 0 ? [concernOf('feed failing')] : [];
        await here.pass(minutes, look);
      }
      const [mail] = here.mails;
      assert.is(mail === undefined ? null : (mail.date.getTime() - START) / MINUTE, mailedAt);
    },
  );

alerts('H12: should send at most one mail an hour, with all concerns', async () => {
  const here = scene();
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

alerts('H12: MUST NOT repeat a mail after a restart, nor from a second process', async () => {
  const here = scene();
  here.concerns = [concernOf('build failed')];
  // A server that does not build sees nothing of it.
  const second = here.process({ concerns: async () => [] });
  await here.pass(11, here.process(), second);
  await here.pass(90, here.process(), second);
  assert.is(here.mails.length, 1);
  assert.is(statSync(stateFile(here.keys)).mode & 0o777, 0o600);
  assert.not.match(readFileSync(stateFile(here.keys), 'utf8'), '@');
});

alerts('H12: should log once an hour that mails cannot be sent, and send them when they can', async () => {
  const here = scene();
  const { pass, logged } = here;
  const look = here.process();
  here.isDown = true;
  await look();
  assert.is(logged.length, 1);
  here.concerns = [concernOf('no snapshot')];
  await pass(121, look);
  assert.equal(
    logged,
    [1, 62, 122].map((tries) => `mails cannot be sent tries=${tries}`),
  );
  here.isDown = false;
  await pass(121, look);
  assert.equal([here.mails.length, logged.length], [1, 3]);
});

for (const [reason, nb, en] of [
  [
    'kor.CSV: it is not there; the nearest is "kor.csv"',
    'kor.CSV finnes ikke; filen som ligner mest, heter "kor.csv"',
    'kor.CSV does not exist; the nearest file is "kor.csv"',
  ],
  ['kor.csv: it is not there', 'kor.csv finnes ikke', 'kor.csv does not exist'],
  ['connect ECONNREFUSED [::1]', 'ingen server svarer på adressen', 'no server answers at the address'],
  ['it costs $1 & more', 'it costs $1 & more', 'it costs $1 & more'],
] as const)
  alerts(`should say ${reason} in plain words of both languages`, () => {
    assert.equal(plainly(reason, 'kor'), { nb: `kor: ${nb}`, en: `kor: ${en}` });
  });

const settingsOf = (keys: string) => ({
  keys,
  publicUrl: new URL('https://by.example/'),
  mailFrom: FROM,
  alertTo: TO,
});

alerts('H12: should be concerned on /status and in the gauge while mails cannot be sent', async () => {
  const here = scene();
  const settings = { ...settingsOf(here.keys), smtpUrl: new URL('smtp://127.0.0.1:1') };
  const running = await startPages({ clock: () => here.now, settings });
  const seen = async () => {
    const { concerns } = JSON.parse((await running.send('/status?format=json')).text);
    const metrics = (await running.send('/metrics')).text;
    return [concerns, /almanakk_concern\{name="mail failing"\} (\d)/.exec(metrics)?.[1]];
  };
  await here.process({ mailer: createMailer(settings.smtpUrl) })();
  const [[concern], gauge] = await seen();
  assert.equal([concern.name, concern.since, gauge], ['mail failing', new Date(START).toISOString(), '1']);
  assert.is(concern.details[0].en, 'no server answers at the address');
  assert.match(concern.advice.en, 'announce -- --test ADDRESS');
  const server = await startMailServer();
  settings.smtpUrl.port = `${server.port}`;
  await here.process({ mailer: createMailer(settings.smtpUrl) })();
  assert.equal(await seen(), [[], '0']);
  assert.is(server.mails.length, 0, 'it was only asked');
  await server.close();
  await running.close();
});

alerts(
  'H12: should go on where one recipient is refused, be concerned, and mail in both languages',
  async () => {
    const here = scene();
    const server = await startMailServer({
      refuse: (to) => (to.startsWith('gone') ? '550 No such user' : undefined),
    });
    here.concerns = [concernOf('no snapshot', { details: [plainly('line\u2028two')] })];
    const mailer = createMailer(new URL(`smtp://127.0.0.1:${server.port}`));
    const alertTo = [{ name: '', address: 'gone@by.example' }, ...TO];
    await here.pass(30, here.process({ mailer, alertTo }));
    await server.close();
    assert.equal(server.tried, ['gone@by.example', 'drift@by.example']);
    assert.equal(here.logged, ['mails cannot be sent tries=1']);
    const failing = /"failing":\{"since":\d+,"reason":".*No such user/;
    assert.match(readFileSync(stateFile(here.keys), 'utf8'), failing);
    const [{ to, raw = '' } = {}] = server.mails;
    assert.equal(to, ['drift@by.example']);
    for (const part of ['Auto-Submitted: auto-generated', 'Det finnes ingen kalender', 'line two'])
      assert.match(raw, part);
  },
);

alerts(
  'H12: should leave the state file to a process at work, and take it over from a dead one',
  async () => {
    const here = scene();
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

alerts('H12: should log after the start that the mail server does not answer', async () => {
  for (const alertTo of [TO, []]) {
    const { keys, logged } = scene();
    const settings = { ...settingsOf(keys), smtpUrl: new URL('smtp://127.0.0.1:1'), alertTo };
    // One of the processes asks.
    alertsOf(settings, logged, 1).start();
    alertsOf(settings, logged).start();
    await until('it is said', () => logged.length > 0);
    assert.equal(logged, ['mails cannot be sent']);
  }
});

alerts('H12: should drop the concern about a mail server that is no longer set', async () => {
  const { keys, process, now } = scene();
  const [settings, smtpUrl] = [{ ...settingsOf(keys), alertTo: [] }, new URL('smtp://127.0.0.1:1')];
  await process({ mailer: { send: async () => DOWN, check: async () => DOWN } })();
  assert.is((await alertsOf({ ...settings, smtpUrl }).failing())?.since, now);
  assert.is(await alertsOf({ ...settings, smtpUrl: null }).failing(), null);
});

alerts('H12: should refuse to start with addresses and no mail server', async () => {
  const starting = (async () => alertsOf({ ...settingsOf('keys.json'), smtpUrl: null }))();
  const message = /^ALMANAKK_SMTP_URL: expected it for ALMANAKK_ALERT_TO, found none$/;
  await rejects(starting, 'INVALID_SETTING', message);
});

alerts.run();
