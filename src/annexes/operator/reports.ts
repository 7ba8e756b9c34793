/** What builds and importers stored in a snapshot about themselves; of what another version wrote in another form, nothing is shown. */
import * as z from 'zod';
import type { Snapshot } from '../../snapshot/open.ts';
import { isDropping } from './terms.ts';

/** Letters of any value that `/status` shows. */
const MOST_LETTERS = 200;

/** The beginning of what somebody wrote: a title may be megabytes. */
export function cut(text: string): string {
  return text.length > MOST_LETTERS ? `${text.slice(0, MOST_LETTERS - 1)}…` : text;
}

const TEXT = z.string().transform(cut);
const TEXT_OR_NONE = TEXT.nullable().default(null);

/** `since`: when it began to fail; `readAt`: when its records were last known to be current. */
const FEED = z.object({
  id: TEXT,
  kind: TEXT,
  state: TEXT,
  since: TEXT_OR_NONE,
  readAt: TEXT_OR_NONE,
  why: TEXT_OR_NONE,
});

const FINDING = z
  .object({
    action: TEXT,
    origin: z.object({ file: TEXT, line: z.number().optional() }),
    id: TEXT_OR_NONE,
    field: TEXT_OR_NONE,
    expected: TEXT,
    /** Null if it is not disclosed. */
    found: TEXT.nullable(),
    /** ISO 8601: when a build first dropped it. */
    since: TEXT_OR_NONE,
  })
  .transform(({ origin: { file, line }, ...finding }) => ({
    ...finding,
    /** Such as `events.ndjson:14`. */
    place: line === undefined ? file : `${file}:${line}`,
  }));

export type Finding = z.infer<typeof FINDING>;

const MOST_FINDINGS = 50;

/** Findings and actions are in the order of the report: what is missing first. */
const REPORT = z
  .object({
    lists: z.record(z.string(), z.object({ read: z.number(), kept: z.number(), dropped: z.number() })),
    /** Events of the source that are not in the snapshot, because they are over. */
    over: z.number(),
    /** The number of times for each action. */
    actions: z.record(z.string(), z.number()),
    findings: z.array(FINDING),
    findingsLeftOut: z.number(),
  })
  .transform(({ lists, actions, findings, ...report }) => ({
    ...report,
    lists: Object.entries(lists).map(([list, numbers]) => ({ list, ...numbers })),
    /** Only those that occurred. */
    actions: Object.entries(actions).flatMap(([action, count]) => (count > 0 ? [{ action, count }] : [])),
    findings: findings.slice(0, MOST_FINDINGS),
    findingsLeftOut: report.findingsLeftOut + Math.max(0, findings.length - MOST_FINDINGS),
    lastDroppedAt: lastDroppedAt(findings, actions),
  }));

/** Effects of a build on its source. */
export type BuildReport = z.infer<typeof REPORT>;

/** When a build last dropped something new; null if nothing is dropped, or if the time is unknown for some of it. */
function lastDroppedAt(all: readonly Finding[], actions: Readonly<Record<string, number>>): string | null {
  const moments = all.filter(isDropping).map(({ since }) => since ?? '');
  const counts = Object.entries(actions).filter(([action]) => isDropping({ action }));
  const dropped = counts.reduce((sum, [, count]) => sum + count, 0);
  return moments.includes('') || moments.length < dropped ? null : (moments.toSorted().at(-1) ?? null);
}

export function timesOf({ actions }: BuildReport, action: string): number {
  return actions.find((done) => done.action === action)?.count ?? 0;
}

/** G2: whether something is dropped now that was not seven days before `now` (milliseconds since 1970). */
export function isDroppedLately({ actions, lastDroppedAt: last }: BuildReport, now: number): boolean {
  return actions.some(isDropping) && (last === null || now - Date.parse(last) < CONCERN_MS);
}

const CONCERN_MS = 7 * 86_400_000;

export const KINDS = ['added', 'changed', 'renamed', 'removed'] as const;

const CHANGE = z.object({
  id: z.string(),
  /** Null for an event that is no longer in the calendar. */
  title: TEXT_OR_NONE,
  /** For a changed event. */
  fields: z.array(z.string()).default([]),
  /** For a renamed event: its former title. */
  from: TEXT_OR_NONE,
});

/** G10, what came, went and changed: one of the latest builds. `lists`: the first of each kind; others are only counted. */
const CHANGES = z.object({
  builtAt: TEXT,
  counts: z.record(z.enum(KINDS), z.number()),
  lists: z.record(z.enum(KINDS), z.array(CHANGE)),
});

export type NamedChange = z.infer<typeof CHANGE>;

const AS_BUILT = z.object({
  report: REPORT.nullable().catch(null),
  feeds: z.array(FEED).catch([]),
  /** The latest first. */
  changes: z.array(CHANGES).catch([]),
});

export type AsBuilt = z.infer<typeof AS_BUILT>;

/** Cached for as long as the snapshot: a report can be megabytes of JSON. */
const known = new WeakMap<object, Promise<AsBuilt>>();

type Stored = Pick<Snapshot, 'json'>;

/** As it was stored, with what is not public. */
export function asBuiltOf(snapshot: Stored): Promise<AsBuilt> {
  const found = known.get(snapshot) ?? readAsBuilt(snapshot);
  known.set(snapshot, found);
  return found;
}

async function readAsBuilt({ json }: Stored): Promise<AsBuilt> {
  const [report, feeds, changes] = [await json('report'), await json('feeds'), await json('changes')];
  return AS_BUILT.parse({ report, feeds, changes });
}
