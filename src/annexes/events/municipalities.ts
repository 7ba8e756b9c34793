/** Municipalities as addresses of lists name them: by name in any spelling, or by number; and whether the rows of a list name them. */
import { fold } from '../../calendar/text.ts';
import type { View } from '../../serve/query/view.ts';
import type { Municipality } from '../../snapshot/filters/filter.ts';
import type { EventList } from './event-list.ts';

/** The only municipality that a value of the filter names (B6); undefined if it names none, or several. */
export function municipalityNamed(given: string, { directory }: View): Municipality | undefined {
  const key = fold(given);
  if (!directory.venuesByMunicipality.has(key)) return undefined;
  const isNamed = ({ name, number }: Municipality) =>
    number === given || [name, ...name.split(' - ')].some((one) => fold(one) === key);
  const found = directory.municipalities.filter(isNamed);
  return found.length === 1 ? found[0] : undefined;
}

/**
 * The value in the canonical address of its list: the name, or the number if another municipality has the same name. Null if it has neither:
 * the list by that name has the other one's events, too, so it is not this municipality's own.
 */
export function municipalityValue({ name, number }: Municipality, view: View): string | null {
  return municipalityNamed(name, view) === undefined ? number : name;
}

/** Whether rows name the municipality of their place (I5). In a list of only one, each row would repeat what the reader has chosen. */
export function namesMunicipality({ view, query }: EventList): boolean {
  const { municipality, municipalities } = query.plan.conditions;
  const isOneChosen = municipality !== undefined || municipalities?.length === 1;
  return view.directory.municipalities.length > 1 && !isOneChosen;
}

interface MunicipalityHits extends Municipality {
  /** Its listed events. */
  readonly hits: number;
}

/** The municipalities with listed events, by their numbers of events. */
export function municipalitiesWithEvents(view: View): readonly MunicipalityHits[] {
  return view.facets.municipalities(view.unfilteredCounts());
}

/**
 * The hits of each name, as the filter by that name finds them. The entry without a number has them all; without such an entry, they are the
 * hits of all municipalities of the name.
 */
export function hitsByMunicipality(entries: readonly MunicipalityHits[]): ReadonlyMap<string, number> {
  const hits = new Map<string, number>();
  for (const entry of entries) hits.set(entry.name, (hits.get(entry.name) ?? 0) + entry.hits);
  for (const entry of entries) if (entry.number === null) hits.set(entry.name, entry.hits);
  return hits;
}
