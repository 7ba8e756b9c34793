import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { excerpt } from '../../jobs/records.ts';
import { createReport, reportJson } from '../../jobs/report.ts';
import { BAD_DATE, finding, sampleReport } from '../helpers/report.ts';

const test = suite('report');

test('G2: should count what was read, kept and dropped', () => {
  const report = createReport();
  for (let at = 0; at < 3; at++) report.read('events');
  report.kept('events');
  report.read('postalCodes');
  assert.equal(report.summary().lists, {
    venues: { read: 0, kept: 0, dropped: 0 },
    organizers: { read: 0, kept: 0, dropped: 0 },
    events: { read: 3, kept: 1, dropped: 2 },
    notices: { read: 0, kept: 0, dropped: 0 },
    postalCodes: { read: 1, kept: 0, dropped: 1 },
  });
});

test('G2: should keep findings in order and count them by what was done and where', () => {
  const report = createReport();
  const findings = [
    BAD_DATE,
    finding({ action: 'dropped record', field: null }),
    finding({ field: 'dates[0].start' }),
    finding({ origin: { file: 'licence.json' }, field: 'dates[0].start' }),
  ];
  for (const each of findings) report.addFinding(each);
  const summary = report.summary();
  assert.equal(summary.findings, findings);
  assert.is(summary.findingsLeftOut, 0);
  assert.equal(summary.actions, {
    'dropped record': 1,
    'dropped series': 0,
    'dropped date': 3,
    'dropped reference': 0,
    'retired unannounced': 0,
    'cut rule': 0,
    'dropped value': 0,
    'changed value': 0,
    'kept as tag': 0,
    'no category': 0,
    merged: 0,
    'likely same': 0,
    'made safe': 0,
    'cut text': 0,
    'migrated category': 0,
    'left out': 0,
  });
  assert.equal(summary.kinds, [
    { action: 'dropped date', file: 'events.ndjson', field: 'dates[].start', count: 2 },
    { action: 'dropped date', file: 'licence.json', field: 'dates[].start', count: 1 },
    { action: 'dropped record', file: 'events.ndjson', field: null, count: 1 },
  ]);
});

test('G2: should keep ten thousand findings and count the others', () => {
  const report = createReport();
  for (let at = 0; at < 12_000; at++) report.addFinding(finding({ id: `e${at}` }));
  const { findings, findingsLeftOut, actions, kinds } = report.summary();
  assert.equal([findings.length, findingsLeftOut, actions['dropped date']], [10_000, 2_000, 12_000]);
  assert.equal(
    kinds.map(({ count }) => count),
    [12_000],
  );
});

test('G2: should keep room for what was lost when much was only changed', () => {
  const report = createReport();
  for (let at = 0; at < 20_000; at++) report.addFinding(finding({ action: 'changed value' }));
  report.addFinding(BAD_DATE);
  const { findings, findingsLeftOut } = report.summary();
  assert.equal(findings.at(-1), BAD_DATE);
  assert.equal([findings.length, findingsLeftOut], [5_001, 15_000]);
});

test('F1: should count ignored fields, the most frequent first, and bound their number', () => {
  const report = createReport();
  for (const name of ['events.b', 'events.a', 'events.c', 'events.c']) report.ignored(name);
  for (let at = 0; at < 1_500; at++) report.ignored(`events.x${at}`);
  const { ignored, ignoredLeftOut } = report.summary();
  assert.equal(ignored.slice(0, 3), [
    { name: 'events.c', count: 2 },
    { name: 'events.a', count: 1 },
    { name: 'events.b', count: 1 },
  ]);
  assert.equal([ignored.length, ignoredLeftOut], [1_000, 503]);
});

test('should stay the same when the report goes on', () => {
  const report = createReport();
  const before = report.summary();
  report.addFinding(BAD_DATE);
  report.read('events');
  report.time('read', 5);
  assert.equal(before, createReport().summary());
});

test('G5: should leave out the timings of what is stored, which differ from build to build', () => {
  const report = sampleReport();
  const { timings, ...rest } = report.summary();
  assert.equal(JSON.parse(reportJson(report, { timings: false })), rest);
  assert.equal(JSON.parse(reportJson(report, { timings: true })), { ...rest, timings });
});

test('should show values as short JSON', () => {
  assert.is(excerpt(undefined), 'nothing');
  assert.is(excerpt(null), 'null');
  assert.is(excerpt({ a: [1, 'æ'] }), '{"a":[1,"æ"]}');
  assert.is(excerpt('x'.repeat(78)), `"${'x'.repeat(78)}"`);
  assert.is(excerpt('x'.repeat(79)), `"${'x'.repeat(78)}…`);
  assert.is(excerpt(`${'x'.repeat(77)}😀y`), `"${'x'.repeat(77)}…`);
});

test.run();
