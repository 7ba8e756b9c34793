/** Steps from values as importers read them to the fields of an event, for feeds of all kinds. */
import { accessibilityNamed } from '../../../src/annexes/common/accessibility.ts';
import type { Accessibility } from '../../../src/calendar/accessibility.ts';
import type { JsonObject } from '../../../src/calendar/json.ts';
import type { EventStatus } from '../../../src/calendar/status.ts';
import { nameKey } from '../../../src/calendar/text.ts';
import { createNearestId } from '../../validate/unknown-fields.ts';
import type { Feed } from './config.ts';
import type { FeedRecord } from './last-good.ts';
import type { Tickets } from './prices.ts';

/** The event with the feed's defaults for fields without a value, or with an empty list. */
export function withDefaults(
  event: Readonly<Record<string, unknown>>,
  defaults: Feed['defaults'],
): Readonly<Record<string, unknown>> {
  const missing = Object.entries(defaults).filter(([field]) => isEmpty(event[field]));
  return { ...event, ...Object.fromEntries(missing) };
}

function isEmpty(value: unknown): boolean {
  return value === undefined || value === null || (Array.isArray(value) && value.length === 0);
}

/** Omitted if empty, so that the feed's defaults apply. */
interface CategoryFields {
  readonly categories?: readonly string[];
  readonly tags?: readonly string[];
  /**
   * G2: names among the keywords that should have named a category, each with the category's id, or the word of the feed's map, that was
   * probably meant. The collector reports them, and removes them.
   */
  readonly unnamed?: readonly { readonly word: string; readonly nearest: string | null }[];
  /** E6: names of accessibility features. */
  readonly accessibility?: readonly Accessibility[];
}

export type Categories = ReturnType<typeof createCategories>;

export function createCategories({ map, categoryNames = {} }: Pick<Feed, 'map' | 'categoryNames'>) {
  const listOf = (ids: string | readonly string[]) => (typeof ids === 'string' ? [ids] : ids);
  const mapped = new Map(Object.entries(map).map(([name, ids]) => [nameKey(name), listOf(ids)]));
  const known = new Map([
    ...Object.entries(categoryNames).map(([name, id]) => [name, [id]] as const),
    ...mapped,
  ]);

  const words = Object.keys(map).map((word) => [nameKey(word), word] as const);
  const nearest = createNearestId(Object.entries({ ...categoryNames, ...Object.fromEntries(words) }));

  /** Names that the feed's map or the licence knows become the licence's ids; others become keywords. Each once. */
  function sort(names: readonly string[]): CategoryFields {
    const categories = new Set<string>();
    const tags = new Set<string>();
    const accessibility = new Set<Accessibility>();
    for (const name of names) {
      const ids = known.get(nameKey(name));
      const feature = accessibilityNamed(name);
      if (ids === undefined && feature !== undefined) accessibility.add(feature);
      else if (ids === undefined) tags.add(name);
      for (const id of ids ?? []) categories.add(id);
    }
    const unnamed = [...tags].map((word) => ({ word, nearest: nearest(word) }));
    return {
      ...(categories.size > 0 && { categories: [...categories] }),
      ...(tags.size > 0 && { tags: [...tags], unnamed }),
      ...(accessibility.size > 0 && { accessibility: [...accessibility] }),
    };
  }

  /** The same for ids of an endpoint: those that the map lacks are unchanged. */
  function translate(ids: readonly string[]): readonly string[] {
    return [...new Set(ids.flatMap((id) => mapped.get(nameKey(id)) ?? [id]))];
  }

  return { sort, translate };
}

export interface OwnValues {
  readonly venue: string | null;
  readonly ticketsURL: string | null;
  /** Null if there is no information. */
  readonly tickets: Tickets | null;
  /** E12: null if nothing is said of it. */
  readonly status: EventStatus | null;
  /** As a native date has it. */
  readonly previousStart?: string | null;
  readonly eventSoldOut: boolean;
}

type Shared = Partial<Tickets> & Pick<OwnValues, 'venue' | 'ticketsURL'>;

/** From the first date with a value. An event is free if all of its dates are. */
export function sharedValues(dates: readonly OwnValues[]): Shared {
  const tickets = dates.flatMap((date) => date.tickets ?? []);
  return {
    venue: dates.find(({ venue }) => venue !== null)?.venue ?? null,
    ticketsURL: dates.find(({ ticketsURL }) => ticketsURL !== null)?.ticketsURL ?? null,
    ...(tickets.find(({ ticketsInformation }) => ticketsInformation === 'ticketsInfo') ?? tickets[0]),
  };
}

/** The differences of a date to its event. Its state and whether it is sold out are its own, because other dates may not be. */
export function ownValues(date: OwnValues, event: Shared): JsonObject {
  const prices = date.tickets?.prices;
  return withoutBlanks({
    venue: date.venue === event.venue ? null : date.venue,
    ticketsURL: date.ticketsURL === event.ticketsURL ? null : date.ticketsURL,
    prices: JSON.stringify(prices) === JSON.stringify(event.prices) ? null : prices,
    ...statusFields(date.status),
    previousStart: date.status === 'RESCHEDULED' ? date.previousStart : null,
    eventSoldOut: date.eventSoldOut || null,
  });
}

/** E12: as a native record says it. */
export function statusFields(status: EventStatus | null): JsonObject {
  if (status === null || status === 'SCHEDULED') return {};
  return status === 'CANCELLED' ? { eventCancelled: true } : { status };
}

/** By a tag or a name; null for any other language than Norwegian and English. */
export function languageNamed(written: string): 'nb' | 'en' | null {
  if (/^(?:nb|no|nn|nob|nor|norsk|norwegian|bokmål)(?![a-z])/i.test(written)) return 'nb';
  return /^(?:en|eng|english|engelsk)(?![a-z])/i.test(written) ? 'en' : null;
}

/** One word with an at sign inside: personal addresses must not be published. */
export function isMailAddress(name: string): boolean {
  const at = name.indexOf('@', 1);
  return at !== -1 && at < name.length - 1 && !/\s/.test(name);
}

/** The fields of a record that are neither null nor undefined. */
export function withoutBlanks(fields: object): FeedRecord['value'] {
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== null && value !== undefined),
  );
}
