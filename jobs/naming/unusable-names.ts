/** The findings' words about a name that a sheet or a correction may not use, or that no event has. */
import { listOfFeed } from '../../src/calendar/feed-ids.ts';
import { withNearest } from '../../src/calendar/nearest.ts';
import type { NearestId } from '../validate/unknown-fields.ts';
import type { NamedEvent } from './event-names.ts';
import type { Naming } from './naming.ts';

/** An event of a feed whose records a sheet may not correct. */
export function otherFeed(onlyFeeds: readonly string[], feed: string | null) {
  return {
    expected: `an event of ${[...new Set(onlyFeeds.map(listOfFeed))].join(' or ')}`,
    foundText: feed === null ? "one of the folder's own records" : `one of ${feed}`,
  };
}

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
