/**
 * From a record's dates, rules and recurrence set to its occurrences (F4, A2, A11, A12) and their numbers (A16); a container without
 * dates spans its programme (A10).
 */
import type { Occurrence } from '../../src/calendar/model.ts';
import {
  DAY,
  formatDay,
  formatOslo,
  instantOf,
  OPEN_ENDED,
  overAt,
  timeOfDay,
  wallOf,
} from '../../src/calendar/time.ts';
import type { EventRecord, Flaw, OwnValues, Records, Recurring, RepeatRecord, Reporter } from '../records.ts';
import { type Allowance, type EventAllowance, expand } from '../recurrence/expand.ts';
import { isFlaw, type Rule, readRule } from '../recurrence/rule.ts';

interface Dated {
  /** Occurrences that are not over at the build, in A2's order. */
  readonly upcoming: readonly Occurrence[];
  /** A16: the 1-based index of each among the occurrences with the same start. */
  readonly nths: readonly number[];
  /** G10: the occurrences that a rule yields. */
  readonly byRule: ReadonlySet<Occurrence>;
  /** I9: when the last of its dates before these was over; null if there was none in the 400 days before the build. */
  readonly nextSince: number | null;
  /** From the earliest start to the latest end, past occurrences included; computed only for parts of a programme (A10). */
  readonly span: Span | null;
  /** False if there is neither a date nor a readable rule: then `flaws` describe its rules. */
  readonly isDated: boolean;
  readonly flaws: readonly Flaw[];
}

interface DatingOptions {
  readonly now: number;
  readonly horizonDay: number;
  readonly allowance: Allowance;
  readonly report: Reporter;
  readonly seriesKind: Records['seriesKind'];
}

/** Creates the function that dates the records of a build, one by one. */
export function createDating({
  now,
  horizonDay,
  allowance,
  report,
  seriesKind,
}: DatingOptions): (record: EventRecord) => Dated {
  const horizon = { until: instantOf((horizonDay + 1) * DAY) - 1, day: formatDay(horizonDay) };
  const readSeries = seriesKind?.createReader(allowance);

  return (record) => {
    const { origin, id } = record;
    const note: Note = (action, flaw) => report.addFinding({ action, origin, id, ...flaw });
    const upcoming = record.dates.filter(({ start, end }) => overAt(start, end) > now);
    let span = record.dates.reduce<Span | null>(unite, null);
    let isDated = record.dates.length > 0;
    const eventAllowance = allowance.forEvent();
    const flaws: Flaw[] = [];
    const listed = new Set(record.dates.map(({ start }) => start));
    const recurrences: readonly Recurring[] = [
      ...record.repeats.flatMap((repeat) => recurringOf(repeat, listed, flaws) ?? []),
      ...(record.series === undefined || readSeries === undefined ? [] : [readSeries(record.series)]),
    ];
    if (isDated || recurrences.length > 0) {
      for (const flaw of flaws) note('dropped series', flaw);
    }
    const over: Span[] = [];
    const byRule = new Set<Occurrence>();
    // One beginning for all sets: a past occurrence of one may share its start with a coming one of another (A16).
    const from = now - Math.max(0, ...recurrences.map(({ reach }) => reach));
    const expanding = { record, note, allowance: eventAllowance, now, horizon, from, over };
    for (const recurring of recurrences) {
      isDated = true;
      const expanded = occurrencesOf(recurring, expanding);
      for (const one of expanded.upcoming) {
        upcoming.push(one);
        byRule.add(one);
      }
      span = expanded.span === null ? span : unite(span, expanded.span);
    }
    // Sorting is stable, so the position in the source decides between equals.
    upcoming.sort(byTimes);
    // Past occurrences began before now, and can only share a start with others that did.
    if ((upcoming[0]?.start ?? now) < now) {
      over.push(...record.dates.filter(({ start, end }) => overAt(start, end) <= now));
    }
    const nths = nthsOf(upcoming, over.sort(byTimes));
    const first = upcoming[0]?.start ?? now;
    const before = { dates: record.dates, recurrences, first, now, allowance: eventAllowance };
    return { upcoming, nths, byRule, nextSince: nextSinceOf(before), span, isDated, flaws };
  };
}

interface Before {
  readonly dates: EventRecord['dates'];
  readonly recurrences: readonly Recurring[];
  /** Start of the first date that is not over at the build. */
  readonly first: number;
  readonly now: number;
  readonly allowance: EventAllowance;
}

/** Seconds before the build in which the latest date of a rule is looked for: most rules have one in the first. */
const LOOKED_BACK: readonly number[] = [9 * DAY, 400 * DAY];

