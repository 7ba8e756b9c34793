import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createMailer, type Failure, type Mail, type Mailer } from '../../../src/annexes/common/mail.ts';
import {
  createAlerts,
  createLook,
  newsIn,
  stateFile,
  withMailed,
  withSeen,
} from '../../../src/annexes/operator/alerts.ts';
import { concernOf } from '../../../src/annexes/operator/concerns.ts';
import type { Concern } from '../../../src/annexes/operator/status.ts';
import { plainly } from '../../../src/annexes/operator/words.ts';
import { contextOf, type GivenSettings } from '../../helpers/annex.ts';
import { rejects } from '../../helpers/errors.ts';
import { temporaryFolder } from '../../helpers/folder.ts';
import { startMailServer } from '../../helpers/mail-server.ts';
import { startPages } from '../../helpers/pages.ts';
import { seeded } from '../../helpers/random-operations.ts';
import { until } from '../../helpers/until.ts';

const MINUTE = 60_000;
const START = Date.parse('2026-11-22T09:00:00Z');
const FROM = { name: 'Kalenderen', address: 'kalender@by.example' };
const TO = [{ name: '', address: 'drift@by.example' }];

const STATUS = 'https://by.example/status';

const DOWN: Failure = { reason: 'connect ECONNREFUSED', isOfServer: true };

interface Context {
  /** Of the key file. */
  keys: string;
  now: number;
  mails: Mail[];
  logged: string[];
  isDown: boolean;
  /** What a process sees. */
  concerns: Concern[];
  /** A process: each call is one look. */
  process: (more?: Partial<Parameters<typeof createLook>[0]>) => () => Promise<void>;
  /** Looks once a minute for so many minutes. */
  pass: (minutes: number, ...looks: readonly (() => Promise<void>)[]) => Promise<void>;
}

const alerts = suite<Context>('alerts');

alerts.before.each((context) => {
  Object.assign(context, {
    keys: join(temporaryFolder(), 'keys.json'),
    now: START,
    mails: [],
    logged: [],
    isDown: false,
    concerns: [],
  });
  const note = (_: object, event: string) => context.logged.push(event);
  const log = { debug: note, info: note, warn: note, error: note };
  const fake: Mailer = {
    send: async (mail) => {
      if (context.isDown) return DOWN;
      context.mails.push(mail);
      return null;
    },
    check: async () => (context.isDown ? DOWN : null),
  };
  context.process = (more = {}) =>
    createLook({
      ...{ mailer: fake, alertTo: TO, log, from: FROM, file: stateFile(context.keys), statusUrl: STATUS },
      ...{ clock: () => context.now, concerns: async () => context.concerns, calendar: () => 'Hva skjer' },
      ...more,
    });
  context.pass = async (minutes, ...looks) => {
    for (let minute = 0; minute < minutes; minute++) {
      for (const look of looks) await look();
      context.now += MINUTE;
    }
  };
});

alerts('H12: should mail a concern that has lasted ten minutes, once, and its end, once', async (context) => {
  const { pass, mails } = context;
  const look = context.process();
  context.concerns = [
    concernOf('build failed', { details: [plainly('events.json: expected an array')] }),
    // When a mail about it arrives, it is over.
    concernOf('mail failing', {}),
  ];
  await pass(10, look);
  assert.is(mails.length, 0);
  await pass(1, look);
  assert.is(mails.length, 1);
  const [{ subject = '', text = '' } = {}] = mails;
  assert.is(subject, 'Hva skjer: 1 ting å se på / 1 thing to look into');
  assert.match(text, /Siste bygging eller kopi mislyktes.*siden 22\. november 2026 kl\. 10:00/);
  for (const part of [
    'The last build or copy failed',
    'events.json: expected an array',
    'Mend what the message says; the log has the rest.\n',
    '/status says more. https://by.example/status\n',
  ])
    assert.match(text, part);
  await pass(120, look);
  assert.is(mails.length, 1, 'it is not repeated');
  context.concerns = [];
  await pass(120, look);
  assert.is(mails.length, 2);
  assert.is(mails[1]?.subject, 'Hva skjer: alt er i orden igjen / all is well again');
});

alerts('H12: should not mail what goes by itself within ten minutes', async (context) => {
  const look = context.process();
  for (let time = 0; time < 5; time++) {
    context.concerns = [concernOf('feed failing', {})];
    await context.pass(9, look);
    context.concerns = [];
    await context.pass(5, look);
  }
  assert.is(context.mails.length, 0);
});

