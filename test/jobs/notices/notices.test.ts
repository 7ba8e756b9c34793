/** K2: notices of planned changes: those that are published, and those that are reported. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { openNativeSource } from '../../../jobs/native.ts';
import { readNotices } from '../../../jobs/notices/notices.ts';
import { createReport } from '../../../jobs/report/report.ts';
import { withoutFeeds } from '../../../jobs/source/source.ts';
import { validate } from '../../../jobs/validate/validate.ts';
import { built, sourceOfEvents } from '../../helpers/build.ts';
import { NOW } from '../../helpers/calendar.ts';
import { temporaryFolder } from '../../helpers/folder.ts';
import { type Files, LICENCE, sourceFolder } from '../../helpers/native-source.ts';
import { NOTICE, RAW_NOTICE } from '../../helpers/notices.ts';
import { snapshotRows } from '../../helpers/snapshot-rows.ts';

const notices = suite('notices of a source');

const MUSEUM = { id: 'MUSEUM', name_nb: 'Museum', name_en: 'Museum' };
const WITH_MUSEUM = { ...LICENCE, categories: [...LICENCE.categories, MUSEUM] };
const RETIRED = { ...LICENCE, retiredCategories: { MUSEUM: ['ART', 'MUSIC'] } };

notices('K2: should be stored in the snapshot, and change its id', async () => {
  const target = temporaryFolder();
  const files = { 'licence.json': WITH_MUSEUM, 'notices.json': [RAW_NOTICE] };
  await built(sourceOfEvents(3, { 'licence.json': WITH_MUSEUM }), target);
  const { outcome } = await built(sourceOfEvents(3, files), target);
  assert.is(outcome, 'published', 'another notice is another calendar');
  const [stored = ''] = await snapshotRows(target, "select value as text from meta where key = 'notices'");
  assert.equal(JSON.parse(stored), [NOTICE]);
});

async function read(files: Files) {
  const report = createReport();
  const source = await openNativeSource(sourceFolder({ 'events.json': [], ...files }));
  const read = await readNotices(source.notices(), await validate(withoutFeeds(source), report), report);
  return { notices: read, summary: report.summary() };
}

interface NoticeCase {
  readonly change: object;
  readonly kept: object | null;
  readonly finding: string;
}

/** Changes to a notice, the fields that are kept, and the beginning of the finding in the report. */
const CASES: readonly NoticeCase[] = [
  {
    change: { from: '2027-02-30' },
    kept: null,
    finding: 'dropped record from: expected a day such as "2027-02-01"',
  },
  {
    change: { text_en: undefined },
    kept: null,
    finding: 'dropped record text_en: expected a text of 1 to 5000 characters',
  },
  {
    change: { title_en: 'x'.repeat(201) },
    kept: null,
    finding: 'dropped record title_en: expected a text of 1 to 200 characters',
  },
  {
    change: { id: 'a b' },
    kept: null,
    finding: 'dropped record id: expected an id of at most 60 letters, digits, "-", "_" and "."',
  },
  {
    change: { title_nb: '<b></b>' },
    kept: null,
    finding: 'made safe title_nb: expected plain text, found "<b>"',
  },
  {
    change: { title_nb: 'Nytt <script>x</script>' },
    kept: { title_nb: 'Nytt' },
    finding: 'made safe title_nb: expected plain text',
  },
  {
    change: { categories: ['OPERA', 'ART'] },
    kept: { categories: [{ id: 'ART', replacements: [] }] },
    finding: 'dropped reference categories: expected a category of the licence, found "OPERA"',
  },
  {
    change: { categories: { broken: 5 } },
    kept: { categories: [] },
    finding:
      'dropped value categories: expected a list of ids, or an object of lists of ids, found {"broken":5}',
  },
  { change: { categories: undefined }, kept: { categories: [] }, finding: '' },
];

notices('K2, G2: should report a faulty notice, and keep the others', async () => {
  for (const { change, kept, finding } of CASES) {
    const files = { 'licence.json': WITH_MUSEUM, 'notices.json': [{ ...RAW_NOTICE, ...change }] };
    const { notices, summary } = await read(files);
    assert.equal(notices, kept === null ? [] : [{ ...NOTICE, ...kept }], finding);
    const count = kept === null ? { kept: 0, dropped: 1 } : { kept: 1, dropped: 0 };
    assert.equal(summary.lists.notices, { read: 1, ...count }, finding);
    const found = summary.findings.map(
      ({ action, field, expected, found }) => `${action} ${field}: expected ${expected}, found ${found}`,
    );
    const isFound = found.some((line) => line.startsWith(finding));
    if (finding === '') assert.equal(found, []);
    else assert.is(isFound, true, `expected ${finding}, found ${found.join('\n')}`);
  }
});

notices('K2, G2: should keep the first of two notices with one id, and at most 200', async () => {
  const many = Array.from({ length: 202 }, (_, at) => ({ ...RAW_NOTICE, id: `n${Math.max(1, at)}` }));
  const { notices, summary } = await read({ 'licence.json': WITH_MUSEUM, 'notices.json': many });
  assert.is(notices.length, 200);
  assert.is(summary.actions['dropped record'], 2);
});

/** What the report says when a build retires a category that the build before had. */
async function warningsOf(files: Files): Promise<readonly string[]> {
  const target = temporaryFolder();
  await built(sourceOfEvents(3, { 'licence.json': WITH_MUSEUM }), target);
  const report = createReport();
  const source = sourceOfEvents(3, { 'licence.json': RETIRED, ...files });
  await built(source, target, { report });
  const again = createReport();
  await built(sourceOfEvents(4, { 'licence.json': RETIRED, ...files }), target, { report: again });
  assert.is(again.summary().actions['retired unannounced'], 0, 'a later build has nothing to warn of');
  return report
    .summary()
    .findings.filter(({ action }) => action === 'retired unannounced')
    .map(({ origin, field, expected, found }) => `${origin.file} ${field}: ${expected}, ${found}`);
}

const DAY_OF_BUILD = new Date(NOW * 1_000).toISOString().slice(0, 10);
const FIELD = 'licence.json retiredCategories.MUSEUM';

notices('K2: should warn if a build retires an id without a notice, or before its day', async () => {
  assert.equal(await warningsOf({}), [
    `${FIELD}: a notice in notices.json that names the id before it retires, "MUSEUM"`,
  ]);
  assert.equal(await warningsOf({ 'notices.json': [RAW_NOTICE] }), [
    `${FIELD}: the day that the notice museum-2027 gives, 2027-02-01, "MUSEUM"`,
  ]);
  assert.equal(await warningsOf({ 'notices.json': [{ ...RAW_NOTICE, from: DAY_OF_BUILD }] }), []);
  // Nor of one that nobody ever saw.
  const report = createReport();
  await built(sourceOfEvents(3, { 'licence.json': RETIRED }), temporaryFolder(), { report });
  assert.is(report.summary().actions['retired unannounced'], 0);
});

notices.run();
