/**
 * The clocks of TZIDs: of the time zone database, by its own names and by those that Windows and people have for its zones, or of the
 * feed's VTIMEZONE.
 */
import { rawTimeZones } from '@vvo/tzdb';
import { WINDOWS_TO_IANA_MAP } from 'windows-iana';
import { onOneLine } from '../../../../src/calendar/display-text.ts';
import { zoneNamed } from '../../../../src/calendar/time.ts';
import type { Allowance } from '../../../recurrence/allowance.ts';
import { definedClock, namedClock } from '../../../recurrence/clocks.ts';
import type { Observance } from '../../../recurrence/series.ts';
import { type Component, first } from './content.ts';
import { OSLO, offsetOf, plainRule, readMoment, textValueOf, UTC, type Zone } from './values.ts';

/** Characters: twice the longest that programs write. */
const LONGEST_TZID = 200;
/** A calendar of the whole world has fewer. */
const MOST_TZIDS = 1_000;

export interface Zones {
  /** Null if the zone is unknown. */
  readonly find: (name: string) => Zone | null;
}

/** `definitions`: the VTIMEZONEs of the feed. */
export function createZones(definitions: readonly Component[], allowance: Allowance): Zones {
  const definitionsByTzid = zoneDefinitions(definitions);
  const zonesByTzid = new Map<string, Zone | null>();

  function find(name: string): Zone | null {
    const tzid = name.replace(/\\([,;\\])/g, '$1').trim();
    const cached = zonesByTzid.get(tzid);
    if (cached !== undefined) return cached;
    if (tzid.length > LONGEST_TZID || zonesByTzid.size === MOST_TZIDS) return null;
    const zone = zoneOf(tzid, definitionsByTzid.get(tzid) ?? NO_DEFINITION, allowance);
    zonesByTzid.set(tzid, zone);
    return zone;
  }

  return { find };
}

/**
 * The zone of a TZID; null if it is unknown. The first of these that exists:
 *
 * 1. the database's zone with that name. It takes precedence for places, because definitions in feeds are often reduced to the rules of one
 *    year. For other names, such as `EST`, it counts only if the feed does not define the zone.
 * 2. the database's zone that the definition names as its location
 * 3. the feed's own definition
 * 4. a guess by a part of the name, by an abbreviation, or by an offset
 */
function zoneOf(tzid: string, { location, observances }: ZoneDefinition, allowance: Allowance): Zone | null {
  const isDefined = observances.length > 0;
  const isPlace = tzid.includes('/') || WINDOWS_ZONES.has(zoneKey(tzid));
  const byName = isPlace || !isDefined ? inDatabase(tzid) : null;
  const byDefinition = isDefined
    ? { name: { observances }, offsetAt: definedClock(observances, allowance) }
    : null;
  const byAlias = ALIASES.get(zoneKey(tzid)) ?? '';
  return (
    byName ??
    inDatabase(location) ??
    byDefinition ??
    inDatabase(nameWithin(tzid)) ??
    inDatabase(byAlias) ??
    aheadOfUtc(tzid)
  );
}

function zoneKey(tzid: string): string {
  return onOneLine(tzid).toLowerCase();
}

/** CLDR's names for 001, the world; the rest is younger than the package's data, or is what programs write besides. */
const WINDOWS_ZONES: ReadonlyMap<string, string> = new Map([
  ...WINDOWS_TO_IANA_MAP.flatMap(({ windowsName, territory, iana: [zone = ''] }) =>
    territory === '001' ? [[zoneKey(windowsName), zone] as const] : [],
  ),
  ['mountain standard time (mexico)', 'America/Mazatlan'],
  ['central asia standard time', 'Asia/Bishkek'],
  ['mid-atlantic standard time', 'Etc/GMT+2'],
  ['kamchatka standard time', 'Asia/Kamchatka'],
  ['coordinated universal time', 'UTC'],
]);

/** The names of the database, in small letters. */
const NAMES = new Set(rawTimeZones.flatMap(({ group }) => group.map((name) => name.toLowerCase())));

/** Abbreviations (`PDT`) and ends of names (`Argentina/Buenos_Aires`), but for those that mean several clocks. */
const ALIASES: ReadonlyMap<string, string> = aliasesOf();

function aliasesOf(): ReadonlyMap<string, string> {
  /** A zone of the database by its clock, for each alias. */
  const zonesByAlias = new Map<string, Map<string, string>>();
  for (const { name, group, abbreviation, dstAbbreviation = '', rawOffsetInMinutes } of rawTimeZones) {
    const clock = `${rawOffsetInMinutes} ${dstAbbreviation}`;
    const ends = group.map((alias) => alias.slice(alias.indexOf('/') + 1));
    for (const alias of [abbreviation, dstAbbreviation, ...ends].map(zoneKey)) {
      const zones = zonesByAlias.get(alias) ?? new Map<string, string>();
      zonesByAlias.set(alias, zones.set(clock, name));
    }
  }
  const certain = [...zonesByAlias].flatMap(([alias, zones]) => {
    const [zone, ...others] = zones.values();
    const isCertain = zone !== undefined && others.length === 0;
    return isCertain ? [[alias, zone] as const] : [];
  });
  return new Map(certain);
}

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

