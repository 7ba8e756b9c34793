/** Separates a date's own values from its event's (F5). */
import type { JsonObject } from '../../../src/calendar/json.ts';
import type { Tickets } from './prices.ts';

export interface OwnValues {
  readonly venue: string | null;
  readonly ticketsURL: string | null;
  /** Null if there is no information. */
  readonly tickets: Tickets | null;
  readonly eventCancelled: boolean;
  readonly eventSoldOut: boolean;
}

interface Shared {
  readonly venue?: string;
  readonly ticketsURL?: string;
  readonly ticketsInformation?: Tickets['ticketsInformation'];
  readonly prices?: readonly unknown[];
}

/** From the first date with a value. An event is free if all of its dates are. */
export function sharedValues(dates: readonly OwnValues[]): Shared {
  const venue = dates.find((date) => date.venue !== null)?.venue ?? null;
  const ticketsURL = dates.find((date) => date.ticketsURL !== null)?.ticketsURL ?? null;
  const tickets = dates.flatMap((date) => date.tickets ?? []);
  const priced = tickets.find(({ ticketsInformation }) => ticketsInformation === 'ticketsInfo') ?? tickets[0];
  return {
    ...(venue === null ? {} : { venue }),
    ...(ticketsURL === null ? {} : { ticketsURL }),
    ...(priced ?? {}),
  };
}

/** The differences of a date to its event. Cancelled and sold out are its own, because other dates may not be. */
export function ownValues(date: OwnValues, event: Shared): JsonObject {
  const prices = date.tickets?.prices ?? event.prices;
  return {
    ...(date.venue === null || date.venue === event.venue ? {} : { venue: date.venue }),
    ...(date.ticketsURL === null || date.ticketsURL === event.ticketsURL
      ? {}
      : { ticketsURL: date.ticketsURL }),
    ...(JSON.stringify(prices) === JSON.stringify(event.prices) ? {} : { prices }),
    ...(date.eventCancelled ? { eventCancelled: true } : {}),
    ...(date.eventSoldOut ? { eventSoldOut: true } : {}),
  };
}
