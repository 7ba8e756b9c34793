/** What clock a TZID means: the time zone database's, a Windows name for one of those, or what the feed's VTIMEZONE says. */
import { instantIn, type OffsetAt, osloOffset, zoneNamed } from '../../../src/calendar/time.ts';
import type { Allowance } from '../../recurrence/allowance.ts';
import { customClock, type Observance } from './observances.ts';
import { WINDOWS_ZONES } from './windows-zones.ts';

/** Plain enough to be kept in a file: see `clockOf`. */
export type ZoneName = string | { readonly observances: readonly Observance[] };

export interface Zone {
  readonly name: ZoneName;
  readonly offsetAt: OffsetAt;
}

export const UTC: Zone = { name: 'UTC', offsetAt: () => 0 };
export const OSLO: Zone = { name: 'Europe/Oslo', offsetAt: osloOffset };

/** Clocks by name; each is set up once. */
export type Clocks = (name: ZoneName) => OffsetAt;

export function createClocks(allowance: Allowance): Clocks {
  const known = new Map<string, OffsetAt>();
  return (name) => {
    const key = JSON.stringify(name);
    const clock = known.get(key) ?? clockOf(name, allowance);
    known.set(key, clock);
    return clock;
  };
}

function clockOf(name: ZoneName, allowance: Allowance): OffsetAt {
  if (typeof name !== 'string') return customClock(name.observances, allowance);
  const zone = named(name);
  if (zone === null) throw new RangeError(`expected the name of a time zone, got ${name}`);
  return zone.offsetAt;
}

export function instantOfMoment({ wall, zone }: { readonly wall: number; readonly zone: Zone }): number {
  return instantIn(zone.offsetAt, wall);
}

/** The reading of a zone's clock at an instant. */
export function wallIn(zone: Zone, instant: number): number {
  return instant + zone.offsetAt(instant);
}

/** What the feed itself says about one of its TZIDs. */
export interface ZoneDefinition {
  /** `X-LIC-LOCATION`: the database's name, as some programs add it. */
  readonly location: string | null;
  readonly observances: readonly Observance[];
}

/** The longest that programs write are half as long; a calendar of the whole world has fewer of them. */
const MAX_TZID = 200;
const MOST_TZIDS = 1_000;

export interface Zones {
  /** Null when nobody knows the zone. */
  readonly find: (tzid: string) => Zone | null;
}

/** The database is asked first: what feeds define is often cut down to the rules of one year. */
export function createZones(defined: ReadonlyMap<string, ZoneDefinition>, allowance: Allowance): Zones {
  const known = new Map<string, Zone | null>();
  return {
    find: (tzid) => {
      let zone = known.get(tzid);
      if (zone === undefined && (tzid.length > MAX_TZID || known.size === MOST_TZIDS)) return null;
      if (zone === undefined) {
        zone = resolve(tzid, defined.get(tzid), allowance);
        known.set(tzid, zone);
      }
      return zone;
    },
  };
}

function resolve(tzid: string, definition: ZoneDefinition | undefined, allowance: Allowance): Zone | null {
  return (
    named(tzid) ??
    named(definition?.location ?? '') ??
    (definition === undefined || definition.observances.length === 0
      ? null
      : custom(definition.observances, allowance)) ??
    named(guess(tzid))
  );
}

function named(written: string): Zone | null {
  const tzid = written.trim();
  const name = WINDOWS_ZONES[tzid.replace(/\s+/g, ' ').toLowerCase()] ?? tzid;
  if (/^(?:Z|UTC|GMT|Etc\/UTC|Etc\/GMT)$/i.test(name)) return UTC;
  if (NORWEGIAN.has(name.toLowerCase())) return OSLO;
  const offsetAt = name.length > MAX_NAME ? null : zoneNamed(name);
  return offsetAt === null ? null : { name, offsetAt: remembering(offsetAt) };
}

/** Seconds. Clocks are changed at whole quarters of an hour; asking the zone library costs 20 µs. */
const QUARTER = 900;
const MOST_QUARTERS = 50_000;

function remembering(offsetAt: OffsetAt): OffsetAt {
  const known = new Map<number, number>();
  return (instant) => {
    const quarter = Math.floor(instant / QUARTER);
    let offset = known.get(quarter);
    if (offset === undefined) {
      offset = offsetAt(quarter * QUARTER);
      if (known.size < MOST_QUARTERS) known.set(quarter, offset);
    }
    return offset;
  };
}

const MAX_NAME = 64;
const NORWEGIAN: ReadonlySet<string> = new Set(['europe/oslo', 'arctic/longyearbyen', 'atlantic/jan_mayen']);

function custom(observances: readonly Observance[], allowance: Allowance): Zone {
  return { name: { observances }, offsetAt: customClock(observances, allowance) };
}

/** Programs put a prefix before the database's name (`/freeassociation.sourceforge.net/Europe/Oslo`), or an offset. */
function guess(tzid: string): string {
  const name = /([A-Za-z_]+\/[A-Za-z_]+(?:\/[A-Za-z_]+)?)\/?$/.exec(tzid)?.[1];
  if (name !== undefined && zoneNamed(name) !== null) return name;
  return /[A-Za-z_]+\/[A-Za-z_]+$/.exec(name ?? '')?.[0] ?? '';
}
