/**
 * L4, ids of events that share a UID: the first has the UID, the others `-2`, `-3` and so on. Which event has which number is remembered from
 * reading to reading, by UID, start and place. So an event keeps its id whatever order the entries come in, and whichever of them are over.
 * In tables without ids, events in several municipalities that share title and place are numbered likewise (L1).
 */
import { groupBy } from '../../../../src/calendar/groups.ts';
import type { FeedId } from '../last-good.ts';
import { isRemembered, MOST_REMEMBERED, shortHash } from '../record-ids.ts';

export interface Ids {
  /** Returns the UIDs of events that share `uid`, given the start and place of each. */
  readonly assign: (uid: string, startsAndPlaces: readonly string[]) => readonly string[];
  /** Called at the end: keeps the numbers of UIDs that are no longer in the feed. */
  readonly end: () => void;
}

interface IdOptions {
  /** The ids that the previous reading gave. */
  readonly lastIds: readonly FeedId[];
  /** All UIDs of the feed: a made id must not be one that an entry has itself. */
  readonly uids: ReadonlySet<string>;
  /** Instant of the reading. */
  readonly now: number;
  readonly emit: (id: FeedId) => void;
}

/** `emit` receives each id that the next reading has to know. */
export function createIds({ lastIds, uids, now, emit }: IdOptions): Ids {
  const lastIdsByUid = groupBy(lastIds, ({ uid }) => uid);
  const isKnown = ({ gone }: FeedId) => isRemembered(gone, now);
  let remembered = 0;

  function assign(uid: string, startsAndPlaces: readonly string[]): readonly string[] {
    const uidHash = shortHash(uid);
    const hashes = startsAndPlaces.map(shortHash);
    const last = (lastIdsByUid.get(uidHash) ?? []).filter(isKnown);
    lastIdsByUid.delete(uidHash);
    const isOtherUid = (number: number) => number > 1 && uids.has(withNumber(uid, number));
    const numbers = numbersFor(hashes, last, isOtherUid);
    for (const [at, number] of numbers) emit({ list: 'ids', uid: uidHash, at, number, gone: null });
    if (isShared([...numbers.values()]) || isShared(numbersOf(last)))
      rememberAll(last.filter(({ at }) => !numbers.has(at)));
    return hashes.map((hash) => withNumber(uid, numbers.get(hash) ?? 1));
  }

  function rememberAll(ids: readonly FeedId[]): void {
    for (const id of ids) {
      if (remembered === MOST_REMEMBERED) return;
      remembered += 1;
      emit({ ...id, gone: id.gone ?? now });
    }
  }

  function end(): void {
    for (const ids of lastIdsByUid.values()) if (isShared(numbersOf(ids))) rememberAll(ids.filter(isKnown));
  }

  return { assign, end };
}

/**
 * The number of each event, by the hash of its start and place. An event keeps the number that it had; a new one gets the first that is free.
 * The number of an event that is gone is free only if that event shared its UID with none: then the new event is the same one, moved.
 */
function numbersFor(
  hashes: readonly string[],
  last: readonly FeedId[],
  isOtherUid: (number: number) => boolean,
): ReadonlyMap<string, number> {
  const hadNumber = new Map(
    last.filter(({ number }) => !isOtherUid(number)).map(({ at, number }) => [at, number]),
  );
  const numbers = new Map<string, number>();
  for (const hash of hashes) {
    const number = hadNumber.get(hash);
    if (number !== undefined) numbers.set(hash, number);
  }
  const reserved = isShared(numbersOf(last)) ? numbersOf(last) : [];
  const taken = new Set([...numbers.values(), ...reserved]);
  let next = 1;
  for (const hash of hashes) {
    if (numbers.has(hash)) continue;
    while (taken.has(next) || isOtherUid(next)) next += 1;
    taken.add(next);
    numbers.set(hash, next);
  }
  return numbers;
}

function numbersOf(ids: readonly FeedId[]): readonly number[] {
  return ids.map(({ number }) => number);
}

/** Whether several events have, or had, one UID. */
function isShared(numbers: readonly number[]): boolean {
  return numbers.some((number) => number > 1);
}

function withNumber(uid: string, number: number): string {
  return number === 1 ? uid : `${uid}-${number}`;
}
