/** The findings' words about a name that no event has. */
import { withNearest } from '../../src/calendar/nearest.ts';
import type { NearestId } from '../validate/unknown-fields.ts';
import type { NamedEvent } from './event-names.ts';
import type { Naming } from './naming.ts';

export interface KnownNames extends Pick<Naming, 'addresses' | 'heldBack'> {
  readonly nearestId: NearestId;
}

/** A name that no event of the build has. */
export function expectedEvent(
  { ids, page, unknownPage }: NamedEvent,
  { addresses, heldBack, nearestId }: KnownNames,
): string {
  if (ids.some((id) => heldBack.has(id))) return 'an event that is approved';
  if (unknownPage !== null) return 'the address of a page that an earlier snapshot has';
  if (page !== null) return `an id, or the address of an event's page, such as ${addresses}`;
  return withNearest('the id of an event of this build', nearestId(ids[0] ?? ''));
}