alerts('H12: should send at most one mail an hour, with all that there is', async (context) => {
  const look = context.process();
  context.concerns = [concernOf('build failed', {})];
  await context.pass(11, look);
  assert.is(context.mails.length, 1);
  context.concerns = [concernOf('feed failing', {}), concernOf('store failing', {})];
  await context.pass(59, look);
  assert.is(context.mails.length, 1);
  await context.pass(2, look);
  assert.is(context.mails.length, 2);
  const text = context.mails[1]?.text ?? '';
  for (const part of ['One or more feeds', 'The object store', 'The last build or copy failed'])
    assert.match(text, part);
  assert.is(context.mails[1]?.subject, 'Hva skjer: 2 ting å se på / 2 things to look into');
});

alerts('H12: MUST NOT repeat a mail after a restart, nor from a second process', async (context) => {
  context.concerns = [concernOf('build failed', {})];
  const first = context.process();
  // A server that does not build sees nothing of it.
  const second = context.process({ concerns: async () => [] });
  await context.pass(11, first, second);
  assert.is(context.mails.length, 1);
  await context.pass(90, context.process(), second);
  assert.is(context.mails.length, 1);
  const path = `${context.keys}.alerts`;
  assert.is(statSync(path).mode & 0o777, 0o600);
  assert.not(readFileSync(path, 'utf8').includes('@'), 'no address is in it');
});

alerts(
  'H12: should say at the start and once an hour that mails cannot be sent, and mail when they can',
  async (context) => {
    const look = context.process();
    context.isDown = true;
    await look();
    assert.is(context.logged.length, 1);
    context.concerns = [concernOf('no snapshot', {})];
    await context.pass(121, look);
    assert.equal(
      context.logged,
      Array.from({ length: 3 }, () => 'mails cannot be sent'),
    );
    context.isDown = false;
    await context.pass(1, look);
    assert.is(context.mails.length, 1);
    await context.pass(120, look);
    assert.is(context.logged.length, 3);
  },
);

for (const [reason, nb, en] of [
  [
    'kor.CSV: it is not there; the nearest is "kor.csv"',
    'kor.CSV er ikke der; den nærmeste filen heter "kor.csv"',
    'kor.CSV is not there; the nearest file is "kor.csv"',
  ],
  ['kor.csv: it is not there', 'kor.csv er ikke der', 'kor.csv is not there'],
  ['connect ECONNREFUSED [::1]', 'ingen tjener svarer på adressen', 'no server answers at the address'],
  ['it costs $1 & more', 'it costs $1 & more', 'it costs $1 & more'],
] as const)
  alerts(`should say ${reason} in plain words of both languages`, () => {
    assert.equal(plainly(reason, 'kor'), { nb: `kor: ${nb}`, en: `kor: ${en}` });
  });

alerts('H12: should be concerned on /status and in the gauge while mails cannot be sent', async (context) => {
  const settings = { ...settingsOf(context.keys), smtpUrl: new URL('smtp://127.0.0.1:1') };
  const running = await startPages({ clock: () => context.now, settings });
  const look = context.process({ mailer: createMailer(settings.smtpUrl) });
  const seen = async () => {
    const { text } = await running.send('/status?format=json');
    const metrics = (await running.send('/metrics')).text;
    const gauge = /almanakk_concern\{name="mail failing"\} (\d)/.exec(metrics)?.[1];
    return [JSON.parse(text).concerns, gauge];
  };
  await look();
  const [[concern], gauge] = await seen();
  assert.equal([concern.name, concern.since, gauge], ['mail failing', new Date(START).toISOString(), '1']);
  assert.equal(concern.details, [
    { nb: 'ingen tjener svarer på adressen', en: 'no server answers at the address' },
  ]);
  assert.match(concern.advice.en, 'announce -- --test ADDRESS');
  const server = await startMailServer();
  settings.smtpUrl.port = `${server.port}`;
  await context.process({ mailer: createMailer(settings.smtpUrl) })();
  assert.equal(await seen(), [[], '0']);
  assert.is(server.mails.length, 0, 'it was only asked');
  await server.close();
  await running.close();
});

