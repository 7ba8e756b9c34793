/**
 * Assembles an event from the parts that a reader found: VEVENTs with one UID, rows with one id, items on pages with one address, or an
 * endpoint's answer. Readers report what is written. This file decides which values belong to a date (F5), what its title says of it (L0),
 * and where the feed's defaults apply.
 */
import type { JsonObject } from '../../../src/calendar/json.ts';
import type { EventStatus } from '../../../src/calendar/status.ts';
import type { ParsedFeed } from './config.ts';
import { type DateTitle, withDateTitles } from './date-titles.ts';
import { withoutBlanks } from './event-fields.ts';
import type { AddFinding, FeedRecord, NewFinding } from './last-good.ts';
import type { Tickets } from './prices.ts';
import { A_NEW_DATE, type TitleState } from './title-words.ts';

/** An event, as its reader found it. */
interface FoundEvent {
  readonly id: string;
  /** 1-based line of its first part; null where lines say nothing. */
  readonly line: number | null;
  /** Values that all of its dates share. Blank ones are left out. */
  readonly fields: JsonObject;
  /** Titles of single dates that differ from the event's. */
  readonly dateTitles?: readonly DateTitle[];
  /** Its dates, rules and series, and its place among other events. */
  readonly programme: JsonObject;
  /** Columns of a table that no field has: the build ignores and counts them. */
  readonly unknown?: JsonObject;
}

interface AssemblyContext {
  readonly feed: Pick<ParsedFeed, 'defaults' | 'language'>;
  /** Instant of the build. */
  readonly now: number;
}

/** The record of an event, with the feed's defaults for fields without a value, or with an empty list. */
export function assembleEvent(
  { id, line, fields, dateTitles = [], programme, unknown = {} }: FoundEvent,
  { feed, now }: AssemblyContext,
): FeedRecord {
  const complete = withoutBlanks(withDefaults(fields, feed.defaults));
  const described = withDateTitles(complete, { titles: dateTitles, now, language: feed.language });
  return { list: 'events', line, value: { ...unknown, id, ...described, ...programme } };
}

function withDefaults(fields: JsonObject, defaults: ParsedFeed['defaults']): JsonObject {
  const missing = Object.entries(defaults).filter(([field]) => isEmpty(fields[field]));
  return { ...fields, ...Object.fromEntries(missing) };
}

function isEmpty(value: unknown): boolean {
  return value === undefined || value === null || (Array.isArray(value) && value.length === 0);
}

/** The values that a part gives for its own dates. */
export interface DateValues {
  readonly venue: string | null;
  readonly ticketsURL: string | null;
  /** Null if there is no information about tickets. */
  readonly tickets: Tickets | null;
  /** E12: null if it is not given. */
  readonly status: EventStatus | null;
  /** As a native date has it. */
  readonly previousStart?: string | null;
  readonly eventSoldOut: boolean;
}

export type SharedValues = Partial<Tickets> & Pick<DateValues, 'venue' | 'ticketsURL'>;

/** From the first date with a value. An event is free if all of its dates are. */
export function sharedValues(dates: readonly DateValues[]): SharedValues {
  const tickets = dates.flatMap((date) => date.tickets ?? []);
  const priced = tickets.find(({ ticketsInformation }) => ticketsInformation === 'ticketsInfo');
  return {
    venue: dates.find(({ venue }) => venue !== null)?.venue ?? null,
    ticketsURL: dates.find(({ ticketsURL }) => ticketsURL !== null)?.ticketsURL ?? null,
    ...(priced ?? tickets[0]),
  };
}

/** The fields of a date that differ from its event's. Cancelled and sold-out states always belong to the date. */
export function ownFields(date: DateValues, event: SharedValues): JsonObject {
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
  if (status === null) return {};
  if (status === 'CANCELLED' || status === 'SCHEDULED') return { eventCancelled: status === 'CANCELLED' };
  return { status };
}

/** L0: a date's values, with what its title says. `report` gets the `expected` of a finding about that title. */
export function withTitleState(
  date: DateValues,
  { status, eventSoldOut }: Pick<TitleState, 'status' | 'eventSoldOut'>,
  report: (expected: string) => void,
): DateValues {
  if (status === 'POSTPONED') report(A_NEW_DATE);
  return {
    ...date,
    // Calendar programs cannot write POSTPONED: they write CANCELLED.
    status: status ?? date.status,
    eventSoldOut: date.eventSoldOut || eventSoldOut,
  };
}

interface HeldFindings {
  readonly addFinding: AddFinding;
  readonly lost: readonly NewFinding[];
}

/** Adds an event's findings, but holds those about unreadable dates until it is known whether other dates remain (G2). */
export function holdLostDates(id: string, report: AddFinding): HeldFindings {
  const lost: NewFinding[] = [];
  const addFinding: AddFinding = (finding) => {
    if (finding.action === 'dropped date') lost.push({ ...finding, id });
    else report({ ...finding, id });
  };
  return { addFinding, lost };
}

/**
 * A container that is over: endpoints no longer list it, but its programme still names it. With its only date in the past it is never
 * shown, here as there.
 */
export function endedContainer(id: string): FeedRecord {
  const value = { id, slug: id, title_nb: id, isSuperEvent: true, dates: [{ start: '1970-01-01 00:00' }] };
  return { list: 'events', line: null, value };
}
