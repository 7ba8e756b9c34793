/** F17: what decisions on events may not do, and builds that they stop. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { waitingLines } from '../../../../jobs/report/decisions.ts';
import { assertIncludes } from '../../../helpers/assertions.ts';
import { ofDeskSheet } from '../../../helpers/corrections.ts';
import { rejects } from '../../../helpers/errors.ts';
import { builtWithFeeds } from '../../../helpers/feeds.ts';
import { temporaryFolder } from '../../../helpers/folder.ts';
import { sourceFolder } from '../../../helpers/native-source.ts';
import { after, FEEDS, FILES, FORM } from './approving.ts';

const test = suite('F17: limits of approvals');

test('F17: should let a sheet decide only within its limits, and only by ids', async () => {
  const ofFest = await after('Id,Godkjent\nform:1,ja\n', { settings: { feeds: ['fest'] } });
  assert.equal(ofFest.ids, ['fest:quiz']);
  assert.equal(ofDeskSheet(ofFest.lines), [
    'feed desk:2 Id: left out, expected an event of fest, found one of form',
  ]);
  const vain = await after('Id,Godkjent\nform:1,nei\n', { settings: { feeds: ['fest'] } });
  assert.equal(ofDeskSheet(vain.lines), ofDeskSheet(ofFest.lines));
  const address = 'https://kalender.example/events/quiz.html';
  const byAddress = await after(`Id,Dato,Godkjent\n${address},,ja\nform:1,2026-03-08,ja\nform:1,,kanskje\n`);
  assert.equal(byAddress.ids, ['fest:quiz']);
  assert.equal(
    ofDeskSheet(byAddress.lines).flatMap((line) => line.split(' dropped record, ').slice(1)),
    [
      'expected nothing, because Id has no id of an event, found "ja"',
      'expected nothing, because Dato selects dates, and this is the same for all of them, found "ja"',
      'expected ja or nei, found "kanskje"',
    ],
  );
});

test('F17: should let a sheet decide on events of its municipalities, wherever that is certain', async () => {
  const form = [
    'Id,Tittel,Start,Sted,Kommune',
    '1,Inne,2026-03-08 10:00,Skolen,Åfjord',
    '2,Ute,2026-03-08 10:00,Torget,Orkland',
    '3,Begge,2026-03-08 10:00,Skolen,Åfjord',
    '3,Begge,2026-03-09 10:00,Torget,Orkland',
    '4,Kjent,2026-03-08 10:00,Kimen,',
    '5,Ukjent,2026-03-08 10:00,Kroken,',
    '6,Uten,2026-03-08 10:00,,',
    '7,Ute,2026-03-08 12:00,Torget,Orkland',
  ].join('\n');
  const decisions = [1, 2, 3, 4, 5, 6].map((id) => `form:${id},ja`);
  const resultWith = (defaults: object) =>
    after(['Id,Godkjent', ...decisions, 'form:7,nei'].join('\n'), {
      files: {
        'form.csv': form,
        'venues.json': [{ id: 'kimen', name: 'Kimen', municipality: 'Åfjord' }],
        'sources.json': [
          { ...FEEDS[1], defaults },
          { id: 'desk', kind: 'corrections', file: 'desk.csv', municipalities: ['Åfjord'] },
        ],
      },
    });
  const { ids, lines, all } = await resultWith({});
  assert.equal(ids, ['form:1', 'form:4']);
  assert.equal(all.waiting.counts, { form: 5 }, 'one that another town refuses waits, too');
  const expected = 'left out, expected an event in Åfjord, by the municipality or postal code of its place';
  assert.equal(ofDeskSheet(lines), [
    `feed desk:3 "form:2": ${expected}, found one in Orkland`,
    `feed desk:4 "form:3": ${expected}, found one in Orkland`,
    `feed desk:6 "form:5": ${expected}, found one without a municipality`,
    `feed desk:7 "form:6": ${expected}, found one without a municipality`,
    `feed desk:8 "form:7": ${expected}, found one in Orkland`,
  ]);
  const withDefault = await resultWith({ municipality: 'Åfjord' });
  assert.equal(withDefault.ids, ['form:1', 'form:4', 'form:5']);
});

test('F17: should not refuse the build that makes many events wait', async () => {
  const rows = Array.from({ length: 30 }, (_, at) => `${at},Kveld ${at},2026-03-08 18:00,Skolen,,,`);
  const form = { 'form.csv': [FORM.split('\n')[0], ...rows].join('\n') };
  const target = temporaryFolder();
  const open = FEEDS.map(({ needsApproval: _, ...feed }) => feed);
  const before = await builtWithFeeds(sourceFolder({ ...FILES, ...form, 'sources.json': open }), target);
  assert.is(before.result.counts.events, 31);
  const source = sourceFolder({ ...FILES, ...form, 'sources.json': FEEDS });
  const { result, all } = await builtWithFeeds(source, target);
  assert.equal([result.counts.events, all.waiting.counts], [1, { form: 30 }]);
});

test('F17, G3: should refuse the build that loses many approvals, unless an editor refuses or hides the events', async () => {
  const rows = Array.from({ length: 30 }, (_, at) => `${at},Kveld ${at},2026-03-08 18:00,Skolen,,FAU,`);
  const target = temporaryFolder();
  const buildWith = (decisionOn: (at: number) => object | null) => {
    const decisions = rows.flatMap((_, at) => {
      const decision = decisionOn(at);
      return decision === null ? [] : [{ where: { id: `form:${at}` }, ...decision }];
    });
    const source = sourceFolder({
      ...FILES,
      'sources.json': FEEDS,
      'form.csv': [FORM.split('\n')[0], ...rows].join('\n'),
      'corrections.json': decisions,
    });
    return builtWithFeeds(source, target);
  };
  const { result, all } = await buildWith(() => ({ approve: true }));
  assert.equal([result.counts.events, all.waiting.counts], [31, { form: 0 }]);
  assert.equal(waitingLines(all), []);
  const gone = /expected at most half of the upcoming events of .* to be gone, found 29 of 31/;
  await rejects(
    buildWith((at) => (at === 0 ? { approve: true } : null)),
    'BUILD_REFUSED',
    gone,
  );
  const refused = await buildWith((at) => (at % 2 === 0 ? { approve: false } : { hide: true }));
  assert.equal([refused.result.counts.events, refused.all.waiting.counts], [1, { form: 0 }]);
  assert.equal(refused.report.findings, []);
});

/** Entries of `corrections.json` that stop the build, with the end of the message. */
const STOPPING: readonly (readonly [entry: object, message: string])[] = [
  [{ where: { title: 'quiz' }, approve: true }, '"approve" with nothing but "id" in "where"'],
  [{ where: { id: 'form:1' }, approve: 'ja' }, '"hide": true, or "set" or "add" with values, or "approve"'],
  [
    { where: { id: 'form:1' }, approve: true, hide: true },
    '"hide": true, or "set" or "add" with values, or "approve"',
  ],
];

for (const [entry, message] of STOPPING)
  test(`F17: should stop at the correction ${JSON.stringify(entry)}`, async () => {
    const source = sourceFolder({ ...FILES, 'sources.json': FEEDS, 'corrections.json': [entry] });
    const { message: found } = await rejects(builtWithFeeds(source, temporaryFolder()), 'INVALID_SOURCE');
    assertIncludes(found, message);
  });

test('F17: should say what waits if nothing else is left', async () => {
  const source = sourceFolder({ ...FILES, 'sources.json': FEEDS.slice(1) });
  await rejects(
    builtWithFeeds(source, temporaryFolder()),
    'BUILD_REFUSED',
    /Events wait for approval, such as "form:3"/,
  );
});

test.run();
