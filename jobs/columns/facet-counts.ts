/**
 * The number of nodes of the unfiltered `events`, in total and for each entity, at every moment from the build on (C1, C2): the counts at
 * the build, and their changes. An event has one node from its publication (A9) until its last occurrence is over; only its venue may
 * change meanwhile (A4).
 */
import type { Columns } from '../../src/snapshot/columns.ts';
import type { Calendar, FacetCount } from '../records.ts';
import { gatherPlaces } from './row-index.ts';

type Changes = Pick<Columns, 'changeAt' | 'changeOf' | 'changeBy'>;

/** The columns that the changes are computed from. */
type Shown = Pick<
  Columns,
  | 'over'
  | 'predecessorsOver'
  | 'venue'
  | 'publishing'
  | 'occurrencesAt'
  | 'occurrences'
  | 'organizersAt'
  | 'organizers'
  | 'categoriesAt'
  | 'categories'
>;

export function changesOf(calendar: Calendar, shown: Shown, now: number): Changes {
  const firstVenue = 1;
  const firstOrganizer = firstVenue + calendar.venues.length;
  const firstCategory = firstOrganizer + calendar.organizers.length;
  const changes = createChanges(firstCategory + calendar.categories.length);
  for (const event of calendar.events.keys()) {
    const stays = staysOf(shown, event, now);
    const [first, last] = [stays[0], stays.at(-1)];
    if (first === undefined || last === undefined) continue;
    const [since, until] = [changes.moment(first.since), changes.moment(last.until)];
    changes.add(0, since, until);
    for (const organizer of part(shown.organizers, shown.organizersAt, event))
      changes.add(firstOrganizer + organizer, since, until);
    for (const category of part(shown.categories, shown.categoriesAt, event))
      changes.add(firstCategory + category, since, until);
    for (const stay of stays) {
      if (stay.venue === -1) continue;
      changes.add(firstVenue + stay.venue, changes.moment(stay.since), changes.moment(stay.until));
    }
  }
  return changes.finish();
}

/** A period in which an event's node is at one venue. */
interface Stay {
  readonly venue: number;
  readonly since: number;
  readonly until: number;
}

/** Consecutive periods without gaps, from the build on: each occurrence is shown once those before it are over. */
function staysOf(shown: Shown, event: number, now: number): readonly Stay[] {
  const stays: Stay[] = [];
  const exists = Math.max(now, shown.publishing[event] ?? now);
  for (const row of part(shown.occurrences, shown.occurrencesAt, event)) {
    const since = Math.max(exists, shown.predecessorsOver[row] ?? exists);
    const until = shown.over[row] ?? since;
    if (since >= until) continue;
    const venue = shown.venue[row] ?? -1;
    const before = stays.at(-1);
    if (before?.venue === venue) stays[stays.length - 1] = { ...before, until };
    else stays.push({ venue, since, until });
  }
  return stays;
}

function part(values: Int32Array, at: Int32Array, event: number): Int32Array {
  return values.subarray(at[event], at[event + 1]);
}

/** Collects changes and merges those of one moment and entity; changes that cancel out are dropped. */
function createChanges(entities: number) {
  /** Each moment once, with its index: there are ten changes at each. */
  const places = new Map<number, number>();
  /** For each change, the index of its moment. */
  const moments: number[] = [];
  /** Entity and direction of each change: twice the entity, plus one if it begins. */
  const codes: number[] = [];

  function moment(time: number): number {
    const known = places.get(time);
    if (known !== undefined) return known;
    places.set(time, places.size);
    return places.size - 1;
  }

  function add(entity: number, since: number, until: number): void {
    moments.push(since, until);
    codes.push(entity * 2 + 1, entity * 2);
  }

  return { moment, add, finish: () => mergeChanges({ places, moments, codes, entities }) };
}

interface Gathered {
  readonly places: ReadonlyMap<number, number>;
  readonly moments: readonly number[];
  readonly codes: readonly number[];
  readonly entities: number;
}

function mergeChanges({ places, moments, codes, entities }: Gathered): Changes {
  const times = Float64Array.from(places.keys()).sort();
  const rankOf = new Int32Array(times.length);
  for (const [rank, time] of times.entries()) rankOf[places.get(time) ?? 0] = rank;
  // One number contains moment and code, so that the engine's own sort of numbers applies: many times faster than a comparison.
  const keys = new Float64Array(codes.length);
  for (const [step, code] of codes.entries()) {
    keys[step] = (rankOf[moments[step] ?? 0] ?? 0) * entities * 2 + code;
  }
  keys.sort();
  // Half as wide where they fit: four bytes hold instants from 1970 to 2106.
  const isNear = (times[0] ?? 0) >= 0 && (times.at(-1) ?? 0) < 2 ** 32;
  const changeAt = new (isNear ? Uint32Array : Float64Array)(keys.length);
  const changeOf = new (entities <= 2 ** 16 ? Uint16Array : Int32Array)(keys.length);
  const changeBy = new Int32Array(keys.length);
  let size = 0;
  for (let step = 0; step < keys.length; ) {
    const pair = Math.floor((keys[step] ?? 0) / 2);
    let by = 0;
    for (; Math.floor((keys[step] ?? -1) / 2) === pair; step++) by += (keys[step] ?? 0) % 2 === 1 ? 1 : -1;
    if (by === 0) continue;
    changeAt[size] = times[Math.floor(pair / entities)] ?? 0;
    changeOf[size] = pair % entities;
    changeBy[size] = by;
    size++;
  }
  return {
    changeAt: changeAt.slice(0, size),
    changeOf: changeOf.slice(0, size),
    changeBy: changeBy.slice(0, size),
  };
}

/** The same as periods, for people. */
export function* facetCountsOf(
  { venues, organizers, categories }: Calendar,
  { changeAt, changeOf, changeBy }: Changes,
): Generator<FacetCount> {
  const sizes = [1, venues.length, organizers.length, categories.length];
  const { at, values: changes } = gatherPlaces(
    changeOf,
    sizes.reduce((sum, size) => sum + size, 0),
  );
  let first = 0;
  for (const [kind, size] of sizes.entries()) {
    for (let entity = 0; entity < size; entity++) {
      let hits = 0;
      const end = at[first + entity + 1] ?? 0;
      for (let place = at[first + entity] ?? 0; place < end; place++) {
        const change = changes[place] ?? 0;
        hits += changeBy[change] ?? 0;
        if (hits === 0) continue;
        const [since, until] = [changeAt[change] ?? 0, changeAt[changes[place + 1] ?? 0] ?? 0];
        yield { kind, entity, since, until, hits };
      }
    }
    first += size;
  }
}
