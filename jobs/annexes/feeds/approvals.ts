/**
 * F17: events of feeds that need approval. Until an editor approves an event by its id, the calendar has neither the event nor the places and
 * organizers that only such events name.
 */
import { groupBy } from '../../../src/calendar/groups.ts';
import { isObject, type JsonObject } from '../../../src/calendar/json.ts';
import { formatDay, osloDay } from '../../../src/calendar/time.ts';
import { type Finding, type Origin, originText, type Reporter } from '../../findings.ts';
import type { WaitingEvent } from '../../report-summary.ts';
import type { HeldBack, HeldEvent, RawEntry, Source } from '../../source.ts';
import { type AreaVerdict, createApprovalAreas, type JudgeArea } from './approval-areas.ts';
import { versionIn, versionOf } from './approved-version.ts';
import type { Feed } from './config.ts';
import { addJoined } from './directory.ts';
import { venueHoldersIn, withVenues } from './event-venues.ts';
import { originOf, type UsableFeed } from './feed-entries.ts';
import type { FeedRecord, LastGood } from './last-good.ts';
import { describe, isOver } from './waiting.ts';

interface Approvals {
  /** All feeds; of those that need approval, only what is approved. */
  readonly usable: readonly UsableFeed[];
  /** Events that are not approved, and places and organizers that only these name. */
  readonly heldBack: HeldBack;
  /** Those that are not over, and that no editor has decided on. */
  readonly waiting: readonly WaitingEvent[];
}

interface ApprovalOptions {
  /** The folder. Entries of its `corrections.json` take precedence over the sheets. */
  readonly native: Pick<Source, 'corrections' | 'venues' | 'postalCodes'>;
  readonly now: number;
  readonly reporter: Pick<Reporter, 'addFinding'>;
}

/** Removes from the feeds the events that nobody has approved. */
export async function holdBack(
  all: readonly UsableFeed[],
  { native, now, reporter }: ApprovalOptions,
): Promise<Approvals> {
  const heldBack = {
    events: new Map<string, HeldEvent>(),
    venues: new Set<string>(),
    organizers: new Set<string>(),
  };
  const waiting: WaitingEvent[] = [];
  if (!all.some(({ feed }) => feed.needsApproval)) return { usable: all, heldBack, waiting };
  const decisions = [...(await decisionsInSheets(all)), ...(await decisionsInFile(native.corrections()))];
  const areLimited = decisions.some(({ municipalities }) => municipalities !== null);
  const areas = areLimited ? await createApprovalAreas(native, all) : null;
  const held: Held = { ...heldBack, waiting, today: formatDay(osloDay(now)), reporter };
  const usable: UsableFeed[] = [];
  for (const one of all) {
    const { feed } = one;
    if (!feed.needsApproval) {
      usable.push(one);
      continue;
    }
    const find = (await areas?.ofFeed(one)) ?? UNKNOWN_AREA;
    usable.push(await holdBackOne(one, decisionsFor(feed, decisions, find), held));
  }
  return { usable, heldBack, waiting };
}

/** What is held back of all feeds so far. */
interface Held extends Pick<ApprovalOptions, 'reporter'> {
  readonly events: Map<string, HeldEvent>;
  readonly venues: Set<string>;
  readonly organizers: Set<string>;
  readonly waiting: WaitingEvent[];
  readonly today: string;
}

/** The feed with what is approved of it. The rest is added to `held`. */
async function holdBackOne({ feed, lastGood }: UsableFeed, decide: Decide, held: Held): Promise<UsableFeed> {
  const named = createNamed();
  const places = await namesOf(lastGood.records('venues'));
  for await (const { value } of lastGood.records('events')) {
    const decided = decide(value);
    for (const one of decided.outside) held.reporter.addFinding(outsideFinding(one));
    if (decided.decision === 'approved') named.add(value);
    else held.events.set(String(value.id), heldEventOf(feed, decided));
    const isWaiting = decided.decision === 'undecided' && !isOver(value, held.today);
    if (isWaiting)
      held.waiting.push({
        ...describe(value, { feed, places, today: held.today }),
        ...(feed.approveAgainAfterChange && { version: versionOf(value) }),
        ...(decided.isOutdated && { wasApproved: true as const }),
      });
  }
  const venues = await joinNamed(lastGood.records('venues'), named.venues);
  const organizers = await joinNamed(lastGood.records('organizers'), named.organizers);
  for (const id of venues.others) held.venues.add(id);
  for (const id of organizers.others) held.organizers.add(id);
  const isApproved = (event: JsonObject) => decide(event).decision === 'approved';
  return { feed, lastGood: approvedOf(lastGood, { isApproved, venues, organizers }) };
}

