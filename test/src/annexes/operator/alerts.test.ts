/** H12: mails to the operator about concerns that last. Time is counted in looks, one a minute. */
import { readFileSync, rmSync, statSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createMailer, type Failure, type Mail } from '../../../../src/annexes/common/mail.ts';
import { createAlerts, createCheck, stateFile } from '../../../../src/annexes/operator/alerts.ts';
import type { Concern } from '../../../../src/annexes/operator/concern-facts.ts';
import { concernOf } from '../../../../src/annexes/operator/concerns.ts';
import { readDesks } from '../../../../src/annexes/operator/desks.ts';
import { isNearlyFull, readDisk } from '../../../../src/annexes/operator/disk.ts';
import { plainly } from '../../../../src/annexes/operator/reasons.ts';
import { packagePath } from '../../../../src/package.ts';
import { contextOf, type GivenSettings } from '../../../helpers/annex.ts';
import { assertExists, assertMissing } from '../../../helpers/assertions.ts';
import { closedAfterEach } from '../../../helpers/closing.ts';
import { rejects } from '../../../helpers/errors.ts';
import { temporaryFolder } from '../../../helpers/folder.ts';
import { startMailServer } from '../../../helpers/mail-server.ts';
import { assertInNynorsk } from '../../../helpers/nynorsk.ts';
import { startPages } from '../../../helpers/pages.ts';
import { until } from '../../../helpers/until.ts';

const MINUTE = 60_000;
const START = Date.parse('2026-11-22T09:00:00Z');
const FROM = { name: 'Kalenderen', address: 'kalender@by.example' };
const TO = [{ name: '', address: 'drift@by.example' }];
const DOWN: Failure = { reason: 'connect ECONNREFUSED', isOfServer: true };

type Look = () => Promise<void>;

/** Processes of a machine that look for concerns each minute, the mails that they send, and the lines that they log. */
function createFixture() {
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
      desks: async () => new Map(),
      from: FROM,
      file: stateFile(keys),
      statusUrl: 'https://by.example/status',
      server: 'tre',
      log: { debug: note, info: note, warn: note, error: note },
      clock: () => here.now,
      concerns: async () => here.concerns,
      calendar: () => 'Hva skjer',
      norwegian: () => 'nb',
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
  assert.match(begun, 'hall: ingen server svarer på adressa');
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

/** The concern about these feeds, which began to fail at the given moment. */
const failing = (ids: readonly string[], since = START) =>
  concernOf('feed failing', {
    parts: ids.map((id) => ({ id, since: new Date(since).toISOString(), detail: plainly('gone', id) })),
  });

/** The English lines about feeds in a mail, each with the heading above it. */
function feedLinesOf(mail: Mail | undefined): readonly string[] {
  const [, english = ''] = mail?.text.split('-'.repeat(40)) ?? [];
  let heading = '';
  return english.split('\n').flatMap((line) => {
    if (/^[A-Z][a-z]+:$/.test(line)) heading = line;
    return /^ {2}(?!Open the address|Fix the error|Copy the rows)/.test(line)
      ? [`${heading}${line.slice(1)}`]
      : [];
  });
}

const ENTRIES = [
  { id: 'nord', kind: 'feeds', alert: ['desk@nord.example', 'vakt@nord.example'] },
  { id: 'sor', alert: ['vakt@nord.example'] },
  { id: 'vest' },
  'x',
];

alerts(
  'H12: should mail the desk of a feed that fails, and works again, and about no other feed',
  async () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'sources.json'), JSON.stringify(ENTRIES));
    const here = createFixture();
    const look = here.process({ desks: () => readDesks(folder) });
    const dropped = concernOf('records dropped', {
      parts: [{ id: 'feed sor', since: null, detail: plainly('record dropped', 'feed sor') }],
    });
    const unread = concernOf('urgent sheet unread', {
      parts: [{ id: 'sor', since: null, detail: plainly('not read', 'sor') }],
    });
    here.concerns = [concernOf('build failed'), failing(['nord', 'nord.kino', 'vest']), dropped, unread];
    await here.pass(80, look);
    here.concerns = [failing(['vest'])];
    await here.pass(80, look);
    const sent = here.mails.map((mail) => [
      mail.to,
      feedLinesOf(mail).filter((line) => !/Fix|Check/.test(line)),
    ]);
    assert.equal(
      sent.filter(([to]) => to !== TO[0]?.address),
      [
        // F18: a feed of a list has the desk of the list.
        ['desk@nord.example', ['New: nord: gone', 'New: nord.kino: gone']],
        [
          'vakt@nord.example',
          ['New: nord: gone', 'New: nord.kino: gone', 'New: feed sor: record dropped', 'New: sor: not read'],
        ],
        ['desk@nord.example', ['Resolved: nord', 'Resolved: nord.kino']],
        [
          'vakt@nord.example',
          ['Resolved: nord', 'Resolved: nord.kino', 'Resolved: feed sor', 'Resolved: sor'],
        ],
      ],
    );
    assert.equal(sent.filter(([to]) => to === TO[0]?.address).length, 2);
    const [, toDesk] = here.mails;
    assert.match(toDesk?.text ?? '', 'Check that the sheet or calendar is still shared');
    assert.equal(await readDesks(temporaryFolder()), new Map());
  },
);

