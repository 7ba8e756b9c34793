/** H15: `/status?feeds=`, for desks that look after some feeds. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { BuildRecord } from '../../../../src/upkeep.ts';
import { NOW } from '../../../helpers/calendar.ts';
import { builtWithFeeds } from '../../../helpers/feeds.ts';
import { temporaryFolder } from '../../../helpers/folder.ts';
import { readSamples } from '../../../helpers/metric-samples.ts';
import { LICENCE, sourceFolder } from '../../../helpers/native-source.ts';
import { type Running, startServer } from '../../../helpers/running.ts';
import { namesOf, textOf } from './setup.ts';

const desks = suite<{ running: Running; withTokens: Running }>('status of feeds');

/** A table of one event, and of rows without a title. */
const tableOf = (place: string, withoutTitle: number) =>
  [
    'Tittel;Start;Sted',
    `Konsert i ${place};14.02.2031 kl. 19.00;${place}`,
    ...Array.from({ length: withoutTitle }, () => `;15.02.2031 kl. 19.00;${place}`),
  ].join('\n');

const SOURCE = {
  'licence.json': LICENCE,
  'sources.json': [
    ...['nord', 'sor', 'vest', 'fjord', 'ost'].map((id) => ({ id, kind: 'csv', file: `${id}.csv` })),
    { id: 'bydel', kind: 'feeds', file: 'bydel.csv' },
    ...['skjema', 'meldt'].map((id) => ({ id, kind: 'csv', file: `${id}.csv`, needsApproval: true })),
  ],
  'bydel.csv': 'Navn;Adresse\nKino;kino.ics\n',
  'nord.csv': tableOf('Nord', 60),
  'sor.csv': tableOf('Sør', 1),
  'vest.csv': tableOf('Vest', 0),
  'fjord.csv': tableOf('Fjord', 0),
  'skjema.csv': tableOf('Skjema', 0),
  'meldt.csv': tableOf('Meldt', 0),
};

const ADMIN = 'a-token-of-the-operator';
const KARI = 'a-token-of-the-editor-kari';
const OLA = 'a-token-of-the-editor-ola';

/** Its message names a feed that Ola may not see. */
const FAILED: BuildRecord = {
  kind: 'rebuild',
  outcome: 'failed',
  startedAt: NOW * 1_000,
  ms: 1_234,
  id: null,
  counts: null,
  reason: 'feed nord: expected fewer records',
  dropped: 0,
};

desks.before(async (context) => {
  const snapshots = temporaryFolder();
  await builtWithFeeds(sourceFolder(SOURCE), snapshots);
  const clock = () => NOW * 1_000;
  context.running = await startServer({ snapshots, clock });
  const settings = {
    adminToken: ADMIN,
    editorTokens: [
      { name: 'kari', feeds: null, token: KARI },
      { name: 'ola', feeds: ['sor', 'bydel', 'meldt'], token: OLA },
    ],
  };
  const origin = { outOfReach: 'nord.example: expected HTTP 200, found 500', since: NOW * 1_000 };
  const upkeep = async () => ({
    builds: [FAILED],
    totals: [],
    hooks: [],
    origin,
    store: null,
    schedule: null,
  });
  context.withTokens = await startServer({ snapshots, clock, context: { settings, upkeep } });
});
desks.after(async ({ running, withTokens }) => {
  await running.close();
  await withTokens.close();
});

async function statusOf({ send }: Running, search: string) {
  const { status, text } = await send(`/status?format=json&${search}`);
  assert.is(status, 200);
  const { feeds, report, selection, ...rest } = JSON.parse(text);
  const findings: readonly { readonly place: string }[] = report.findings;
  return {
    ...rest,
    selection,
    ids: feeds.map(({ id }: { readonly id: string }) => id),
    files: [...new Set(findings.map(({ place }) => place.replace(/:.*/, '')))],
    counts: { shown: findings.length, leftOut: report.findingsLeftOut, dropped: report.dropped },
  };
}

const ALL_FEEDS = ['nord', 'sor', 'vest', 'fjord', 'ost', 'bydel', 'skjema', 'meldt', 'bydel.kino'];

desks('H15: should show the whole calendar if no feed is given', async ({ running }) => {
  for (const search of ['', 'feeds=', 'feeds=%20,']) {
    const { ids, selection, concerns } = await statusOf(running, search);
    assert.equal(ids, ALL_FEEDS, search);
    assert.is(selection, null, search);
    assert.equal(namesOf({ concerns }), ['records dropped', 'feed failing', 'events waiting'], search);
  }
});

