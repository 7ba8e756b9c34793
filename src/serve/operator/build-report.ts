/** Reads what builds and importers have left in a snapshot. Nothing here is taken for granted: other versions wrote it. */

import type { Keeper } from '../../snapshot/keeper.ts';
import { metaText } from '../../snapshot/meta.ts';
import type { Snapshot } from '../../snapshot/open.ts';

/** What a build did to its source. */
export interface BuildReport {
  readonly lists: readonly ListReport[];
  /** Events that were kept and are not in the snapshot, because they are over. */
  readonly over: number;
  /** How often each thing was done, such as `dropped date`; nothing that was not done. */
  readonly actions: readonly { readonly action: string; readonly count: number }[];
  /** The first ones. */
  readonly findings: readonly Finding[];
  readonly findingsLeftOut: number;
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
  readonly found: string;
}

export interface Feed {
  readonly id: string;
  readonly kind: string;
  readonly state: string;
  /** Since when it has been failing. */
  readonly since: string | null;
  /** When its records were last found to be current. */
  readonly readAt: string | null;
  readonly why: string | null;
}

const MOST_FINDINGS = 50;

/** Kept for as long as the snapshot is: a report can be megabytes of JSON. */
const known = new WeakMap<Snapshot, Promise<AsBuilt>>();

interface AsBuilt {
  readonly report: BuildReport | null;
  readonly feeds: readonly Feed[];
}

/** What the current snapshot says of its own build. */
export async function asBuiltOf(keeper: Pick<Keeper, 'pin' | 'state'>): Promise<AsBuilt> {
  if (keeper.state().current === null) return { report: null, feeds: [] };
  const pin = keeper.pin();
  try {
    return await asBuilt(pin.snapshot);
  } finally {
    pin.release();
  }
}

/** G2: what is missing of the source, by kind (`record`, `series`, `date`, `reference`). */
export function droppedOf(report: BuildReport | null): ReadonlyMap<string, number> {
  const dropped = new Map(DROPPED.map((kind) => [kind, 0]));
  for (const { action, count } of report?.actions ?? []) {
    const kind = /^dropped (\w+)$/.exec(action)?.[1];
    if (kind !== undefined) dropped.set(kind, count);
  }
  return dropped;
}

const DROPPED = ['record', 'series', 'date', 'reference'];

function asBuilt(snapshot: Snapshot): Promise<AsBuilt> {
  let found = known.get(snapshot);
  if (found === undefined) {
    found = readAsBuilt(snapshot);
    known.set(snapshot, found);
    found.catch(() => known.delete(snapshot));
  }
  return found;
}

async function readAsBuilt({ query }: Snapshot): Promise<AsBuilt> {
  const read = async (key: string): Promise<unknown> => {
    const text = await metaText({ all: query }, key).catch(() => 'null');
    return JSON.parse(text);
  };
  return { report: readReport(await read('report')), feeds: listOf(await read('feeds')).map(readFeed) };
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
  };
}

function readFinding(value: unknown): Finding {
  const { action, origin, id, field, expected, found } = fieldsOf(value);
  const { file, line, index } = fieldsOf(origin);
  const at = typeof line === 'number' ? `:${line}` : typeof index === 'number' ? `[${index}]` : '';
  return {
    action: textOf(action) ?? '',
    place: `${textOf(file) ?? ''}${at}`,
    id: textOf(id),
    field: textOf(field),
    expected: textOf(expected) ?? '',
    found: textOf(found) ?? '',
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

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {};
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

function numberOf(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) ? value : 0;
}