function nextSinceOf({ dates, recurrences, first, now, allowance }: Before): number | null {
  const listed = dates.flatMap(({ start, end }) => (start <= first ? overAt(start, end) : []));
  const byRule = recurrences.flatMap(({ expand, timesOf, replaced, reach }) => {
    for (const span of LOOKED_BACK) {
      const overs: number[] = [];
      const keep = (wall: number) => {
        const { start, end } = timesOf(wall);
        const over = overAt(start, end);
        if (over <= now && !replaced.has(start)) overs.push(over);
        return false;
      };
      expand({ from: now - span - reach, until: Math.min(now, first), keep }, allowance);
      if (overs.length > 0) return overs;
    }
    return [];
  });
  const past = [...listed, ...byRule].filter((over) => over <= now);
  return past.length === 0 ? null : past.reduce((latest, over) => Math.max(latest, over));
}

/** Adds a finding about the record that is dated. */
type Note = (action: 'dropped series' | 'dropped date' | 'cut rule', flaw: Flaw) => void;

/** Null, after a flaw, if the rule is invalid. */
function recurringOf(repeat: RepeatRecord, replaced: ReadonlySet<number>, flaws: Flaw[]): Recurring | null {
  const { startWall, wallSpan, duration, allDay, startTime } = repeat;
  const fields = { rule: `${repeat.field}.rule`, end: `${repeat.field}.end` };
  const rule = readRule(repeat.rule);
  if (isFlaw(rule)) {
    const { part, expected, found } = rule;
    flaws.push({ field: fields.rule, expected, found: `${part}: ${found}` });
    return null;
  }
  if (allDay && tellsTime(rule)) {
    const expected = 'a rule of days, because the start is a date alone';
    flaws.push({ field: fields.rule, expected, found: repeat.rule });
    return null;
  }
  const gone = new Set(repeat.except.map(instantOf));
  // F4: with `end`, every occurrence lasts equally long on the wall clock; with `duration`, in elapsed time.
  const timesOf = (wall: number): Span => {
    const start = instantOf(wall);
    return { start, end: wallSpan === null ? start + (duration ?? 0) * 60 : instantOf(wall + wallSpan) };
  };
  return {
    rule: repeat.rule,
    fields,
    replaced,
    timesOf,
    reach: Math.max(wallSpan ?? (duration ?? 0) * 60, OPEN_ENDED) + DAY,
    expand: ({ from, until, keep, isWhole, ...window }, allowance) => {
      const isKept =
        isWhole || gone.size === 0 ? keep : (wall: number) => !gone.has(instantOf(wall)) && keep(wall);
      const range = { from: from === null ? startWall : wallOf(from), until: wallOf(until) };
      return expand(rule, { ...window, ...range, start: startWall, keep: isKept }, allowance);
    },
    occurrenceOf: (wall) => {
      const { start, end } = timesOf(wall);
      const { venue, ticketsURL, eventCancelled, eventSoldOut, prices, older } = repeat;
      const minutes = wallSpan === null && duration === null ? null : Math.round((end - start) / 60);
      return {
        start,
        end,
        duration: minutes,
        startTime: startTime ?? timeOfDay(wall),
        allDay,
        venue,
        ticketsURL,
        eventCancelled,
        eventSoldOut,
        prices,
        older,
      };
    },
  };
}

interface Expanding {
  readonly record: EventRecord;
  readonly note: Note;
  readonly allowance: EventAllowance;
  /** Instant of the build. */
  readonly now: number;
  /** A11: its last second, and its day. */
  readonly horizon: { readonly until: number; readonly day: string };
  /** Instant: all that starts before is certainly over. */
  readonly from: number;
  /** Receives occurrences that are over but start no earlier. */
  readonly over: Span[];
}

function occurrencesOf(recurring: Recurring, expanding: Expanding): Pick<Dated, 'upcoming' | 'span'> {
  const { record, note, allowance, now, horizon, from, over } = expanding;
  const { until } = horizon;
  const { replaced, rule, fields, timesOf } = recurring;
  // By reading: two rules of one set may yield the same date.
  const overByWall = new Map<number, Span>();
  const keep = (wall: number) => {
    const times = timesOf(wall);
    if (replaced.has(times.start)) return false;
    const isOver = overAt(times.start, times.end) <= now;
    if (isOver && times.end >= times.start) overByWall.set(wall, times);
    return !isOver;
  };
  const { walls, cut } = recurring.expand({ from, until, keep }, allowance);
  over.push(...overByWall.values());
  if (cut !== null) note('cut rule', { field: fields.rule, expected: cut, found: rule.slice(0, 80) });
  const upcoming = walls.map(recurring.occurrenceOf).filter((one) => isSound(one, recurring, note));
  if (walls.length > 0 && record.super_event === null) return { upcoming, span: null };

  const fromStart = { from: null, until, most: 1 };
  const isThere = (wall: number) => !replaced.has(timesOf(wall).start);
  const [first] = recurring.expand({ ...fromStart, keep: isThere }, allowance).walls;
  if (first === undefined && cut === null) {
    const all = { ...fromStart, keep: () => true, isWhole: true };
    const [given] = recurring.expand(all, allowance).walls;
    const expected =
      given === undefined
        ? `an occurrence on or before the horizon, ${horizon.day}`
        : 'a date that is not taken out again';
    // If dates are also listed, excluded ones may have been moved there.
    if (given === undefined || record.dates.length === 0)
      note('cut rule', { field: fields.rule, expected, found: 'none' });
  }
  const begin = first === undefined ? [] : [timesOf(first)];
  return { upcoming, span: [...begin, ...upcoming].reduce(unite, null) };
}

