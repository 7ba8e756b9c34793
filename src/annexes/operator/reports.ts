/**
 * The public part of what builds and importers stored in a snapshot about themselves. If another version stored it in another form, nothing
 * of it is shown.
 */
import * as z from 'zod';
import { beginningOf, printableLine } from '../../calendar/display-text.ts';
import { createNearest } from '../../calendar/nearest.ts';
import type { AnswerBasis } from '../../serve/graphql/answer.ts';
import type { Keeper } from '../../snapshot/keeper.ts';
import type { Snapshot } from '../../snapshot/open.ts';
import { withSnapshot } from '../../snapshot/pins.ts';
import {
  type BuildReport,
  dropsIn,
  type FileLoss,
  type Finding,
  fileReports,
  listOf,
  lossesIn,
  MOST_FINDINGS,
  reportOfFeeds,
} from './build-report.ts';

/**
 * The facts that the current snapshot's build stored, without what is not public at `now` (seconds since 1970). `ids`: of the only feeds to
 * report on; null for all.
 */
export async function publicAsBuilt(
  keeper: Pick<Keeper, 'pin' | 'state'>,
  now: number,
  ids: readonly string[] | null = null,
): Promise<SelectedAsBuilt> {
  const selection = ids && { feeds: ids, unknown: [] };
  if (keeper.state().current === null) return { ...NOTHING, selection };
  try {
    return await withSnapshot(keeper, async (snapshot) => {
      const stored = await storedOf(snapshot);
      const selected = selectedFrom(stored, ids);
      return { ...disclosed(selected, { snapshot, now }), selection: ids && selectionOf(ids, stored) };
    });
  } catch {
    // H14: a file that cannot be read is left by its keeper.
    return { ...NOTHING, selection };
  }
}

const NOTHING: AsBuilt = { report: null, losses: [], feeds: [], changes: [] };

interface SelectedAsBuilt extends AsBuilt {
  /** Null for the whole calendar. */
  readonly selection: Selection | null;
}

/** Feeds that a reader asked for by their ids. */
interface Selection {
  readonly feeds: readonly string[];
  /** Those of which the calendar has none. */
  /** At most `MOST_UNKNOWN`. */
  readonly unknown: readonly UnknownFeed[];
}

/** Unknown feeds that are named: to find the nearest one takes time. */
const MOST_UNKNOWN = 20;

export interface UnknownFeed {
  readonly id: string;
  /** The feed that is probably meant. */
  readonly nearest: string | null;
}

function selectionOf(ids: readonly string[], { feeds }: Stored): Selection {
  const known = new Set(feeds.map(({ id }) => id));
  const nearest = createNearest(known, (id) => [id]);
  const unknown = ids.filter((id) => !known.has(id)).slice(0, MOST_UNKNOWN);
  return {
    feeds: ids,
    unknown: unknown.map((id) => ({ id: printableLine(cut(id)), nearest: nearest(id) })),
  };
}

/** The changes name events of all feeds, so that only the whole calendar has them. */
function selectedFrom({ report, feeds, changes }: Stored, ids: readonly string[] | null): AsBuilt {
  const losses = report?.losses ?? [];
  if (ids === null) return { report: report?.whole ?? null, losses, feeds, changes };
  const files = new Set(ids.map((id) => `feed ${id}`));
  return {
    report: report && reportOfFeeds(report.whole, report.files, ids),
    losses: losses.filter(({ file }) => files.has(file)),
    feeds: feeds.filter(({ id }) => ids.includes(id)),
    changes: [],
  };
}

/**
 * H9: a finding about an event that is not published yet, or that a build left out, shows only the place in the source, the field and the
 * expected form. The same holds for venues and organizers.
 */
