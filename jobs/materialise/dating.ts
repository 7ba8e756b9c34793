/** From a record's dates, rules and recurrence set to its occurrences (F4, A2, A11, A12). */
import type { Occurrence } from '../../src/calendar/model.ts';
import {
  DAY,
  formatDay,
  formatOslo,
  instantIn,
  instantOf,
  osloOffset,
  overAt,
  timeOfDay,
  wallOf,
} from '../../src/calendar/time.ts';
import type { EventRecord, OwnValues, RepeatRecord, Reporter } from '../records.ts';
import type { Allowance, EventAllowance } from '../recurrence/allowance.ts';
import { createClocks } from '../recurrence/clocks.ts';
import { isFlaw, readRule } from '../recurrence/rule.ts';
import { setOf } from '../recurrence/series.ts';
import { endOf, expandSet, phaseAt, type RecurrenceSet } from '../recurrence/set.ts';
import { type Span, unite } from './containers.ts';

interface Dated {
  /** Those that are not over at the build, in A2's order. */
  readonly kept: readonly Occurrence[];
  /** From the earliest start to the latest end, also of what is over; worked out for parts of a programme only (A10). */
  readonly span: Span | null;
  /** False when there is neither a date nor a rule that could be read. */
  readonly isDated: boolean;
}

export interface Dating {
  readonly date: (record: EventRecord) => Dated;
}

interface DatingOptions {
  readonly now: number;
  readonly horizonDay: number;
  readonly allowance: Allowance;
  readonly report: Reporter;
}

/** A recurrence set, what its occurrences have besides their times, and how findings name it. */
interface Recurring {
  readonly set: RecurrenceSet;
  /** For each phase of the set. */
  readonly own: readonly OwnValues[];
  /** `HH:mm` where the source has one for all of them. */
  readonly startTime: string | null;
  readonly rule: string;
  readonly fields: { readonly rule: string; readonly end: string };
}

