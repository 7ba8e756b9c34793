/**
 * G9: groups of events that are likely the same, and those that stay apart although they are alike. People's decisions come before anything
 * (F12).
 */
import { type Comparable, doubleOf, type Likeness, likenessOf } from './alike.ts';
import { candidatePairs } from './candidates.ts';
import type { Decisions } from './decisions.ts';
import { createLinks, type Links } from './links.ts';
import type { IsPart } from './places.ts';
import { joinAlike, type Link, pairKey } from './resolve.ts';

export interface Group {
  /** The one that stays, then the others in the order of the sources. */
  readonly members: readonly number[];
  /** For each other member, why it is the same. */
  readonly reasons: ReadonlyMap<number, string>;
}

/** Alike, and joined by nobody but people. */
interface ApartGroup extends Group {
  readonly why: string;
}

interface GroupingOptions extends Decisions {
  /** Numbers by id, for the decisions. */
  readonly entries: ReadonlyMap<string, number>;
  readonly isPart: IsPart;
}

/**
 * Returns the groups that people have decided; all of them, with likely duplicates; those that stay apart; and the pairs of events that
 * people call both the same and different, by their numbers.
 */
export function groupEvents(events: readonly Comparable[], options: GroupingOptions) {
  const { decided, contradictions, isApart } = decide(options);
  const decidedOf = new Map(decided.flatMap((members) => members.map((one) => [one, members] as const)));
  const saidOf = (one: number, other: number) => {
    if (decidedOf.get(one)?.includes(other) === true) return true;
    if (isApart(one, other)) return false;
    return decidedOf.has(one) || decidedOf.has(other) ? true : null;
  };
  const isDecided = (entry: number) => decidedOf.has(entry);
  const { links, doubles } = compareAll(events, { isApart, isDecided, isPart: options.isPart });
  const byEntry = new Map(events.map((event) => [event.entry, event]));
  const linked = createLinks(decided);
  joinAlike({ byEntry, linked, links, saidOf });

  const likenesses = new Map(links.map((link) => [pairKey(link.left, link.right), link.likeness]));
  const reasonOf = (other: number, members: readonly number[]): string => {
    if (decidedOf.get(other)?.includes(members[0] ?? -1)) return 'said to be the same';
    const likeness = members.map((member) => likenesses.get(pairKey(member, other))).find(Boolean);
    return likeness === undefined ? 'said to be the same as one of them' : textOf(likeness);
  };
  const withReasons = (members: readonly number[]): Group => ({
    members,
    reasons: new Map(members.slice(1).map((other) => [other, reasonOf(other, members)])),
  });
  const unclear = unclearGroups(links, { linked, byEntry }).map((members) => ({
    ...withReasons(members),
    why: SEVERAL,
  }));
  return {
    decided: decided.map((members) => withReasons(stayingFirst(members, byEntry))),
    all: linked.groups().map((members) => withReasons(stayingFirst(members, byEntry))),
    apart: [...doubles, ...unclear] as readonly ApartGroup[],
    contradictions,
  };
}

/** F12: what people call the same, without what they also call different. */
function decide({ same, different, entries }: GroupingOptions) {
  const numbersOf = (ids: readonly string[]) => ids.flatMap((id) => entries.get(id) ?? []);
  const apart = different.map((ids) => new Set(numbersOf(ids)));
  const isApart = (one: number, other: number) => apart.some((list) => list.has(one) && list.has(other));
  const linked = createLinks();
  const contradictions: (readonly [number, number])[] = [];
  for (const [first = -1, ...others] of same.map(numbersOf))
    for (const other of others) {
      const [here, there] = [linked.groupOf(first), linked.groupOf(other)];
      if (here.some((one) => there.some((more) => isApart(one, more)))) contradictions.push([first, other]);
      else linked.link(first, other);
    }
  return { decided: linked.groups(), contradictions, isApart };
}

interface CompareOptions {
  readonly isApart: (one: number, other: number) => boolean;
  readonly isDecided: (entry: number) => boolean;
  readonly isPart: IsPart;
}

