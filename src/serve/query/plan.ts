/**
 * The arguments of a request, read and checked once. All invalid arguments of a field are reported together (A14, datetimes in; B4, bad
 * values). B1, not given: null, an empty list and a blank string count as not given. B12, free and period: a period, such as the next
 * weekend, is a window of Norwegian time.
 */
import { isAccessibility } from '../../calendar/accessibility.ts';
import { CalendarError } from '../../calendar/errors.ts';
import { isObject } from '../../calendar/json.ts';
import { MODES } from '../../calendar/model.ts';
import {
  DAY,
  HOUR,
  instantOf,
  osloDay,
  parseInputDatetime,
  parseMinute,
  startOfDay,
  weekdayOf,
} from '../../calendar/time.ts';

/** B5, hours: minutes since midnight, both ends included; if `from` is after `to`, the range spans midnight. */
export interface HoursRange {
  readonly from: number;
  readonly to: number;
}

export interface EventsPlan {
  /** Only conditions that are given. */
  readonly conditions: Conditions;
  /** Zero-based. */
  readonly page: number;
  /** B7, page size: at most MAX_PAGE_SIZE. */
  readonly pageSize: number;
}

/** Degrees; a box whose minLongitude is greater than its maxLongitude crosses the antimeridian (B9, areas). */
export type AreaPlan = Required<ValuesOf<typeof EDGES>>;

export type NearPlan = Required<ValuesOf<typeof NEAR>>;

/** Arguments as graphql-js passes them: coerced to the schema's types. */
export type Arguments = Readonly<Record<string, unknown>>;

const DEFAULT_PAGE_SIZE = 10;
export const MAX_PAGE_SIZE = 1000;

/** `filter`: the argument, if it was read before. */
export function planEvents(args: Arguments, filter = readFilter(args.filter)): EventsPlan {
  const { page = 0, pageSize = DEFAULT_PAGE_SIZE } = checked(PAGING, args, filter.refused);
  return { conditions: filter.values, page, pageSize: Math.min(pageSize, MAX_PAGE_SIZE) };
}

export type FilterPlan = ReturnType<typeof readFilter>;

export function readFilter(argument: unknown) {
  return readAll(FILTER, isObject(argument) ? argument : {});
}

/** C4, more facets, and first: the argument `first` of a list; null when it is not given. */
export function planFirst(first: unknown): number | null {
  return checked(FIRST, { first }).first ?? null;
}

export function planArea(args: Arguments): AreaPlan {
  return checked(EDGES, args) as AreaPlan;
}

export function planTitle(args: Arguments) {
  const { lan: language = 'nb' } = checked(TITLE, args);
  return { title: requiredText(args.title), language };
}

/** Reads a required argument of type String!, which graphql-js has checked. */
export function requiredText(value: unknown): string {
  if (typeof value !== 'string') throw new TypeError(`expected a string argument, got ${typeof value}`);
  return value;
}

/** Reads a list argument without nulls (B1), each text once: a body has room for 60,000 equal texts. */
export function textsOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? [...new Set(value.filter((entry) => typeof entry === 'string'))] : [];
}

