/**
 * From a record's dates, rules and recurrence set to its occurrences (F4, A2, A11, A12) and their numbers (A16); a container without
 * dates spans its programme (A10).
 */
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
import type { EventRecord, Flaw, OwnValues, RepeatRecord, Reporter } from '../records.ts';
import { type Clocks, createClocks } from '../recurrence/clocks.ts';
import type { Allowance, EventAllowance } from '../recurrence/expand.ts';
import { isFlaw, type Rule, readRule } from '../recurrence/rule.ts';
import { endOf, expandSet, phaseAt, type RecurrenceSet, reachOf, setOf } from '../recurrence/set.ts';

interface Dated {
  /** Occurrences that are not over at the build, in A2's order. */
  readonly upcoming: readonly Occurrence[];
  /** A16: the 1-based index of each among the occurrences with the same start. */
  readonly nths: readonly number[];
  /** G10: the occurrences that a rule yields. */
  readonly byRule: ReadonlySet<Occurrence>;
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
}

/** A recurrence set, the other values of its occurrences, and its name in findings. */
interface Recurring {
  readonly set: RecurrenceSet;
  /** For each phase of the set. */
  readonly own: readonly OwnValues[];
  /** `HH:mm` if the source has one for all of them. */
  readonly startTime: string | null;
  /** For each phase of the set. */
  readonly allDay: readonly boolean[];
  /** F4: starts of listed dates, which replace expanded ones. */
  readonly replaced: ReadonlySet<number>;
  readonly rule: string;
  readonly fields: { readonly rule: string; readonly end: string };
}

/** Creates the function that dates the records of a build, one by one. */
export function createDating({
  now,
  horizonDay,
  allowance,
  report,
}: DatingOptions): (record: EventRecord) => Dated {
  const horizon = { until: instantOf((horizonDay + 1) * DAY) - 1, day: formatDay(horizonDay) };
  const clocks = createClocks(allowance);

  return (record) => {
    const { origin, id } = record;
    const note: Note = (action, flaw) => report.addFinding({ action, origin, id, ...flaw });
    const upcoming = record.dates.filter(({ start, end }) => overAt(start, end) > now);
    let span = record.dates.reduce<Span | null>(unite, null);
    let isDated = record.dates.length > 0;
    const eventAllowance = allowance.forEvent();
    const flaws: Flaw[] = [];
    const recurrences = recurrencesOf(record, clocks, flaws);
    if (isDated || recurrences.length > 0) {
      for (const flaw of flaws) note('dropped series', flaw);
    }
    const over: Span[] = [];
    const byRule = new Set<Occurrence>();
    // One beginning for all sets: a past occurrence of one may share its start with a coming one of another (A16).
    const from = now - Math.max(0, ...recurrences.map(({ set }) => reachOf(set)));
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
    return { upcoming, nths: nthsOf(upcoming, over.sort(byTimes)), byRule, span, isDated, flaws };
  };
}

/** Adds a finding about the record that is dated. */
type Note = (action: 'dropped series' | 'dropped date' | 'cut rule', flaw: Flaw) => void;

function recurrencesOf(record: EventRecord, clocks: Clocks, flaws: Flaw[]): readonly Recurring[] {
  const listed = new Set(record.dates.map(({ start }) => start));
  const recurring = record.repeats.flatMap((repeat) => {
    const read = fromRepeat(repeat, flaws);
    return read === null ? [] : [{ ...read, replaced: listed }];
  });
  const { series } = record;
  if (series === undefined) return recurring;
  const said = series.series;
  const allDay = [said, ...said.changes].map((phase) => phase.allDay === true);
  const fields = { rule: 'RRULE', end: 'DTEND' };
  const set = setOf(said, clocks(said.zone));
  // RFC 5545, 3.8.4.4: a moved date replaces the date that it names, not one at its new time.
  const replaced = new Set<number>();
  return [...recurring, { set, own: series.own, startTime: null, allDay, rule: said.rule, replaced, fields }];
}

/** Null, after a flaw, if the rule is invalid. */
function fromRepeat(repeat: RepeatRecord, flaws: Flaw[]): Omit<Recurring, 'replaced'> | null {
  const { startWall: start, wallSpan, duration } = repeat;
  const fields = { rule: `${repeat.field}.rule`, end: `${repeat.field}.end` };
  const rule = readRule(repeat.rule);
  if (isFlaw(rule)) {
    const { part, expected, found } = rule;
    flaws.push({ field: fields.rule, expected, found: `${part}: ${found}` });
    return null;
  }
  const { allDay } = repeat;
  if (allDay && tellsTime(rule)) {
    const expected = 'a rule of days, because the start is a date alone';
    flaws.push({ field: fields.rule, expected, found: repeat.rule });
    return null;
  }
  // F4: with `end`, every occurrence lasts equally long on the wall clock; with `duration`, in elapsed time.
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
  return { set, own: [repeat], startTime: repeat.startTime, allDay: [allDay], rule: repeat.rule, fields };
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
  const { set, replaced, rule, fields } = recurring;
  // By reading: two rules of one set may yield the same date.
  const overByWall = new Map<number, Span>();
  const keep = (wall: number) => {
    const times = timesOf(set, wall);
    if (replaced.has(times.start)) return false;
    const isOver = overAt(times.start, times.end) <= now;
    if (isOver && times.end >= times.start) overByWall.set(wall, times);
    return !isOver;
  };
  const { walls, cut } = expandSet(set, { from, until, keep }, allowance);
  over.push(...overByWall.values());
  if (cut !== null) note('cut rule', { field: fields.rule, expected: cut, found: rule.slice(0, 80) });
  const upcoming = walls
    .map((wall) => occurrenceOf(recurring, wall))
    .filter((one) => isSound(one, recurring, note));
  if (walls.length > 0 && record.super_event === null) return { upcoming, span: null };

  const fromStart = { from: null, until, most: 1 };
  const isThere = (wall: number) => !replaced.has(timesOf(set, wall).start);
  const [first] = expandSet(set, { ...fromStart, keep: isThere }, allowance).walls;
  if (first === undefined && cut === null) {
    const whole = { ...set, except: [], exceptRules: [] };
    const [given] = expandSet(whole, { ...fromStart, keep: () => true }, allowance).walls;
    const expected =
      given === undefined
        ? `an occurrence on or before the horizon, ${horizon.day}`
        : 'a date that is not taken out again';
    // If dates are also listed, excluded ones may have been moved there.
    if (given === undefined || record.dates.length === 0)
      note('cut rule', { field: fields.rule, expected, found: 'none' });
  }
  const begin = first === undefined ? [] : [timesOf(set, first)];
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

/** Start and end of the occurrence at a reading of the set's clock. */
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

function occurrenceOf({ set, own, startTime, allDay }: Recurring, wall: number): Occurrence {
  const place = phaseAt(set, wall);
  const { start, end } = timesOf(set, wall);
  const { shift = 0, length = null } = set.phases[place] ?? {};
  const {
    venue = null,
    ticketsURL = null,
    eventCancelled = false,
    eventSoldOut = false,
    prices = null,
    older,
  } = own[place] ?? {};
  return {
    start,
    end,
    duration: length === null ? null : Math.round((end - start) / 60),
    // As entered, if that was on Norway's clock.
    startTime: startTime ?? timeOfDay(set.clock === osloOffset ? wall + shift : wallOf(start)),
    allDay: allDay[place] === true,
    venue,
    ticketsURL,
    eventCancelled,
    eventSoldOut,
    prices,
    older,
  };
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