/** A zone by a name of the database, or by one that Windows has for it. */
function inDatabase(written: string): Zone | null {
  const tzid = written.trim().replace(/^tzone:\/\/Microsoft\//i, '');
  const name = WINDOWS_ZONES.get(zoneKey(tzid)) ?? tzid;
  if (/^(?:Z|(?:Etc\/)?(?:UTC|GMT))$/i.test(name)) return UTC;
  if (NORWEGIAN.has(name.toLowerCase())) return OSLO;
  // Node knows further abbreviations, and takes `BST` for Bangladesh.
  const isKnown = name.length <= LONGEST_NAME && (name.includes('/') || NAMES.has(name.toLowerCase()));
  const offsetAt = isKnown ? namedClock(name) : null;
  return offsetAt === null ? null : { name, offsetAt };
}

/** Characters: longer than any name of the database. */
const LONGEST_NAME = 64;
const NORWEGIAN: ReadonlySet<string> = new Set(['europe/oslo', 'arctic/longyearbyen', 'atlantic/jan_mayen']);

/** Programs put a prefix before the database's name (`/freeassociation.sourceforge.net/Europe/Oslo`), or an offset. Empty for none. */
function nameWithin(tzid: string): string {
  const name = /(?<![A-Za-z_])([A-Za-z_]+\/[A-Za-z_]+(?:\/[A-Za-z_]+)?)\/?$/.exec(tzid)?.[1];
  if (name !== undefined && zoneNamed(name) !== null) return name;
  return /(?<![A-Za-z_])[A-Za-z_]+\/[A-Za-z_]+$/.exec(name ?? '')?.[0] ?? '';
}

/** More than any feed needs; a definition is computed again wherever it is used. */
const MOST_ZONES = 50;
/** STANDARD and DAYLIGHT parts of one definition. */
const MOST_OBSERVANCES = 200;
/** Onsets that one of these parts lists. */
const MOST_ONSETS = 200;

/** A time zone that a feed defines itself, in a VTIMEZONE (RFC 5545, 3.6.5). */
interface ZoneDefinition {
  /** `X-LIC-LOCATION`: the database's name, as some programs add it; else empty. */
  readonly location: string;
  readonly observances: readonly Observance[];
}

const NO_DEFINITION: ZoneDefinition = { location: '', observances: [] };

/** The VTIMEZONEs of a feed by their TZID; of several with one TZID, the first. */
function zoneDefinitions(components: readonly Component[]): ReadonlyMap<string, ZoneDefinition> {
  const definitions = new Map<string, ZoneDefinition>();
  for (const component of components) {
    const tzid = tzidOf(component);
    if (tzid === null || definitions.has(tzid) || definitions.size === MOST_ZONES) continue;
    const observances = component.components
      .slice(0, MOST_OBSERVANCES)
      .flatMap((part) => observanceOf(part) ?? []);
    definitions.set(tzid, { location: plainValue(component, 'X-LIC-LOCATION') ?? '', observances });
  }
  return definitions;
}

/** Null for a STANDARD or DAYLIGHT part without a readable start or offset. */
function observanceOf(part: Component): Observance | null {
  const start = readMoment(plainValue(part, 'DTSTART') ?? '', UTC);
  const from = offsetOf(plainValue(part, 'TZOFFSETFROM') ?? '');
  const to = offsetOf(plainValue(part, 'TZOFFSETTO') ?? '');
  if (start === null || to === null) return null;
  const rule = plainValue(part, 'RRULE');
  return {
    start: start.wall,
    from: from ?? to,
    to,
    rule: rule === null ? null : plainRule(rule),
    dates: onsetsIn(part),
  };
}

/** RDATE: onsets besides that of the start, as readings of the clock before them. */
function onsetsIn({ properties }: Component): readonly number[] {
  return properties
    .filter(({ name }) => name === 'RDATE')
    .flatMap(({ value }) => value.split(',', MOST_ONSETS))
    .slice(0, MOST_ONSETS)
    .flatMap((date) => readMoment(date, UTC)?.wall ?? []);
}

/** TZID is TEXT (RFC 5545, 3.8.3.1): `Helsinki\\, Kyiv` is the `Helsinki, Kyiv` of a quoted parameter. */
function tzidOf(component: Component): string | null {
  const property = first(component, 'TZID');
  return property === null ? null : textValueOf(property).replace(/^"(.*)"$/s, '$1');
}

/** The value of a property as written; null without one. */
function plainValue(component: Component, name: string): string | null {
  return first(component, name)?.value.trim() ?? null;
}