/** An invalid value, with a description of what was expected. */
export class Expected {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

/** Reads an argument: its value, undefined if it is not given, or what was expected instead. */
type Read<Value> = (value: unknown) => Value | Expected | undefined;

type Table = Readonly<Record<string, Read<unknown>>>;

type ValuesOf<Of extends Table> = {
  readonly [Name in keyof Of]?: Exclude<ReturnType<Of[Name]>, Expected | undefined>;
};

interface InvalidArgument {
  readonly name: string;
  readonly expected: string;
  readonly found: unknown;
}

/** The arguments of a table that are given, and those that are refused. */
function readAll<Of extends Table>(table: Of, given: Arguments) {
  const refused: InvalidArgument[] = [];
  const values: Record<string, unknown> = {};
  for (const name in table) {
    const value = table[name]?.(given[name]);
    if (value instanceof Expected) refused.push({ name, expected: value.text, found: given[name] });
    else if (value !== undefined) values[name] = value;
  }
  return { values: values as ValuesOf<Of>, refused };
}

/** Throws BAD_USER_INPUT, which names those that were refused `before`, too. */
function checked<Of extends Table>(
  table: Of,
  given: Arguments,
  before: readonly InvalidArgument[] = [],
): ValuesOf<Of> {
  const { values, refused } = readAll(table, given);
  const all = [...before, ...refused];
  if (all.length === 0) return values;
  const reasons = all.map(
    ({ name, expected, found }) => `${name}: expected ${expected}, got ${excerpt(found)}`,
  );
  // The interface fixes the message for unreadable arguments; for an impossible page it does not.
  const isCountOnly = all.every(({ name }) => COUNTS.has(name));
  throw new CalendarError('BAD_USER_INPUT', isCountOnly ? reasons.join('; ') : 'Query Arguments invalid', {
    invalidArgs: all.map(({ name }) => name),
    reasons,
  });
}

const COUNTS: ReadonlySet<string> = new Set(['page', 'pageSize', 'first']);

function excerpt(value: unknown): string {
  const json = JSON.stringify(value) ?? String(value);
  return json.length > 80 ? `${json.slice(0, 80)}…` : json;
}

const parsed =
  <Value>(parse: (value: string) => Value | null | undefined, expected: string): Read<Value> =>
  (value) =>
    typeof value !== 'string' || value.trim() === '' ? undefined : (parse(value) ?? new Expected(expected));

const text = parsed((value) => value, 'a text');

const some = <Value>(values: readonly Value[]): readonly Value[] | undefined =>
  values.length === 0 ? undefined : values;

const texts: Read<readonly string[]> = (value) => some(textsOf(value));

const flag: Read<true> = (value) => (value === true ? true : undefined);

const datetime = parsed(
  parseInputDatetime,
  'a datetime in Norwegian time such as "2026-05-17 19:30" or "2026-05-17", or one with an offset such as "2026-05-17 19:30:00+02:00" or "2026-05-17T17:30:00Z"',
);

const count =
  (least: number): Read<number> =>
  (value) => {
    if (value === undefined || value === null) return undefined;
    if (typeof value === 'number' && value >= least) return value;
    return new Expected(`a whole number of ${least} or more`);
  };

const PAGING = { page: count(0), pageSize: count(1) };
const FIRST = { first: count(1) };

const TITLE = {
  lan: (value: unknown): 'nb' | 'en' | Expected =>
    value === 'nb' || value === 'en' ? value : new Expected('"nb" or "en"'),
};

const degrees =
  (limit: number): Read<number> =>
  (value) =>
    typeof value === 'number' && value >= -limit && value <= limit
      ? value
      : new Expected(`degrees from ${-limit} to ${limit}`);

const EDGES = {
  minLatitude: degrees(90),
  maxLatitude: degrees(90),
  minLongitude: degrees(180),
  maxLongitude: degrees(180),
};

const MAX_KM = 1_000;

/** B13, near, area, accessibility. */
const NEAR = {
  latitude: degrees(90),
  longitude: degrees(180),
  km: (km: unknown) =>
    typeof km === 'number' && km > 0 && km <= MAX_KM ? km : new Expected(`at most ${MAX_KM}`),
};

/** An object with all of these fields. */
const whole =
  <Of extends Table>(table: Of, expected: string): Read<Required<ValuesOf<Of>>> =>
  (value) => {
    if (!isObject(value)) return undefined;
    const { values, refused } = readAll(table, value);
    return refused.length === 0 ? (values as Required<ValuesOf<Of>>) : new Expected(expected);
  };

/** The fields of the `events` filter by the interface's names. */
const FILTER = {
  fromDate: datetime,
  untilDate: datetime,
  fromStartDate: datetime,
  /** B12: narrows the window like the two fields before it. An enum: the schema has refused other values. */
  period: parsed((name) => (isPeriod(name) ? name : null), 'a period'),
  groupRepetitionsByDay: flag,
  categories: texts,
  notCategories: texts,
  venues: texts,
  venueSlug: text,
  organizers: texts,
  organizerSlug: text,
  searchTerm: text,
  tag: text,
  free: flag,
  mode: parsed((name) => MODES.find((known) => known === name), '"online" or "offline"'),
  superEvent: text,
  onlyFeatured: flag,
  onlyFeaturedSpecialEvent: flag,
  cancelledNotIncluded: flag,
  soldOutNotIncluded: flag,
  hoursRange: parsed(parseHours, 'HH:mm-HH:mm'),
  municipality: text,
  municipalities: texts,
  postalCodes: texts,
  near: whole(NEAR, `latitude from -90 to 90, longitude from -180 to 180, km above 0 and at most ${MAX_KM}`),
  area: whole(EDGES, 'latitudes from -90 to 90, longitudes from -180 to 180'),
  /** An enum, too. */
  accessibility: (value: unknown) => some(textsOf(value).filter(isAccessibility)),
};

/** The conditions of the `events` filter that are given. */
export type Conditions = ValuesOf<typeof FILTER>;

function parseHours(value: string): HoursRange | null {
  const [left = '', right = '', ...rest] = value.split('-', 3);
  const from = parseMinute(left);
  const to = right === '24:00' ? 24 * 60 : parseMinute(right);
  return from === null || to === null || rest.length > 0 ? null : { from, to };
}

/** From an hour of one day, midnight unless it is given, to the beginning of another, in days after today. */
interface Days {
  readonly from: number;
  readonly hour?: number;
  /** Exclusive. */
  readonly until: number;
}

/** By the weekday of today; Monday is 0. */
const PERIODS = {
  TODAY: () => ({ from: 0, until: 1 }),
  TOMORROW: () => ({ from: 1, until: 2 }),
  WEEKEND: (weekday) => ({ from: FRIDAY - weekday, hour: 16, until: MONDAY - weekday }),
  WEEK: (weekday) => ({ from: 0, until: MONDAY - weekday }),
} satisfies Readonly<Record<string, (weekday: number) => Days>>;

type Period = keyof typeof PERIODS;

const isPeriod = (name: string): name is Period => Object.hasOwn(PERIODS, name);

const FRIDAY = 4;
/** The Monday after this week. */
const MONDAY = 7;

/**
 * The conditions with their period joined into their window. Past occurrences are never candidates, so a beginning in the past is removed:
 * the conditions then equal those without it.
 */
export function withoutPeriod(
  { period, ...conditions }: Conditions,
  now: number,
): Omit<Conditions, 'period'> {
  if (period === undefined) return conditions;
  const today = osloDay(now);
  const days: Days = PERIODS[period](weekdayOf(today));
  const from = instantOf((today + days.from) * DAY + (days.hour ?? 0) * HOUR);
  const until = startOfDay(today + days.until);
  return {
    ...conditions,
    ...(from > now && { fromDate: Math.max(from, conditions.fromDate ?? from) }),
    untilDate: Math.min(until, conditions.untilDate ?? until),
  };
}
