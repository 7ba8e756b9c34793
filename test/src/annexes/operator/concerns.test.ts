/** H12: the concerns of `/status`, in plain words of both languages. */
import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ANOTHER_CALENDAR } from '../../../../src/annexes/common/upkeep.ts';
import { concernsIn } from '../../../../src/annexes/operator/concerns.ts';
import { healthOf } from '../../../../src/annexes/operator/health.ts';
import { asBuiltOf } from '../../../../src/annexes/operator/reports.ts';
import { cut } from '../../../../src/annexes/operator/stored-build.ts';
import { NO_UPKEEP } from '../../../../src/upkeep.ts';
import { closedAfterEach } from '../../../helpers/closing.ts';
import { sourceFolder } from '../../../helpers/native-source.ts';
import { type PagesSetup, startPages } from '../../../helpers/pages.ts';
import { event, FAILED, NOW, namesOf, pageOf, SOURCE, statusOf, stored, textOf } from './setup.ts';

const test = suite('concerns');
const opened = closedAfterEach(test);

const STORE = { name: 's3://kalender/by', id: 'a'.repeat(16), failing: null, rival: null };
const FULL = { ...FAILED, reason: '/srv/x/snapshots: SQLITE_FULL: database or disk is full' };
const HOUR = 3_600_000;
/** Of a builder that gave a sign of life two hours ago. */
const SCHEDULE = { aliveAt: NOW - 2 * HOUR, nextBuildAt: NOW - HOUR, buildingUntil: null, crashes: 0 };
const SHEET = { readAt: null, content: null, failing: null, waitingSince: null, applied: null };
const HIDDEN = { added: 0, changed: 2, removed: 1 };
/** The concern about the records of SOURCE. */
const DROPPED = [
  'records dropped: events.json:1 title_nb: oppføring utelatt',
  'events.json:1 half dates[0].start: dato utelatt',
  'events.json:1 half venue: referanse utelatt',
].join('; ');

interface ConcernCase {
  readonly title: string;
  readonly setup: PagesSetup;
  /** Each with its Norwegian details. */
  readonly concerns: readonly string[];
  /** A text of the English page. */
  readonly page: RegExp;
}

