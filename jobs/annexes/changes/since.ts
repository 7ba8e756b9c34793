/**
 * G2, as little as possible is dropped, and it is named: since when builds have dropped the same thing, as the report in the previous
 * snapshot says.
 */
import { isObject, parsedJson } from '../../../src/calendar/json.ts';
import type { Previous } from '../../previous.ts';
import { ACTIONS, type Finding, GRAVITY } from '../../records.ts';
import type { Since } from '../../report.ts';

/** `now`: ISO 8601. Reads a stored report of any version; findings without a time are those of its build. */
export function since(previous: Previous | null, now: string): Since {
  const report = parsedJson(previous?.report ?? 'null');
  const findings: readonly unknown[] =
    isObject(report) && Array.isArray(report.findings) ? report.findings : [];
  const known = new Map<string, string>();
  for (const finding of findings)
    if (isObject(finding) && isDropped(finding))
      known.set(sameKey(finding), String(finding.since ?? previous?.meta.builtAt));
  return (finding) => (isDropped(finding) ? (known.get(sameKey(finding)) ?? now) : undefined);
}

function isDropped({ action }: { readonly action?: unknown }): boolean {
  return ACTIONS.some((one) => one === action && GRAVITY[one] === 'dropped');
}

type Stored = { readonly [Name in keyof Finding]?: unknown };

/** Identifies a finding in two builds: without its place, because records before it come and go. */
function sameKey({ action, origin, id, field, found }: Stored): string {
  const file = isObject(origin) ? origin.file : null;
  return JSON.stringify([action, file, id, String(field).replace(/\d+/g, ''), found]);
}
