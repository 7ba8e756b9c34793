/** Prices as people write them, in tables and on pages; and which values are a date's own, and not its event's (F5). */
import type { JsonObject } from '../../src/calendar/json.ts';
import { fold, slugOf } from '../../src/calendar/text.ts';

export interface FeedPrice {
  readonly type: string;
  /** Digits with an optional `.` fraction (F7); null for what is no amount. */
  readonly price: string | null;
  readonly name_nb?: string;
  readonly name_en?: string;
}

interface Tickets {
  readonly ticketsInformation: 'free' | 'ticketsInfo';
  /** Empty where all of it is free. */
  readonly prices: readonly FeedPrice[];
}

interface ReadTickets extends Tickets {
  /** Parts that are no price; they are kept as labels of tickets without one. */
  readonly unread: readonly string[];
}

type Language = 'nb' | 'en';

/** `150`, `kr 1 200,-`, `149,50`, `gratis`, `Voksen 200 / barn 100`. Null for what is blank. */
export function readTickets(written: string, language: Language): ReadTickets | null {
  const parts = written
    .split(/[/;|\n]|,\s+/)
    .map((part) => part.replace(/\s+/g, ' ').trim())
    .filter((part) => part !== '')
    .slice(0, MOST_TICKETS);
  if (parts.length === 0) return null;
  const read = parts.map((part) => ({ part, ticket: ticketOf(part) }));
  const prices = read.map(({ part, ticket }) => priceOf(ticket ?? { amount: null, label: part }, language));
  return {
    ...ticketsOf(prices),
    unread: read.flatMap(({ part, ticket }) => (ticket === null ? [part] : [])),
  };
}

/** More than any house sells. */
export const MOST_TICKETS = 50;

export function ticketsOf(prices: readonly FeedPrice[]): Tickets {
  const isFree = prices.length > 0 && prices.every(({ price }) => price !== null && Number(price) === 0);
  return isFree ? { ticketsInformation: 'free', prices: [] } : { ticketsInformation: 'ticketsInfo', prices };
}

interface Ticket {
  /** One of the interface's own, where that is said. */
  readonly type?: string | undefined;
  /** As F7 has it. */
  readonly amount: string | null;
  /** Empty for a ticket that needs none. */
  readonly label: string;
}

/** The label also says which of the interface's own types it is; others are types of their own. */
export function priceOf({ type: said, amount, label }: Ticket, language: Language): FeedPrice {
  const known = fold(label)
    .split(/[^a-z]+/)
    .map((word) => TYPES.get(word))
    .find((type) => type !== undefined);
  const own = slugOf(label).toUpperCase().replaceAll('-', '_');
  const type =
    (OWN_TYPES.has(said ?? '') ? said : known) ?? (amount === null || own === '' ? 'REGULAR' : own);
  return { type, price: amount, ...(label === '' ? {} : { [`name_${language}`]: label }) };
}

const WORDS: Readonly<Record<string, string>> = {
  REGULAR: 'voksen voksne ordinaer ordinaert ordinary regular standard adult adults general',
  CHILD: 'barn ungdom child children kids',
  STUDENT: 'student studenter students',
  SENIOR: 'honnor senior seniorer pensjonist pensjonister seniors',
  FAMILY: 'familie familier family',
  MEMBERS: 'medlem medlemmer medlemspris member members',
  REDUCED: 'redusert rabattert reduced concession concessions',
  ASSISTANT: 'ledsager ledsagere assistant companion',
};
const OWN_TYPES = new Set(Object.keys(WORDS));
const TYPES: ReadonlyMap<string, string> = new Map(
  Object.entries(WORDS).flatMap(([type, words]) => words.split(' ').map((word) => [word, type] as const)),
);

/** In characters. */
const LONGEST_TICKET = 200;

/** The interface has one currency. */
const FOREIGN = /[$€£]|\b(?:eur|euro|usd|gbp|sek|dkk)\b/i;

const AMOUNT =
  /^(?:(?<named>[^:]*):|(?<before>\D*?))\s*(?:kr\.?|nok)?\s*(?<amount>\d[\d .]*(?:,\d{1,2})?)\s*(?:,-|:-|-)?\s*(?:kr\.?|kroner|nok)?(?<after>\D*\d{0,2}\D*)$/i;
const FREE =
  /^(?<before>\D*?):?\s*(?<!\p{L})(?:gratis|free|fri (?:entr[eé]|inngang))(?!\p{L})(?:\s+(?:entr[eé]|inngang|entry|admission))?(?<after>\D*)$/iu;

/** Null when it is no price with or without a label. */
function ticketOf(part: string): Ticket | null {
  if (part.length > LONGEST_TICKET || FOREIGN.test(part)) return null;
  const free = FREE.exec(part)?.groups;
  if (free !== undefined) return { amount: '0', label: labelOf(free) };
  const groups = AMOUNT.exec(part)?.groups;
  const amount = groups === undefined ? null : amountOf(groups.amount ?? '');
  return groups === undefined || amount === null ? null : { amount, label: labelOf(groups) };
}

function labelOf({ named, before, after }: Readonly<Record<string, string | undefined>>): string {
  return `${named ?? before ?? ''} ${after ?? ''}`
    .replace(/^[\s:–-]*(?:for\s+)?|[\s:–-]+$/gi, '')
    .replace(/\s+/g, ' ')
    .trim();
}

/** `1 200`, `1.200`, `149,50` and `149.5` as F7 has numbers; null for any other text. */
export function amountOf(written: string): string | null {
  const plain = written.trim().replace(/[\s\u00a0\u202f](?=\d{3}(?!\d))/g, '');
  const thousands = /^\d{1,3}(?:\.\d{3})+(?=$|,)/.test(plain) ? plain.replaceAll('.', '') : plain;
  const [, whole = '', fraction = ''] = /^(\d{1,12})(?:[.,](\d{1,9}))?$/.exec(thousands) ?? [];
  if (whole === '') return null;
  return fraction === '' ? whole : `${whole}.${fraction}`;
}

export interface OwnValues {
  readonly venue: string | null;
  readonly ticketsURL: string | null;
  /** Null where nothing is said of them. */
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

/** As the first date that says it has it. An event is free when all of its dates are. */
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

/** Where a date differs from its event. It is cancelled or sold out for itself, because others need not be. */
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