/** A clock change can put the end before the start, as of 02:30 to 03:00 in the night that skips 02:30. */
function isSound({ start, end }: Occurrence, { fields }: Recurring, note: Note): boolean {
  if (end >= start) return true;
  const expected = 'an end that is not before the start';
  const found = `${formatOslo(start)} to ${formatOslo(end)}`;
  note('dropped date', { field: fields.end, expected, found });
  return false;
}

/** A2, except for the position in the source. */
const byTimes = (left: Span, right: Span) => left.start - right.start || left.end - right.end;

/** Both lists are sorted. No occurrence in one has the same start and end as one in the other. */
function nthsOf(upcoming: readonly Span[], over: readonly Span[]): readonly number[] {
  let next = 0;
  let start = Number.NaN;
  let before = 0;
  return upcoming.map((one) => {
    if (one.start !== start) before = 0;
    start = one.start;
    for (let other = over[next]; other !== undefined && byTimes(other, one) < 0; other = over[++next]) {
      if (other.start === start) before++;
    }
    return ++before;
  });
}

/** Whether a rule sets times of day. */
function tellsTime({ frequency, by }: Rule): boolean {
  const isOfDays = ['YEARLY', 'MONTHLY', 'WEEKLY', 'DAILY'].includes(frequency);
  return !isOfDays || (by.BYHOUR ?? by.BYMINUTE ?? by.BYSECOND) !== undefined;
}

export interface Programmes {
  /** Adds a part of a container; `span` is null for a container without dates of its own. */
  readonly add: (part: Part) => void;
  /** Null if no part of the programme has a date. */
  readonly spanOf: (container: string) => ProgrammeSpan | null;
}

interface ProgrammeSpan extends Span {
  /** Whether a part of it is by rule: then its end moves with the horizon. */
  readonly byRule: boolean;
}

interface Part {
  readonly id: string;
  readonly container: string | null;
  readonly span: Span | null;
  /** Whether it has no dates of its own: then its own programme counts. */
  readonly isDateless: boolean;
  readonly byRule: boolean;
}

/** Levels of nested programmes that are followed; a deeper source is hostile. */
const DEEPEST = 10;

export function createProgrammes(): Programmes {
  const spans = new Map<string, Span>();
  /** Containers without dates, by the container that they belong to. */
  const dateless = new Map<string, string[]>();
  const withRules = new Set<string>();

  function add({ id, container, span, isDateless, byRule }: Part): void {
    if (container === null) return;
    if (byRule) withRules.add(container);
    if (span !== null) spans.set(container, unite(spans.get(container) ?? null, span));
    if (!isDateless) return;
    const others = dateless.get(container);
    if (others === undefined) dateless.set(container, [id]);
    else others.push(id);
  }

  function spanOf(container: string): ProgrammeSpan | null {
    const seen = new Set([container]);
    let level: readonly string[] = [container];
    for (let depth = 0; depth < DEEPEST && level.length > 0; depth++) {
      level = level.flatMap((id) => dateless.get(id) ?? []).filter((id) => !seen.has(id));
      for (const id of level) seen.add(id);
    }
    const span = [...seen].flatMap((id) => spans.get(id) ?? []).reduce<Span | null>(unite, null);
    return span && { ...span, byRule: [...seen].some((id) => withRules.has(id)) };
  }

  return { add, spanOf };
}

/** The single occurrence of such a container, with the event's own values. */
export function containerOccurrence({ start, end }: Span, own: Omit<OwnValues, 'prices'>): Occurrence {
  const { venue, ticketsURL, eventCancelled, eventSoldOut } = own;
  return {
    start,
    end,
    duration: Math.round((end - start) / 60),
    startTime: timeOfDay(wallOf(start)),
    allDay: false,
    venue,
    ticketsURL,
    eventCancelled,
    eventSoldOut,
    prices: null,
  };
}

/** From a first start to a last end. */
interface Span {
  readonly start: number;
  readonly end: number;
}

function unite(left: Span | null, right: Span): Span {
  if (left === null) return { start: right.start, end: right.end };
  return { start: Math.min(left.start, right.start), end: Math.max(left.end, right.end) };
}