/** Those that are alike; and those that one source lists twice and that are not joined, of which the first stands for the others. */
function compareAll(events: readonly Comparable[], { isApart, isDecided, isPart }: CompareOptions) {
  const links: Link[] = [];
  const twice: (readonly [first: Comparable, second: Comparable])[] = [];
  for (const [left, right] of candidatePairs(events)) {
    if (isApart(left.entry, right.entry)) continue;
    const isOneSource = left.feed === right.feed;
    const double = isOneSource ? doubleOf(left, right) : null;
    const isJoined = double?.isWhole === true && left.feed !== null;
    const likeness = isOneSource ? (isJoined ? DOUBLE : null) : likenessOf(left, right, isPart);
    if (likeness !== null) links.push({ left: left.entry, right: right.entry, likeness });
    else if (double !== null && !isDecided(right.entry)) twice.push([left, right]);
  }
  const { doubles, seconds } = doublesIn(twice);
  const isOpen = ({ left, right }: Link) => !seconds.has(left) && !seconds.has(right);
  return { links: links.filter(isOpen), doubles };
}

/** What is itself a second one hides no third. */
function doublesIn(twice: readonly (readonly [first: Comparable, second: Comparable])[]) {
  const doubles = new Map<number, Omit<ApartGroup, 'reasons'>>();
  const seconds = new Set<number>();
  const inOrder = [...twice].sort(
    ([left, one], [right, other]) => one.entry - other.entry || left.entry - right.entry,
  );
  for (const [first, second] of inOrder) {
    if (seconds.has(first.entry) || seconds.has(second.entry)) continue;
    seconds.add(second.entry);
    const group = doubles.get(first.entry) ?? {
      members: [first.entry],
      why: first.feed === null ? OF_FOLDER : OTHER_END,
    };
    doubles.set(first.entry, { ...group, members: [...group.members, second.entry] });
  }
  const withReasons = [...doubles.values()].map((group): ApartGroup => {
    const reasons = new Map(group.members.slice(1).map((other) => [other, LISTED_TWICE]));
    return { ...group, reasons };
  });
  return { doubles: withReasons, seconds };
}

/** Of one source, and equal in all that tells events apart. */
const DOUBLE: Likeness = { reason: 'the same words', where: 'the same place', agreeing: 0, rank: 0 };

const LISTED_TWICE = 'listed twice in one source';
const OF_FOLDER = 'decide in duplicates.json, which alone joins records of the folder itself';
const OTHER_END = 'they are of one source, and end at different times';
const SEVERAL = 'each could be one with several others';

function textOf(likeness: Likeness): string {
  if (likeness === DOUBLE) return LISTED_TWICE;
  const { reason, where, agreeing } = likeness;
  return `${reason}, ${where}, ${agreeing} ${agreeing === 1 ? 'start' : 'starts'} in common`;
}

type ByEntry = ReadonlyMap<number, Comparable>;

/** In the order of the sources the first stays; but a series does, where that is a single event. */
function stayingFirst(members: readonly number[], byEntry: ByEntry): readonly number[] {
  const [first] = members;
  if (first === undefined || byEntry.get(first)?.form !== 'single') return members;
  const series = members.find((entry) => byEntry.get(entry)?.form === 'series') ?? first;
  return [series, ...members.filter((entry) => entry !== series)];
}

/** Groups that are linked and were not joined, each by one of its entries. */
function unclearGroups(
  links: readonly Link[],
  { linked, byEntry }: { readonly linked: Links; readonly byEntry: ByEntry },
): readonly (readonly number[])[] {
  const unclear = createLinks();
  /** Whether the other's source has one of the same start in the group: then it says itself that these are two. */
  const isAnswered = (one: number, other: number) => {
    const event = byEntry.get(other);
    return linked.groupOf(one).some((member) => {
      const known = byEntry.get(member);
      if (member === one || known === undefined || event === undefined || known.feed !== event.feed)
        return false;
      return [...event.places.keys()].some((moment) => known.places.has(moment));
    });
  };
  for (const { left, right } of links) {
    if (linked.leaderOf(left) === linked.leaderOf(right)) continue;
    if (isAnswered(left, right) || isAnswered(right, left)) continue;
    unclear.link(linked.leaderOf(left), linked.leaderOf(right));
  }
  return unclear.groups();
}
