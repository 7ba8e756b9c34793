/** Time zones that a feed defines itself: its VTIMEZONEs (RFC 5545, 3.6.5). */
import type { Observance } from '../../../recurrence/series.ts';
import { type Component, first } from './content.ts';
import { offsetOf, plainRule, readMoment, textOf, UTC } from './values.ts';

/** More than any feed needs; a definition is computed again wherever it is used. */
const MOST_ZONES = 50;
/** STANDARD and DAYLIGHT parts of one definition. */
const MOST_OBSERVANCES = 200;
/** Onsets that one of these parts lists. */
const MOST_ONSETS = 200;

export interface ZoneDefinition {
  /** `X-LIC-LOCATION`: the database's name, as some programs add it; else empty. */
  readonly location: string;
  readonly observances: readonly Observance[];
}

export const NO_DEFINITION: ZoneDefinition = { location: '', observances: [] };

/** The VTIMEZONEs of a feed by their TZID; of several with one TZID, the first. */
export function zoneDefinitions(components: readonly Component[]): ReadonlyMap<string, ZoneDefinition> {
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
  return property === null ? null : textOf(property).replace(/^"(.*)"$/s, '$1');
}

/** The value of a property as written; null without one. */
function plainValue(component: Component, name: string): string | null {
  return first(component, name)?.value.trim() ?? null;
}
