/**
 * F12, F15: what people have decided about events, by the numbers of these. `duplicates.json` comes before correction sheets. In either, a
 * decision that keeps events apart comes before one that joins them.
 */
import { addToGroup } from '../../src/calendar/groups.ts';
import type { Decisions } from './decisions.ts';
import { createLinks, type Links } from './links.ts';

export type Pair = readonly [number, number];

/** What a row of a correction sheet says of its event and another one. */
export interface Statement {
  readonly isSame: boolean;
  readonly pair: Pair;
}

/** A statement that is not followed, because of another one, or because of `duplicates.json` if that is null. */
export interface RejectedStatement<Said extends Statement> {
  readonly statement: Said;
  readonly because: Said | null;
}

export interface DecidingOptions<Said extends Statement> extends Decisions {
  /** Numbers by id. */
  readonly numbersById: ReadonlyMap<string, number>;
  readonly statements: readonly Said[];
}

export interface Decided<Said extends Statement> {
  /** Groups of events that people call the same, without what they also call different. */
  readonly decided: readonly (readonly number[])[];
  /** Pairs that `duplicates.json` calls both the same and different. */
  readonly contradictions: readonly Pair[];
  readonly rejected: readonly RejectedStatement<Said>[];
  /** Whether people call two events different. */
  readonly isApart: (left: number, right: number) => boolean;
  readonly isSame: (left: number, right: number) => boolean;
  /** Whether people call the event the same as any other. */
  readonly isDecided: (number: number) => boolean;
  /**
   * False if people call two events different; true if a decision about either settles that they may be joined; null if the comparison
   * decides.
   */
  readonly mayBeJoined: (left: number, right: number) => boolean | null;
}

export function decide<Said extends Statement>({
  same,
  different,
  numbersById,
  statements,
}: DecidingOptions<Said>): Decided<Said> {
  const numbersOf = (ids: readonly string[]) => ids.flatMap((id) => numbersById.get(id) ?? []);
  const linked = createLinks();
  const apart = createApart<Said>(different.map(numbersOf));
  const contradictions = linkLists(same.map(numbersOf), linked, apart);
  const rejected = [...separateStated(statements, linked, apart), ...linkStated(statements, linked, apart)];
  const { isApart } = apart;
  const decided = linked.groups();
  const groups = new Map(decided.flatMap((members) => members.map((member) => [member, members] as const)));
  const isDecided = (number: number) => groups.has(number);
  const isSame = (left: number, right: number) => groups.get(left)?.includes(right) ?? false;
  const mayBeJoined = (left: number, right: number) => {
    if (isSame(left, right)) return true;
    if (isApart(left, right)) return false;
    return isDecided(left) || isDecided(right) ? true : null;
  };
  return { decided, contradictions, rejected, isApart, isDecided, isSame, mayBeJoined };
}

/** Links the events of each list, unless that would join two that are apart. An id that is not known has no number in its list. */
function linkLists<Said extends Statement>(
  lists: readonly (readonly number[])[],
  linked: Links,
  apart: Apart<Said>,
): readonly Pair[] {
  const contradictions: Pair[] = [];
  for (const [first, ...others] of lists) {
    if (first === undefined) continue;
    for (const other of others) {
      if (apart.between([first, other], linked) !== undefined) contradictions.push([first, other]);
      else linked.link(first, other);
    }
  }
  return contradictions;
}

/** Keeps the events of sheets apart, but for those that `duplicates.json` joins. */
function separateStated<Said extends Statement>(
  statements: readonly Said[],
  linked: Links,
  apart: Apart<Said>,
): readonly RejectedStatement<Said>[] {
  const rejected: RejectedStatement<Said>[] = [];
  for (const statement of statements) {
    if (statement.isSame) continue;
    const [left, right] = statement.pair;
    const isJoined = linked.leaderOf(left) === linked.leaderOf(right);
    if (isJoined) rejected.push({ statement, because: null });
    else apart.add(statement);
  }
  return rejected;
}

function linkStated<Said extends Statement>(
  statements: readonly Said[],
  linked: Links,
  apart: Apart<Said>,
): readonly RejectedStatement<Said>[] {
  const rejected: RejectedStatement<Said>[] = [];
  for (const statement of statements) {
    if (!statement.isSame) continue;
    const because = apart.between(statement.pair, linked);
    if (because === undefined) linked.link(...statement.pair);
    else rejected.push({ statement, because });
  }
  return rejected;
}

/** The events that are kept apart. */
interface Apart<Said extends Statement> {
  readonly add: (statement: Said) => void;
  readonly isApart: (left: number, right: number) => boolean;
  /** The statement that keeps the groups of two events apart; null if `duplicates.json` does, and undefined if nothing does. */
  readonly between: (pair: Pair, linked: Links) => Said | null | undefined;
}

/** `lists`: those of `duplicates.json`. */
function createApart<Said extends Statement>(lists: readonly (readonly number[])[]): Apart<Said> {
  const sets = lists.map((list) => new Set(list));
  const setsOf = new Map<number, ReadonlySet<number>[]>();
  for (const set of sets) for (const number of set) addToGroup(setsOf, number, set);
  /** For each event, those that a sheet keeps apart from it. */
  const stated = new Map<number, Map<number, Said>>();

  function state(left: number, right: number, statement: Said): void {
    const others = stated.get(left) ?? new Map<number, Said>();
    if (!others.has(right)) others.set(right, statement);
    stated.set(left, others);
  }

  function isApart(left: number, right: number): boolean {
    return stated.get(left)?.has(right) === true || setsOf.get(left)?.some((set) => set.has(right)) === true;
  }

  /** The smaller group is searched, so that work stays near linear. */
  function between([left, right]: Pair, linked: Links): Said | null | undefined {
    const [fewer = [], [leader] = []] = [linked.groupOf(left), linked.groupOf(right)].toSorted(
      (one, other) => one.length - other.length,
    );
    for (const member of fewer) {
      const isInOtherGroup = (number: number) => number !== member && linked.leaderOf(number) === leader;
      const found = apartFrom(member, isInOtherGroup);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  /** What keeps an event apart from any of those others. */
  function apartFrom(number: number, isOther: (other: number) => boolean): Said | null | undefined {
    const isInList = setsOf.get(number)?.some((set) => [...set].some(isOther)) === true;
    if (isInList) return null;
    // Not copied: thousands of statements may be about one event.
    for (const [other, statement] of stated.get(number) ?? []) if (isOther(other)) return statement;
    return undefined;
  }

  return {
    isApart,
    between,
    add: (statement) => {
      const [left, right] = statement.pair;
      state(left, right, statement);
      state(right, left, statement);
    },
  };
}
