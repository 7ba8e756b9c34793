/**
 * The arguments of a request, read and checked once. All invalid arguments of a field are reported together (A14, datetimes in; B4, bad
 * values). B1, not given: null, an empty list and a blank string count as not given. B12, free and period: a period, such as the next
 * weekend, is a window of Norwegian time.
 */
import { type Accessibility, isAccessibility } from '../../calendar/accessibility.ts';
import { CalendarError } from '../../calendar/errors.ts';
import { isObject } from '../../calendar/json.ts';
import { type Location, MODES } from '../../calendar/model.ts';
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

/** Degrees; west > east crosses the antimeridian (B9, areas). */
export interface AreaPlan {
  readonly south: number;
  readonly north: number;
  readonly west: number;
  readonly east: number;
}

/** B13, near, area, accessibility: `km` above 0, at most MAX_KM. */
export interface NearPlan extends Location {
  readonly km: number;
}

/** Arguments as graphql-js passes them: coerced to the schema's types. */
export type Arguments = Readonly<Record<string, unknown>>;

const DEFAULT_PAGE_SIZE = 10;
export const MAX_PAGE_SIZE = 1000;
const MAX_KM = 1_000;

/** `filter`: the argument, if it was read before. */
export function planEvents(args: Arguments, filter = readFilter(args.filter)): EventsPlan {
  const refused = [...filter.refused];
  const page = readInto(refused, { name: 'page', value: args.page }, (value) => readCount(value, 0, 0));
  const pageSize = readInto(refused, { name: 'pageSize', value: args.pageSize }, (value) =>
    readCount(value, DEFAULT_PAGE_SIZE, 1),
  );
  if (refused.length > 0 || page === undefined || pageSize === undefined) throw refusal(refused);
  return { conditions: filter.conditions, page, pageSize: Math.min(pageSize, MAX_PAGE_SIZE) };
}

/** A filter as it was read. */
export interface FilterPlan {
  readonly conditions: Conditions;
  readonly refused: readonly InvalidArgument[];
}

export function readFilter(argument: unknown): FilterPlan {
  const refused: InvalidArgument[] = [];
  const conditions: Record<string, unknown> = {};
  const filter = isObject(argument) ? argument : {};
  for (const [name, by] of FILTER_FIELDS) {
    const value = readInto(refused, { name, value: filter[name] }, by);
    if (value !== undefined) conditions[name] = value;
  }
  return { conditions, refused };
}

/** Undefined if the argument is not given, or refused. */
function readInto<Value>(
  refused: InvalidArgument[],
  { name, value }: { readonly name: string; readonly value: unknown },
  by: Read<Value>,
): Value | undefined {
  const found = by(value);
  if (!(found instanceof Expected)) return found;
  refused.push({ name, expected: found.text, found: value });
  return undefined;
}

/** C4, more facets, and first: the argument `first` of a list; null when it is not given. */
export function planFirst(value: unknown): number | null {
  const first = readCount(value, null, 1);
  if (first instanceof Expected) throw refusal([{ name: 'first', expected: first.text, found: value }]);
  return first;
}

export function planArea(args: Arguments): AreaPlan {
  const refused = EDGES.flatMap(({ name, limit }) =>
    isDegrees(args[name], limit)
      ? []
      : { name, expected: `degrees from ${-limit} to ${limit}`, found: args[name] },
  );
  if (refused.length > 0) throw refusal(refused);
  return areaOf(args);
}

const EDGES = [
  { name: 'minLatitude', limit: 90 },
  { name: 'maxLatitude', limit: 90 },
  { name: 'minLongitude', limit: 180 },
  { name: 'maxLongitude', limit: 180 },
] as const;

function isDegrees(value: unknown, limit: number): value is number {
  return typeof value === 'number' && value >= -limit && value <= limit;
}

function areaOf(args: Arguments): AreaPlan {
  const [south = 0, north = 0, west = 0, east = 0] = EDGES.map(({ name }) => Number(args[name]));
  return { south, north, west, east };
}

type Language = 'nb' | 'en';

