/** F17: the decisions of editors on events that need approval, in correction sheets and in `corrections.json`. */
import { groupBy } from '../../../src/calendar/groups.ts';
import { isObject, type JsonObject } from '../../../src/calendar/json.ts';
import type { Finding, Origin } from '../../findings.ts';
import type { RawEntry, Source } from '../../source/source.ts';
import { type AreaVerdict, createApprovalAreas, type JudgeArea } from './approval-areas.ts';
import { versionIn, versionOf } from './approved-version.ts';
import type { Feed } from './config.ts';
import { originOf, type UsableFeed } from './feed-entries.ts';

/** The folder: the entries of its `corrections.json` take precedence over the sheets. */
export type DecidingSource = Pick<Source, 'corrections' | 'venues' | 'postalCodes'>;

/** Creates the function that returns, for each feed, the function that decides on its events. */
export async function createDecisions(
  all: readonly UsableFeed[],
  native: DecidingSource,
): Promise<(one: UsableFeed) => Promise<Decide>> {
  const decisions = [...(await decisionsInSheets(all)), ...(await decisionsInFile(native.corrections()))];
  const areLimited = decisions.some(({ municipalities }) => municipalities !== null);
  const areas = areLimited ? await createApprovalAreas(native, all) : null;
  return async (one) => {
    const judgeArea = (await areas?.ofFeed(one)) ?? UNKNOWN_AREA;
    return decisionsFor(one.feed, decisions, judgeArea);
  };
}

/** An editor's decision on the event with this id. */
interface Decision {
  readonly id: unknown;
  /** Null for an event that is hidden, which needs no approval any more. */
  readonly isApproved: boolean | null;
  /** The version of the event that is approved; null if its row has none. */
  readonly version: string | null;
  /** The feeds that it may be about; null for all. */
  readonly feeds: readonly string[] | null;
  /** The municipalities that all dates of the event have to be in; null for anywhere. */
  readonly municipalities: readonly string[] | null;
  readonly origin: Origin;
}

async function decisionsInSheets(all: readonly UsableFeed[]): Promise<readonly Decision[]> {
  const decisions: Decision[] = [];
  for (const { feed, lastGood } of all) {
    if (feed.kind !== 'corrections') continue;
    const { feeds, municipalities } = feed;
    for await (const { line, value } of lastGood.records('corrections')) {
      const decision = decisionIn(value);
      if (decision !== null)
        decisions.push({ ...decision, feeds, municipalities, origin: originOf(feed.id, line) });
    }
  }
  return decisions;
}

async function decisionsInFile(corrections: AsyncIterable<RawEntry>): Promise<readonly Decision[]> {
  const decisions: Decision[] = [];
  for await (const { value, origin } of corrections) {
    const decision = isObject(value) ? decisionIn(value) : null;
    if (decision !== null) decisions.push({ ...decision, feeds: null, municipalities: null, origin });
  }
  return decisions;
}

/** The decision of a correction that selects its event by an id; null if it decides nothing. */
function decisionIn({
  where,
  approve,
  hide,
  note,
}: JsonObject): Pick<Decision, 'id' | 'isApproved' | 'version'> | null {
  if (!isObject(where)) return null;
  const { id, ...others } = where;
  const isById = id != null && Object.values(others).every((condition) => condition == null);
  const version = versionIn(note);
  if (typeof approve === 'boolean') return { id, isApproved: approve, version };
  return hide === true && isById ? { id, isApproved: null, version } : null;
}

export interface Decided {
  readonly decision: 'approved' | 'refused' | 'undecided';
  /** Decisions without effect, because the event is not within the municipalities of their sheet. */
  readonly outside: readonly OutsideDecision[];
  /** Whether an approval has no effect, because it is of another version of the event. */
  readonly isOutdated: boolean;
}

interface OutsideDecision extends Decision, Pick<AreaVerdict, 'others'> {}

export type Decide = (event: JsonObject) => Decided;

/** Creates the function that decides on an event of a feed. A later decision takes precedence. */
function decisionsFor(
  { id: feed, approveAgainAfterChange }: Pick<Feed, 'id' | 'approveAgainAfterChange'>,
  decisions: readonly Decision[],
  judgeArea: JudgeArea,
): Decide {
  const applying = decisions.filter(({ feeds }) => feeds === null || feeds.includes(feed));
  const byId = groupBy(applying, ({ id }) => id);
  return (event) => {
    const effective: Decision[] = [];
    const outside: OutsideDecision[] = [];
    let isOutdated = false;
    const given = byId.get(event.id) ?? [];
    const version = approveAgainAfterChange && given.length > 0 ? versionOf(event) : null;
    for (const one of given) {
      const { municipalities } = one;
      const found = municipalities === null ? ANYWHERE : judgeArea(event, municipalities);
      const isOfOtherVersion = version !== null && one.isApproved === true && one.version !== version;
      if (!found.isInside) outside.push({ ...one, others: found.others });
      else if (isOfOtherVersion) isOutdated = true;
      else effective.push(one);
    }
    return { decision: decisionOf(effective), outside, isOutdated };
  };
}

/** The latest decision that approves or refuses. If an event has only other decisions, it is hidden, and therefore refused. */
function decisionOf(effective: readonly Decision[]): Decided['decision'] {
  if (effective.length === 0) return 'undecided';
  const latest = effective.findLast(({ isApproved }) => isApproved !== null);
  return latest?.isApproved === true ? 'approved' : 'refused';
}

const ANYWHERE: AreaVerdict = { isInside: true, others: [] };

/** The judge of a build without limited sheets: no decision asks it. */
const UNKNOWN_AREA: JudgeArea = () => ({ isInside: false, others: [] });

/** Other municipalities that a finding names. */
const MOST_OTHERS = 5;

/** The finding about a decision on an event that is not within the municipalities of its sheet. */
export function outsideFinding({ origin, id, municipalities, others }: OutsideDecision): Finding {
  const found =
    others.length === 0 ? 'one without a municipality' : `one in ${others.slice(0, MOST_OTHERS).join(', ')}`;
  return {
    action: 'left out',
    origin,
    id: String(id),
    field: null,
    expected: `an event in ${municipalities?.join(' or ')}, by the municipality or postal code of its place`,
    found,
  };
}