/** The concern about events that came in at these moments and wait. */
const waiting = (arrivals: readonly (readonly [feed: string, moment: string])[]) =>
  concernOf('events waiting', {
    parts: arrivals.map(([feed, moment]) => ({
      id: `${feed} ${moment}`,
      since: moment,
      detail: plainly('1 event', feed),
    })),
  });

alerts(
  'F17, H12: should mail events that wait to the desk of their feed alone, each arrival once',
  async () => {
    const here = createFixture();
    const look = here.process({ desks: async () => new Map([['desk@nord.example', new Set(['nord'])]]) });
    const first = ['nord', '2026-11-22T09:00:00Z'] as const;
    const ofOthers = ['vest', '2026-11-22T09:00:00Z'] as const;
    here.concerns = [waiting([first, ofOthers])];
    await here.pass(80, look);
    here.concerns = [waiting([first, ['nord', '2026-11-22T10:15:00Z'], ofOthers]), concernOf('build failed')];
    await here.pass(80, look);
    here.concerns = [waiting([ofOthers])];
    await here.pass(80, look);
    assert.equal(
      here.mails.map((mail) => [mail.to, mail.subject.split(': ')[1], feedLinesOf(mail)]),
      [
        ['desk@nord.example', '1 ting å se på / 1 thing to look into', ['New: nord: 1 event']],
        [TO[0]?.address, '1 ting å se på / 1 thing to look into', []],
        [
          'desk@nord.example',
          '2 ting å se på / 2 things to look into',
          ['New: nord: 1 event', 'Ongoing: nord: 1 event'],
        ],
        [TO[0]?.address, 'alt er i orden igjen / all is well again', []],
      ],
    );
    assert.match(here.mails[0]?.text ?? '', 'write yes or no in Approved');
  },
);

alerts(
  'H12: should mail a feed that fails after another, ten minutes on and an hour after the last mail',
  async () => {
    const here = createFixture();
    const { pass, mails } = here;
    const look = here.process();
    here.concerns = [failing(['kor'])];
    await pass(11, look);
    assert.equal(mails.map(feedLinesOf), [['New: kor: gone']]);
    here.concerns = [failing(['kor', 'huset'])];
    await pass(59, look);
    assert.is(mails.length, 1, 'mails within the hour');
    await pass(120, look);
    assert.is(mails.length, 2, 'mails after the hour');
    assert.equal(feedLinesOf(mails[1]), ['New: huset: gone', 'Ongoing: kor: gone']);
    assert.is(mails[1]?.subject, 'Hva skjer: 2 ting å se på / 2 things to look into');
    here.concerns = [failing(['kor', 'huset', 'brief'])];
    await pass(9, look);
    here.concerns = [failing(['kor', 'huset'])];
    await pass(120, look);
    assert.is(mails.length, 2, 'mails about a feed that failed for nine minutes');
  },
);

