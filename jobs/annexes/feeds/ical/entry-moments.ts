/** The dates and times of one entry, each in its zone. Slips that leave their meaning certain are reported, and read anyway. */
import { excerpt } from '../../../findings.ts';
import type { AddFinding } from '../last-good.ts';
import { cite } from './citations.ts';
import { type EventComponent, first } from './content.ts';
import type { Property } from './properties.ts';
import { type Moment, OSLO, readMoment, UTC, type Zone } from './values.ts';
import type { Zones } from './zones.ts';

export interface MomentsContext {
  readonly zones: Zones;
  /** The clock of times without a zone, in the calendar of that component. */
  readonly homeOf: (component: EventComponent) => Zone;
  readonly addFinding: AddFinding;
}

export interface Moments {
  /** The value of a property with one value; null, after a finding if it is invalid. */
  readonly momentOf: (name: string) => Moment | null;
  /** One value of a property that may have several; null if it is invalid. */
  readonly readValue: (written: string, property: Property) => Moment | null;
}

export const A_MOMENT = 'a date or time such as 20260517 or 20260517T193000';
const UNKNOWN_ZONE = 'a known time zone, or a VTIMEZONE that defines it (read as Norwegian time)';

/** Reads the moments of one entry; times without a zone are in that of its start, or else in that of its calendar. */
export function createMoments(
  component: EventComponent,
  { zones, homeOf, addFinding }: MomentsContext,
): Moments {
  const reported = new Set<string>();
  const startTzid = first(component, 'DTSTART')?.parameters.get('TZID') ?? '';
  /** Real feeds have a start with a zone, and further times without one, which mean the same zone. */
  const zoneOfStart = startTzid === '' ? null : zones.find(startTzid);

  function readValue(written: string, property: Property): Moment | null {
    const tzid = property.parameters.get('TZID') ?? '';
    const zone = tzid === '' ? zoneOfStart : zones.find(tzid);
    const moment = readMoment(written, zone ?? OSLO);
    if (moment === null) return null;
    // Neither the property nor the value has a known zone.
    const isFloating = !moment.isDate && zone === null && moment.zone === OSLO;
    if (isFloating && tzid === '') return { ...moment, zone: homeOf(component) };
    if (isFloating) {
      reportZone(tzid, property);
      return moment;
    }
    reportSlip(slipIn(moment, zone, property), written, property);
    return moment.isDate ? { ...moment, zone: OSLO } : moment;
  }

  function isNew(finding: string): boolean {
    const size = reported.size;
    return reported.add(finding).size > size;
  }

  /** Each slip is reported once for each property. */
  function reportSlip(expected: string | null, written: string, property: Property): void {
    if (expected !== null && isNew(`${expected} ${property.name}`))
      addFinding({ ...cite(property), expected, found: excerpt(written) });
  }

  /** Each unknown zone is reported once. */
  function reportZone(tzid: string, property: Property): void {
    if (!isNew(`${UNKNOWN_ZONE} ${tzid}`)) return;
    const field = `${property.name};TZID`;
    addFinding({ ...cite(property), field, expected: UNKNOWN_ZONE, found: excerpt(tzid) });
  }

  function momentOf(name: string): Moment | null {
    const property = first(component, name);
    if (property === null) return null;
    const moment = readValue(property.value, property);
    if (moment === null) addFinding({ ...cite(property), action: 'dropped record', expected: A_MOMENT });
    return moment;
  }

  return { momentOf, readValue };
}

/** RFC 5545, 3.2.19 and 3.2.20: how a date or time differs from the form that its parameters announce; null if it agrees. */
function slipIn(
  { isDate, zone: momentZone }: Moment,
  zone: Zone | null,
  { name, parameters }: Property,
): string | null {
  const type = parameters.get('VALUE')?.toUpperCase() ?? '';
  if (isDate)
    return /^(?:DATE-TIME|PERIOD)$/.test(type) ? `times, as VALUE=${type} says (read as dates)` : null;
  if (type === 'DATE') return 'dates alone, as VALUE=DATE says (read as times)';
  if (parameters.has('TZID')) {
    const isUtcDespiteZone = momentZone === UTC && zone !== UTC;
    return isUtcDespiteZone ? 'times without an offset, as TZID says (read with it)' : null;
  }
  const isReadInZoneOfStart = zone !== null && momentZone === zone;
  if (name === 'DTSTART' || !isReadInZoneOfStart) return null;
  return 'times with the TZID of DTSTART, or in UTC (read in the zone of DTSTART)';
}