alerts(
  'H12: should go on with the others where one recipient is refused, and be concerned',
  async (context) => {
    const server = await startMailServer({
      refuse: (to) => (to.startsWith('gone') ? '550 No such user' : undefined),
    });
    const alertTo = [{ name: '', address: 'gone@by.example' }, ...TO];
    context.concerns = [concernOf('no snapshot', {})];
    const mailer = createMailer(new URL(`smtp://127.0.0.1:${server.port}`));
    const look = context.process({ mailer, alertTo });
    await context.pass(30, look);
    await server.close();
    assert.equal(server.tried, ['gone@by.example', 'drift@by.example']);
    assert.equal(context.logged, ['mails cannot be sent']);
    assert.match(
      readFileSync(stateFile(context.keys), 'utf8'),
      /"failing":\{"since":\d+,"reason":".*No such user/,
    );
  },
);

alerts(
  'H12: should leave the file to a process that is at it, and clear away a dead one',
  async (context) => {
    const beside = `${context.keys}.alerts.next`;
    const look = context.process();
    context.concerns = [concernOf('no snapshot', {})];
    writeFileSync(beside, '');
    context.now = Date.now();
    await look();
    assert.not(existsSync(`${context.keys}.alerts`));
    context.now += 6 * MINUTE;
    await look();
    assert.ok(existsSync(`${context.keys}.alerts`));
  },
);

/** How many minutes a concern has lasted without a gap of three; null for one that is over. */
function lasted(seenAt: readonly number[], minute: number): number | null {
  const latest = seenAt.at(-1);
  if (latest === undefined || minute - latest >= 3) return null;
  let since = latest;
  for (const at of seenAt.toReversed()) if (since - at < 3) since = at;
  return latest - since;
}

alerts('H12: should agree with a plain reading of the rule, minute by minute', () => {
  const random = seeded(7);
  for (let round = 0; round < 50; round++) {
    let state: Parameters<typeof withSeen>[0] = { concerns: {}, mailedAt: null, failing: null };
    const concerns = ['a', 'b'].map((name) => ({
      name,
      isThere: false,
      seenAt: [] as number[],
      isTold: false,
    }));
    let last = Number.NEGATIVE_INFINITY;
    for (let minute = 0; minute < 300; minute++) {
      for (const concern of concerns) {
        if (random(25) === 0) concern.isThere = !concern.isThere;
        if (concern.isThere) concern.seenAt.push(minute);
      }
      const begun = concerns.filter(({ seenAt, isTold }) => !isTold && (lasted(seenAt, minute) ?? 0) >= 10);
      const over = concerns.filter(({ seenAt, isTold }) => isTold && lasted(seenAt, minute) === null);
      const isDue = begun.length + over.length > 0 && minute - last >= 60;
      const now = minute * MINUTE;
      state = withSeen(
        state,
        concerns.filter(({ isThere }) => isThere),
        now,
      );
      const news = newsIn(state, now).map(({ stage, name }) => `${stage} ${name}`);
      assert.is(news.length > 0, isDue, `round ${round}, minute ${minute}`);
      if (!isDue) continue;
      const expected = [
        ...begun.map(({ name }) => `begun ${name}`),
        ...over.map(({ name }) => `over ${name}`),
      ];
      assert.equal(news.filter((one) => !one.startsWith('lasting')).sort(), expected.sort());
      state = withMailed(state, now);
      for (const concern of [...begun, ...over]) concern.isTold = !concern.isTold;
      last = minute;
    }
  }
});

alerts('H12: should arrive by SMTP, in both languages', async (context) => {
  const server = await startMailServer();
  context.concerns = [concernOf('build failed', { details: [plainly('line\u2028two')] })];
  const look = context.process({ mailer: createMailer(new URL(`smtp://127.0.0.1:${server.port}`)) });
  await context.pass(11, look);
  await server.close();
  assert.equal(
    server.mails.map(({ to }) => to),
    [['drift@by.example']],
  );
  const raw = server.mails[0]?.raw ?? '';
  assert.match(raw, 'Auto-Submitted: auto-generated');
  assert.match(raw, 'Siste bygging eller kopi mislyktes');
  assert.match(raw, 'line two');
});

const never = () => {
  throw new Error('expected not to be called');
};

const settingsOf = (keys: string) => ({
  ...{ keys, publicUrl: new URL('https://by.example/'), mailFrom: FROM, alertTo: TO },
});

/** Of a process at that place. */
function alertsOf(settings: GivenSettings, logged: string[] = [], slot = 0) {
  const keeper = { pin: never, state: never, onSwap: never, isDamaged: never };
  const context = contextOf({ keeper, settings, process: { slot, count: 2 } });
  const log = { ...context.log, error: (_: object, event: string) => logged.push(event) };
  return createAlerts({ ...context, log, parts: () => [] }, { concerns: async () => [], statusUrl: null });
}

alerts('H12: should say once it listens that the mail server does not answer', async ({ keys, logged }) => {
  const settings = { ...settingsOf(keys), smtpUrl: new URL('smtp://127.0.0.1:1') };
  // Of several processes, one asks.
  alertsOf(settings, logged, 1).start();
  alertsOf(settings, logged).start();
  await until('it is said', () => logged.length > 0);
  assert.equal(logged, ['mails cannot be sent']);
});

alerts('H12: should stop the start where there are addresses and no mail server', async ({ keys }) => {
  const starting = (async () => alertsOf({ ...settingsOf(keys), smtpUrl: null }))();
  const message = /^ALMANAKK_SMTP_URL: expected it for ALMANAKK_ALERT_TO, found none$/;
  await rejects(starting, 'INVALID_SETTING', message);
});

alerts.run();
