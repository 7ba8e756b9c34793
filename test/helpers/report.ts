/** A report as a build makes it, with a finding of each gravity. */
import type { Finding } from '../../jobs/findings.ts';
import { createReport } from '../../jobs/report/report.ts';

export const BAD_DATE: Finding = {
  action: 'dropped date',
  origin: { file: 'events.ndjson', line: 14 },
  id: 'e-12',
  field: 'dates[2].start',
  expected: 'a datetime such as "2026-05-17 19:30"',
  found: '"soon"',
};

export function finding(rest: Partial<Finding>): Finding {
  return { ...BAD_DATE, ...rest };
}

export function sampleReport() {
  const report = createReport();
  for (let at = 0; at < 12_345; at++) report.countRead('events');
  for (let at = 0; at < 12_340; at++) report.countKept('events');
  report.countRead('venues');
  report.countKept('venues');
  report.addFinding(
    finding({ action: 'migrated category', field: 'categories[0]', expected: '"B" in its place' }),
  );
  report.addFinding(BAD_DATE);
  report.addFinding(
    finding({ action: 'dropped record', origin: { file: 'venues.json', line: 3 }, id: null, field: null }),
  );
  report.countIgnored('events.colour');
  report.addTiming('read', 1234.4);
  report.addTiming('write', 7);
  return report;
}

/** A report that keeps each finding: its own summary has three examples of those that are alike. */
export function recordingReport() {
  const report = createReport();
  const findings: Finding[] = [];
  const addFinding = (finding: Finding) => {
    findings.push(finding);
    report.addFinding(finding);
  };
  return { report: { ...report, addFinding }, findings };
}