export function disclosed({ report, changes, ...others }: AsBuilt, { snapshot, now }: AnswerBasis): AsBuilt {
  /** Null if the calendar has no such event. */
  const isPublic = (id: string): boolean | null => {
    const ordinal = snapshot.ordinalByOwnId(id);
    if (ordinal === null) return null;
    const publishedAt = snapshot.columns.publishing[ordinal] ?? Number.POSITIVE_INFINITY;
    return publishedAt <= now;
  };
  // One of two records with one id is left out, and may be an entirely different event.
  const lost = new Set(report?.findings.flatMap(({ action, id }) => (LOSSES.has(action) ? (id ?? []) : [])));
  const isShown = ({ place, id }: Finding) =>
    id !== null && isPublic(id) === true && !lost.has(id) && !OTHER_RECORDS.test(place);
  const redacted = (finding: Finding) => (isShown(finding) ? finding : { ...finding, id: null, found: null });
  /** Omits events that are not public. A removed event shows only its id, which the root field `changes` also names. */
  const shown = (named: readonly NamedChange[]) =>
    named
      .filter(({ id }) => isPublic(id) !== false)
      .map((change) => (isPublic(change.id) ? change : { ...change, title: null, from: null }));
  return {
    ...others,
    report: report && { ...report, findings: report.findings.map(redacted) },
    changes: changes.map(({ lists: { added, changed, renamed, removed }, ...build }) => ({
      ...build,
      lists: {
        added: shown(added),
        changed: shown(changed),
        renamed: shown(renamed),
        removed: shown(removed),
      },
    })),
  };
}

const LOSSES: ReadonlySet<string> = new Set(['dropped record', 'dropped series']);

/** Files of venues and organizers, whose ids may be the same as those of events. */
const OTHER_RECORDS = /^(?:venues|organizers)\./;

/** Cached for as long as the snapshot: a report can be megabytes of JSON. */
const reports = new WeakMap<object, Promise<Stored>>();

/** The facts as they were stored, including what is not public. */
export async function asBuiltOf(snapshot: Pick<Snapshot, 'json'>): Promise<AsBuilt> {
  return selectedFrom(await storedOf(snapshot), null);
}

function storedOf(snapshot: Pick<Snapshot, 'json'>): Promise<Stored> {
  const cached = reports.get(snapshot);
  if (cached !== undefined) return cached;
  const reading = readStored(snapshot);
  reports.set(snapshot, reading);
  // One that a busy server could not read in time is read again for the next request.
  reading.catch(() => reports.delete(snapshot));
  return reading;
}

async function readStored({ json }: Pick<Snapshot, 'json'>): Promise<Stored> {
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
    file,
    /** Such as `events.ndjson:14`. */
    place: line === undefined ? file : `${file}:${line}`,
  }));

/** F8: without the names of the places, which may be of events that are not public. Snapshots of earlier versions do not have it. */
const PROPOSALS = z.object({
  withoutMunicipality: z.object({ events: z.number(), hasRegister: z.boolean() }),
});

const COUNTS = z.record(z.string(), z.number());

/** Findings and actions are in the order of the report: what is missing first. */
const REPORT = z
  .object({
    lists: z.record(z.string(), z.object({ read: z.number(), kept: z.number(), dropped: z.number() })),
    /** Events of the source that are not in the snapshot, because they are over. */
    over: z.number(),
    /** The number of times for each action. */
    actions: COUNTS,
    actionsByFile: z.record(z.string(), COUNTS).catch({}),
    findings: z.array(FINDING),
    findingsLeftOut: z.number(),
    furtherExamples: z.array(FINDING).catch([]),
    proposals: PROPOSALS.nullish().catch(null),
  })
  .transform((stored) => {
    const { lists, actionsByFile, findings: all, furtherExamples, over, proposals } = stored;
    const actions = listOf(stored.actions);
    const findings = all.slice(0, MOST_FINDINGS).map(({ file: _, ...finding }): Finding => finding);
    const whole: BuildReport = {
      over,
      lists: Object.entries(lists).map(([list, numbers]) => ({ list, ...numbers })),
      actions,
      ...dropsIn(actions, all),
      findings,
      findingsLeftOut: stored.findingsLeftOut + all.length - findings.length,
      withoutMunicipality: proposals?.withoutMunicipality ?? null,
    };
    const files = fileReports([...all, ...furtherExamples], actionsByFile);
    return { whole, files, losses: lossesIn(files) };
  });

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

type Stored = z.infer<typeof STORED>;

interface AsBuilt extends Omit<Stored, 'report'> {
  readonly report: BuildReport | null;
  /** For alerts: a report shows only some of the findings. */
  readonly losses: readonly FileLoss[];
}
