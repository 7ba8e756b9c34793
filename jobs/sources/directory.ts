/** One directory of venues out of many: the same place under two names of its own would split its events. */
import { fold } from '../../src/calendar/text.ts';

type Value = Readonly<Record<string, unknown>>;

export interface VenueMerger {
  /** Venues of the folder itself: each is what it is. */
  readonly addOwn: (venue: unknown) => void;
  readonly add: (feed: string, venue: Value) => Added;
}

export interface Added {
  /** Under which the venue is known from now on. */
  readonly id: string;
  /** False when it was known before. */
  readonly isNew: boolean;
}

interface Known {
  readonly id: string;
  /** Null for the folder's own. */
  readonly feed: string | null;
  readonly point: readonly [latitude: number, longitude: number] | null;
}

export function createVenueMerger(): VenueMerger {
  const byPlace = new Map<string, Known[]>();
  const ownByName = new Map<string, Known[]>();
  const ids = new Set<string>();

  function keep(map: Map<string, Known[]>, key: string, venue: Known): void {
    const same = map.get(key);
    if (same === undefined) map.set(key, [venue]);
    else same.push(venue);
  }

  function addOwn(venue: unknown): void {
    if (typeof venue !== 'object' || venue === null) return;
    const value: Value = { ...venue };
    const known = { id: textOf(value.id), feed: null, point: pointOf(value) };
    ids.add(known.id);
    keep(byPlace, placeOf(value), known);
    keep(ownByName, keyOf(value.name), known);
  }

  function add(feed: string, venue: Value): Added {
    const id = textOf(venue.id);
    if (ids.has(id)) return { id, isNew: false };
    const point = pointOf(venue);
    // A feed's own venues are told apart by the feed; only others' are compared.
    const isSame = (known: Known) => known.feed !== feed && isNear(known.point, point);
    const same = (byPlace.get(placeOf(venue)) ?? []).find(isSame) ?? ownWithAddress(venue, isSame);
    if (same !== undefined) return { id: same.id, isNew: false };
    ids.add(id);
    keep(byPlace, placeOf(venue), { id, feed, point });
    return { id, isNew: true };
  }

  /** A name alone means the only venue that the folder knows by that name, whatever address it has there. */
  function ownWithAddress(venue: Value, isSame: (known: Known) => boolean): Known | undefined {
    if (keyOf(venue.address) !== '') return undefined;
    const [only, ...more] = ownByName.get(keyOf(venue.name)) ?? [];
    return only !== undefined && more.length === 0 && isSame(only) ? only : undefined;
  }

  return { addOwn, add };
}

function placeOf({ name, address }: Value): string {
  return `${keyOf(name)}\n${keyOf(address)}`;
}

function keyOf(text: unknown): string {
  return fold(textOf(text)).replace(/\s+/g, ' ').trim();
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function pointOf({ latitude, longitude }: Value): Known['point'] {
  return typeof latitude === 'number' && typeof longitude === 'number' ? [latitude, longitude] : null;
}

/** Degrees; about two kilometres. Two parish halls of one name are further apart. */
const NEAR = 0.02;

function isNear(left: Known['point'], right: Known['point']): boolean {
  if (left === null || right === null) return true;
  return Math.abs(left[0] - right[0]) < NEAR && Math.abs(left[1] - right[1]) < NEAR * 2;
}
