/**
 * The oracle for F, for G2's drops and for G4's migration: a native source as plain arrays of events with all
 * their occurrences. No columns, no SQL, nothing of the product.
 */
import { addMonths, dayOf, wallOf } from './clock.ts';
import {
  type Category,
  readCategories,
  readOrganizers,
  readVenues,
  uniqueSlugs,
  type Venue,
} from './directory.ts';
import { type Occurrence, readOccurrences, spanOf } from './occurrences.ts';
import { type EventRecord, isEvent, isTitle, type LicenceRecord, type Source } from './records.ts';
import { slugOf } from './text.ts';

export type Calendar = ReturnType<typeof readSource>;
export type CalendarEvent = Calendar['events'][number];

/** An event before A10: its own occurrences, null where it has no date of its own. */
interface Dated {
  readonly record: EventRecord;
  readonly superEvent: string | null;
  readonly given: readonly Occurrence[] | null;
}

/** The calendar that the build at `builtAt` (seconds) makes of a source; rules reach `horizonMonths` further. */
export function readSource(source: Source, builtAt: number, horizonMonths = 18) {
  const categories = readCategories(source.licence);
  const venues = readVenues(source);
  const organizers = readOrganizers(source);
  const horizonDay = addMonths(dayOf(wallOf(builtAt)), horizonMonths);
  const dated = soundEvents(source.events).map((record) => ({
    record,
    given: readOccurrences(record, venues, horizonDay),
  }));
  // G2: an event that is left with no date is no event, unless it is a container.
  const kept = dated.filter(({ record, given }) => given !== null || record.isSuperEvent === true);
  const ids = new Set(kept.map(({ record }) => record.id));
  const slugs = uniqueSlugs();
  const events = kept.map(({ record, given }) => {
    const slug = slugs(slugFor(record));
    return {
      record,
      slug,
      link: record.eventLink || linkOf(source.licence, slug),
      title_nb: isTitle(record.title_nb) ? record.title_nb : null,
      title_en: isTitle(record.title_en) ? record.title_en : null,
      // Ids of today's taxonomy.
      categories: migrate(record.categories ?? [], source.licence, categories),
      organizers: byIds(record.organizers ?? [], organizers),
      superEvent: ids.has(record.superEvent ?? '') ? (record.superEvent ?? null) : null,
      given,
    };
  });
  return {
    licence: source.licence,
    builtAt,
    // B11.
    hasSpecialEvent: ids.has(source.licence.specialEvent ?? ''),
    categories,
    venues,
    organizers,
    events: events.map(({ given: _given, ...event }) => ({
      ...event,
      // A2's order, A11: without those that were over at build time.
      occurrences: datesOf(event.record.id, events, venues).filter(({ over }) => over > builtAt),
    })),
  };
}

/** I11: the calendar's own site has pages of events, where there is no other. */
function linkOf({ siteUrl }: LicenceRecord, slug: string): string {
  return siteUrl === undefined ? `http://localhost:4000/events/${slug}.html` : `${siteUrl}/event/${slug}`;
}

/** G2: unsound events are left out; of those with the same id the first stays. */
function soundEvents(records: readonly unknown[]): readonly EventRecord[] {
  const sound = records.filter(isEvent);
  return sound.filter((record, index) => sound.findIndex(({ id }) => id === record.id) === index);
}

/** All occurrences of an event, also those that are over. */
function datesOf(id: string, events: readonly Dated[], venues: readonly Venue[]): readonly Occurrence[] {
  const event = events.find((other) => other.record.id === id);
  if (event === undefined || event.given !== null) return event?.given ?? [];
  // A10: a container without dates of its own spans its programme, which may hold such containers too.
  const others = events.filter((other) => other !== event);
  const programme = others.filter(({ superEvent }) => superEvent === id);
  return spanOf(
    programme.flatMap((part) => datesOf(part.record.id, others, venues)),
    event.record,
    venues,
  );
}

/** F6: the last path segment of its own link, else its own slug, else that of its title, else of its id. */
function slugFor(record: EventRecord): string {
  const linked = slugOf(new URL(record.eventLink || 'https://no.link').pathname.split('/').at(-1) ?? '');
  const title = isTitle(record.title_nb) ? record.title_nb : (record.title_en ?? '');
  return linked || record.slug || slugOf(title) || slugOf(record.id) || 'event';
}

/** G4: retired ids become their replacements; G2: ids that nobody defines, and repeated ones, are dropped. */
function migrate(
  ids: readonly string[],
  licence: LicenceRecord,
  categories: readonly Category[],
): readonly string[] {
  const known = new Set(
    categories.flatMap(({ id, subcategories }) => [id, ...subcategories.map((sub) => sub.id)]),
  );
  const current = ids.flatMap((id) => (known.has(id) ? [id] : (licence.retiredCategories?.[id] ?? [])));
  return [...new Set(current)].filter((id) => known.has(id));
}

/** G2: unknown references, and repeated ones, are dropped. */
function byIds<T extends { readonly id: string }>(ids: readonly string[], all: readonly T[]): readonly T[] {
  return [...new Set(ids)].flatMap((id) => all.filter((one) => one.id === id));
}
