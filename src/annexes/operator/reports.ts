/** The reports that builds and importers stored in a snapshot. */
import { isObject, type JsonObject } from '../../calendar/json.ts';
import type { Keeper } from '../../snapshot/keeper.ts';
import { metaText } from '../../snapshot/meta.ts';
import type { Snapshot } from '../../snapshot/open.ts';
import { DROPPED } from '../common/upkeep.ts';

/** Effects of a build on its source. */
export interface BuildReport {
  readonly lists: readonly ListReport[];
  /** Events of the source that are not in the snapshot, because they are over. */
  readonly over: number;
  /** The number of times for each action, such as `dropped date`; only actions that occurred. */
  readonly actions: readonly { readonly action: string; readonly count: number }[];
  readonly findings: readonly Finding[];
  readonly findingsLeftOut: number;
  /** G2: when a build last dropped something new; null if nothing is dropped, or if the time is unknown for some of it. */
  readonly lastDroppedAt: string | null;
}

interface ListReport {
  readonly list: string;
  readonly read: number;
  readonly kept: number;
  readonly dropped: number;
}

export interface Finding {
  readonly action: string;
  /** Such as `events.ndjson:14` or `events.json[3]`. */
  readonly place: string;
  readonly id: string | null;
  readonly field: string | null;
  readonly expected: string;
  /** Null if it is not disclosed. */
  readonly found: string | null;
  /** ISO 8601: when a build first dropped it. */
  readonly since: string | null;
}

export interface Feed {
  readonly id: string;
  readonly kind: string;
  readonly state: string;
  /** When it began to fail. */
  readonly since: string | null;
  /** When its records were last known to be current. */
  readonly readAt: string | null;
  readonly why: string | null;
}

interface AsBuilt {
  readonly report: BuildReport | null;
  readonly feeds: readonly Feed[];
}

/** Cached for as long as the snapshot: a report can be megabytes of JSON. */
const known = new WeakMap<Snapshot, Promise<AsBuilt>>();

export async function asBuiltOf(keeper: Pick<Keeper, 'pin' | 'state'>): Promise<AsBuilt> {
  if (keeper.state().current === null) return { report: null, feeds: [] };
  const pin = keeper.pin();
  const { snapshot } = pin;
  try {
    const found = known.get(snapshot) ?? readAsBuilt(snapshot);
    known.set(snapshot, found);
    return await found;
  } finally {
    pin.release();
  }
}

/** Assumes only that it is JSON: other versions wrote it. */
async function readAsBuilt({ query }: Snapshot): Promise<AsBuilt> {
  const read = async (key: string): Promise<unknown> =>
    JSON.parse(await metaText({ all: query }, key).catch(() => 'null'));
  return { report: readReport(await read('report')), feeds: listOf(await read('feeds')).map(readFeed) };
}

/** G2: the number of dropped parts of the source, by kind. */
export function droppedOf(report: BuildReport | null): ReadonlyMap<string, number> {
  const counts = new Map(report?.actions.map(({ action, count }) => [action, count]));
  return new Map(DROPPED.map((kind) => [kind, counts.get(`dropped ${kind}`) ?? 0]));
}

export function readReport(value: unknown): BuildReport | null {
  const { lists, over, actions, findings, findingsLeftOut } = fieldsOf(value);
  if (lists === undefined && actions === undefined) return null;
  const all = listOf(findings);
  return {
    lists: Object.entries(fieldsOf(lists)).map(([list, counts]) => {
      const { read, kept, dropped } = fieldsOf(counts);
      return { list, read: numberOf(read), kept: numberOf(kept), dropped: numberOf(dropped) };
    }),
    over: numberOf(over),
    actions: Object.entries(fieldsOf(actions))
      .map(([action, count]) => ({ action, count: numberOf(count) }))
      .filter(({ count }) => count > 0),
    findings: all.slice(0, MOST_FINDINGS).map(readFinding),
    findingsLeftOut: numberOf(findingsLeftOut) + Math.max(0, all.length - MOST_FINDINGS),
    lastDroppedAt: lastDroppedAt(all, fieldsOf(actions)),
  };
}

function lastDroppedAt(findings: readonly unknown[], actions: JsonObject): string | null {
  const dropped = DROPPED.map((kind) => `dropped ${kind}`);
  const named = findings.map(fieldsOf).filter(({ action }) => dropped.includes(String(action)));
  const moments = named.flatMap(({ since }) => textOf(since) ?? []).sort();
  const all = dropped.reduce((sum, action) => sum + numberOf(actions[action]), 0);
  return moments.length < named.length || named.length < all ? null : (moments.at(-1) ?? null);
}

/** G2: whether something is dropped now that was not seven days before `now` (milliseconds since 1970). */
export function isDroppedLately(report: BuildReport | null, now: number): boolean {
  const isDropped = [...droppedOf(report).values()].some((count) => count > 0);
  const last = report?.lastDroppedAt ?? null;
  return isDropped && (last === null || now - Date.parse(last) < CONCERN_MS);
}

const CONCERN_MS = 7 * 86_400_000;

const MOST_FINDINGS = 50;

function readFinding(value: unknown): Finding {
  const { action, origin, id, field, expected, found, since } = fieldsOf(value);
  const { file, line, index } = fieldsOf(origin);
  const at = typeof line === 'number' ? `:${line}` : typeof index === 'number' ? `[${index}]` : '';
  return {
    action: textOf(action) ?? '',
    place: `${textOf(file) ?? ''}${at}`,
    id: textOf(id),
    field: textOf(field),
    expected: textOf(expected) ?? '',
    found: textOf(found) ?? '',
    since: textOf(since),
  };
}

function readFeed(value: unknown): Feed {
  const { id, kind, state, since, readAt, why } = fieldsOf(value);
  return {
    id: textOf(id) ?? '?',
    kind: textOf(kind) ?? '?',
    state: textOf(state) ?? '?',
    since: textOf(since),
    readAt: textOf(readAt),
    why: textOf(why),
  };
}

const fieldsOf = (value: unknown): JsonObject => (isObject(value) ? value : {});

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

const textOf = (value: unknown): string | null => (typeof value === 'string' ? cut(value) : null);

/** Letters of any value that `/status` shows. */
const MOST_LETTERS = 200;

/** The beginning of what somebody wrote: a title may be megabytes. */
export function cut(text: string): string {
  return text.length > MOST_LETTERS ? `${text.slice(0, MOST_LETTERS - 1)}…` : text;
}

function numberOf(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) ? value : 0;
}
