/**
 * What keeps the snapshot folder of this machine current, builds or copies (H6), for `/status` and `/metrics`; and what
 * builds and importers have left in a snapshot.
 */
import { Counter, Gauge, type Registry } from 'prom-client';
import { isObject, type JsonObject } from '../../calendar/json.ts';
import type { StoreState } from '../../snapshot/folder.ts';
import type { Keeper } from '../../snapshot/keeper.ts';
import { type Counts, metaText } from '../../snapshot/meta.ts';
import type { Snapshot } from '../../snapshot/open.ts';

export interface BuildRecord {
  readonly kind: 'rebuild' | 'pull';
  readonly outcome: 'published' | 'unchanged' | 'failed';
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  readonly ms: number;
  /** Of the snapshot that it published or found unchanged. */
  readonly id: string | null;
  readonly counts: Counts | null;
  /** Why it failed. */
  readonly reason: string | null;
  /** The build's own report, its findings cut to the first few; null when it got to none. */
  readonly report: JsonObject | null;
}

export interface Upkeep {
  /** The latest first. */
  readonly builds: readonly BuildRecord[];
  /** Where copies come from; null for a machine that builds, or that leaves both to others. */
  readonly origin: Origin | null;
  /** Where snapshots are copied to (J1); null for a machine that publishes to no store. */
  readonly store: StoreState | null;
}

export interface Origin {
  /** Why it cannot be asked; null when it can. */
  readonly outOfReach: string | null;
  /** Since when, in milliseconds since 1970. */
  readonly since: number | null;
}

export const NO_UPKEEP: Upkeep = { builds: [], origin: null, store: null };

/** For the process that builds: what to call with each build as it ends. */
export function createBuildMetrics(registry: Registry): (record: BuildRecord) => void {
  const common = { labelNames: ['kind', 'outcome'] as const, registers: [registry] };
  const builds = new Counter({
    name: 'almanakk_builds_total',
    help: 'Builds and copies, by outcome',
    ...common,
  });
  const seconds = new Counter({
    name: 'almanakk_build_seconds_total',
    help: 'Time that they took',
    ...common,
  });
  const lasts = new Gauge({
    name: 'almanakk_build_last_seconds',
    help: 'Time that the last one took',
    ...common,
  });
  const ended = new Gauge({
    name: 'almanakk_build_last_timestamp_seconds',
    help: 'When the last one ended',
    ...common,
  });
  return ({ kind, outcome, startedAt, ms }) => {
    const labels = { kind, outcome };
    builds.inc(labels);
    seconds.inc(labels, ms / 1_000);
    lasts.set(labels, ms / 1_000);
    ended.set(labels, (startedAt + ms) / 1_000);
  };
}

/** For the process that publishes or copies: everything is read off when somebody asks. */
export function createUpkeepMetrics(registry: Registry, upkeep: () => Upkeep): void {
  const registers = [registry];
  const store = () => upkeep().store;
  type Value = () => number | undefined;
  const readOff = (Metric: typeof Gauge | typeof Counter, name: string, help: string, value: Value) => {
    const collect = function (this: Gauge | Counter) {
      this.reset();
      this.inc(value() ?? 0);
    };
    new Metric({ name, help, registers, collect });
  };
  const seconds = (ms: number | null | undefined) => (ms ?? 0) / 1_000;
  new Gauge({
    name: 'almanakk_store_failing_since_timestamp_seconds',
    help: 'Since when the store has not what the folder has, and why; 0 while it has',
    labelNames: ['why'],
    registers,
    collect() {
      const failing = store()?.failing;
      this.reset();
      this.set({ why: failing?.why ?? '' }, seconds(failing?.since));
    },
  });
  const sent = 'When something was last sent to the store; 0 for never';
  readOff(Gauge, 'almanakk_store_sent_timestamp_seconds', sent, () => seconds(store()?.sentAt));
  const seen = 'When another builder’s snapshot was last seen in the store; 0 for never';
  readOff(Gauge, 'almanakk_store_rival_timestamp_seconds', seen, () => seconds(store()?.rival?.seenAt));
  const since = 'Since when the origin has been out of reach; 0 while it can be asked';
  readOff(Gauge, 'almanakk_origin_failing_since_timestamp_seconds', since, () =>
    seconds(upkeep().origin?.since),
  );
  const bytes = 'Bytes that were sent to the store';
  readOff(Counter, 'almanakk_store_sent_bytes_total', bytes, () => store()?.bytes);
  readOff(Counter, 'almanakk_store_sent_seconds_total', 'Time that it took', () => seconds(store()?.ms));
}

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
  /** Null where it is not told. */
  readonly found: string | null;
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

interface AsBuilt {
  readonly report: BuildReport | null;
  readonly feeds: readonly Feed[];
}

/** Kept for as long as the snapshot is: a report can be megabytes of JSON. */
const known = new WeakMap<Snapshot, Promise<AsBuilt>>();

/** What the current snapshot says of its own build. */
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

/** Nothing is taken for granted but that it is JSON: other versions wrote it. */
async function readAsBuilt({ query }: Snapshot): Promise<AsBuilt> {
  const read = async (key: string): Promise<unknown> =>
    JSON.parse(await metaText({ all: query }, key).catch(() => 'null'));
  return { report: readReport(await read('report')), feeds: listOf(await read('feeds')).map(readFeed) };
}

/** G2: what is missing of the source, by kind. */
export function droppedOf(report: BuildReport | null): ReadonlyMap<string, number> {
  const counts = new Map(report?.actions.map(({ action, count }) => [action, count]));
  return new Map(DROPPED.map((kind) => [kind, counts.get(`dropped ${kind}`) ?? 0]));
}

const DROPPED = ['record', 'series', 'date', 'reference'];

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

const MOST_FINDINGS = 50;

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

const fieldsOf = (value: unknown): JsonObject => (isObject(value) ? value : {});

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

const textOf = (value: unknown): string | null => (typeof value === 'string' ? value : null);

function numberOf(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) ? value : 0;
}
