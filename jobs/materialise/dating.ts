/** From a record's dates and rules to its occurrences (F4, A2, A11, A12). */
import type { Occurrence } from '../../src/calendar/model.ts';
import {
  addMonths,
  DAY,
  formatDay,
  formatMinute,
  formatOslo,
  HOUR,
  instantOf,
  OPEN_ENDED,
  osloDay,
  overAt,
  wallOf,
} from '../../src/calendar/time.ts';
import type { EventRecord, RepeatRecord, Reporter } from '../records.ts';
import type { Allowance, EventAllowance } from '../recurrence/allowance.ts';
import { expand } from '../recurrence/expand.ts';
import { isFlaw, type Rule, readRule } from '../recurrence/rule.ts';
import { type Span, unite } from './span.ts';

export interface Dated {
  /** Those that are not over at the build, in A2's order. */
  readonly kept: readonly Occurrence[];
  /** From the earliest start to the latest end, also of what is over; worked out for parts of a programme only (A10). */
  readonly span: Span | null;
  /** False when there is neither a date nor a rule that could be read. */
  readonly isDated: boolean;
}

export interface Dating {
  /** Last day on which an occurrence of a rule may start, in days since 1970-01-01 (A11). */
  readonly horizonDay: number;
  readonly date: (record: EventRecord) => Dated;
}

export interface DatingOptions {
  readonly now: number;
  readonly horizonMonths: number;
  readonly allowance: Allowance;
  readonly report: Reporter;
}

interface Repeated {
  readonly record: EventRecord;
  readonly repeat: RepeatRecord;
  readonly share: EventAllowance;
}

export function createDating({ now, horizonMonths, allowance, report }: DatingOptions): Dating {
  const horizonDay = addMonths(osloDay(now), horizonMonths);
  const until = (horizonDay + 1) * DAY - 1;

  function date(record: EventRecord): Dated {
    const kept = record.dates.filter(({ start, end }) => overAt(start, end) > now);
    let span = record.dates.reduce<Span | null>(unite, null);
    let isDated = record.dates.length > 0;
    const share = allowance.forEvent();
    for (const repeat of record.repeats) {
      const rule = readRule(repeat.rule);
      if (isFlaw(rule)) {
        complain('dropped date', record, repeat, {
          expected: rule.expected,
          found: `${rule.part}: ${rule.found}`,
        });
        continue;
      }
      isDated = true;
      const repeated = repeatedOf(rule, { record, repeat, share });
      kept.push(...repeated.kept);
      span = repeated.span === null ? span : unite(span, repeated.span);
    }
    // A2: start, then end; sorting is stable, so the position in the source decides the rest.
    kept.sort((a, b) => a.start - b.start || a.end - b.end);
    return { kept, span, isDated };
  }

  function repeatedOf(rule: Rule, { record, repeat, share }: Repeated): Omit<Dated, 'isDated'> {
    const gone = new Set([...record.dates.map(({ start }) => start), ...repeat.except.map(instantOf)]);
    const isThere = (wall: number) => !gone.has(instantOf(wall));
    const isWanted = (wall: number) => {
      const { start, end } = timeOf(repeat, wall);
      return !gone.has(start) && overAt(start, end) > now;
    };
    const from = wallOf(now) - longest(repeat);
    const { walls, cut } = expand(rule, { start: repeat.startWall, from, until, keep: isWanted }, share);
    if (cut !== null)
      complain('cut rule', record, repeat, { expected: cut, found: repeat.rule.slice(0, 80) });
    const kept = walls
      .map((wall) => occurrenceOf(repeat, wall))
      .filter((one) => isForward(one, record, repeat));
    if (walls.length > 0 && record.super_event === null) return { kept, span: null };
    const begin = { start: repeat.startWall, from: repeat.startWall, until, keep: isThere, most: 1 };
    const [first] = expand(rule, begin, share).walls;
    if (first === undefined && cut === null) {
      const expected = `an occurrence on or before the horizon, ${formatDay(horizonDay)}`;
      complain('cut rule', record, repeat, { expected, found: 'none' });
    }
    return {
      kept,
      span: [...(first === undefined ? [] : [timeOf(repeat, first)]), ...kept].reduce(unite, null),
    };
  }

  /** A clock change can put the end before the start, as of 02:30 to 03:00 in the night that skips 02:30. */
  function isForward({ start, end }: Occurrence, record: EventRecord, repeat: RepeatRecord): boolean {
    if (end >= start) return true;
    const expected = 'an end that is not before the start';
    const found = `${formatOslo(start)} to ${formatOslo(end)}`;
    complain('dropped date', record, repeat, { field: 'end', expected, found });
    return false;
  }

  function complain(
    action: 'dropped date' | 'cut rule',
    { origin, id }: EventRecord,
    repeat: RepeatRecord,
    said: { readonly expected: string; readonly found: string; readonly field?: string },
  ): void {
    report.complain({ action, origin, id, ...said, field: `${repeat.field}.${said.field ?? 'rule'}` });
  }

  return { horizonDay, date };
}

/** F4: with `end`, every occurrence lasts as long on the wall clock; with `duration`, as long by a stopwatch. */
function timeOf({ wallSpan, duration }: RepeatRecord, wall: number): Span {
  const start = instantOf(wall);
  return { start, end: wallSpan === null ? start + (duration ?? 0) * 60 : instantOf(wall + wallSpan) };
}

function occurrenceOf(repeat: RepeatRecord, wall: number): Occurrence {
  const { start, end } = timeOf(repeat, wall);
  return {
    start,
    end,
    duration: repeat.wallSpan === null ? repeat.duration : Math.round((end - start) / 60),
    startTime: repeat.startTime ?? timeOfDay(wall),
    venue: repeat.venue,
    ticketsURL: repeat.ticketsURL,
    eventCancelled: repeat.eventCancelled,
    eventSoldOut: repeat.eventSoldOut,
    prices: repeat.prices,
  };
}

/** Seconds on the wall clock from a start to the last moment at which it may still be valid, clock changes included. */
function longest({ wallSpan, duration }: RepeatRecord): number {
  return Math.max(wallSpan ?? (duration ?? 0) * 60, OPEN_ENDED) + 2 * HOUR;
}

export function timeOfDay(wall: number): string {
  return formatMinute(Math.floor((wall - Math.floor(wall / DAY) * DAY) / 60));
}