const CASES: readonly ConcernCase[] = [
  {
    title: 'no concern of a good build',
    setup: { source: sourceFolder({ 'events.json': [event('good')] }) },
    concerns: [],
    page: /Serving\. All OK\./,
  },
  {
    title: 'that there is no snapshot',
    setup: { source: null },
    concerns: ['no snapshot: '],
    page: /There is no calendar to serve yet\./,
  },
  {
    title: 'a failed build, with its file and without its folder',
    setup: { builds: [FAILED] },
    concerns: ['build failed: expected JSON in events.json, found "<b>"', DROPPED],
    page: /The last build or copy failed\..*Since .*Fix the error that the message describes.*events\.json, found &quot;&lt;b&gt;/s,
  },
  {
    title: 'a full disk since the first failed build, and a store that is out of reach',
    setup: {
      builds: [FULL, { ...FULL, startedAt: NOW - 600_000 }],
      store: { ...STORE, failing: { since: NOW, why: 'other', reason: 'connect ECONNREFUSED 127.0.0.1:1' } },
    },
    concerns: [
      'build failed: disken med snapshots er full',
      DROPPED,
      'store failing: ingen server svarer på adressen',
    ],
    page: /Since 20 November 2026 at 11:07\. .*the disk that holds snapshots is full.*no server answers at the address/s,
  },
  {
    title: 'a disk without enough room, with the missing bytes',
    setup: {
      builds: [
        {
          ...FAILED,
          reason: '/srv/x: expected room for 900 bytes, found 90, 810 too few: free some space on this disk',
        },
      ],
    },
    concerns: ['build failed: disken med x er full; det mangler 810 byte', DROPPED],
    page: /the disk that holds x is full; 810 more bytes are needed/,
  },
  {
    title: 'an origin that is out of reach',
    setup: {
      builds: [{ ...FAILED, kind: 'pull' }],
      origin: { outOfReach: 'http://x/: connect ECONNREFUSED', since: NOW },
    },
    concerns: [
      'build failed: expected JSON in events.json, found "<b>"',
      DROPPED,
      'origin out of reach: ingen server svarer på adressen',
    ],
    page: /The origin cannot be reached\./,
  },
  {
    title: 'each hook that fails, the longest first',
    setup: {
      hooks: [
        {
          host: 'a.example',
          number: 2,
          since: NOW - 60_000,
          reason: 'expected a status of 2xx, found 503',
        },
        { host: 'a.example', number: 1, since: NOW, reason: 'connect ECONNREFUSED 127.0.0.1:1' },
      ],
    },
    concerns: [
      DROPPED,
      'hook failing: a.example #2: expected a status of 2xx, found 503; a.example #1: ingen server svarer på adressen',
    ],
    page: /A notification about a new snapshot did not reach its receiver\..*no server answers at the address/s,
  },
  {
    title: 'urgent sheets that have not been read for more than five minutes, and no other ones',
    setup: {
      urgentSheets: [
        {
          ...SHEET,
          id: 'ny',
          readAt: NOW - 300_000,
          failing: { since: NOW - 270_000, reason: 'status 500' },
        },
        { ...SHEET, id: 'vakt', readAt: NOW - 300_001, applied: { at: NOW - HOUR, changes: HIDDEN } },
        {
          ...SHEET,
          id: 'desk',
          failing: { since: NOW - 2 * HOUR, reason: 'ark.example: expected HTTP 200, found 404' },
        },
      ],
    },
    concerns: [
      DROPPED,
      'urgent sheet unread: vakt: sist lest 20. november 2026 kl. 11.11; desk: serveren finner ikke adressen',
    ],
    page: /The calendar has not read one or more urgent sheets.*Since 20 November 2026 at 09:17\..*Urgent sheets, which.*vakt.*1 removed, 2 changed/s,
  },
  {
    title: 'a store that fails, and another builder that writes to it',
    setup: {
      store: {
        ...STORE,
        failing: {
          since: NOW,
          why: 'status 503',
          reason: 's3://kalender/by/manifest.json: found status 503',
        },
        rival: { id: 'b'.repeat(16), builtAt: '2026-11-20T10:00:00Z', seenAt: NOW },
      },
    },
    concerns: [DROPPED, 'store failing: intern feil på serveren', `another builder: ${'b'.repeat(16)}`],
    page: /The object store does not have the latest calendar\..*the other server has an internal error.*s3:\/\/kalender\/by a{16}/s,
  },
  {
    title: 'another calendar in a store, with a remedy of its own',
    setup: {
      store: {
        ...STORE,
        failing: {
          since: NOW,
          why: ANOTHER_CALENDAR,
          reason:
            's3://kalender/by/: expected the calendar with the licence id "by", found "bygd": publish each calendar to a place of its own.',
        },
      },
    },
    concerns: [DROPPED, 'another calendar: der ligger kalenderen "bygd", ikke "by"'],
    page: /The store contains another calendar, .*delete manifest\.json there\..*the store contains the calendar &quot;bygd&quot;, not &quot;by&quot;/s,
  },
  {
    title: 'a builder whose scheduled build is more than an hour late, since its last sign of life',
    setup: { schedule: { ...SCHEDULE, nextBuildAt: NOW - HOUR - 1 } },
    concerns: ['builder silent: ', DROPPED],
    page: /The builder has stopped, hangs, or keeps crashing\..*Since 20 November 2026 at 09:17\. Check whether the builder is running/s,
  },
  {
    title: 'no builder whose scheduled build is an hour late',
    setup: { schedule: SCHEDULE },
    concerns: [DROPPED],
    page: /Some records in the source could not be used/,
  },
  {
    title: 'no builder whose build may still be running',
    setup: { schedule: { ...SCHEDULE, nextBuildAt: NOW - 9 * HOUR, buildingUntil: NOW - HOUR } },
    concerns: [DROPPED],
    page: /Some records in the source could not be used/,
  },
  {
    title: 'a builder whose build should have ended more than an hour ago',
    setup: { schedule: { ...SCHEDULE, nextBuildAt: NOW - 9 * HOUR, buildingUntil: NOW - HOUR - 1 } },
    concerns: ['builder silent: ', DROPPED],
    page: /The builder has stopped, hangs, or keeps crashing\./,
  },
  {
    title: 'a builder that crashes in each build, since the first one should have ended',
    setup: {
      schedule: {
        aliveAt: NOW - 1_000,
        nextBuildAt: NOW + 9 * HOUR,
        buildingUntil: NOW - 2 * HOUR,
        crashes: 700,
      },
    },
    concerns: ['builder silent: ', DROPPED],
    page: /The builder has stopped, hangs, or keeps crashing\..*Since 20 November 2026 at 09:17\./s,
  },
];

for (const { title, setup, concerns, page } of CASES) {
  test(`H12: should name ${title}`, async () => {
    const running = opened(await startPages({ clock: () => NOW, source: SOURCE, ...setup }));
    const status = await statusOf(running);
    const found = status.concerns.map(
      ({ name, details }) => `${name}: ${details.map((detail) => detail.nb).join('; ')}`,
    );
    assert.equal(found, concerns);
    const norwegian = await pageOf(running, 'nb');
    const english = await pageOf(running);
    assert.match(textOf(english), page);
    assert.not.match(`${norwegian}${english}`, /secret|ECONNREFUSED|SQLITE_FULL/);
    for (const { what } of status.concerns) assert.match(norwegian, what.nb);
  });
}

test('H5: should name a delivery that was refused, while the server goes on serving', async () => {
  const running = opened(await startPages({ clock: () => NOW, source: SOURCE }));
  const path = running.keeper.path ?? '';
  writeFileSync(join(dirname(path), 'manifest.json'), '{"half": ');
  await running.keeper.check();
  const status = await statusOf(running);
  assert.is(status.state, 'serving');
  assert.equal(namesOf(status), ['delivery refused', 'records dropped']);
  assert.match(status.refusal?.reason ?? '', /^manifest\.json: expected JSON/);
});

