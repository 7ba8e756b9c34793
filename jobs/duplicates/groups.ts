/**
 * G9: groups of events that are likely the same, and those that stay apart although they are alike. People's decisions come before anything
 * (F12).
 */
import { SAME_OTHERWISE, WHY_APART } from '../../src/calendar/duplicate-reasons.ts';
import { doubleOf, LIKELIEST, type Similarity, similarityOf } from './alike.ts';
import { candidatePairs } from './candidates.ts';
import type { Comparable } from './comparable.ts';
import { type Decided, type DecidingOptions, decide, type Statement } from './decided.ts';
import { type Double, groupDoubles } from './group-doubles.ts';
import { createLinks } from './links.ts';
import { pairKey } from './pairs.ts';
import type { IsPart } from './places.ts';
import { joinAlike, type Link } from './resolve.ts';
import { unclearGroups } from './unclear.ts';

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
  const byNumber = new Map(events.map((event) => [event.number, event]));
  const linked = createLinks(decided);
  joinAlike({ byNumber, linked, links, mayBeJoined });

  const reasonOf = reasonsFor(links, decisions);
  const groupOf = (members: readonly number[]): Group => ({
    members,
    reasons: new Map(members.slice(1).map((other) => [other, reasonOf(other, members)])),
  });
  const unclear = unclearGroups(links, { linked, byNumber });
  const apart: readonly ApartGroup[] = [
    ...doubles,
    ...unclear.map((members) => ({ ...groupOf(members), why: WHY_APART.severalOthers })),
  ];
  return {
    decided: decided.map((members) => groupOf(stayingFirst(members, byNumber))),
    all: linked.groups().map((members) => groupOf(stayingFirst(members, byNumber))),
    apart,
    contradictions,
    rejected,
  };
}

/** Why another event is the same as the members of its group, the first of which stays. */
function reasonsFor(links: readonly Link[], { isSame }: Pick<Decided<Statement>, 'isSame'>) {
  const reasons = new Map(links.map(({ left, right, reason }) => [pairKey(left, right), reason]));
  return (other: number, members: readonly number[]): string => {
    const [first] = members;
    if (first !== undefined && isSame(other, first)) return SAME_OTHERWISE.said;
    const reason = members.map((member) => reasons.get(pairKey(member, other))).find(Boolean);
    return reason ?? SAME_OTHERWISE.declared;
  };
}

interface CompareOptions extends Pick<Decided<Statement>, 'isApart' | 'isDecided'> {
  readonly isPart: IsPart;
}

/** Links similar events, and groups the doubles that are not joined: the first event represents the later ones. */
function compareAll(events: readonly Comparable[], { isApart, isDecided, isPart }: CompareOptions) {
  const links: Link[] = [];
  const doubles: Double[] = [];
  for (const [first, later] of candidatePairs(events)) {
    if (isApart(first.number, later.number)) continue;
    const pair = { left: first.number, right: later.number };
    if (first.feed !== later.feed) {
      const similarity = similarityOf(first, later, isPart);
      if (similarity !== null) links.push({ ...pair, rank: similarity.rank, reason: reasonText(similarity) });
      continue;
    }
    const agreeing = doubleOf(first, later);
    if (agreeing === null) continue;
    // Doubles in a feed are joined if enough of their dates agree, ends included; records of the folder itself never are.
    const isJoined = agreeing.isWhole && first.feed !== null;
    if (isJoined) links.push({ ...pair, rank: LIKELIEST, reason: SAME_OTHERWISE.listedTwice });
    else if (!isDecided(later.number)) doubles.push({ first, later });
  }
  const { groups, laterDoubles } = groupDoubles(doubles);
  const isOpen = ({ left, right }: Link) => !laterDoubles.has(left) && !laterDoubles.has(right);
  const doubleGroups = groups.map(({ members, why }): ApartGroup => {
    const reasons = new Map(members.slice(1).map((other) => [other, SAME_OTHERWISE.listedTwice]));
    return { members, why, reasons };
  });
  return { links: links.filter(isOpen), doubles: doubleGroups };
}

function reasonText({ reason, where, agreeing }: Similarity): string {
  return `${reason}, ${where}, ${agreeing} ${agreeing === 1 ? 'start' : 'starts'} in common`;
}

type ByNumber = ReadonlyMap<number, Comparable>;

/** The first event stays, unless it is a single event and the group has a series. */
function stayingFirst(members: readonly number[], byNumber: ByNumber): readonly number[] {
  const [first] = members;
  if (first === undefined || byNumber.get(first)?.form !== 'single') return members;
  const series = members.find((number) => byNumber.get(number)?.form === 'series') ?? first;
  return [series, ...members.filter((number) => number !== series)];
}
