/** H12: mails about feeds that fail, recover or have events that wait, to operators and to the desks of the feeds. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Mail } from '../../../../src/annexes/common/mail.ts';
import { stateFile } from '../../../../src/annexes/operator/alerts.ts';
import { concernOf } from '../../../../src/annexes/operator/concerns.ts';
import { readDesks } from '../../../../src/annexes/operator/desks.ts';
import { plainly } from '../../../../src/annexes/operator/reasons.ts';
import { temporaryFolder } from '../../../helpers/folder.ts';
import { createFixture, MINUTE, START, TO } from './alerting.ts';

const alerts = suite('alerts of feeds');

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

alerts.run();
