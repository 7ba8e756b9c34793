/**
 * F17: events of feeds that need approval. Until an editor approves an event by its id, the calendar has neither the event nor the places and
 * organizers that only such events name.
 */
import type { JsonObject } from '../../../src/calendar/json.ts';
import { formatDay, osloDay } from '../../../src/calendar/time.ts';
import { originText, type Reporter } from '../../findings.ts';
import type { WaitingEvent } from '../../report/summary.ts';
import type { HeldBack, HeldEvent } from '../../source/source.ts';
import {
  createDecisions,
  type Decide,
  type Decided,
  type DecidingSource,
  outsideFinding,
} from './approval-decisions.ts';
import { versionOf } from './approved-version.ts';
import type { Feed } from './config.ts';
import { addJoined } from './directory.ts';
import { venueHoldersIn, withVenues } from './event-venues.ts';
import type { UsableFeed } from './feed-entries.ts';
import type { FeedRecord, LastGood } from './last-good.ts';
import { describe, isOver } from './waiting.ts';

interface Approvals {
  /** All feeds; of those that need approval, only what is approved. */
  readonly usable: readonly UsableFeed[];
  /** Events that are not approved, and places and organizers that only these name. */
  readonly heldBack: HeldBack;
  /** The events that are not over, and that no editor has decided on. */
  readonly waiting: readonly WaitingEvent[];
}

interface ApprovalOptions {
  readonly native: DecidingSource;
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
  const decideFor = await createDecisions(all, native);
  const held: Held = { ...heldBack, waiting, today: formatDay(osloDay(now)), reporter };
  const usable: UsableFeed[] = [];
  for (const one of all) {
    const { needsApproval } = one.feed;
    usable.push(needsApproval ? await holdBackOne(one, await decideFor(one), held) : one);
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
  const places = await venueNames(lastGood.records('venues'));
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
async function venueNames(venues: AsyncIterable<FeedRecord>): Promise<ReadonlyMap<unknown, string>> {
  const names = new Map<unknown, string>();
  for await (const { value } of venues) if (typeof value.name === 'string') names.set(value.id, value.name);
  return names;
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