export function createDating({ now, horizonDay, allowance, report }: DatingOptions): Dating {
  const until = instantOf((horizonDay + 1) * DAY) - 1;
  const clocks = createClocks(allowance);

  function date(record: EventRecord): Dated {
    const kept = record.dates.filter(({ start, end }) => overAt(start, end) > now);
    let span = record.dates.reduce<Span | null>(unite, null);
    let isDated = record.dates.length > 0;
    const listed = new Set(record.dates.map(({ start }) => start));
    const eventAllowance = allowance.forEvent();
    for (const recurring of recurrencesOf(record)) {
      isDated = true;
      const expanded = occurrencesOf(recurring, { record, listed, allowance: eventAllowance });
      kept.push(...expanded.kept);
      span = expanded.span === null ? span : unite(span, expanded.span);
    }
    // A2: start, then end; sorting is stable, so the position in the source decides the rest.
    kept.sort((a, b) => a.start - b.start || a.end - b.end);
    return { kept, span, isDated };
  }

  function recurrencesOf(record: EventRecord): readonly Recurring[] {
    const recurring = record.repeats.flatMap((repeat) => fromRepeat(record, repeat) ?? []);
    const { series } = record;
    if (series === undefined) return recurring;
    const fields = { rule: 'RRULE', end: 'DTEND' };
    const rule = series.series.rules[0] ?? '';
    return [
      ...recurring,
      { set: setOf(series.series, clocks), own: series.own, startTime: null, rule, fields },
    ];
  }

  /** Null, after a finding, when the rule is none. */
  function fromRepeat(record: EventRecord, repeat: RepeatRecord): Recurring | null {
    const { startWall: start, wallSpan, duration } = repeat;
    const fields = { rule: `${repeat.field}.rule`, end: `${repeat.field}.end` };
    const rule = readRule(repeat.rule);
    if (isFlaw(rule)) {
      const { part, expected, found } = rule;
      addFinding('dropped series', record, { field: fields.rule, expected, found: `${part}: ${found}` });
      return null;
    }
    // F4: with `end`, every occurrence lasts as long on the wall clock; with `duration`, as long by a stopwatch.
    const seconds = wallSpan ?? (duration === null ? null : duration * 60);
    const length = seconds === null ? null : { days: 0, seconds, isElapsed: wallSpan === null };
    const set = {
      clock: osloOffset,
      start,
      rules: [rule],
      exceptRules: [],
      dates: [],
      except: repeat.except,
      phases: [{ from: start, shift: 0, length }],
    };
    return { set, own: [repeat], startTime: repeat.startTime, rule: repeat.rule, fields };
  }

  interface Expanding {
    readonly record: EventRecord;
    /** Starts of listed dates, which replace expanded ones. */
    readonly listed: ReadonlySet<number>;
    readonly allowance: EventAllowance;
  }

  function occurrencesOf(recurring: Recurring, expanding: Expanding): Omit<Dated, 'isDated'> {
    const { record, listed, allowance } = expanding;
    const { set, rule, fields } = recurring;
    const keep = (wall: number) => {
      const { start, end } = timesOf(set, wall);
      return !listed.has(start) && overAt(start, end) > now;
    };
    const { walls, cut } = expandSet(set, { from: now, until, keep }, allowance);
    if (cut !== null)
      addFinding('cut rule', record, { field: fields.rule, expected: cut, found: rule.slice(0, 80) });
    const kept = walls
      .map((wall) => occurrenceOf(recurring, wall))
      .filter((one) => isSound(one, record, recurring));
    if (walls.length > 0 && record.super_event === null) return { kept, span: null };

    const isThere = (wall: number) => !listed.has(timesOf(set, wall).start);
    const [first] = expandSet(set, { from: null, until, keep: isThere, most: 1 }, allowance).walls;
    if (first === undefined && cut === null) {
      const expected = `an occurrence on or before the horizon, ${formatDay(horizonDay)}`;
      addFinding('cut rule', record, { field: fields.rule, expected, found: 'none' });
    }
    const begin = first === undefined ? [] : [timesOf(set, first)];
    return { kept, span: [...begin, ...kept].reduce(unite, null) };
  }

  /** A clock change can put the end before the start, as of 02:30 to 03:00 in the night that skips 02:30. */
  function isSound({ start, end }: Occurrence, record: EventRecord, { fields }: Recurring): boolean {
    if (end >= start) return true;
    const expected = 'an end that is not before the start';
    const found = `${formatOslo(start)} to ${formatOslo(end)}`;
    addFinding('dropped date', record, { field: fields.end, expected, found });
    return false;
  }

  function addFinding(
    action: 'dropped series' | 'dropped date' | 'cut rule',
    { origin, id }: EventRecord,
    said: { readonly field: string; readonly expected: string; readonly found: string },
  ): void {
    report.addFinding({ action, origin, id, ...said });
  }

  return { date };
}

/** From when to when the occurrence is that a set gives at a reading of its clock. */
function timesOf(set: RecurrenceSet, wall: number): Span {
  const { clock, phases } = set;
  const phase = phases[phaseAt(set, wall)];
  const moved = wall + (phase?.shift ?? 0);
  const start = instantIn(clock, moved);
  return {
    start,
    end: phase === undefined || phase.length === null ? start : endOf(clock, moved, phase.length),
  };
}

function occurrenceOf({ set, own, startTime }: Recurring, wall: number): Occurrence {
  const place = phaseAt(set, wall);
  const { start, end } = timesOf(set, wall);
  const { shift = 0, length = null } = set.phases[place] ?? {};
  const {
    venue = null,
    ticketsURL = null,
    eventCancelled = false,
    eventSoldOut = false,
    prices = null,
  } = own[place] ?? {};
  return {
    start,
    end,
    duration: length === null ? null : Math.round((end - start) / 60),
    // As it was entered, where that was on Norway's clock.
    startTime: startTime ?? timeOfDay(set.clock === osloOffset ? wall + shift : wallOf(start)),
    venue,
    ticketsURL,
    eventCancelled,
    eventSoldOut,
    prices,
  };
}
