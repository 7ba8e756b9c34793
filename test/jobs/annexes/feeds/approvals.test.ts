/** F17: events that need approval, through whole builds. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { versionOf } from '../../../../jobs/annexes/feeds/approved-version.ts';
import { waitingLines } from '../../../../jobs/report/decisions.ts';
import type { Concern } from '../../../../src/annexes/operator/concerns/concern.ts';
import { decisionRows } from '../../../../src/calendar/decision-rows.ts';
import type { JsonObject } from '../../../../src/calendar/json.ts';
import { isoSecond } from '../../../../src/calendar/time.ts';
import { assertIncludes } from '../../../helpers/assertions.ts';
import { NOW } from '../../../helpers/calendar.ts';
import { closedAfterEach } from '../../../helpers/closing.ts';
import { ofDeskSheet } from '../../../helpers/corrections.ts';
import { builtWithFeeds } from '../../../helpers/feeds.ts';
import { temporaryFolder } from '../../../helpers/folder.ts';
import { type Files, LICENCE, sourceFolder } from '../../../helpers/native-source.ts';
import { startServer } from '../../../helpers/running.ts';
import { withPart } from '../../../helpers/when.ts';
import { after, clock, FEEDS, FILES, FORM } from './approving.ts';

const test = suite<{ decided: Awaited<ReturnType<typeof after>> }>('F17: events that need approval');
const opened = closedAfterEach(test);

const DECIDED = 'Id,Godkjent,Tittel\nform:1,ja,\nform:2,nei,\nform:3,FALSE,Stor quiz\n';

test.before(async (context) => {
  context.decided = await after(DECIDED);
});

test('F17: should publish only what an editor has approved', async ({ decided }) => {
  const { ids, event, lines, target } = decided;
  assert.equal(ids, ['fest:quiz', 'form:1']);
  assert.equal([event('fest:quiz').prices, event('fest:quiz').organizers], [[], []], 'of the other source');
  assert.equal(ofDeskSheet(lines), [
    'feed desk:4 Id: left out, expected an event that is approved, found "form:3"',
  ]);
  const { ask } = opened(await startServer({ snapshots: target, clock }));
  const { venues, organizers } = await ask<Record<string, readonly { readonly name: string }[]>>(
    '{ venues { name } organizers { name } }',
  );
  const names = [venues, organizers].map((list) => list?.map(({ name }) => name).sort());
  assert.equal(names, [['Kroa', 'Skolen'], ['FAU']]);
});

test('F17: should list what waits in the report', async ({ decided }) => {
  const waiting = {
    feed: 'form',
    id: 'form:3',
    title: 'Quiz',
    start: '2026-02-05 19:00',
    place: 'Kroa',
    link: 'https://kroa.example/quiz',
    since: isoSecond(NOW),
  };
  assert.equal(decided.all.waiting, { counts: { form: 1 }, events: [waiting] });
  assert.equal(waitingLines(decided.all), [
    '',
    'Waiting for approval, 1 event:',
    `  feed form: "form:3" Quiz, 2026-02-05 19:00, Kroa, https://kroa.example/quiz, waiting since ${isoSecond(NOW).slice(0, 10)}`,
    '',
    'Rows for a correction sheet with Id, Approved and Note; write yes or no in Approved:',
    '  form:3\t\t2026-02-05 19:00 Quiz, Kroa',
  ]);
});

test('F17: should report on how many events each row has an effect', async ({ decided }) => {
  assert.equal(
    decided.report.corrections.map(({ does, events }) => [does, events]),
    [
      ['approve', 1],
      ['set', 0],
      ['set', 0],
    ],
  );
});

test('F17, H9: should name nothing that waits on a /status without a token', async ({ decided }) => {
  const server = opened(await startServer({ snapshots: decided.target, clock }));
  const { text } = await server.send('/status?format=json');
  assert.equal(JSON.parse(text).report.waiting, { counts: { form: 1 }, events: [] });
});

const ADMIN = 'a-token-of-the-operator';

/** Gets `/status` with the token, which the server asks for. */
async function statusWithToken(snapshots: string) {
  const context = { settings: { adminToken: ADMIN } };
  const server = opened(await startServer({ snapshots, clock, context }));
  const headers = { authorization: `Bearer ${ADMIN}` };
  return (query: string) => server.send(`/status?${query}`, { headers });
}