desks('H12: /metrics should have each feed with its events, and since when it fails', async ({ running }) => {
  const samples = readSamples((await running.send('/metrics')).text);
  const valuesOf = (name: string) =>
    Object.fromEntries(
      samples
        .filter((sample) => sample.name === `almanakk_feed_${name}`)
        .map(({ labels, value }) => [labels.feed, value]),
    );
  assert.equal(valuesOf('failing_since_timestamp_seconds'), {
    nord: 0,
    sor: 0,
    vest: 0,
    fjord: 0,
    ost: NOW,
    bydel: 0,
    'bydel.kino': NOW,
    skjema: 0,
    meldt: 0,
  });
  assert.equal(valuesOf('events'), {
    ...Object.fromEntries(['nord', 'sor', 'vest', 'fjord'].map((id) => [id, 1])),
    ost: 0,
    bydel: 0,
    'bydel.kino': 0,
    skjema: 1,
    meldt: 1,
  });
});

interface Desk {
  readonly search: string;
  readonly ids: readonly string[];
  readonly files: readonly string[];
  readonly counts: object;
  readonly concerns: readonly string[];
}

const DESKS: readonly Desk[] = [
  {
    search: 'feeds=nord',
    ids: ['nord'],
    files: ['feed nord'],
    counts: { shown: 50, leftOut: 11, dropped: 60 },
    concerns: ['records dropped'],
  },
  {
    search: 'feeds=sor',
    ids: ['sor'],
    files: ['feed sor'],
    counts: { shown: 2, leftOut: 0, dropped: 1 },
    concerns: ['records dropped'],
  },
  {
    search: 'feeds=vest',
    ids: ['vest'],
    files: ['feed vest'],
    counts: { shown: 1, leftOut: 0, dropped: 0 },
    concerns: [],
  },
  // The three examples of events without a category are of the other feeds.
  {
    search: 'feeds=fjord',
    ids: ['fjord'],
    files: ['feed fjord'],
    counts: { shown: 1, leftOut: 0, dropped: 0 },
    concerns: [],
  },
  {
    search: 'feeds=ost&feeds=%20vest,,vest',
    ids: ['vest', 'ost'],
    files: ['feed vest'],
    counts: { shown: 1, leftOut: 0, dropped: 0 },
    concerns: ['feed failing'],
  },
  // F18: a list stands for its feeds, too.
  {
    search: 'feeds=bydel',
    ids: ['bydel', 'bydel.kino'],
    files: ['feed bydel'],
    counts: { shown: 1, leftOut: 0, dropped: 0 },
    concerns: ['feed failing'],
  },
];

for (const { search, ids, files, counts, concerns } of DESKS) {
  desks(`H15: should show only what concerns ${search}`, async ({ running }) => {
    const found = await statusOf(running, search);
    assert.equal(found.ids, ids);
    assert.equal(found.files, files);
    assert.equal(found.counts, counts);
    assert.equal(namesOf(found), concerns);
    assert.equal([found.traffic.callers, found.changes, found.selection.unknown], [[], [], []]);
  });
}

desks('H15: should name the feeds on the page, and link to the whole', async ({ running }) => {
  const { text } = await running.send('/status?format=html&lang=nb&feeds=sor,vest');
  assert.match(textOf(text), 'Bare kildene sor, vest. Vis hele kalenderen');
  assert.match(text, '<a href="status?lang=nb">Vis hele kalenderen</a>');
  assert.match(text, '<a href="?feeds=sor,vest&amp;format=json">JSON</a>');
  assert.match(text, 'href="?feeds=sor%2Cvest&amp;lang=en"');
  assert.not.match(textOf(text), /feed nord|Arbeid i gang|Kommende arrangementer/);
  const whole = await running.send('/status?format=html&lang=nb');
  assert.not.match(textOf(whole.text), 'Bare kildene');
});

