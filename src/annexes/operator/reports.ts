/** The reports that builds and importers stored in a snapshot. Builds of other versions may have written other fields. */
import * as z from 'zod';
import { isObject, parsedJson } from '../../calendar/json.ts';
import type { Keeper } from '../../snapshot/keeper.ts';
import { metaText } from '../../snapshot/meta.ts';
import type { Snapshot } from '../../snapshot/open.ts';
import { DROPPED } from '../common/upkeep.ts';

/** Letters of any value that `/status` shows. */
const MOST_LETTERS = 200;

/** The beginning of what somebody wrote: a title may be megabytes. */
export function cut(text: string): string {
  return text.length > MOST_LETTERS ? `${text.slice(0, MOST_LETTERS - 1)}…` : text;
}

export const TEXT = z.string().transform(cut).nullable().catch(null);
export const NUMBER = z.number().catch(0);
export const wordOr = (other: string) => z.string().transform(cut).catch(other);
export const list = <Entry extends z.ZodType>(entry: Entry) => z.array(entry).catch([]);

/** Whatever it is: what is missing or of another kind is what its field falls back on. */
export const fields = <Shape extends z.ZodRawShape>(shape: Shape) =>
  z.preprocess((value) => (isObject(value) ? value : {}), z.object(shape));

const FEED = fields({
  id: wordOr('?'),
  kind: wordOr('?'),
  state: wordOr('?'),
  /** When it began to fail. */
  since: TEXT,
  /** When its records were last known to be current. */
  readAt: TEXT,
  why: TEXT,
});

export type Feed = z.infer<typeof FEED>;

const NUMBER_OR_NULL = z.number().nullable().catch(null);
const ORIGIN = fields({ file: wordOr(''), line: NUMBER_OR_NULL });

const FINDING = fields({
  action: wordOr(''),
  origin: ORIGIN,
  id: TEXT,
  field: TEXT,
  expected: wordOr(''),
  /** Null if it is not disclosed. */
  found: wordOr('').nullable(),
  /** ISO 8601: when a build first dropped it. */
  since: TEXT,
}).transform(({ origin: { file, line }, ...finding }) => {
  /** Such as `events.json:14`. */
  return { ...finding, place: line === null ? file : `${file}:${line}` };
});

export type Finding = z.infer<typeof FINDING>;

const REPORT = fields({
  lists: z
    .record(z.string(), fields({ read: NUMBER, kept: NUMBER, dropped: NUMBER }))
    .nullable()
    .catch(null),
  /** Events of the source that are not in the snapshot, because they are over. */
  over: NUMBER,
  /** The number of times for each action, such as `dropped date`. */
  actions: z.record(z.string(), NUMBER).nullable().catch(null),
  findings: list(z.unknown()),
  findingsLeftOut: NUMBER,
});

/** Effects of a build on its source. */
export interface BuildReport {
  readonly lists: readonly {
    readonly list: string;
    readonly read: number;
    readonly kept: number;
    readonly dropped: number;
  }[];
  readonly over: number;
  /** Only actions that occurred. */
  readonly actions: readonly { readonly action: string; readonly count: number }[];
  readonly findings: readonly Finding[];
  readonly findingsLeftOut: number;
  /**
   * G2, as little as possible is dropped, and it is named: when a build last dropped something new; null if nothing is dropped, or if the
   * time is unknown for some of it.
   */
  readonly lastDroppedAt: string | null;
}

const MOST_FINDINGS = 50;

/** Null if it is no report. */
export function readReport(value: unknown): BuildReport | null {
  const { lists, over, actions, findings, findingsLeftOut } = REPORT.parse(value);
  if (lists === null && actions === null) return null;
  const counts = Object.entries(actions ?? {}).map(([action, count]) => ({ action, count }));
  return {
    lists: Object.entries(lists ?? {}).map(([list, numbers]) => ({ list, ...numbers })),
    over,
    actions: counts.filter(({ count }) => count > 0),
    findings: findings.slice(0, MOST_FINDINGS).map((finding) => FINDING.parse(finding)),
    findingsLeftOut: findingsLeftOut + Math.max(0, findings.length - MOST_FINDINGS),
    lastDroppedAt: lastDroppedAt(findings, actions ?? {}),
  };
}

const DROPPING = DROPPED.map((kind) => `dropped ${kind}`);

function lastDroppedAt(
  findings: readonly unknown[],
  actions: Readonly<Record<string, number>>,
): string | null {
  const named = findings.filter(isObject).filter(({ action }) => DROPPING.includes(String(action)));
  const moments = named.flatMap(({ since }) => (typeof since === 'string' ? since : [])).sort();
  const all = DROPPING.reduce((sum, action) => sum + (actions[action] ?? 0), 0);
  return moments.length < named.length || named.length < all ? null : (moments.at(-1) ?? null);
}

/** G2: the number of dropped parts of the source, by kind. */
export function droppedOf(report: BuildReport | null): ReadonlyMap<string, number> {
  return new Map(DROPPED.map((kind) => [kind, countOf(report, `dropped ${kind}`)]));
}

export function countOf(report: BuildReport | null, action: string): number {
  return report?.actions.find((done) => done.action === action)?.count ?? 0;
}

/** G2: whether something is dropped now that was not seven days before `now` (milliseconds since 1970). */
export function isDroppedLately(report: BuildReport | null, now: number): boolean {
  const isDropped = [...droppedOf(report).values()].some((count) => count > 0);
  const last = report?.lastDroppedAt ?? null;
  return isDropped && (last === null || now - Date.parse(last) < CONCERN_MS);
}

const CONCERN_MS = 7 * 86_400_000;

interface AsBuilt {
  readonly report: BuildReport | null;
  readonly feeds: readonly Feed[];
}

/** Cached for as long as the snapshot: a report can be megabytes of JSON. */
const known = new WeakMap<Snapshot, Promise<AsBuilt>>();

export async function asBuiltOf(keeper: Pick<Keeper, 'pin' | 'state'>): Promise<AsBuilt> {
  if (keeper.state().current === null) return { report: null, feeds: [] };
  const { snapshot, release } = keeper.pin();
  try {
    const found = known.get(snapshot) ?? readAsBuilt(snapshot);
    known.set(snapshot, found);
    return await found;
  } finally {
    release();
  }
}

async function readAsBuilt({ query }: Snapshot): Promise<AsBuilt> {
  const read = async (key: string) => parsedJson(await metaText({ all: query }, key, 'null'));
  return { report: readReport(await read('report')), feeds: list(FEED).parse(await read('feeds')) };
}
