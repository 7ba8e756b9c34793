/**
 * The entries that a list has for its events: one for the shown date, or one for each of the dates. Events are parsed one by one, while they
 * are written.
 */
import { sumOf } from '../../calendar/groups.ts';
import { type EventNode, type RepetitionNode, repetitionsOf } from '../../serve/query/nodes.ts';
import { EVENT_SCALARS } from '../../snapshot/fragments.ts';
import type { EventList, Reach } from './event-list.ts';
import type { ListedEvent, ListedOccurrence } from './listed.ts';
import { listedEventOf, listedOccurrenceOf } from './values.ts';

/** An event with the dates for which the list has entries. */
interface EventWithDates {
  readonly node: EventNode;
  readonly event: ListedEvent;
  readonly shownDate: () => ListedOccurrence;
  /** The dates that the list has entries for. */
  readonly dates: () => readonly ListedOccurrence[];
}

/**
 * Each event of a list and its dates, the shown one first; both are read while they are written. D10: a description that is too long for
 * one entry, or for all entries of its event together, is left out. No event then makes the list too large for others.
 */
export function* eventsIn(list: EventList): Generator<EventWithDates> {
  const { events, language } = list;
  let left = MOST_DESCRIBED;
  for (const node of events) {
    const entries = entriesOf(node, list);
    const whole = listedEventOf(node, language);
    const length = whole.description?.text.length ?? 0;
    const isFitting = length <= LONGEST_DESCRIPTION && length * entries.length <= left;
    if (isFitting) left -= length * entries.length;
    const event = isFitting ? whole : { ...whole, description: null };
    const shownDate = () => listedOccurrenceOf(node, language);
    const dates = () => entries.map((date) => listedOccurrenceOf(date, language));
    yield { node, event, shownDate, dates };
  }
}

/** UTF-16 units of all descriptions in a list: a quarter of what an answer may hold (D10). */
const MOST_DESCRIBED = 8 * 1_024 * 1_024;
/** UTF-16 units. Builds cut earlier; a snapshot from elsewhere may have been built otherwise. */
export const LONGEST_DESCRIPTION = 200_000;

/** The dates of a node that this list has entries for. */
function entriesOf(node: EventNode, { hasDates, reach }: EventList): readonly RepetitionNode[] {
  return hasDates ? occurrencesOf(node, reach) : [node];
}

/** The shown occurrence and its repetitions: all of them, or those within reach. */
export function occurrencesOf(node: EventNode, reach: Reach | null): readonly RepetitionNode[] {
  if (reach === null) return [node, ...repetitionsOf(node)];
  const { start } = node.view.columns;
  const next = repetitionsOf(node, MOST_REPETITIONS);
  return [node, ...next.filter(({ row }) => (start[row] ?? 0) <= reach.last)];
}

/** I9: dates after the shown one. */
const MOST_REPETITIONS = 20;

/** The estimated bytes of a list, from counts. */
export function estimateOf(list: EventList): number {
  let bytes = 0;
  let descriptions = 0;
  for (const node of list.events) {
    const { scalars } = node.fragment;
    const entries = entriesOf(node, list).length;
    const all = sumOf(scalars.map(({ length }) => length));
    const described = sumOf(DESCRIPTIONS.map((line) => scalars[line]?.length ?? 0));
    descriptions += entries * described;
    bytes += entries * (ENTRY_BYTES + all - described);
  }
  return bytes + Math.min(descriptions, MOST_DESCRIBED);
}

/** Indexes of the descriptions. */
const DESCRIPTIONS = (['desc_nb', 'desc_en'] as const).map((name) => EVENT_SCALARS.indexOf(name));

/** Bytes of an entry besides its texts. */
const ENTRY_BYTES = 250;
