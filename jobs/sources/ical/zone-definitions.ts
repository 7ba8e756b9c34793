/** VTIMEZONEs of a feed, as far as their clocks can be read. */
import type { Component } from './components.ts';
import { offsetOf, readMoment } from './moments.ts';
import type { Observance } from './observances.ts';
import { UTC, type ZoneDefinition } from './zones.ts';

/** More than any feed needs; each is worked out again wherever it is used. */
const MOST_ZONES = 50;
const MOST_OBSERVANCES = 200;
/** Listed in one of them. */
const MOST_ONSETS = 200;

export function definitionsOf(zones: readonly Component[]): ReadonlyMap<string, ZoneDefinition> {
  const defined = new Map<string, ZoneDefinition>();
  for (const zone of zones) {
    const tzid = written(zone, 'TZID');
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
  return { start: start.wall, from: from ?? to, to, rule: written(part, 'RRULE'), dates };
}

function written({ properties }: Component, wanted: string): string | null {
  return properties.find(({ name }) => name === wanted)?.value.trim() ?? null;
}
