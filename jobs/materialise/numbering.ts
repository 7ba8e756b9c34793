/** The order of an event's occurrences (A2), and their numbers (A16). */
import type { Span } from '../recurrence/occurrences.ts';

/** A2's order, without the position in the source. */
export const byTimes = (left: Span, right: Span) => left.start - right.start || left.end - right.end;

/** A16. Both lists are sorted. No occurrence in one has the same start and end as one in the other. */
export function numbersOf(upcoming: readonly Span[], past: readonly Span[]): readonly number[] {
  const numbers: number[] = [];
  let start = Number.NaN;
  /** Occurrences with this start so far, past ones included. */
  let before = 0;
  let nextPast = 0;
  for (const occurrence of upcoming) {
    if (occurrence.start !== start) before = 0;
    start = occurrence.start;
    for (; isBefore(past[nextPast], occurrence); nextPast++) {
      if (past[nextPast]?.start === start) before++;
    }
    before++;
    numbers.push(before);
  }
  return numbers;
}

function isBefore(past: Span | undefined, occurrence: Span): boolean {
  return past !== undefined && byTimes(past, occurrence) < 0;
}