test('F17, H9: should have the concern on /status that events wait', async ({ decided }) => {
  const getStatus = await statusWithToken(decided.target);
  const concerns: readonly Concern[] = JSON.parse((await getStatus('format=json')).text).concerns;
  const { since, details } = concerns.find(({ name }) => name === 'events waiting') ?? {};
  assert.equal(
    [since, details],
    [isoSecond(NOW), [{ nb: 'form: 1 arrangement', en: 'form: 1 event', nn: 'form: 1 arrangement' }]],
  );
});

test('F17, H9: should list on /status what waits of the feeds that are asked for', async ({ decided }) => {
  const getStatus = await statusWithToken(decided.target);
  const pageOf = async (feeds: string) => {
    const { text, headers } = await getStatus(`format=html&lang=nb&feeds=${feeds}`);
    const policy = String(headers['content-security-policy']);
    return { text, hasScript: policy.includes("script-src 'self'") };
  };
  const [ofForm, ofFest] = await Promise.all([pageOf('form'), pageOf('fest')]);
  assert.equal([ofForm.hasScript, ofFest.hasScript], [true, false], 'for a button that copies the rows');
  assert.match(ofForm.text, '<code>form:3</code>');
  assert.match(
    ofForm.text.replaceAll(/<[^>]+>/g, ' '),
    /Venter på godkjenning.*form:3\s+Quiz\s+5\. februar 2026 kl\. 19\.00\s+Kroa\s+form\s.*Id, Godkjent og Merknad.*\sform:3\t\t2026-02-05 19:00 Quiz, Kroa/s,
  );
  assert.match(ofForm.text, '<a href="https://kroa.example/quiz">Quiz</a>');
  assert.not.match(ofFest.text, 'Venter på godkjenning');
});

test('F17: should add an event once it is approved, and remove it once it no longer is', async () => {
  const target = temporaryFolder();
  const approved = await after(`${DECIDED}form:3,yes,\n`, { target });
  assert.equal(approved.ids, ['fest:quiz', 'form:1']);
  const { prices } = approved.event('fest:quiz');
  assert.equal(prices, [{ type: 'REGULAR', price: 50 }], 'of the approved source');
  assert.equal(approved.all.waiting.events, []);
  const withdrawn = await after(`${DECIDED}form:1,no,\n`, { target });
  assert.equal(withdrawn.ids, ['fest:quiz']);
});

test('F17: should offer rows that a sheet takes once the decisions are written, and not before', async () => {
  const target = temporaryFolder();
  const { all } = await after('Id,Godkjent\n', { target });
  const rows = ['Id\tGodkjent\tMerknad', ...decisionRows(all.waiting.events)];
  const sheet = (decision: string) =>
    rows.map((row) => row.replace(/^(form:[13])\t\t/, `$1\t${decision}\t`).replaceAll('\t', ';')).join('\n');
  const undecided = await after(sheet(''), { target });
  assert.equal([undecided.ids, ofDeskSheet(undecided.lines)], [['fest:quiz'], []]);
  const decided = await after(sheet('ja'), { target });
  assert.equal([decided.ids, decided.all.waiting.counts], [['fest:quiz', 'form:1'], { form: 1 }]);
});

const SEEN = {
  title_nb: 'Quiz',
  desc_nb: '<p>Ta med et lag.</p>',
  images: [{ URL_original: 'https://kroa.example/quiz.jpg', alt_nb: 'Lag' }],
  eventURL: 'https://kroa.example/quiz',
  organizers: ['kroa'],
  venue: 'kroa',
  dates: [{ start: '2026-02-05 19:00' }],
  prices: [{ type: 'REGULAR', price: 50 }],
  status: 'SCHEDULED',
};