function heldEventOf(feed: Feed, { decision, outside, isOutdated }: Decided): HeldEvent {
  return {
    feed: feed.id,
    isRefused: decision === 'refused',
    outside: new Set(outside.map(({ origin }) => originText(origin))),
    isOutdated,
  };
}

/** The names of venues, by their ids. */
async function namesOf(venues: AsyncIterable<FeedRecord>): Promise<ReadonlyMap<unknown, string>> {
  const names = new Map<unknown, string>();
  for await (const { value } of venues) if (typeof value.name === 'string') names.set(value.id, value.name);
  return names;
}

/** An editor's decision on the event with this id. */
interface Decision {
  readonly id: unknown;
  /** Null for an event that is hidden, which needs no approval any more. */
  readonly isApproved: boolean | null;
  /** Of the event that is approved; null if its row has none. */
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

interface Decided {
  readonly decision: 'approved' | 'refused' | 'undecided';
  /** Decisions without effect, because the event is not within the municipalities of their sheet. */
  readonly outside: readonly OutsideDecision[];
  /** Whether an approval has no effect, because it is of another version of the event. */
  readonly isOutdated: boolean;
}

interface OutsideDecision extends Decision, Pick<AreaVerdict, 'others'> {}

type Decide = (event: JsonObject) => Decided;

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

/** Of a build without limited sheets: no decision asks. */
const UNKNOWN_AREA: JudgeArea = () => ({ isInside: false, others: [] });

/** Other municipalities that a finding names. */
const MOST_OTHERS = 5;

function outsideFinding({ origin, id, municipalities, others }: OutsideDecision): Finding {
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

interface Named {
  readonly venues: ReadonlySet<unknown>;
  readonly organizers: ReadonlySet<unknown>;
  readonly add: (event: JsonObject) => void;
}

/** The venues and organizers that approved events name, by their ids. */
function createNamed(): Named {
  const venues = new Set<unknown>();
  const organizers = new Set<unknown>();
  return {
    venues,
    organizers,
    add(event) {
      for (const { venue } of venueHoldersIn(event)) if (venue != null) venues.add(venue);
      if (Array.isArray(event.organizers)) for (const id of event.organizers) organizers.add(id);
    },
  };
}

/** The venues or organizers that approved events name. */
interface Joined {
  /** Each once, from the descriptions in approved events alone. */
  readonly records: ReadonlyMap<string, FeedRecord>;
  /** Their ids, by those of their descriptions. */
  readonly idOf: ReadonlyMap<unknown, string>;
  /** The ids of those that only other events name. */
  readonly others: readonly string[];
}

async function joinNamed(records: AsyncIterable<FeedRecord>, named: ReadonlySet<unknown>): Promise<Joined> {
  const joined = new Map<string, FeedRecord>();
  const idOf = new Map<unknown, string>();
  const all = new Set<string>();
  for await (const record of records) {
    const id = record.describes ?? String(record.value.id);
    all.add(id);
    if (!named.has(record.value.id)) continue;
    idOf.set(record.value.id, id);
    addJoined(joined, { ...record, value: { ...record.value, id } });
  }
  return { records: joined, idOf, others: [...all].filter((id) => !joined.has(id)) };
}

interface Approved {
  readonly isApproved: (event: JsonObject) => boolean;
  readonly venues: Joined;
  readonly organizers: Joined;
}

function approvedOf(lastGood: LastGood, approved: Approved): LastGood {
  const records: LastGood['records'] = async function* approvedRecords(list) {
    if (list === 'venues' || list === 'organizers') yield* approved[list].records.values();
    else if (list === 'events') yield* approvedEvents(lastGood, approved);
    else yield* lastGood.records(list);
  };
  return { ...lastGood, records };
}

async function* approvedEvents(
  lastGood: LastGood,
  { isApproved, venues, organizers }: Approved,
): AsyncGenerator<FeedRecord, void, undefined> {
  for await (const record of lastGood.records('events')) {
    if (!isApproved(record.value)) continue;
    const value = withVenues(record.value, (venue) => venues.idOf.get(venue) ?? venue);
    const named = Array.isArray(value.organizers)
      ? { organizers: value.organizers.map((id: unknown) => organizers.idOf.get(id) ?? id) }
      : {};
    yield { ...record, value: { ...value, ...named } };
  }
}