desks('H15: should refuse feeds that the calendar does not have, with the nearest', async ({ running }) => {
  const { status, text } = await running.send('/status?format=json&feeds=nord,norrd,%3Cb%3E');
  assert.is(status, 400);
  const [{ extensions }] = JSON.parse(text).errors;
  assert.equal(extensions, {
    code: 'BAD_USER_INPUT',
    invalidArgs: ['feeds'],
    reasons: [
      'feeds: expected the id of a feed of this calendar; the nearest is "nord", found "norrd"',
      'feeds: expected the id of a feed of this calendar, found "<b>"',
    ],
  });
  const page = await running.send('/status?format=html&lang=nb&feeds=nord,norrd,%3Cb%3E');
  assert.is(page.status, 400);
  assert.match(page.text, '<li><code>norrd</code>. Den som ligner mest, er <code>nord</code></li>');
  assert.match(page.text, '<li><code>&lt;b&gt;</code></li>');
  const many = Array.from({ length: 29 }, (_, at) => `,x${at}`).join('');
  const { text: hostile } = await running.send(`/status?format=html&feeds=%1b%00y${many}`);
  assert.not.match(hostile, /[^\P{Cc}\n]/u);
  assert.equal(hostile.match(/<li><code>x\d+/g)?.length, 19, 'of the first twenty unknown feeds');
  assert.match(page.text, '<a href="status?lang=nb">Vis status for hele kalenderen</a>');
});

const replyTo = (search: string, token: string) => (server: Running) =>
  server.send(`/status?${search}`, { headers: { authorization: `Bearer ${token}` } });

const OWN = 'sor,bydel,meldt';

desks('H15: should show an editor of some feeds what their address shows', async ({ withTokens }) => {
  const statusFor = async (search: string, token: string) =>
    JSON.parse((await replyTo(`format=json&${search}`, token)(withTokens)).text);
  const { report, feeds, selection } = await statusFor(`feeds=${OWN}`, ADMIN);
  assert.equal(report.waiting.counts, { meldt: 1 });
  for (const search of ['', 'feeds=', 'feeds=%20,', `feeds=${OWN}`]) {
    const own = await statusFor(search, OLA);
    assert.equal([own.report, own.feeds, own.selection], [report, feeds, selection], search);
    assert.equal([own.traffic.callers, own.changes, own.refusal, own.replica], [[], [], null, null]);
  }
  const narrower = await statusFor('feeds=bydel.kino', OLA);
  assert.equal(narrower.selection.feeds, ['bydel.kino']);
  assert.equal(
    narrower.feeds.map(({ id }: { readonly id: string }) => id),
    ['bydel.kino'],
  );
});

/** Of other feeds: their ids, files, events and hosts. */
const OTHERS = /nord|vest|(?<!s)ost\b|fjord|skjema/i;

desks('H15: should show an editor of some feeds nothing of the others', async ({ withTokens }) => {
  for (const search of ['', 'feeds=sor', 'feeds=meldt,bydel.kino'])
    for (const format of ['json', 'html&lang=nb', 'html&lang=en']) {
      const { status, text } = await replyTo(`format=${format}&${search}`, OLA)(withTokens);
      assert.is(status, 200, `${format} ${search}`);
      assert.not.match(text, OTHERS, `${format} ${search}`);
    }
  const { text } = await replyTo('format=html&lang=nb', OLA)(withTokens);
  assert.match(textOf(text), 'Bare kildene sor, bydel, meldt.\n');
  assert.match(text, 'Konsert i Meldt');
  assert.match(textOf(text), 'Siste bygging eller kopiering mislyktes.');
  assert.not.match(text, 'Vis hele kalenderen');
});

desks('H15: should refuse a feed that an editor may not see as an unknown one', async ({ withTokens }) => {
  for (const format of ['json', 'html&lang=nb']) {
    const refusalOf = async (id: string) => {
      const { status, text } = await replyTo(`format=${format}&feeds=sor,${id}`, OLA)(withTokens);
      assert.is(status, 400, id);
      assert.not.match(text.replaceAll(id, ''), OTHERS, id);
      return text.replaceAll(id, 'ID');
    };
    assert.is(await refusalOf('skjema'), await refusalOf('skjemb'));
    assert.match(await refusalOf('sorr'), 'sor');
    assert.match(await refusalOf('bydel.kina'), 'bydel.kino');
  }
  const { text } = await replyTo('format=html&lang=nb&feeds=nord', OLA)(withTokens);
  assert.match(text, '<a href="status?lang=nb">Vis status for kildene deres</a>');
});

desks('H15: should show the whole calendar to the operator and to other editors', async ({ withTokens }) => {
  for (const token of [ADMIN, KARI]) {
    const { text } = await replyTo('format=json', token)(withTokens);
    const { selection, feeds, report, builds } = JSON.parse(text);
    assert.equal([selection, feeds.length, report.waiting.counts], [null, 9, { skjema: 1, meldt: 1 }]);
    assert.is(builds[0].reason, FAILED.reason);
    const page = await replyTo('format=html&feeds=nord', token)(withTokens);
    assert.match(page.text, FAILED.reason ?? '');
    assert.match(page.text, 'href="status"');
  }
});

desks.run();
