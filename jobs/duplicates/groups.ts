/**
 * G9: groups of events that are likely the same, and those that stay apart although they are alike. People's decisions come before anything
 * (F12).
 */
import { type Double, doubleOf, type Similarity, similarityOf } from './alike.ts';
import { candidatePairs } from './candidates.ts';
import type { Comparable } from './comparable.ts';
import type { Decisions } from './decisions.ts';
import { createLinks, type Links } from './links.ts';
import { pairKey } from './pairs.ts';
import type { IsPart } from './places.ts';
import { joinAlike, type Link } from './resolve.ts';

export interface Group {
  /** The one that stays, then the others in the order of the sources. */
  readonly members: readonly number[];
  /** For each other member, why it is the same. */
  readonly reasons: ReadonlyMap<number, string>;
}

/** Similar events that are joined only on a person's decision. */
interface ApartGroup extends Group {
  readonly why: string;
}

interface GroupingOptions extends Decisions {
  /** Numbers by id, for the decisions. */
  readonly entries: ReadonlyMap<string, number>;
  readonly isPart: IsPart;
}

/** Events are named by their numbers. */
interface GroupedEvents {
  /** Groups that people have decided. */
  readonly decided: readonly Group[];
  /** All groups, likely duplicates included. */
  readonly all: readonly Group[];
  /** Groups that stay apart. */
  readonly apart: readonly ApartGroup[];
  /** Pairs that people call both the same and different. */
  readonly contradictions: readonly Pair[];
}

/** Groups the published events of all sources. */
export function groupEvents(events: readonly Comparable[], options: GroupingOptions): GroupedEvents {
  const decisions = decide(options);
  const { decided, contradictions, mayBeJoined } = decisions;
  const { links, doubles } = compareAll(events, { ...decisions, isPart: options.isPart });
  const byEntry = new Map(events.map((event) => [event.entry, event]));
  const linked = createLinks(decided);
  joinAlike({ byEntry, linked, links, mayBeJoined });

  const reasonOf = reasonsFor(links, decisions);
  const groupOf = (members: readonly number[]): Group => ({
    members,
    reasons: new Map(members.slice(1).map((other) => [other, reasonOf(other, members)])),
  });
  const unclear = unclearGroups(links, { linked, byEntry });
  const apart: readonly ApartGroup[] = [
    ...doubles,
    ...unclear.map((members) => ({ ...groupOf(members), why: SEVERAL })),
  ];
  return {
    decided: decided.map((members) => groupOf(stayingFirst(members, byEntry))),
    all: linked.groups().map((members) => groupOf(stayingFirst(members, byEntry))),
    apart,
    contradictions,
  };
}

type Pair = readonly [number, number];

/** F12: the decisions of people, by the numbers of events. */
interface Decided {
  /** Groups of events that people call the same, without what they also call different. */
  readonly decided: readonly (readonly number[])[];
  readonly contradictions: readonly Pair[];
  /** Whether people call two events different. */
  readonly isApart: (left: number, right: number) => boolean;
  readonly isSame: (left: number, right: number) => boolean;
  /** Whether people call the event the same as any other. */
  readonly isDecided: (entry: number) => boolean;
  /**
   * False if people call two events different; true if a decision about either settles that they may be joined; null if the comparison
   * decides.
   */
  readonly mayBeJoined: (left: number, right: number) => boolean | null;
}

function decide({ same, different, entries }: GroupingOptions): Decided {
  const numbersOf = (ids: readonly string[]) => ids.flatMap((id) => entries.get(id) ?? []);
  const apart = different.map((ids) => new Set(numbersOf(ids)));
  const isApart: Decided['isApart'] = (left, right) =>
    apart.some((group) => group.has(left) && group.has(right));
  const { groups: decided, contradictions } = linkSame(same.map(numbersOf), isApart);
  const groups = new Map(decided.flatMap((members) => members.map((member) => [member, members] as const)));
  const isDecided: Decided['isDecided'] = (entry) => groups.has(entry);
  const isSame: Decided['isSame'] = (left, right) => groups.get(left)?.includes(right) ?? false;
  const mayBeJoined: Decided['mayBeJoined'] = (left, right) => {
    if (isSame(left, right)) return true;
    if (isApart(left, right)) return false;
    return isDecided(left) || isDecided(right) ? true : null;
  };
  return { decided, contradictions, isApart, isDecided, isSame, mayBeJoined };
}

/** Links the events of each list, unless that would join two that are apart. An id that is not known has no number in its list. */
function linkSame(lists: readonly (readonly number[])[], isApart: Decided['isApart']) {
  const linked = createLinks();
  const contradictions: Pair[] = [];
  for (const [first, ...others] of lists) {
    if (first === undefined) continue;
    for (const other of others) {
      const groupOfOther = linked.groupOf(other);
      const isContradicted = linked
        .groupOf(first)
        .some((left) => groupOfOther.some((right) => isApart(left, right)));
      if (isContradicted) contradictions.push([first, other]);
      else linked.link(first, other);
    }
  }
  return { groups: linked.groups(), contradictions };
}

/** Why another event is the same as the members of its group, the first of which stays. */
function reasonsFor(links: readonly Link[], { isSame }: Decided) {
  const similarities = new Map(links.map((link) => [pairKey(link.left, link.right), link.similarity]));
  return (other: number, members: readonly number[]): string => {
    const [first] = members;
    if (first !== undefined && isSame(other, first)) return 'said to be the same';
    const similarity = members.map((member) => similarities.get(pairKey(member, other))).find(Boolean);
    return similarity === undefined ? 'declared to be the same as one of them' : textOf(similarity);
  };
}

