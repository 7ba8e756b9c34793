/** G2: findings of a build: their order, their number, and the counts by action. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { excerpt } from '../../../jobs/findings.ts';
import { createReport, fullReport, reportJson } from '../../../jobs/report/report.ts';
import { ACTIONS } from '../../../src/calendar/actions.ts';
import { BAD_DATE, finding, sampleReport } from '../../helpers/report.ts';

const test = suite('report');

function repeat(times: number, work: (at: number) => void): void {
  for (let at = 0; at < times; at++) work(at);
}

test('G2: should count the records that were read, kept and dropped', () => {
  const report = createReport();
  repeat(3, () => report.countRead('events'));
  report.countKept('events');
  report.countRead('postalCodes');
  const none = { read: 0, kept: 0, dropped: 0 };
  assert.equal(report.summary().lists, {
    venues: none,
    organizers: none,
    notices: none,
    events: { read: 3, kept: 1, dropped: 2 },
    postalCodes: { read: 1, kept: 0, dropped: 1 },
  });
});

test('G2: should keep findings in the order of their actions, and count them by these', () => {
  const report = createReport();
  const findings = [
    BAD_DATE,
    finding({ action: 'dropped record', field: null }),
    finding({ field: 'dates[0].start' }),
    finding({ origin: { file: 'licence.json' }, field: 'dates[0].start' }),
  ];
  for (const each of findings) report.addFinding(each);
  const summary = report.summary();
  const [date, record, ...more] = findings;
  assert.equal(summary.findings, [record, date, ...more]);
  assert.is(summary.findingsLeftOut, 0);
  const none = Object.fromEntries(ACTIONS.map((action) => [action, 0]));
  assert.equal(summary.actions, { ...none, 'dropped record': 1, 'dropped date': 3 });
});

test('G2: should list dropped records first, whatever the number of other findings', () => {
  const report = createReport();
  repeat(20_000, (at) => report.addFinding(finding({ action: 'changed value', id: `c${at}` })));
  repeat(12_000, (at) => report.addFinding(finding({ id: `d${at}` })));
  repeat(5_000, (at) => report.addFinding(finding({ action: 'left out', id: `l${at}` })));
  const { findings, findingsLeftOut, actions } = report.summary();
  // All findings about what is missing, and three of the changed values, which are alike.
  assert.is(findings.length, 12_000 + 5_000 + 3);
  assert.is(findingsLeftOut, 20_000 - 3);
  assert.is(actions['dropped date'], 12_000);
  assert.equal(
    [0, 11_999, 12_000, 17_000, 17_002].map((at) => findings[at]?.id),
    ['d0', 'd11999', 'l0', 'c0', 'c2'],
  );
});

test('F17: should name the 500 waiting events with the earliest dates, and count the others', () => {
  const report = createReport();
  const waiting = Array.from({ length: 502 }, (_, at) => ({
    feed: at % 2 === 0 ? 'even' : 'odd',
    id: `w${at}`,
    title: 'Konsert',
    start: at === 0 ? null : `${2_602 - at}-01-01`,
    place: null,
    link: null,
  }));
  report.setWaiting(waiting, ['even', 'odd', 'none']);
  const { counts, events } = report.summary().waiting;
  assert.equal(counts, { even: 251, odd: 251, none: 0 });
  // The last one is the earliest. Left out are the one without a date and the one with the latest date.
  assert.equal([events.length, events[0]?.id, events.at(-1)?.id], [500, 'w501', 'w2']);
});

test('G2: should show three of similar findings, with the number of all', () => {
  const report = createReport();
  repeat(6_188, (at) => {
    const found = at % 2 === 0 ? '"Kor"' : `"ord ${at % 4}"`;
    report.addFinding(finding({ action: 'kept as tag', found }));
  });
  repeat(2_919, (at) =>
    report.addFinding(finding({ action: 'no category', field: `categories[${at}]`, found: `${at}` })),
  );
  report.addFinding(finding({ action: 'cut text' }));
  const { findings, findingsLeftOut } = report.summary();
  assert.equal(
    findings.map(({ action, found, alike }) => `${action} ${found} ${alike ?? ''}`.trim()),
    [
      'cut text "soon"',
      'kept as tag "Kor" 3094',
      'kept as tag "Kor"',
      'kept as tag "Kor"',
      'kept as tag "ord 1" 1547',
      'kept as tag "ord 1"',
      'kept as tag "ord 1"',
      'kept as tag "ord 3" 1547',
      'kept as tag "ord 3"',
      'kept as tag "ord 3"',
      'no category 0 2919',
      'no category 1',
      'no category 2',
    ],
  );
  assert.is(findingsLeftOut, 6_188 + 2_919 - 12);
});

test('G2: should keep three further examples of similar findings of each file, and at most 30 in all', () => {
  const report = createReport();
  const add = (file: string, found: string) =>
    report.addFinding(finding({ action: 'kept as tag', origin: { file }, found }));
  repeat(5, () => add('feed a', '"Kor"'));
  repeat(5, () => add('feed b', '"Kor"'));
  repeat(40, (at) => repeat(4, () => add('feed c', `"ord ${at}"`)));
  repeat(9, () => report.addFinding(BAD_DATE));
  const { furtherExamples, actionsByFile } = report.summary();
  const counts = ['feed a', 'feed b', 'feed c'].map(
    (name) => furtherExamples.filter(({ origin: { file } }) => file === name).length,
  );
  assert.equal([counts, furtherExamples.length], [[2, 3, 30], 35]);
  assert.equal(actionsByFile, {
    'feed a': { 'kept as tag': 5 },
    'feed b': { 'kept as tag': 5 },
    'feed c': { 'kept as tag': 160 },
    'events.ndjson': { 'dropped date': 9 },
  });
});

test('F1: should count ignored fields, the most frequent first, and bound their number', () => {
  const report = createReport();
  for (const name of ['events.b', 'events.a', 'events.c', 'events.c']) report.countIgnored(name);
  repeat(1_500, (at) => report.countIgnored(`events.x${at}`));
  const { ignored, ignoredLeftOut } = report.summary();
  assert.equal(ignored.slice(0, 3), [
    { name: 'events.c', count: 2 },
    { name: 'events.a', count: 1 },
    { name: 'events.b', count: 1 },
  ]);
  assert.equal([ignored.length, ignoredLeftOut], [1_000, 503]);
});

test('G5: should store a report without timings, which differ from build to build', () => {
  const report = sampleReport();
  const { timings, ...rest } = report.summary();
  assert.equal(JSON.parse(reportJson(report)), rest);
  const { furtherExamples: _, ...shown } = rest;
  assert.equal(fullReport(report), { ...shown, timings, ...report.details() });
});

test('G2: should show values as short JSON', () => {
  const long = 'x'.repeat(78);
  for (const [value, shown] of [
    [undefined, 'nothing'],
    [{ a: [1, 'æ'] }, '{"a":[1,"æ"]}'],
    [long, `"${long}"`],
    [`${long}x`, `"${long}…`],
    [`${long.slice(1)}😀y`, `"${long.slice(1)}…`],
  ] as const)
    assert.is(excerpt(value), shown);
});

test.run();