alerts('H12: should mail that one of two feeds has recovered, once', async () => {
  const here = createFixture();
  const { pass, mails } = here;
  const look = here.process();
  here.concerns = [failing(['kor', 'huset'])];
  await pass(70, look);
  here.concerns = [failing(['huset'])];
  await pass(120, look);
  assert.is(mails.length, 2);
  assert.equal(feedLinesOf(mails[1]), ['Ongoing: huset: gone', 'Resolved: kor']);
  here.concerns = [failing(['brief'])];
  await pass(5, look);
  assert.is(mails.length, 3);
  assert.equal(feedLinesOf(mails[2]), ['Resolved: huset']);
  assert.is(mails[2]?.subject, 'Hva skjer: 1 ting løst / 1 thing resolved', 'another feed has begun to fail');
});

alerts('H12: should say that a recovered feed is read again, and not that it is failing', async () => {
  const here = createFixture();
  const { pass, mails } = here;
  const look = here.process();
  here.concerns = [failing(['kor', 'huset']), concernOf('build failed')];
  await pass(70, look);
  here.concerns = [failing(['huset'])];
  await pass(120, look);
  const [, text = ''] = mails.map((mail) => mail.text);
  const [nb = '', en = ''] = text.split('-'.repeat(40));
  const [lasting = '', over = ''] = en.split('Resolved:');
  assert.match(lasting, /^- One or more feeds are failing\. \(since 22 November 2026.*\)\n {2}huset: gone$/m);
  assert.match(
    over,
    /^- The calendar reads these feeds again \(the problem began on 22 November 2026.*\)\n {2}kor$/m,
  );
  assert.match(over, /^- The last build or copy failed\..* \(the problem began on 22 November 2026.*\)$/m);
  assert.not.match(over, 'failing');
  assert.match(
    nb,
    /^- Kalenderen leser disse kildene igjen \(problemet begynte 22\. november 2026.*\)\n {2}kor$/m,
  );
});

const manyIds = (count: number) => Array.from({ length: count }, (_, at) => `f${at}`);

alerts('H12: should name twenty of a thousand feeds in a mail, and count the others', async () => {
  const here = createFixture();
  const look = here.process();
  here.concerns = [failing(manyIds(1_000))];
  await here.pass(70, look);
  here.concerns = [];
  await here.pass(10, look);
  const twenty = manyIds(20);
  assert.equal(here.mails.map(feedLinesOf), [
    [...twenty.map((id) => `New: ${id}: gone`), 'New: and 980 more'],
    [...twenty.map((id) => `Resolved: ${id}`), 'Resolved: and 980 more'],
  ]);
  assert.match(here.mails[0]?.text ?? '', '\n  og 980 til\n');
});

const rememberedIn = ({ keys }: { readonly keys: string }): number =>
  JSON.parse(readFileSync(stateFile(keys), 'utf8')).parts.length;

alerts('H12: should remember 5,000 feeds at most, and forget those that are over', async () => {
  const here = createFixture();
  const look = here.process();
  here.concerns = [failing(manyIds(6_000))];
  await here.pass(1, look);
  assert.is(rememberedIn(here), 5_000);
  here.concerns = [failing(['kor'])];
  await here.pass(30, look);
  assert.is(rememberedIn(here), 1);
  assert.equal(here.mails.map(feedLinesOf), [['New: kor: gone']]);
});

