/**
 * G2, as little as possible is dropped, and it is named: since when builds have dropped the same thing, as the report in the previous
 * snapshot says.
 */
import { isObject, parsedJson } from '../../../src/calendar/json.ts';
import type { Previous } from '../../previous.ts';
import { ACTIONS, type Finding, GRAVITY } from '../../records.ts';
import type { Since } from '../../report.ts';

/** `now`: ISO 8601. */
export function since(previous: Previous | null, now: string): Since {
  const known = previous === null ? null : droppedSince(previous.report, previous.meta.builtAt);
  return (finding) => (isDropped(finding) ? (known?.get(sameKey(finding)) ?? now) : undefined);
}

/** ISO 8601 by `sameKey`. */
type DroppedSince = ReadonlyMap<string, string>;

/** Reads a stored report (JSON) of any version. `builtAt` is used for findings without a time. */
function droppedSince(stored: string, builtAt: string): DroppedSince {
  const report = parsedJson(stored);
  const findings = isObject(report) && Array.isArray(report.findings) ? report.findings : [];
  return new Map(
    findings.flatMap((finding: unknown) => {
      if (!isObject(finding) || !isDropped(finding)) return [];
      const since = typeof finding.since === 'string' ? finding.since : builtAt;
      return [[sameKey(finding), since] as const];
    }),
  );
}

function isDropped({ action }: { readonly action?: unknown }): boolean {
  return ACTIONS.some((one) => one === action && GRAVITY[one] === 'dropped');
}

/** Identifies a finding in two builds: without its place, because records before it come and go. */
function sameKey({
  action,
  origin,
  id,
  field,
  found,
}: { readonly [Name in keyof Finding]?: unknown }): string {
  const file = isObject(origin) ? origin.file : null;
  return JSON.stringify([action, file, id, String(field).replace(/\d+/g, ''), found]);
}
