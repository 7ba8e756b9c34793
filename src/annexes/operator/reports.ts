/**
 * What builds and importers stored in a snapshot about themselves. Builds of other versions may have written other fields: what is missing
 * or of another kind is what its field falls back on.
 */
import * as z from 'zod';
import { isObject } from '../../calendar/json.ts';
import type { Snapshot } from '../../snapshot/open.ts';
import { byHarm, isDropping } from './actions.ts';

/** Letters of any value that `/status` shows. */
const MOST_LETTERS = 200;

/** The beginning of what somebody wrote: a title may be megabytes. */
export function cut(text: string): string {
  return text.length > MOST_LETTERS ? `${text.slice(0, MOST_LETTERS - 1)}…` : text;
}

const TEXT = z.string().transform(cut).nullable().catch(null);
const NUMBER = z.number().catch(0);
const wordOr = (other: string) => z.string().transform(cut).catch(other);
const list = <Entry extends z.ZodType>(entry: Entry) => z.array(entry).catch([]);
const record = <Entry extends z.ZodType>(entry: Entry) => z.record(z.string(), entry).nullable().catch(null);
const fields = <Shape extends z.ZodRawShape>(shape: Shape) =>
  z.preprocess((value) => (isObject(value) ? value : {}), z.object(shape));

/** `since`: when it began to fail; `readAt`: when its records were last known to be current. */
const FEED = fields({
  id: wordOr('?'),
  kind: wordOr('?'),
  state: wordOr('?'),
  since: TEXT,
  readAt: TEXT,
  why: TEXT,
});

const FINDING = fields({
  action: wordOr(''),
  origin: fields({
    file: wordOr(''),
    line: z.number().nullable().catch(null),
    index: z.number().nullable().catch(null),
  }),
  id: TEXT,
  field: TEXT,
  expected: wordOr(''),
  /** Null if it is not disclosed. */
  found: wordOr('').nullable(),
  /** ISO 8601: when a build first dropped it. */
  since: TEXT,
}).transform(({ origin: { file, line, index }, ...finding }) => {
  const at = line !== null ? `:${line}` : index !== null ? `[${index}]` : '';
  /** Such as `events.ndjson:14` or `events.json[3]`. */
  return { ...finding, place: `${file}${at}` };
});

export type Finding = z.infer<typeof FINDING>;

const MOST_FINDINGS = 50;

const REPORT = fields({
  lists: record(fields({ read: NUMBER, kept: NUMBER, dropped: NUMBER })),
  over: NUMBER,
  /** The number of times for each action. */
  actions: record(NUMBER),
  findings: list(z.unknown()),
  findingsLeftOut: NUMBER,
}).transform(({ lists, actions, findings, ...report }) => {
  if (lists === null && actions === null) return null;
  const all = findings.map((finding) => FINDING.parse(finding)).toSorted(byHarm);
  return {
    lists: Object.entries(lists ?? {}).map(([list, numbers]) => ({ list, ...numbers })),
    /** Events of the source that are not in the snapshot, because they are over. */
    over: report.over,
    /** Only those that occurred, what harms most first. */
    actions: Object.entries(actions ?? {})
      .map(([action, count]) => ({ action, count }))
      .filter(({ count }) => count > 0)
      .toSorted(byHarm),
    findings: all.slice(0, MOST_FINDINGS),
    findingsLeftOut: report.findingsLeftOut + Math.max(0, all.length - MOST_FINDINGS),
    lastDroppedAt: lastDroppedAt(all, actions ?? {}),
  };
});

/** Effects of a build on its source; null if it is no report. */
export const readReport = (value: unknown) => REPORT.parse(value);

export type BuildReport = NonNullable<ReturnType<typeof readReport>>;

/** When a build last dropped something new; null if nothing is dropped, or if the time is unknown for some of it. */
function lastDroppedAt(all: readonly Finding[], actions: Readonly<Record<string, number>>): string | null {
  const named = all.filter(isDropping);
  const moments = named.flatMap(({ since }) => since ?? []).toSorted();
  const counts = Object.entries(actions).filter(([action]) => isDropping({ action }));
  const dropped = counts.reduce((sum, [, count]) => sum + count, 0);
  return moments.length < named.length || named.length < dropped ? null : (moments.at(-1) ?? null);
}

export function countOf(report: BuildReport | null, action: string): number {
  return report?.actions.find((done) => done.action === action)?.count ?? 0;
}

/** G2: whether something is dropped now that was not seven days before `now` (milliseconds since 1970). */
export function isDroppedLately(report: BuildReport | null, now: number): report is BuildReport {
  if (report === null) return false;
  const { actions, lastDroppedAt: last } = report;
  return actions.some(isDropping) && (last === null || now - Date.parse(last) < CONCERN_MS);
}

const CONCERN_MS = 7 * 86_400_000;

export const KINDS = ['added', 'changed', 'renamed', 'removed'] as const;

const ofEach = <Value extends z.ZodType>(value: Value) =>
  fields({ added: value, changed: value, renamed: value, removed: value });

const CHANGE = fields({
  id: z.string().catch(''),
  /** Null for an event that is no longer in the calendar. */
  title: TEXT,
  /** For a changed event. */
  fields: list(z.string()),
  /** For a renamed event: its former title. */
  from: TEXT,
});

/** G10, what came, went and changed: one of the latest builds. `lists`: the first of each kind; others are only counted. */
const CHANGES = fields({ builtAt: wordOr(''), counts: ofEach(NUMBER), lists: ofEach(list(CHANGE)) });

export type NamedChange = z.infer<typeof CHANGE>;
export type BuildChanges = z.infer<typeof CHANGES>;

export interface AsBuilt {
  readonly report: BuildReport | null;
  readonly feeds: readonly z.infer<typeof FEED>[];
  /** The latest first. */
  readonly changes: readonly BuildChanges[];
}

/** Cached for as long as the snapshot: a report can be megabytes of JSON. */
const known = new WeakMap<Snapshot, Promise<AsBuilt>>();

/** As it was stored, with what is not public. */
export function asBuiltOf(snapshot: Snapshot): Promise<AsBuilt> {
  const found = known.get(snapshot) ?? readAsBuilt(snapshot);
  known.set(snapshot, found);
  return found;
}

async function readAsBuilt({ json }: Snapshot): Promise<AsBuilt> {
  return {
    report: readReport(await json('report')),
    feeds: list(FEED).parse(await json('feeds')),
    changes: list(CHANGES).parse(await json('changes')),
  };
}
