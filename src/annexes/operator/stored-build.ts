/**
 * The facts that a build and its importers stored in the snapshot about themselves: its report, its feeds, and the latest changes. Each of
 * these is read apart: one that another version stored in another form is left out.
 */
import * as z from 'zod';
import { beginningOf } from '../../calendar/display-text.ts';
import type { Snapshot } from '../../snapshot/open.ts';
import {
  type BuildReport,
  dropsIn,
  type Finding,
  fileReports,
  listOf,
  lossesIn,
  MOST_FINDINGS,
} from './build-report.ts';

/** Including what is not public. Cached for as long as the snapshot: a report can be megabytes of JSON. */
export function storedBuildOf(snapshot: Pick<Snapshot, 'json'>): Promise<StoredBuild> {
  const cached = CACHE.get(snapshot);
  if (cached !== undefined) return cached;
  const reading = read(snapshot);
  CACHE.set(snapshot, reading);
  // One that a busy server could not read in time is read again for the next request.
  reading.catch(() => CACHE.delete(snapshot));
  return reading;
}

const CACHE = new WeakMap<object, Promise<StoredBuild>>();

async function read({ json }: Pick<Snapshot, 'json'>): Promise<StoredBuild> {
  return STORED.parse({
    report: await json('report'),
    feeds: await json('feeds'),
    changes: await json('changes'),
  });
}

/** Letters of any value that `/status` shows. */
const MOST_LETTERS = 200;

/** The beginning of a text from outside: a title may be megabytes. */
export function cut(text: string): string {
  return text.length > MOST_LETTERS ? `${beginningOf(text, MOST_LETTERS - 1)}…` : text;
}

const TEXT = z.string().transform(cut);
const TEXT_OR_NONE = TEXT.nullable().default(null);

/** `since`: when it began to fail; `readAt`: when its records were last known to be current. */
const FEED = z
  .object({
    id: TEXT,
    kind: TEXT,
    state: TEXT,
    since: TEXT_OR_NONE,
    readAt: TEXT_OR_NONE,
    why: TEXT_OR_NONE,
    counts: z.object({ events: z.number() }).nullish().catch(null),
    expectedChange: z.object({ last: TEXT, withinDays: z.number() }).nullable().catch(null),
  })
  .transform(({ counts, ...feed }) => ({ ...feed, events: counts?.events ?? null }));

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
    file,
    /** Such as `events.ndjson:14`. */
    place: line === undefined ? file : `${file}:${line}`,
  }));

/** F8: without the names of the places, which may be of events that are not public. Snapshots of earlier versions do not have it. */
const PROPOSALS = z.object({
  withoutMunicipality: z.object({ events: z.number(), hasRegister: z.boolean() }),
});

const COUNTS = z.record(z.string(), z.number());

/** F17. Ids are whole, because editors paste them. Snapshots of earlier versions have none. */
const WAITING_EVENT = z.object({
  feed: TEXT,
  id: z.string(),
  title: TEXT,
  start: TEXT_OR_NONE,
  place: TEXT_OR_NONE,
  link: z
    .string()
    .regex(/^https?:/i)
    .nullable()
    .catch(null),
  since: TEXT_OR_NONE,
  version: z
    .string()
    .regex(/^v[\da-f]{16}$/)
    .nullable()
    .catch(null),
  wasApproved: z.boolean().catch(false),
});
const WAITING = z.object({ counts: COUNTS, events: z.array(WAITING_EVENT) });

/** The report as the build wrote it: findings and actions are in its order, those about missing content first. */
const WRITTEN_REPORT = z.object({
  lists: z.record(z.string(), z.object({ read: z.number(), kept: z.number(), dropped: z.number() })),
  /** Events of the source that are not in the snapshot, because they are over. */
  over: z.number(),
  /** The number of times for each action. */
  actions: COUNTS,
  actionsByFile: z.record(z.string(), COUNTS).catch({}),
  findings: z.array(FINDING),
  findingsLeftOut: z.number(),
  /** Examples for the desks of single feeds, which are not among the findings. */
  furtherExamples: z.array(FINDING).catch([]),
  proposals: PROPOSALS.nullish().catch(null),
  waiting: WAITING.catch({ counts: {}, events: [] }),
});

/** The report as readers ask for it: as a whole, or by file and feed. */
const REPORT = WRITTEN_REPORT.transform((written) => {
  const files = fileReports([...written.findings, ...written.furtherExamples], written.actionsByFile);
  return { whole: wholeReport(written), files, losses: lossesIn(files) };
});

function wholeReport(written: z.infer<typeof WRITTEN_REPORT>): BuildReport {
  const { lists, over, findings: all, findingsLeftOut, proposals, waiting } = written;
  const actions = listOf(written.actions);
  const findings = all.slice(0, MOST_FINDINGS).map(({ file: _, ...finding }): Finding => finding);
  const { dropped, lastDroppedAt } = dropsIn(actions, all);
  return {
    over,
    lists: Object.entries(lists).map(([list, numbers]) => ({ list, ...numbers })),
    actions,
    dropped,
    lastDroppedAt,
    findings,
    findingsLeftOut: findingsLeftOut + all.length - findings.length,
    withoutMunicipality: proposals?.withoutMunicipality ?? null,
    waiting,
  };
}

/** The kinds of changes that a build makes to the calendar. */
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

export type NamedChange = z.infer<typeof CHANGE>;

/** G10: one of the latest builds. `lists`: the first of each kind; others are only counted. */
const CHANGES = z.object({
  builtAt: TEXT,
  counts: z.record(z.enum(KINDS), z.number()),
  lists: z.record(z.enum(KINDS), z.array(CHANGE)),
});

const STORED = z.object({
  report: REPORT.nullable().catch(null),
  feeds: z.array(FEED).catch([]),
  /** The latest first. */
  changes: z.array(CHANGES).catch([]),
});

export type StoredBuild = z.infer<typeof STORED>;
