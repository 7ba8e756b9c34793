/** Reads what a build printed with `--json`. */
import { isObject } from '../calendar/json.ts';
import type { BuildRecord } from '../serve/builds.ts';
import { isCounts } from '../snapshot/meta.ts';

export type PrintedOutcome = Pick<BuildRecord, 'outcome' | 'id' | 'counts' | 'reason' | 'report'>;

/** Of a build that has printed no outcome, the reason is what became of its process, with the last that it said. */
export interface Circumstances {
  /** Null for a process that ended as it should. */
  readonly why: string | null;
  readonly said: string;
}

export function outcomeOf(printed: string, { why, said }: Circumstances): PrintedOutcome {
  const found = parseDocument(printed);
  const { outcome, id, counts, message } = found;
  const report = isObject(found.report) ? withFewComplaints(found.report) : null;
  if (why === null && (outcome === 'published' || outcome === 'unchanged')) {
    const known = { id: typeof id === 'string' ? id : null, counts: isCounts(counts) ? counts : null };
    return { outcome, ...known, reason: null, report };
  }
  const known = [why ?? 'it said nothing', lastLine(said)].filter((part) => part !== '').join(': ');
  return {
    outcome: 'failed',
    id: null,
    counts: null,
    reason: typeof message === 'string' ? message : known,
    report,
  };
}

/** Enough to see what is wrong; the report in the snapshot has them all. */
const MOST_COMPLAINTS = 100;

function withFewComplaints(report: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const { complaints } = report;
  return Array.isArray(complaints) ? { ...report, complaints: complaints.slice(0, MOST_COMPLAINTS) } : report;
}

function parseDocument(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : {};
  } catch {
    return {};
  }
}

/** Of a stack trace, the line that names the error: frames are indented. */
function lastLine(text: string): string {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  return (lines.findLast((line) => /^\S*Error\b.*: /.test(line)) ?? lines.at(-1) ?? '').trim();
}
