/** The part of a stored build that `/status` may show: all of it or some feeds, without what is not public yet. */
import { printableLine } from '../../calendar/display-text.ts';
import { listOfFeed } from '../../calendar/feed-ids.ts';
import { createNearest } from '../../calendar/nearest.ts';
import type { AnswerBasis } from '../../serve/graphql/answer.ts';
import type { Keeper } from '../../snapshot/keeper.ts';
import type { Snapshot } from '../../snapshot/open.ts';
import { withSnapshot } from '../../snapshot/pins.ts';
import { isPublishedAt } from '../../snapshot/visibility.ts';
import { type BuildReport, type FileLoss, type Finding, feedFile, reportOfFeeds } from './build-report.ts';
import { includesFeed } from './editors.ts';
import { cut, type NamedChange, type StoredBuild, storedBuildOf } from './stored-build.ts';

/** A build by its own account. */
interface AsBuilt extends Pick<StoredBuild, 'feeds' | 'changes'> {
  readonly report: BuildReport | null;
  /** For alerts: a report shows only some of the findings. */
  readonly losses: readonly FileLoss[];
}

interface SelectedAsBuilt extends AsBuilt {
  /** Null for the whole calendar. */
  readonly selection: Selection | null;
}

/** The only feeds to report on. */
export interface FeedChoice {
  readonly ids: readonly string[];
  /** H15: for this reader, the calendar has only these feeds; null for all. */
  readonly limit: readonly string[] | null;
}

/** Feeds that a reader asked for by their ids. */
interface Selection {
  readonly feeds: readonly string[];
  /** Ids that no feed of the calendar has, for this reader: at most `MOST_UNKNOWN`. */
  readonly unknown: readonly UnknownFeed[];
}

export interface UnknownFeed {
  readonly id: string;
  /** The feed that is probably meant. */
  readonly nearest: string | null;
}

/** The current snapshot's build, without what is not public at `now` (seconds since 1970). `choice`: null for all feeds. */
export async function publicAsBuilt(
  keeper: Pick<Keeper, 'pin' | 'state'>,
  now: number,
  choice: FeedChoice | null = null,
): Promise<SelectedAsBuilt> {
  const nothing = { ...NOTHING, selection: choice && { feeds: choice.ids, unknown: [] } };
  if (keeper.state().current === null) return nothing;
  try {
    return await withSnapshot(keeper, async (snapshot) => {
      const stored = await storedBuildOf(snapshot);
      const selected = selectedFrom(stored, choice && withListed(choice, stored));
      return { ...disclosed(selected, { snapshot, now }), selection: choice && selectionOf(choice, stored) };
    });
  } catch {
    // H14: the keeper leaves a file that cannot be read.
    return nothing;
  }
}

/** F18: a list stands for its feeds, too. */
function withListed({ ids: all, limit }: FeedChoice, { feeds }: StoredBuild): readonly string[] {
  const ids = all.filter((id) => includesFeed(limit, id));
  const listed = feeds
    .map(({ id }) => id)
    .filter((id) => id !== listOfFeed(id) && ids.includes(listOfFeed(id)));
  return [...new Set([...ids, ...listed])];
}

const NOTHING: AsBuilt = { report: null, losses: [], feeds: [], changes: [] };

/** All of a build, including what is not public. */
export async function asBuiltOf(snapshot: Pick<Snapshot, 'json'>): Promise<AsBuilt> {
  return selectedFrom(await storedBuildOf(snapshot), null);
}

function selectedFrom({ report, feeds, changes }: StoredBuild, ids: readonly string[] | null): AsBuilt {
  const losses = report?.losses ?? [];
  if (ids === null) return { report: report?.whole ?? null, losses, feeds, changes };
  const files = new Set(ids.map(feedFile));
  return {
    report: report && reportOfFeeds(report.whole, report.files, ids),
    losses: losses.filter(({ file }) => files.has(file)),
    feeds: feeds.filter(({ id }) => ids.includes(id)),
    // These name events of all feeds.
    changes: [],
  };
}

/** Unknown feeds that are named: to find the nearest one takes time. */
const MOST_UNKNOWN = 20;

function selectionOf({ ids, limit }: FeedChoice, { feeds }: StoredBuild): Selection {
  const known = new Set(feeds.map(({ id }) => id).filter((id) => includesFeed(limit, id)));
  const nearestTo = createNearest(known, (id) => [id]);
  const unknown = ids.filter((id) => !known.has(id)).slice(0, MOST_UNKNOWN);
  return {
    feeds: ids,
    unknown: unknown.map((id) => ({ id: printableLine(cut(id)), nearest: nearestTo(id) })),
  };
}

/**
 * H9: a finding about an event that is not published yet, or that a build left out, shows only the place in the source, the field and the
 * expected form. The same holds for venues and organizers.
 */
export function disclosed({ report, changes, ...others }: AsBuilt, basis: AnswerBasis): AsBuilt {
  const isPublic = createPublicTest(basis);
  return {
    ...others,
    report: report && { ...report, findings: redactedFindings(report.findings, isPublic) },
    changes: changes.map((build) => ({ ...build, lists: publicChanges(build.lists, isPublic) })),
  };
}

/** Whether the event with this id is public; null if the calendar has no such event. */
type PublicTest = (id: string) => boolean | null;

function createPublicTest({ snapshot, now }: AnswerBasis): PublicTest {
  return (id) => {
    const ordinal = snapshot.ordinalByOwnId(id);
    return ordinal === null ? null : isPublishedAt(snapshot.columns, ordinal, now);
  };
}

/** Only a finding about a public event keeps its id and its value. */
function redactedFindings(findings: readonly Finding[], isPublic: PublicTest): readonly Finding[] {
  const dropped = new Set(findings.filter(({ action }) => DROPS_EVENT.has(action)).map(({ id }) => id));
  return findings.map((finding) => {
    const { place, id } = finding;
    const isAboutEvent = id !== null && !OTHER_RECORDS.test(place);
    // The dropped one of two records with one id may be an entirely different event than the public one.
    const isShown = isAboutEvent && isPublic(id) === true && !dropped.has(id);
    return isShown ? finding : { ...finding, id: null, found: null };
  });
}

const DROPS_EVENT: ReadonlySet<string> = new Set(['dropped record', 'dropped series']);

/** Files of venues and organizers, whose ids may be the same as those of events. */
const OTHER_RECORDS = /^(?:venues|organizers)\./;

type ChangeLists = StoredBuild['changes'][number]['lists'];

/** Without events that are not public. A removed event shows only its id, which the root field `changes` also names. */
function publicChanges({ added, changed, renamed, removed }: ChangeLists, isPublic: PublicTest): ChangeLists {
  const shown = (changes: readonly NamedChange[]) =>
    changes
      .filter(({ id }) => isPublic(id) !== false)
      .map((change) => (isPublic(change.id) === null ? { ...change, title: null, from: null } : change));
  return {
    added: shown(added),
    changed: shown(changed),
    renamed: shown(renamed),
    removed: shown(removed),
  };
}