test('H12: should name the first five feeds that fail, and count the others', async () => {
  const { keeper } = opened(await startPages({ clock: () => NOW, source: null }));
  const feed = { kind: 'ical', readAt: '2026-11-18T10:00:00Z' };
  const failing = Array.from({ length: 7 }, (_, at) => ({
    ...feed,
    id: `f${at}`,
    state: 'failed',
    since: `2026-11-1${at}T10:00:00Z`,
    why: 'gone',
  }));
  const feeds = [{ ...feed, id: 'huset', state: 'ok', since: null, why: null }, ...failing];
  const asBuilt = await asBuiltOf(stored({ feeds }));
  const options = { keeper, clock: () => NOW, upkeep: async () => NO_UPKEEP, isStopping: () => false };
  const health = await healthOf(options, { failingMail: null, backup: null, disk: null });
  const concern = concernsIn({ ...health, ...asBuilt }).find(({ name }) => name === 'feed failing');
  assert.is(concern?.since, '2026-11-10T10:00:00Z');
  assert.equal(
    concern?.details.map(({ en }) => en),
    ['f0: gone', 'f1: gone', 'f2: gone', 'f3: gone', 'f4: gone', 'and 2 more'],
  );
  assert.equal(
    concern?.parts.map(({ id, since, detail }) => [id, since, detail.en]),
    failing.map(({ id, since }) => [id, since, `${id}: gone`]),
    'for the mails, all of them',
  );
});

/** The health of a server without a build, to which tests add what they are about. */
async function healthWithoutBuild() {
  const { keeper } = opened(await startPages({ clock: () => NOW, source: null }));
  const options = { keeper, clock: () => NOW, upkeep: async () => NO_UPKEEP, isStopping: () => false };
  return healthOf(options, { failingMail: null, backup: null, disk: null });
}

test('H12: should tell the mails which files and feeds have lost something within seven days', async () => {
  const findingOf = (file: string, since: string, action = 'dropped record') => ({
    action,
    origin: { file },
    expected: 'a title',
    found: null,
    since,
  });
  const report = {
    lists: {},
    over: 0,
    actions: { 'dropped record': 2, 'dropped date': 1, 'no category': 1 },
    actionsByFile: {
      'feed kor': { 'dropped record': 1, 'dropped date': 1 },
      'feed old': { 'dropped record': 1 },
      'feed huset': { 'no category': 1 },
    },
    findings: [
      findingOf('feed kor', '2026-11-19T10:00:00Z'),
      findingOf('feed kor', '2026-11-18T10:00:00Z', 'dropped date'),
      findingOf('feed old', '2026-11-01T10:00:00Z'),
    ],
    findingsLeftOut: 0,
  };
  const health = { ...(await healthWithoutBuild()), ...(await asBuiltOf(stored({ report }))) };
  const concern = concernsIn(health).find(({ name }) => name === 'records dropped');
  assert.equal(concern?.parts, [
    {
      id: 'feed kor',
      since: '2026-11-19T10:00:00Z',
      detail: {
        nb: 'feed kor: oppføring utelatt (1), dato utelatt (1)',
        en: 'feed kor: record dropped (1), date dropped (1)',
        nn: 'feed kor: oppføring utelaten (1), dato utelaten (1)',
      },
    },
  ]);
});

test('H12: should name a wrong clock if the snapshot was built more than ten minutes from now', async () => {
  const health = await healthWithoutBuild();
  const namesIfBuiltAhead = (minutes: number) => {
    const builtAt = new Date(NOW + minutes * 60_000).toISOString();
    return concernsIn({ ...health, snapshot: { builtAt } as never }).map(({ name }) => name);
  };
  assert.equal(namesIfBuiltAhead(10), []);
  assert.equal(namesIfBuiltAhead(11), ['clock wrong']);
});

test('H10, H12: should tell the mails which hooks fail, and since when', async () => {
  const hooks = [{ host: 'a.example', number: 2, since: '2026-11-19T10:00:00Z', reason: 'gone' }];
  const concerns = concernsIn({ ...(await healthWithoutBuild()), hooks });
  const hook = concerns.find(({ name }) => name === 'hook failing');
  assert.equal(
    hook?.parts.map(({ id, since }) => [id, since]),
    [['a.example #2', '2026-11-19T10:00:00Z']],
  );
});

test('H12: should not list all parts of a concern on /status', async () => {
  const running = opened(await startPages({ clock: () => NOW, source: SOURCE }));
  const status = await statusOf(running);
  assert.equal(namesOf(status), ['records dropped']);
  const [concern = {}] = status.concerns;
  assert.equal(Object.keys(concern), ['name', 'what', 'since', 'details', 'advice']);
  for (const name of ['losses', 'hooks']) assert.not.ok(Object.hasOwn(status, name), name);
});

for (const before of ['', 'x'])
  test(`H12: should not cut ${before}🎄 in two where a value is too long for the status`, () => {
    const found = cut(before + '🎄'.repeat(150));
    assert.not.match(found, /\p{Surrogate}/u);
    assert.match(found, /^x?(?:🎄){99}…$/u);
  });

test.run();