/** Whether an editor has to approve the event again. */
const CHANGES: readonly (readonly [what: string, changed: JsonObject, isNew: boolean])[] = [
  ['title', { title_nb: 'Salg' }, true],
  ['text', { desc_nb: '<p>Ring nå.</p>' }, true],
  ['new text', { summary_nb: 'Ring nå.' }, true],
  ['picture', { images: [{ URL_original: 'https://klokker.example/salg.jpg', alt_nb: 'Lag' }] }, true],
  [
    'text of a picture',
    { images: [{ URL_original: 'https://kroa.example/quiz.jpg', alt_nb: 'Salg' }] },
    true,
  ],
  ['link', { eventURL: 'https://klokker.example/salg' }, true],
  ['organizer', { organizers: ['klokker'] }, true],
  ['place', { venue: 'torget' }, true],
  ['place of a date', { dates: [{ start: '2026-02-05 19:00', venue: 'torget' }] }, true],
  ['name of a price', { prices: [{ type: 'REGULAR', price: 50, name_nb: 'Salg' }] }, true],
  ['date', { dates: [{ start: '2026-02-06 18:00' }] }, false],
  ['price', { prices: [{ type: 'REGULAR', price: 70 }] }, false],
  ['cancellation', { status: 'CANCELLED' }, false],
];

for (const [what, changed, isNew] of CHANGES) {
  test(`F17: should ${isNew ? '' : 'not '}ask again after a change of the ${what}`, () => {
    assert.is(versionOf({ ...SEEN, ...changed }) !== versionOf(SEEN), isNew);
  });
}

test('F17: should ask again about an event whose link has changed, but not for a date or a price', async () => {
  const target = temporaryFolder();
  const [fest, form] = FEEDS;
  const sheet = ['Id;Godkjent;Merknad', 'form:2;ja;'];
  const built = async (quiz: string) => {
    const { ids, all, lines } = await after(sheet.join('\n'), {
      target,
      files: {
        'licence.json': LICENCE,
        'form.csv': FORM.replace(/^3,.*$/m, quiz),
        'sources.json': [
          fest,
          { ...form, approveAgainAfterChange: true },
          { id: 'desk', kind: 'corrections', file: 'desk.csv' },
        ],
      },
    });
    const row = decisionRows(all.waiting.events).find((one) => one.startsWith('form:3')) ?? '';
    return {
      ids: ids.filter((id) => id.startsWith('form')),
      row,
      lines: ofDeskSheet(lines),
      report: waitingLines(all),
    };
  };
  const approve = (row: string) => sheet.push(row.replace('\t\t', '\tja\t').replaceAll('\t', ';'));
  const quiz = '3,Quiz,2026-02-05 19:00,Kroa,"Torget 5, 7170 Lillevik",Kroa AS,50,https://kroa.example/quiz';
  const first = await built(quiz);
  assert.match(first.row, /^form:3\t\t2026-02-05 19:00 Quiz, Kroa \[v[\da-f]{16}\]$/);
  const withoutVersion =
    'feed desk:2 Id: left out, expected the row for the event as it is now, which the report and /status list, found "form:2"';
  assert.equal(first.lines, [withoutVersion]);
  approve(first.row);
  assert.equal((await built(quiz)).ids, ['form:3']);
  const moved = quiz.replace('05 19:00', '06 18:00').replace(',50,', ',70,');
  assert.equal((await built(moved)).ids, ['form:3'], 'dates and prices have to be right at once');
  const changed = await built(moved.replace('kroa.example/quiz', 'klokker.example/salg'));
  assert.equal(changed.ids, []);
  assertIncludes(
    changed.report.join('\n'),
    `waiting since ${isoSecond(NOW).slice(0, 10)}, changed since its approval`,
  );
  approve(changed.row);
  const again = await built(moved.replace('kroa.example/quiz', 'klokker.example/salg'));
  assert.equal([again.ids, again.lines.length], [['form:3'], 1]);
  assert.equal((await built(moved)).ids, ['form:3'], 'both versions are approved');
  sheet.push('form:3;nei;');
  assert.equal((await built(moved)).ids, []);
});

test('F17: should write no row that a spreadsheet would run, or read as several cells', () => {
  const event = { feed: 'form', id: 'form:1', title: '=1+1\t"x\n', start: null, place: null };
  const ids = ['=1+1', '+4', '-4', '@x', '"x', 'a\tb', 'a\nb', ' a', '\uff1d1+1', '\u200b=1+1'];
  // A mirror passes on the date as the other calendar has written it.
  const starts = ['2026-02-05 19:00', '=HYPERLINK('];
  const rows = decisionRows([
    event,
    ...starts.map((start) => ({ ...event, start })),
    ...ids.map((id) => ({ ...event, id })),
  ]);
  assert.equal(rows, [
    'form:1\t\tform =1+1 "x ',
    'form:1\t\t2026-02-05 19:00 =1+1 "x ',
    'form:1\t\tform =HYPERLINK( =1+1 "x ',
  ]);
});

