/** The oracle for A4–A6 and A9: which events there are at a moment, and what each of them shows. */
import { DAY, dayOf, instantOf, partsOf, readInstant, wallOf } from './clock.ts';
import { type Occurrence, startDay } from './occurrences.ts';
import type { Calendar, CalendarEvent } from './source.ts';
import { byCodePoint } from './text.ts';

/** One entry of `EventConnection.data`, or the event of a look-up. */
export interface Node {
  readonly event: CalendarEvent;
  readonly shown: Occurrence;
  readonly repetitions: readonly Occurrence[];
}

/** A4's three moments, in seconds; the last two only when given. */
interface Window {
  readonly from: number;
  readonly startingFrom: number | null;
  readonly startingBefore: number | null;
}

const MONDAY = 0;
const FRIDAY = 4;

/** B12: the beginning and end of a period, in seconds. One that has begun is from now on. */
export function periodAt(name: string, now: number): readonly [from: number, until: number] {
  const today = dayOf(wallOf(now));
  const { weekday } = partsOf(today);
  const midnight = (day: number) => instantOf(day * DAY);
  // On a Monday, the week ends with the next Monday.
  const endOfWeek = midnight(weekday === MONDAY ? today + 7 : nextDay(today, MONDAY));
  if (name === 'TODAY') return [now, midnight(today + 1)];
  if (name === 'TOMORROW') return [midnight(today + 1), midnight(today + 2)];
  if (name === 'WEEK') return [now, endOfWeek];
  // WEEKEND: from Friday at 16:00.
  if (weekday > FRIDAY) return [now, endOfWeek];
  const afternoon = instantOf(nextDay(today, FRIDAY) * DAY + 16 * 3_600);
  return [Math.max(now, afternoon), endOfWeek];
}

/** Today, or the first day after it, that is this weekday. */
function nextDay(today: number, weekday: number): number {
  const days = Array.from({ length: 7 }, (_, ahead) => today + ahead);
  return days.find((day) => partsOf(day).weekday === weekday) ?? today;
}

/** A7: the window of a look-up. */
export function lookUpWindow(now: number): Window {
  return { from: now, startingFrom: null, startingBefore: null };
}

/** A9: an event that is to be published later than `now` does not exist yet, and no event names it as its container. */
export function publishedEvents(calendar: Calendar, now: number): readonly CalendarEvent[] {
  const isHidden = ({ record }: CalendarEvent) => (readInstant(record.publishingDate) ?? now) > now;
  const hidden = new Set(calendar.events.filter(isHidden).map(({ record }) => record.id));
  return calendar.events
    .filter((event) => !isHidden(event))
    .map((event) => (hidden.has(event.superEvent ?? '') ? { ...event, superEvent: null } : event));
}

/** A1: half-open; in the very second it is over it is no longer valid. */
export function isValidAt({ over }: Occurrence, moment: number): boolean {
  return moment < over;
}

/** A4, A5: a node shows its event's first candidate; after it come all later ones that are valid. */
export function nodesOf(events: readonly CalendarEvent[], window: Window): readonly Node[] {
  const nodes = events.flatMap((event): readonly Node[] => {
    const shown = event.occurrences.find((occurrence) => isCandidate(occurrence, window));
    if (shown === undefined) return [];
    return [{ event, shown, repetitions: validAfter(shown, event.occurrences, window) }];
  });
  return inOrder(nodes);
}

/** A6: a node for each Oslo day on which a candidate starts; its repetitions stay within that day. */
export function dayNodesOf(events: readonly CalendarEvent[], window: Window): readonly Node[] {
  const nodes = events.flatMap((event) => {
    const candidates = event.occurrences.filter((occurrence) => isCandidate(occurrence, window));
    return [...new Set(candidates.map(startDay))].flatMap((day): readonly Node[] => {
      const sameDay = event.occurrences.filter((occurrence) => startDay(occurrence) === day);
      const shown = sameDay.find((occurrence) => isCandidate(occurrence, window));
      return shown === undefined ? [] : [{ event, shown, repetitions: validAfter(shown, sameDay, window) }];
    });
  });
  return inOrder(nodes);
}

/** A4: valid at T, starting at or after `fromStartDate` and before `untilDate`. */
function isCandidate(occurrence: Occurrence, { from, startingFrom, startingBefore }: Window): boolean {
  return (
    isValidAt(occurrence, from) &&
    (startingFrom === null || occurrence.start >= startingFrom) &&
    (startingBefore === null || occurrence.start < startingBefore)
  );
}

/** A5: those after the shown one in A2's order that are valid at T. */
function validAfter(shown: Occurrence, all: readonly Occurrence[], { from }: Window): readonly Occurrence[] {
  return all.slice(all.indexOf(shown) + 1).filter((occurrence) => isValidAt(occurrence, from));
}

/** A8: shown start, then event id by code point. */
function inOrder(nodes: readonly Node[]): readonly Node[] {
  return nodes.toSorted(
    (a, b) => a.shown.start - b.shown.start || byCodePoint(a.event.record.id, b.event.record.id),
  );
}
