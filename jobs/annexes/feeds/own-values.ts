/** Separates a date's own values from its event's (F5). */
import type { JsonObject } from '../../../src/calendar/json.ts';
import { withoutBlanks } from './collector.ts';
import type { Tickets } from './prices.ts';

export interface OwnValues {
  readonly venue: string | null;
  readonly ticketsURL: string | null;
  /** Null if there is no information. */
  readonly tickets: Tickets | null;
  readonly eventCancelled: boolean;
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

/** The differences of a date to its event. Cancelled and sold out are its own, because other dates may not be. */
export function ownValues(date: OwnValues, event: Shared): JsonObject {
  const prices = date.tickets?.prices;
  return withoutBlanks({
    venue: date.venue === event.venue ? null : date.venue,
    ticketsURL: date.ticketsURL === event.ticketsURL ? null : date.ticketsURL,
    prices: JSON.stringify(prices) === JSON.stringify(event.prices) ? null : prices,
    eventCancelled: date.eventCancelled || null,
    eventSoldOut: date.eventSoldOut || null,
  });
}
