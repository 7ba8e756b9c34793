/**
 * G10: compares the values that the interface shows of an event with those in the previous snapshot. The clock alone changes nothing: dates
 * that are over, and dates by rules beyond the horizon of either build, are not compared.
 */
import { MOST_OCCURRENCES } from '../recurrence/allowance.ts';
import { DATE_FIELDS, type PublicDate, type PublicEvent } from './public-events.ts';

/** Counters, which change constantly and which no calendar shows (I9). */
export const COUNTERS: ReadonlySet<string> = new Set(['views', 'availableTickets', 'activeTickets']);

interface Moment {
  /** Instant of this build. */
  readonly now: number;
  /** Day number: the earlier horizon of the two. */
  readonly lastDay: number;
}

interface Difference {
  /** The fields that differ, in alphabetical order; none for an unchanged event. */
  readonly fields: readonly string[];
  /** I9: whether the difference changes all occurrences. */
  readonly changesAllDates: boolean;
  /** The dates that both have. */
  readonly pairs: readonly DatePair[];
  readonly added: readonly PublicDate[];
  readonly gone: readonly PublicDate[];
}

interface DatePair {
  readonly date: PublicDate;
  readonly previous: PublicDate;
  readonly differs: boolean;
}

/** Compares an event with itself in the previous snapshot. */
export function differenceOf(
  event: PublicEvent,
  previous: PublicEvent,
  { now, lastDay }: Moment,
): Difference {
  const differing = [...event.fields].filter(([name, value]) => previous.fields.get(name) !== value);
  const fields = new Set(differing.map(([name]) => name));
  const changesAllDates = [...fields].some((field) => !COUNTERS.has(field));
  const lastStart = Math.min(lastStartOf(event), lastStartOf(previous));
  const isKnownToBoth = ({ over, isByRule, day, start }: PublicDate) =>
    over > now && (!isByRule || (day <= lastDay && start <= lastStart));

  const unmatched = new Map(previous.dates.map((date) => [date.id, date]));
  const pairs: DatePair[] = [];
  const added: PublicDate[] = [];
  for (const date of event.dates) {
    const before = unmatched.get(date.id);
    unmatched.delete(date.id);
    if (before === undefined) {
      added.push(date);
      continue;
    }
    const differingFields = DATE_FIELDS.filter((name) => date.fields[name] !== before.fields[name]);
    for (const name of differingFields) fields.add(name);
    pairs.push({ date, previous: before, differs: differingFields.length > 0 });
  }
  const gone = [...unmatched.values()];
  if ([...added, ...gone].some(isKnownToBoth)) fields.add('dates');
  return { fields: [...fields].sort(), changesAllDates, pairs, added, gone };
}

/** A build that stopped at the greatest number of occurrences does not know the later ones of its rules. */
function lastStartOf({ dates }: PublicEvent): number {
  const byRule = dates.filter(({ isByRule }) => isByRule);
  return byRule.length < MOST_OCCURRENCES ? Number.POSITIVE_INFINITY : (byRule.at(-1)?.start ?? 0);
}