export function planTitle(args: Arguments): { readonly title: string; readonly language: Language } {
  const { title, lan } = args;
  if (lan !== 'nb' && lan !== 'en') throw refusal([{ name: 'lan', expected: '"nb" or "en"', found: lan }]);
  return { title: requiredText(title), language: lan };
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

const text: Read<string> = (value) => (typeof value === 'string' && value.trim() !== '' ? value : undefined);

const texts: Read<readonly string[]> = (value) => {
  const given = textsOf(value);
  return given.length === 0 ? undefined : given;
};

const flag: Read<true> = (value) => (value === true ? true : undefined);

const parsed =
  <Value>(parse: (value: string) => Value | null | undefined, expected: string): Read<Value> =>
  (value) =>
    typeof value !== 'string' || value.trim() === '' ? undefined : (parse(value) ?? new Expected(expected));

const datetime = parsed(
  parseInputDatetime,
  'a datetime in Norwegian time such as "2026-05-17 19:30" or "2026-05-17", or one with an offset such as "2026-05-17 19:30:00+02:00" or "2026-05-17T17:30:00Z"',
);

/** An enum: the schema has refused other values. */
const period: Read<Period> = (value) => (typeof value === 'string' && isPeriod(value) ? value : undefined);

const near: Read<NearPlan> = (value) => {
  if (!isObject(value)) return undefined;
  const { latitude, longitude, km } = value;
  if (!isDegrees(latitude, 90) || !isDegrees(longitude, 180)) return new Expected(NEAR);
  return typeof km === 'number' && km > 0 && km <= MAX_KM ? { latitude, longitude, km } : new Expected(NEAR);
};

const NEAR = `latitude from -90 to 90, longitude from -180 to 180, km above 0 and at most ${MAX_KM}`;

const area: Read<AreaPlan> = (value) => {
  if (!isObject(value)) return undefined;
  return EDGES.every(({ name, limit }) => isDegrees(value[name], limit)) ? areaOf(value) : new Expected(AREA);
};

const AREA = 'latitudes from -90 to 90, longitudes from -180 to 180';

/** An enum, too. */
const words: Read<readonly Accessibility[]> = (value) => {
  const given = textsOf(value).filter(isAccessibility);
  return given.length === 0 ? undefined : given;
};

/** The fields of the `events` filter by the interface's names. */
const FILTER = {
  fromDate: datetime,
  untilDate: datetime,
  fromStartDate: datetime,
  /** B12: narrows the window like the two fields before it. */
  period,
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
  near,
  area,
  accessibility: words,
};

const FILTER_FIELDS: readonly (readonly [name: string, read: Read<unknown>])[] = Object.entries(FILTER);

/** The conditions of the `events` filter that are given. */
export type Conditions = {
  readonly [Name in keyof typeof FILTER]?: Exclude<ReturnType<(typeof FILTER)[Name]>, Expected | undefined>;
};

function parseHours(value: string): HoursRange | null {
  const [left = '', right = '', ...rest] = value.split('-', 3);
  const from = parseMinute(left);
  const to = right === '24:00' ? 24 * 60 : parseMinute(right);
  return from === null || to === null || rest.length > 0 ? null : { from, to };
}

function readCount<Fallback>(
  value: unknown,
  fallback: Fallback,
  least: number,
): number | Fallback | Expected {
  if (value === undefined || value === null) return fallback;
  return typeof value === 'number' && value >= least
    ? value
    : new Expected(`a whole number of ${least} or more`);
}

interface InvalidArgument {
  readonly name: string;
  readonly expected: string;
  readonly found: unknown;
}

/** The interface fixes the message for unreadable arguments; for an impossible page it does not. */
function refusal(refused: readonly InvalidArgument[]): CalendarError {
  const reasons = refused.map(
    ({ name, expected, found }) => `${name}: expected ${expected}, got ${excerpt(found)}`,
  );
  const isCountOnly = refused.every(({ name }) => COUNTS.has(name));
  return new CalendarError('BAD_USER_INPUT', isCountOnly ? reasons.join('; ') : 'Query Arguments invalid', {
    invalidArgs: refused.map(({ name }) => name),
    reasons,
  });
}

const COUNTS: ReadonlySet<string> = new Set(['page', 'pageSize', 'first']);

function excerpt(value: unknown): string {
  const json = JSON.stringify(value) ?? String(value);
  return json.length > 80 ? `${json.slice(0, 80)}…` : json;
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
