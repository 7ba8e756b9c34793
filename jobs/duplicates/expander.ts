/** G9: the dates of events' rules, which are compared before they are materialised. */
import type { Reporter } from '../findings.ts';
import { createDating } from '../materialise/dating.ts';
import type { DateRecord, EventRecord } from '../records.ts';
import { createAllowance } from '../recurrence/allowance.ts';

interface ExpandOptions {
  /** Instant, whole seconds. */
  readonly now: number;
  /** A11: day number. */
  readonly horizonDay: number;
}

/** Creates the function that expands an event's rules to the dates that are not over. Its listed dates are not among them. */
export function createExpander({
  now,
  horizonDay,
}: ExpandOptions): (record: EventRecord) => readonly DateRecord[] {
  const datesOf = createDating({ now, horizonDay, allowance: createAllowance(), report: SILENT });
  return (record) => (record.series.length === 0 ? [] : datesOf({ ...record, dates: [] }).upcoming);
}

/** Rules are expanded again when records are joined and materialised: their flaws are reported there. */
const SILENT: Reporter = {
  addFinding: () => {},
  countIgnored: () => {},
  countFate: () => {},
};