interface CompareOptions extends Pick<Decided, 'isApart' | 'isDecided'> {
  readonly isPart: IsPart;
}

/** Links similar events. Events that one source lists twice and that are not joined are doubles: the first copy represents the later ones. */
function compareAll(events: readonly Comparable[], { isApart, isDecided, isPart }: CompareOptions) {
  const links: Link[] = [];
  const listedTwice: (readonly [first: Comparable, later: Comparable])[] = [];
  for (const [left, right] of candidatePairs(events)) {
    if (isApart(left.entry, right.entry)) continue;
    const isOneSource = left.feed === right.feed;
    const double = isOneSource ? doubleOf(left, right) : null;
    const similarity = isOneSource ? similarityIn(left, double) : similarityOf(left, right, isPart);
    if (similarity !== null) links.push({ left: left.entry, right: right.entry, similarity });
    else if (double !== null && !isDecided(right.entry)) listedTwice.push([left, right]);
  }
  const { doubles, laterCopies } = doublesIn(listedTwice);
  const isOpen = ({ left, right }: Link) => !laterCopies.has(left) && !laterCopies.has(right);
  return { links: links.filter(isOpen), doubles };
}

/** Copies in a feed are joined if all of their dates agree; records of the folder itself never are. */
function similarityIn({ feed }: Comparable, double: Double | null): Similarity | null {
  return double?.isWhole === true && feed !== null ? DOUBLE : null;
}

/** Groups of a first copy and its later ones. A later copy never represents further copies. */
function doublesIn(listedTwice: readonly (readonly [first: Comparable, later: Comparable])[]) {
  const doubles = new Map<number, Omit<ApartGroup, 'reasons'>>();
  const laterCopies = new Set<number>();
  const inOrder = [...listedTwice].sort(
    ([first, later], [nextFirst, nextLater]) =>
      later.entry - nextLater.entry || first.entry - nextFirst.entry,
  );
  for (const [first, later] of inOrder) {
    if (laterCopies.has(first.entry) || laterCopies.has(later.entry)) continue;
    laterCopies.add(later.entry);
    const group = doubles.get(first.entry) ?? {
      members: [first.entry],
      why: first.feed === null ? OF_FOLDER : OTHER_END,
    };
    doubles.set(first.entry, { ...group, members: [...group.members, later.entry] });
  }
  const withReasons = [...doubles.values()].map((group): ApartGroup => {
    const reasons = new Map(group.members.slice(1).map((other) => [other, LISTED_TWICE]));
    return { ...group, reasons };
  });
  return { doubles: withReasons, laterCopies };
}

/** Two records of one source with the same title, dates and places. */
const DOUBLE: Similarity = { reason: 'the same words', where: 'the same place', agreeing: 0, rank: 0 };

const LISTED_TWICE = 'listed twice in one source';
const OF_FOLDER = 'decide in duplicates.json; only that file merges records of the folder itself';
const OTHER_END = 'they are from one source, and end at different times';
const SEVERAL = 'each may be the same event as several others';

function textOf(similarity: Similarity): string {
  if (similarity === DOUBLE) return LISTED_TWICE;
  const { reason, where, agreeing } = similarity;
  return `${reason}, ${where}, ${agreeing} ${agreeing === 1 ? 'start' : 'starts'} in common`;
}

type ByEntry = ReadonlyMap<number, Comparable>;

/** The first event stays, unless it is a single event and the group has a series. */
function stayingFirst(members: readonly number[], byEntry: ByEntry): readonly number[] {
  const [first] = members;
  if (first === undefined || byEntry.get(first)?.form !== 'single') return members;
  const series = members.find((entry) => byEntry.get(entry)?.form === 'series') ?? first;
  return [series, ...members.filter((entry) => entry !== series)];
}

interface Joined {
  /** The groups that were joined. */
  readonly linked: Links;
  readonly byEntry: ByEntry;
}

/** Groups that are linked but were not joined; one entry represents each of them. */
function unclearGroups(links: readonly Link[], joined: Joined): readonly (readonly number[])[] {
  const { linked } = joined;
  const unclear = createLinks();
  for (const { left, right } of links) {
    const leftLeader = linked.leaderOf(left);
    const rightLeader = linked.leaderOf(right);
    if (leftLeader === rightLeader) continue;
    if (isListedBesideGroup(right, left, joined) || isListedBesideGroup(left, right, joined)) continue;
    unclear.link(leftLeader, rightLeader);
  }
  return unclear.groups();
}

/** Whether the source of `other` has an event with the same start in the group of `entry`: then that source itself lists two events. */
function isListedBesideGroup(other: number, entry: number, { linked, byEntry }: Joined): boolean {
  const event = byEntry.get(other);
  if (event === undefined) return false;
  const starts = [...event.places.keys()];
  const others = linked.groupOf(entry).filter((member) => member !== entry);
  return others.some((member) => {
    const memberEvent = byEntry.get(member);
    const isOfSameSource = memberEvent !== undefined && memberEvent.feed === event.feed;
    return isOfSameSource && starts.some((moment) => memberEvent.places.has(moment));
  });
}
