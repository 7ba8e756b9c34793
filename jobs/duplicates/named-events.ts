/** F15: finds the events that the rows of correction sheets name. */
import { addToGroup } from '../../src/calendar/groups.ts';
import { type VenueId, venuesOf } from '../event-dates.ts';
import { idsNamed, isNamed, type NamedEvent, pageKeyOf, type ReadEventName } from '../naming/event-names.ts';
import type { EventRecord } from '../records.ts';
import type { SheetDecision } from '../source/source.ts';

export interface KnownEvent extends Pick<EventRecord, 'id' | 'feed'> {
  /** The venues of its dates, before any correction. */
  readonly venues: readonly VenueId[];
}

/** The events that a name can mean. */
interface Candidates {
  readonly named: NamedEvent;
  /** The one whose id it is, or else those whose page it is, or whose slug it names. */
  readonly exact: readonly KnownEvent[];
  /** The one that such an event was merged into, which is meant if no exact one is left. */
  readonly merged: readonly KnownEvent[];
}

/** A name, with the events that were found up to now. */
interface NotedName extends Pick<Candidates, 'named'> {
  readonly found: KnownEvent[];
}

export interface NamedEvents {
  readonly note: (record: EventRecord) => void;
  /** `written`: as in a row. */
  readonly find: (written: string) => Candidates;
}

/** The names in the rows. Most events have none of them, so each is looked up by its id and its page. */
export function createNamedEvents(rows: readonly SheetDecision[], readName: ReadEventName): NamedEvents {
  const written = new Set(rows.flatMap(({ id, same, different }) => [id, ...same, ...different]));
  const names = new Map(
    [...written].map((name): [string, NotedName] => [name, { named: readName(name), found: [] }]),
  );
  const byId = new Map<string, NotedName[]>();
  const byPage = new Map<string, NotedName[]>();
  for (const name of names.values()) {
    const { page } = name.named;
    for (const id of new Set(idsNamed(name.named))) addToGroup(byId, id, name);
    if (page !== null) addToGroup(byPage, page, name);
  }

  function note(record: EventRecord): void {
    if (names.size === 0) return;
    const { id, feed, eventLink } = record;
    const page = byPage.size === 0 || eventLink === null ? null : pageKeyOf(eventLink);
    const noted = new Set([...(byId.get(id) ?? []), ...(byPage.get(page ?? '') ?? [])]);
    for (const { named, found } of noted) {
      if (!isNamed({ id, page }, { ...named, ids: idsNamed(named) })) continue;
      const venues = record.sourceVenues ?? [...venuesOf(record)];
      found.push({ id, feed, venues });
    }
  }

  function find(name: string): Candidates {
    const { named, found } = names.get(name) ?? { named: readName(name), found: [] };
    const { slug } = named;
    const isMerged = ({ id }: KnownEvent) => id !== slug?.owner && id === slug?.survivor;
    const withId = found.filter(({ id }) => id === name);
    const exact = withId.length > 0 ? withId : found.filter((event) => !isMerged(event));
    return { named, exact, merged: found.filter(isMerged) };
  }

  return { note, find };
}
