/** The report in the previous snapshot: when builds first dropped a thing (G2), which feeds there were (L0), and what waited (F17). */
import { isDropping } from '../../src/calendar/actions.ts';
import { isObject, type JsonObject, parsedJson } from '../../src/calendar/json.ts';
import type { Finding } from '../findings.ts';
import type { Previous } from '../previous.ts';
import type { FirstDropped } from './findings.ts';
import type { Report } from './report.ts';
import type { FirstNamed } from './summary.ts';

/** Creates the function that tells when builds first dropped the same thing. `now`: ISO 8601. Stored findings without a time are of the previous build. */
export function firstDropped(previous: Previous | null, now: string): FirstDropped {
  const firstByKey = new Map<string, string>();
  for (const finding of listIn(previous, 'findings')) {
    if (!isObject(finding) || !isDropping(finding)) continue;
    firstByKey.set(findingKey(finding), String(finding.since ?? previous?.meta.builtAt));
  }
  return (finding) => (isDropping(finding) ? (firstByKey.get(findingKey(finding)) ?? now) : undefined);
}

/** L0: reports the feeds that the source no longer names, and whose events are therefore gone. */
export function reportGoneFeeds(previous: Previous | null, report: Report): void {
  const named = new Set<unknown>(report.summary().feeds.map(({ id }) => id));
  for (const feed of listIn(previous, 'feeds')) {
    if (!isObject(feed) || typeof feed.id !== 'string' || named.has(feed.id)) continue;
    const counts = isObject(feed.counts) ? feed.counts : {};
    report.addFinding({
      action: 'left out',
      origin: { file: 'sources.json' },
      id: feed.id,
      field: null,
      expected: 'the feed, as before',
      found: `none: ${contentText(counts)} went with it`,
    });
  }
}

/** F17: the ids of the feeds that needed approval. */
export function feedsWithApproval(previous: Previous): ReadonlySet<string> {
  const { counts } = waitingIn(previous);
  return new Set(isObject(counts) ? Object.keys(counts) : []);
}

/** F17: creates the function that tells when a build first named a waiting event. `now`: ISO 8601. */
export function firstNamed(previous: Previous | null, now: string): FirstNamed {
  const { events } = waitingIn(previous);
  const first = new Map<string, string>();
  for (const event of Array.isArray(events) ? events : [])
    if (isObject(event) && typeof event.since === 'string') first.set(waitingKey(event), event.since);
  return (event) => first.get(waitingKey(event)) ?? now;
}

const waitingKey = ({ feed, id }: { readonly feed?: unknown; readonly id?: unknown }): string =>
  JSON.stringify([feed, id]);

function waitingIn(previous: Previous | null): JsonObject {
  const report = parsedJson(previous?.report ?? 'null');
  return isObject(report) && isObject(report.waiting) ? report.waiting : {};
}

/** F15: a correction sheet had corrections instead of events. */
function contentText({ events, corrections }: JsonObject): string {
  if (typeof corrections === 'number')
    return corrections === 1 ? '1 correction' : `${corrections} corrections`;
  if (typeof events !== 'number') return 'its events';
  return events === 1 ? '1 event' : `${events} events`;
}

/** A list of the stored report, which may be one of any version. */
function listIn(previous: Previous | null, name: 'findings' | 'feeds'): readonly unknown[] {
  const report = parsedJson(previous?.report ?? 'null');
  const list = isObject(report) ? report[name] : null;
  return Array.isArray(list) ? list : [];
}

type Stored = { readonly [Name in keyof Finding]?: unknown };

/** Identifies a finding in two builds: without its line and the positions in its field (`prices[0]`), which shift when others come and go. */
function findingKey({ action, origin, id, field, found }: Stored): string {
  const file = isObject(origin) ? origin.file : null;
  return JSON.stringify([action, file, id, String(field).replace(/\d+/g, ''), found]);
}