test('F17: should approve by corrections.json, which takes precedence over sheets', async () => {
  const file = (approve: boolean) => ({ where: { id: approve ? 'form:2' : 'form:1' }, approve });
  const { ids } = await after(DECIDED, { files: { 'corrections.json': [file(true), file(false)] } });
  assert.equal(ids, ['fest:quiz', 'form:2']);
});

/** The places and organizers after the approval of `form:ok` and `pages:ok`. */
async function directoryAfter(files: Files) {
  const approving = ['form:ok', 'pages:ok'].map((id) => ({ where: { id }, approve: true }));
  const pages = { id: 'pages', kind: 'jsonld', file: 'pages.html', needsApproval: true };
  const source = sourceFolder({
    ...FILES,
    'sources.json': [...FEEDS.slice(1), pages],
    'corrections.json': approving,
    ...files,
  });
  const target = temporaryFolder();
  const { result } = await builtWithFeeds(source, target);
  assert.is(result.counts.events, 2);
  const { ask, close } = await startServer({ snapshots: target, clock });
  const { venues = [], organizers = [] } = await ask<Record<string, readonly object[]>>(
    '{ venues { name address location { latitude longitude } } organizers { name website } }',
  ).finally(close);
  return [venues, organizers];
}

withPart('jobs/annexes/feeds/jsonld', test)(
  'F17: should take nothing for places and organizers from events that wait',
  async () => {
    const table = [
      'Id,Tittel,Start,Sted,Adresse,Breddegrad,Lengdegrad',
      'spam,Salg,2026-03-08 10:00,Skolen,,10.5,20.5',
      'spam,Salg,2026-03-09 10:00,kroa,Salgsveien 1,,',
      'ok,Quiz,2026-03-08 10:00,SKOLEN,,,',
      'ok,Quiz,2026-03-09 10:00,Kroa,,,',
      'ok,Quiz,2026-03-10 10:00,Kroa,,63.5,10.5',
    ].join('\n');
    const eventBy = (identifier: string, url: string | undefined) => ({
      '@context': 'https://schema.org',
      '@type': 'Event',
      '@id': identifier,
      identifier,
      name: `Fest ${identifier}`,
      startDate: '2026-03-08T10:00',
      organizer: { '@type': 'Organization', name: 'FAU', url },
    });
    const events = [eventBy('spam', 'https://spam.example/'), eventBy('ok', undefined)];
    const [venues = [], organizers] = await directoryAfter({
      'form.csv': table,
      'pages.html': `<script type="application/ld+json">${JSON.stringify(events)}</script>`,
    });
    assert.equal(venues, [
      { name: 'Kroa', address: null, location: { latitude: 63.5, longitude: 10.5 } },
      { name: 'SKOLEN', address: null, location: null },
    ]);
    assert.equal(organizers, [{ name: 'FAU', website: null }]);
  },
);

test('F17: should report a decision without effect', async () => {
  const { ids, lines } = await after('Id,Godkjent\nfest:quiz,nei\nfest:quiz,ja\nform:11,nei\nform:1,nei\n');
  assert.equal(ids, ['fest:quiz']);
  const needless = 'dropped value, expected a decision on an event of a feed with "needsApproval", found';
  assert.equal(ofDeskSheet(lines).sort(), [
    `feed desk:2 Godkjent: ${needless} false`,
    `feed desk:3 Godkjent: ${needless} true`,
    'feed desk:4 Id: left out, expected the id of an event of this build, found "form:11"',
  ]);
});

test('F17: should keep an event of another source that has the id of one that waits', async () => {
  const dates = [{ start: '2026-03-08 18:00' }];
  const { ids, event } = await after('Id,Godkjent\nform:1,nei\n', {
    files: {
      'sources.json': [{ ...FEEDS[1], keepIds: true }],
      'form.csv': 'Id,Tittel,Start\nuke,Salg,2026-03-08 10:00\n',
      'events.json': [
        { id: 'uke', title_nb: 'Uke', isSuperEvent: true, dates },
        { id: 'kveld', title_nb: 'Kveld', super_event: 'uke', dates },
      ],
    },
  });
  assert.equal([ids, event('kveld').super_event], [['kveld', 'uke'], 'uke']);
});

test.run();
