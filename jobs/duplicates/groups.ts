/**
 * G9: groups of events that are likely the same, and those that stay apart although they are alike. People's decisions come before anything
 * (F12).
 */
import { type Double, doubleOf, type Similarity, similarityOf } from './alike.ts';
import { candidatePairs } from './candidates.ts';
import type { Comparable } from './comparable.ts';
import { type Decided, type DecidingOptions, decide, type Statement } from './decided.ts';
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

interface GroupingOptions<Said extends Statement> extends DecidingOptions<Said> {
  readonly isPart: IsPart;
}

/** Events are named by their numbers. */
interface GroupedEvents<Said extends Statement> extends Pick<Decided<Said>, 'contradictions' | 'rejected'> {
  /** Groups that people have decided. */
  readonly decided: readonly Group[];
  /** All groups, likely duplicates included. */
  readonly all: readonly Group[];
  /** Groups that stay apart. */
  readonly apart: readonly ApartGroup[];
}

/** Groups the published events of all sources. */
export function groupEvents<Said extends Statement>(
  events: readonly Comparable[],
  options: GroupingOptions<Said>,
): GroupedEvents<Said> {
  const decisions = decide(options);
  const { decided, contradictions, rejected, mayBeJoined } = decisions;
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
    rejected,
  };
}

/** Why another event is the same as the members of its group, the first of which stays. */
function reasonsFor(links: readonly Link[], { isSame }: Pick<Decided<Statement>, 'isSame'>) {
  const similarities = new Map(links.map((link) => [pairKey(link.left, link.right), link.similarity]));
  return (other: number, members: readonly number[]): string => {
    const [first] = members;
    if (first !== undefined && isSame(other, first)) return 'said to be the same';
    const similarity = members.map((member) => similarities.get(pairKey(member, other))).find(Boolean);
    return similarity === undefined ? 'declared to be the same as one of them' : similarityText(similarity);
  };
}

interface CompareOptions extends Pick<Decided<Statement>, 'isApart' | 'isDecided'> {
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
const OF_FOLDER =
  'decide in a correction sheet or in duplicates.json; nothing else merges records of the folder itself';
const OTHER_END = 'they are from one source, and end at different times';
const SEVERAL = 'each may be the same event as several others';

function similarityText(similarity: Similarity): string {
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
