/**
 * L4, ids of events that share a UID: the first has the UID, the others `-2`, `-3` and so on. Who has which is remembered from reading to
 * reading, by UID, start and place, so that an event keeps its id whatever order the entries come in and whichever of them are over.
 */
import { DAY } from '../../../../src/calendar/time.ts';
import { shortHash } from '../directory.ts';
import type { FeedId } from '../last-good.ts';

export type Ids = ReturnType<typeof createIds>;

/** Days for which no other event gets the number of one that has gone. */
const REMEMBERED_DAYS = 400;
/** Numbers of events that are gone, in a feed. */
const MOST_REMEMBERED = 100_000;

interface Surroundings {
  /** The ids that the previous reading gave. */
  readonly lastIds: readonly FeedId[];
  /** All UIDs of the feed: a made id must not be one that an entry has itself. */
  readonly uids: ReadonlySet<string>;
  /** Instant of the reading. */
  readonly now: number;
  readonly emit: (id: FeedId) => void;
}

export function createIds({ lastIds, uids, now, emit }: Surroundings) {
  const byUid = new Map<string, FeedId[]>();
  for (const id of lastIds) {
    const ids = byUid.get(id.uid) ?? [];
    ids.push(id);
    byUid.set(id.uid, ids);
  }
  let remembered = 0;

  /** The UIDs of events that share `base`, by start and place of each; a new one of them has the base alone only as the first. */
  function of(base: string, startsAndPlaces: readonly string[]): readonly string[] {
    const uid = shortHash(base);
    const before = (byUid.get(uid) ?? []).filter(isRemembered);
    byUid.delete(uid);
    const numbers = numbersOf(base, startsAndPlaces.map(shortHash), before);
    for (const [at, number] of numbers) emit({ list: 'ids', uid, at, number, gone: null });
    const isShared = [...numbers.values(), ...before.map(({ number }) => number)].some(
      (number) => number > 1,
    );
    if (isShared) for (const one of before) if (!numbers.has(one.at)) remember(one);
    return startsAndPlaces.map((written) => withNumber(base, numbers.get(shortHash(written)) ?? 1));
  }

  function numbersOf(base: string, hashes: readonly string[], before: readonly FeedId[]) {
    const isReal = (number: number) => number > 1 && uids.has(withNumber(base, number));
    const had = new Map(before.filter(({ number }) => !isReal(number)).map(({ at, number }) => [at, number]));
    const wasShared = before.some(({ number }) => number > 1);
    const numbers = new Map(hashes.flatMap((at) => (had.has(at) ? [[at, had.get(at) ?? 1] as const] : [])));
    // A single event that was moved is the same one.
    const taken = new Set([...numbers.values(), ...(wasShared ? before.map(({ number }) => number) : [])]);
    let next = 1;
    for (const at of hashes) {
      if (numbers.has(at)) continue;
      while (taken.has(next) || isReal(next)) next++;
      taken.add(next);
      numbers.set(at, next);
    }
    return numbers;
  }

  const isRemembered = ({ gone }: FeedId) => gone === null || now - gone < REMEMBERED_DAYS * DAY;

  function remember(id: FeedId): void {
    if (++remembered <= MOST_REMEMBERED) emit({ ...id, gone: id.gone ?? now });
  }

  /** Called at the end: keeps the numbers of UIDs that are no longer in the feed. */
  function end(): void {
    for (const ids of byUid.values()) {
      const isShared = ids.some(({ number }) => number > 1);
      if (isShared) for (const id of ids) if (isRemembered(id)) remember(id);
    }
  }

  return { of, end };
}

function withNumber(base: string, number: number): string {
  return number === 1 ? base : `${base}-${number}`;
}
