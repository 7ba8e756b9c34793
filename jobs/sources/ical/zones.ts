/** What clock a TZID means: the time zone database's, a Windows name for one of those, or what the feed's VTIMEZONE says. */
import { zoneNamed } from '../../../src/calendar/time.ts';
import type { Allowance } from '../../recurrence/allowance.ts';
import { definedClock, namedClock, type Observance } from '../../recurrence/clocks.ts';
import type { Component } from './content.ts';
import { OSLO, offsetOf, plainRule, readMoment, textOf, UTC, type Zone } from './values.ts';
import { WINDOWS_ZONES } from './windows-zones.ts';

/** What the feed itself says about one of its TZIDs. */
interface ZoneDefinition {
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

/**
 * The database is asked first for names of places: what feeds define is often cut down to the rules of one year. Of other names,
 * such as `EST`, a feed's own definition says what it means by them.
 */
export function createZones(defined: ReadonlyMap<string, ZoneDefinition>, allowance: Allowance): Zones {
  const known = new Map<string, Zone | null>();
  return {
    find: (written) => {
      const tzid = written.replace(/\\([,;\\])/g, '$1').trim();
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
  const defined =
    definition === undefined || definition.observances.length === 0
      ? null
      : custom(definition.observances, allowance);
  const isPlace = tzid.includes('/') || WINDOWS_ZONES[windowsName(tzid)] !== undefined;
  if (!isPlace && defined !== null) return named(definition?.location ?? '') ?? defined;
  return (
    named(tzid) ?? named(definition?.location ?? '') ?? defined ?? named(guess(tzid)) ?? aheadOfUtc(tzid)
  );
}

const windowsName = (tzid: string) => tzid.trim().replace(/\s+/g, ' ').toLowerCase();

/** `UTC+2`, `GMT+0200`, `UTC-03:30`. */
function aheadOfUtc(tzid: string): Zone | null {
  const [, sign, hours = '', minutes = '00'] =
    /^(?:UTC|GMT)([+-])(\d{1,2}):?(\d{2})?$/i.exec(tzid.trim()) ?? [];
  if (sign === undefined) return null;
  const ahead = offsetOf(`${sign}${hours.padStart(2, '0')}${minutes}`);
  if (ahead === null) return null;
  const observances = [{ start: 0, from: ahead, to: ahead, rule: null, dates: [] }];
  return { name: { observances }, offsetAt: () => ahead };
}

function named(written: string): Zone | null {
  const tzid = written.trim().replace(/^tzone:\/\/Microsoft\//i, '');
  const name = WINDOWS_ZONES[windowsName(tzid)] ?? tzid;
  if (/^(?:Z|UTC|GMT|Etc\/UTC|Etc\/GMT)$/i.test(name)) return UTC;
  if (NORWEGIAN.has(name.toLowerCase())) return OSLO;
  const offsetAt = name.length > MAX_NAME ? null : namedClock(name);
  return offsetAt === null ? null : { name, offsetAt };
}

const MAX_NAME = 64;
const NORWEGIAN: ReadonlySet<string> = new Set(['europe/oslo', 'arctic/longyearbyen', 'atlantic/jan_mayen']);

function custom(observances: readonly Observance[], allowance: Allowance): Zone {
  return { name: { observances }, offsetAt: definedClock(observances, allowance) };
}

/** Programs put a prefix before the database's name (`/freeassociation.sourceforge.net/Europe/Oslo`), or an offset. */
function guess(tzid: string): string {
  const name = /([A-Za-z_]+\/[A-Za-z_]+(?:\/[A-Za-z_]+)?)\/?$/.exec(tzid)?.[1];
  if (name !== undefined && zoneNamed(name) !== null) return name;
  return /[A-Za-z_]+\/[A-Za-z_]+$/.exec(name ?? '')?.[0] ?? '';
}

/** More than any feed needs; each is worked out again wherever it is used. */
const MOST_ZONES = 50;
const MOST_OBSERVANCES = 200;
/** Listed in one of them. */
const MOST_ONSETS = 200;

export function definitionsOf(zones: readonly Component[]): ReadonlyMap<string, ZoneDefinition> {
  const defined = new Map<string, ZoneDefinition>();
  for (const zone of zones) {
    const tzid = nameIn(zone);
    if (tzid === null || defined.has(tzid) || defined.size === MOST_ZONES) continue;
    const observances = zone.components
      .slice(0, MOST_OBSERVANCES)
      .flatMap((part) => observanceOf(part) ?? []);
    defined.set(tzid, { location: written(zone, 'X-LIC-LOCATION'), observances });
  }
  return defined;
}

function observanceOf(part: Component): Observance | null {
  const start = readMoment(written(part, 'DTSTART') ?? '', UTC);
  const from = offsetOf(written(part, 'TZOFFSETFROM') ?? '');
  const to = offsetOf(written(part, 'TZOFFSETTO') ?? '');
  if (start === null || to === null) return null;
  const dates = part.properties
    .filter(({ name }) => name === 'RDATE')
    .flatMap(({ value }) => value.split(',', MOST_ONSETS))
    .slice(0, MOST_ONSETS)
    .flatMap((date) => readMoment(date, UTC)?.wall ?? []);
  return { start: start.wall, from: from ?? to, to, rule: ruleIn(part), dates };
}

/** TZID is TEXT (RFC 5545, 3.8.3.1): `Helsinki\\, Kyiv` is what a quoted parameter calls `Helsinki, Kyiv`. */
function nameIn({ properties }: Component): string | null {
  const property = properties.find(({ name }) => name === 'TZID');
  return property === undefined ? null : textOf(property).replace(/^"(.*)"$/s, '$1');
}

function ruleIn(part: Component): string | null {
  const rule = written(part, 'RRULE');
  return rule === null ? null : plainRule(rule);
}

function written({ properties }: Component, wanted: string): string | null {
  return properties.find(({ name }) => name === wanted)?.value.trim() ?? null;
}