alerts('H12: should read the state of an older version, which remembered no feeds', async () => {
  const here = createFixture();
  const mailed = { since: START - 300 * MINUTE, seenAt: START - MINUTE, isMailed: true };
  const state = {
    concerns: { 'feed failing': mailed, 'build failed': mailed },
    mailedAt: START - 200 * MINUTE,
    failing: null,
  };
  writeFileSync(stateFile(here.keys), JSON.stringify(state));
  const look = here.process();
  const old = failing(['kor', 'constructor'], START - 300 * MINUTE);
  here.concerns = [old, concernOf('build failed')];
  await here.pass(30, look);
  assert.equal(here.mails, [], 'mails about what the older version mailed');
  const { parts } = failing(['huset'], START - 100 * MINUTE);
  here.concerns = [concernOf('feed failing', { parts: [...old.parts, ...parts] }), concernOf('build failed')];
  await here.pass(30, look);
  assert.equal(here.mails.map(feedLinesOf), [
    ['New: huset: gone', 'Ongoing: kor: gone', 'Ongoing: constructor: gone'],
  ]);
  assert.match(here.mails[0]?.text ?? '', /Ongoing:.*The last build or copy failed/s);
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

interface Reason {
  readonly reason: string;
  readonly nb: string;
  readonly en: string;
  readonly nn: string;
}

const REASONS: readonly Reason[] = [
  {
    reason: 'kor.CSV: it is not there; the nearest is "kor.csv"',
    nb: 'kor.CSV finnes ikke; filen som ligner mest, heter "kor.csv"',
    en: 'kor.CSV does not exist; the nearest file is "kor.csv"',
    nn: 'kor.CSV finst ikkje; fila som liknar mest, heiter "kor.csv"',
  },
  {
    reason: 'kor.csv: it is not there',
    nb: 'kor.csv finnes ikke',
    en: 'kor.csv does not exist',
    nn: 'kor.csv finst ikkje',
  },
  {
    reason: 'time limit.csv: this user may not read it',
    nb: 'programmet har ikke lesetilgang til time limit.csv',
    en: 'the program has no permission to read time limit.csv',
    nn: 'programmet har ikkje lesetilgang til time limit.csv',
  },
  {
    reason: 'certificate.csv: it is a folder',
    nb: 'certificate.csv er en mappe',
    en: 'certificate.csv is a folder',
    nn: 'certificate.csv er ei mappe',
  },
  {
    reason: 'kor.csv/by: a part of its path is not a folder',
    nb: 'kor.csv/by finnes ikke; en del av stien er ikke en mappe',
    en: 'kor.csv/by does not exist; a part of its path is not a folder',
    nn: 'kor.csv/by finst ikkje; ein del av stien er ikkje ei mappe',
  },
  {
    reason: 'kor.csv: its links lead in a circle',
    nb: 'lenken kor.csv går i ring',
    en: 'the links of kor.csv lead in a circle',
    nn: 'lenkja kor.csv går i ring',
  },
  {
    reason: 'kor.csv: its name is too long',
    nb: 'navnet på kor.csv er for langt',
    en: 'the name of kor.csv is too long',
    nn: 'namnet på kor.csv er for langt',
  },
  {
    reason: 'kor.csv: too many files are open',
    nb: 'kor.csv kan ikke leses fordi for mange filer er åpne',
    en: 'kor.csv cannot be read because too many files are open',
    nn: 'kor.csv kan ikkje lesast fordi for mange filer er opne',
  },
  {
    reason: 'events.json: expected a readable file, but the disk cannot read it',
    nb: 'disken kan ikke lese events.json',
    en: 'the disk cannot read events.json',
    nn: 'disken kan ikkje lese events.json',
  },
  {
    reason: 'expected a readable source folder at /srv/by, but it is not there',
    nb: '/srv/by finnes ikke',
    en: '/srv/by does not exist',
    nn: '/srv/by finst ikkje',
  },
  {
    reason: 'feed roan:2 Adresse: expected an http or https URL, found "certificate ENOENT"',
    nb: 'rad 2 i kildelisten roan kan ikke brukes; rett "certificate ENOENT" under Adresse',
    en: 'row 2 of the list roan cannot be used; under Adresse, expected an http or https URL, found "certificate ENOENT"',
    nn: 'rad 2 i kjeldelista roan kan ikkje brukast; rett "certificate ENOENT" under Adresse',
  },
  {
    reason: 'kor.example: self-signed certificate (DEPTH_ZERO_SELF_SIGNED_CERT)',
    nb: 'serverens sertifikat er ikke gyldig',
    en: 'the server’s certificate is not valid',
    nn: 'sertifikatet til serveren er ikkje gyldig',
  },
  {
    reason: 'certificate has expired',
    nb: 'serverens sertifikat er ikke gyldig',
    en: 'the server’s certificate is not valid',
    nn: 'sertifikatet til serveren er ikkje gyldig',
  },
  {
    reason: 'expected all answers together within 1200 s',
    nb: 'svaret kom ikke i tide',
    en: 'the server did not answer in time',
    nn: 'svaret kom ikkje i tide',
  },
  {
    reason: '/srv/by: SQLITE_FULL: database or disk is full',
    nb: 'disken med /srv/by er full',
    en: 'the disk with /srv/by is full',
    nn: 'disken med /srv/by er full',
  },
  {
    reason: 'connect ECONNREFUSED [::1]',
    nb: 'ingen server svarer på adressen',
    en: 'no server answers at the address',
    nn: 'ingen server svarer på adressa',
  },
  {
    reason: 'kor.example: expected HTTP 200, found 404',
    nb: 'serveren finner ikke adressen',
    en: 'the server has nothing at the address',
    nn: 'serveren finn ikkje adressa',
  },
  {
    reason: 'kor.example: expected a byte within 20 s, found none',
    nb: 'svaret kom ikke i tide',
    en: 'the server did not answer in time',
    nn: 'svaret kom ikkje i tide',
  },
  {
    reason: 'expected BEGIN:VCALENDAR, found HTML or XML',
    nb: 'adressen svarer med en nettside i stedet for en kalender; kanskje kreves det innlogging',
    en: 'the address returns a page instead of a calendar; it may require a login',
    nn: 'adressa svarar med ei nettside i staden for ein kalender; kanskje krevst det innlogging',
  },
  {
    reason:
      'expected events, as before (12), found none; if this is intended, set "mayBeEmpty" or build with --force',
    nb: 'kilden er tom, men hadde 12 oppføringer; er det meningen, må driftsansvarlig sette «mayBeEmpty»',
    en: 'the feed is empty, but had 12 entries; if this is intended, set "mayBeEmpty" or build with --force',
    nn: 'kjelda er tom, men hadde 12 oppføringar; er det meininga, må driftsansvarleg setje «mayBeEmpty»',
  },
  {
    reason:
      'expected not more than 100 times what was there before (2 events, 90 bytes), found 900 events, 40000 bytes; if this is intended, build with --force',
    nb: 'kilden er plutselig mye større enn før; er det meningen, må driftsansvarlig bygge kalenderen med --force',
    en: 'the feed is suddenly much larger than before; if this is intended, build with --force',
    nn: 'kjelda er brått mykje større enn før; er det meininga, må driftsansvarleg byggje kalenderen med --force',
  },
  {
    reason:
      'expected at least half of the 210 upcoming events that were there before, found 3; builds use them from 2026-01-03T13:00:00Z, or with --force',
    nb: 'kilden har plutselig bare 3 av 210 kommende arrangementer; kalenderen viser alle 210 i ett døgn; skal de andre bort straks, må driftsansvarlig bygge kalenderen med --force',
    en: 'the feed suddenly has only 3 of 210 upcoming events; the calendar shows all 210 for one day; to remove the others at once, build with --force',
    nn: 'kjelda har brått berre 3 av 210 kommande arrangement; kalenderen viser alle 210 i eitt døgn; skal dei andre bort straks, må driftsansvarleg byggje kalenderen med --force',
  },
  {
    reason: 'kor.example: expected at most 52428800 bytes, found more',
    nb: 'filen er for stor; grensen er 52428800 byte',
    en: 'the file is too large; the limit is 52428800 bytes',
    nn: 'fila er for stor; grensa er 52428800 byte',
  },
  {
    reason: 'kor.example: expected at most 5 redirects, found more',
    nb: 'adressen sender videre for mange ganger; kanskje kreves det innlogging',
    en: 'the address redirects too often; it may require a login',
    nn: 'adressa sender vidare for mange gonger; kanskje krevst det innlogging',
  },
  {
    reason: 'it costs $1 & more',
    nb: 'it costs $1 & more',
    en: 'it costs $1 & more',
    nn: 'it costs $1 & more',
  },
];

for (const { reason, nb, en, nn } of REASONS) {
  alerts(`H12: should say in plain words of each language: ${reason}`, () => {
    assert.equal(plainly(reason, 'kor'), { nb: `kor: ${nb}`, en: `kor: ${en}`, nn: `kor: ${nn}` });
  });
}

const settingsOf = (keys: string) => ({
  keys,
  publicUrl: new URL('https://by.example/'),
  mailFrom: FROM,
  alertTo: TO,
});

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
