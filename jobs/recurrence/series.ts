/**
 * The one model of dates that recur (RFC 5545, 3.8.5): a series has rules, listed starts and exceptions, all as readings of one clock, on
 * which times stay constant when clocks change. Native repeats (F4) and series of feeds are both read as one.
 */
import * as z from 'zod';
import type { Occurrence } from '../../src/calendar/model.ts';
import { EVENT_STATUS } from '../../src/calendar/status.ts';
import type { Retiming } from './retiming.ts';
import { ruleSchema } from './rule.ts';

/** Values that dates may have instead of the event's (F5). */
export type OwnValues = Pick<
  Occurrence,
  'venue' | 'ticketsURL' | 'status' | 'previousStart' | 'eventSoldOut' | 'prices' | 'older'
>;

const observance = z.object({
  /** Reading of the clock before the change. */
  start: z.int(),
  /** Seconds ahead of UTC, before and after. */
  from: z.int(),
  to: z.int(),
  rule: z.string().nullable(),
  dates: z.array(z.int()).readonly(),
});

/** A STANDARD or DAYLIGHT part of a time zone definition (RFC 5545, 3.6.5): from its onsets on, the clock is that far ahead of UTC. */
export type Observance = Readonly<z.output<typeof observance>>;

/** A name of the time zone database, or a definition of a clock, as the records of a feed store it. */
const zoneSchema = z.union([z.string(), z.object({ observances: z.array(observance).readonly() })]);

export type ZoneName = z.output<typeof zoneSchema>;

const lengthSchema = z.object({ days: z.int(), seconds: z.int(), isElapsed: z.boolean() });
const wall = z.int();
const length = lengthSchema.nullable();

/** A series as the records of a feed store it. */
export const feedSeriesSchema = z.object({
  zone: zoneSchema,
  start: wall,
  length,
  /** A15: its starts are dates without times. */
  allDay: z.boolean().optional(),
  starts: z.array(wall).readonly(),
  rule: z.string(),
  rules: z.array(ruleSchema).readonly(),
  exceptRules: z.array(ruleSchema).readonly(),
  except: z.array(wall).readonly(),
  /** Ascending: from that date of the series on, dates are moved by these seconds, and have these values. */
  changes: z.array(
    z.object({
      from: wall,
      shift: z.int(),
      length,
      allDay: z.boolean().optional(),
      own: z.object({
        venue: z.string().optional(),
        eventCancelled: z.boolean().optional(),
        status: z.enum(EVENT_STATUS).optional(),
        eventSoldOut: z.boolean().optional(),
      }),
    }),
  ),
});

export type FeedSeries = z.output<typeof feedSeriesSchema>;

/** The series of a feed's record: an entry has one at most; entries that were joined to one event have several. */
export function seriesIn(series: unknown): readonly unknown[] {
  return series === undefined ? [] : [series].flat();
}

/** From start to end: on the wall clock, or calendar days followed by elapsed seconds. */
export type Length = Readonly<z.output<typeof lengthSchema>>;

/**
 * Before its expansion: plain data. `start` (DTSTART) is a date of the series if a rule yields it, or if it is listed; `rule` is the first
 * rule as written.
 */
export interface Series extends Omit<FeedSeries, 'length' | 'allDay' | 'changes'> {
  /** Ascending; the first applies from the beginning, each other one from its reading on. */
  readonly phases: readonly Phase[];
  /** The fields that findings name. */
  readonly fields: { readonly rule: string; readonly end: string };
  /**
   * F4: whether a listed date of the event replaces one with the same start. RFC 5545, 3.8.4.4: in feeds it replaces the date that it
   * names.
   */
  readonly isReplaceable: boolean;
}

/** Length, times and values that dates of a series have in common. */
export interface Phase extends Omit<FeedSeries['changes'][number], 'own' | 'allDay'> {
  readonly allDay: boolean;
  /** `HH:mm` as entered; null: the start's wall clock. */
  readonly startTime: string | null;
  readonly own: OwnValues;
  /** F13: other times for each of its dates, one after the other. */
  readonly retimings?: readonly Retiming[];
}
