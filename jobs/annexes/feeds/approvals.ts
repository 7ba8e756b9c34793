/**
 * F17: events of feeds that need approval. Until an editor approves an event by its id, the calendar has neither the event nor the places and
 * organizers that only such events name.
 */
import { isObject, type JsonObject } from '../../../src/calendar/json.ts';
import { formatDay, formatWall, osloDay } from '../../../src/calendar/time.ts';
import { type HeldBack, type HeldEvent, type RawEntry, type Reporter, shorten } from '../../records.ts';
import type { WaitingEvent } from '../../report.ts';
import { addJoined } from './directory.ts';
import { originOf, type UsableFeed } from './feed-entries.ts';
import type { FeedRecord, LastGood } from './last-good.ts';

interface Approvals {
  /** All feeds; of those that need approval, only what is approved. */
  readonly usable: readonly UsableFeed[];
  /** Events that are not approved, and places and organizers that only these name. */
  readonly heldBack: HeldBack;
  /** Those that are not over, and that no editor has decided on. */
  readonly waiting: readonly WaitingEvent[];
}

interface ApprovalOptions {
  /** Entries of `corrections.json`, which take precedence over the sheets. */
  readonly corrections: AsyncIterable<RawEntry>;
  readonly now: number;
  readonly reporter: Pick<Reporter, 'addFinding'>;
}

export async function holdBack(
  all: readonly UsableFeed[],
  { corrections, now, reporter }: ApprovalOptions,
): Promise<Approvals> {
  const heldBack = {
    events: new Map<string, HeldEvent>(),
    venues: new Set<string>(),
    organizers: new Set<string>(),
  };
  const waiting: WaitingEvent[] = [];
  if (!all.some(({ feed }) => feed.needsApproval)) return { usable: all, heldBack, waiting };
  const decisions = [...(await decisionsInSheets(all, reporter)), ...(await decisionsInFile(corrections))];
  const held: Held = { ...heldBack, waiting, today: formatDay(osloDay(now)) };
  const usable: UsableFeed[] = [];
  for (const one of all) {
    const { feed } = one;
    usable.push(feed.needsApproval ? await holdBackOne(one, decisionsFor(feed.id, decisions), held) : one);
  }
  return { usable, heldBack, waiting };
}

/** What is held back of all feeds so far. */
interface Held {
  readonly events: Map<string, HeldEvent>;
  readonly venues: Set<string>;
  readonly organizers: Set<string>;
  readonly waiting: WaitingEvent[];
  readonly today: string;
}

/** The feed with what is approved of it. The rest is added to `held`. */
async function holdBackOne(
  { feed, lastGood }: UsableFeed,
  decisionOn: DecisionOn,
  held: Held,
): Promise<UsableFeed> {
  const named = createNamed();
  for await (const { value } of lastGood.records('events')) {
    const decision = decisionOn(value.id);
    if (decision === true) named.add(value);
    else held.events.set(String(value.id), { feed: feed.id, isRefused: decision === false });
    const isWaiting = decision === undefined && !isOver(value, held.today);
    if (isWaiting) held.waiting.push({ feed: feed.id, ...describe(value, held.today) });
  }
  const venues = await joinNamed(lastGood.records('venues'), named.venues);
  const organizers = await joinNamed(lastGood.records('organizers'), named.organizers);
  for (const id of venues.others) held.venues.add(id);
  for (const id of organizers.others) held.organizers.add(id);
  const isApproved = (id: unknown) => decisionOn(id) === true;
  return { feed, lastGood: approvedOf(lastGood, { isApproved, venues, organizers }) };
}

/** An editor's decision on the event with this id. */
interface Decision {
  readonly id: unknown;
  /** Null for an event that is hidden, which needs no approval any more. */
  readonly isApproved: boolean | null;
  /** The feeds that it may be about; null for all. */
  readonly feeds: readonly string[] | null;
}

async function decisionsInSheets(
  all: readonly UsableFeed[],
  { addFinding }: ApprovalOptions['reporter'],
): Promise<readonly Decision[]> {
  const decisions: Decision[] = [];
  for (const { feed, lastGood } of all) {
    if (feed.kind !== 'corrections') continue;
    for await (const { line, value } of lastGood.records('corrections')) {
      const decision = decisionIn(value, feed.feeds);
      if (decision === null) continue;
      if (feed.municipalities === null) decisions.push(decision);
      else if (decision.isApproved !== null)
        addFinding({
          action: 'left out',
          origin: originOf(feed.id, line),
          id: String(decision.id),
          field: null,
          expected: 'no approval, because "municipalities" limits this sheet',
          found: String(decision.isApproved),
        });
    }
  }
  return decisions;
}

async function decisionsInFile(corrections: ApprovalOptions['corrections']): Promise<readonly Decision[]> {
  const decisions: Decision[] = [];
  for await (const { value } of corrections) {
    const decision = isObject(value) ? decisionIn(value, null) : null;
    if (decision !== null) decisions.push(decision);
  }
  return decisions;
}

function decisionIn({ where, approve, hide }: JsonObject, feeds: Decision['feeds']): Decision | null {
  if (!isObject(where)) return null;
  const { id, ...others } = where;
  const isById = id != null && Object.values(others).every((condition) => condition == null);
  if (typeof approve === 'boolean') return { id, isApproved: approve, feeds };
  return hide === true && isById ? { id, isApproved: null, feeds } : null;
}

/** Whether the event with this id is approved. Undefined for an event that nobody has decided on. */
type DecisionOn = (id: unknown) => boolean | undefined;

/** A later decision takes precedence. */
function decisionsFor(feed: string, decisions: readonly Decision[]): DecisionOn {
  const applying = decisions.filter(({ feeds }) => feeds === null || feeds.includes(feed));
  const byId = new Map<unknown, boolean>();
  for (const { id, isApproved } of applying) if (isApproved !== null) byId.set(id, isApproved);
  const hidden = new Set(applying.filter(({ isApproved }) => isApproved === null).map(({ id }) => id));
  return (id) => byId.get(id) ?? (hidden.has(id) ? false : undefined);
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
  const addVenue = (name: string, value: unknown) => {
    if (name === 'venue') venues.add(value);
    return value;
  };
  return {
    venues,
    organizers,
    add(event) {
      // JSON.stringify calls the function for each value at any depth: dates and rules have venues of their own.
      JSON.stringify(event, addVenue);
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
  readonly isApproved: (id: unknown) => boolean;
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
  const idOfVenue = (name: string, value: unknown) =>
    name === 'venue' ? (venues.idOf.get(value) ?? value) : value;
  for await (const record of lastGood.records('events')) {
    if (!isApproved(record.value.id)) continue;
    // JSON.parse calls the function for each value at any depth.
    const value = JSON.parse(JSON.stringify(record.value), idOfVenue);
    if (Array.isArray(value.organizers))
      value.organizers = value.organizers.map((id: unknown) => organizers.idOf.get(id) ?? id);
    yield { ...record, value };
  }
}

/** Whether all of its dates were before today; a rule may have more. */
function isOver({ dates, repeats, series }: JsonObject, today: string): boolean {
  if (repeats !== undefined || series !== undefined || !Array.isArray(dates)) return false;
  return dates.every((date) => isObject(date) && String(date.end ?? date.start) < today);
}

/** The next date that the source lists is shown, or that of its rule. */
function describe(event: JsonObject, today: string): Omit<WaitingEvent, 'feed'> {
  const { id, title_nb, title_en, dates, repeats, series } = event;
  const lists = [dates, repeats].flatMap((list) => (Array.isArray(list) ? list : []));
  const starts = lists.flatMap((date) => (isObject(date) ? String(date.start) : [])).sort();
  const ofSeries = isObject(series) && typeof series.start === 'number' ? formatWall(series.start) : null;
  const start = starts.find((date) => date >= today) ?? ofSeries ?? starts.at(-1) ?? null;
  return {
    id: String(id),
    title: shorten(String(title_nb ?? title_en ?? '')),
    start: start === null ? null : start.slice(0, 'YYYY-MM-DD HH:mm'.length),
  };
}
