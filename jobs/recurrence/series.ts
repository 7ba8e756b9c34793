/** A recurrence set as the records of a feed keep it, and what its dates have of their own. Readings are of the zone's clock. */
import * as z from 'zod';
import type { Clocks } from './clocks.ts';
import { isFlaw, type Rule, readRule } from './rule.ts';
import type { RecurrenceSet } from './set.ts';

const wall = z.int();
const length = z.object({ days: z.int(), seconds: z.int(), isElapsed: z.boolean() }).nullable();
const observance = z.object({
  start: wall,
  from: z.int(),
  to: z.int(),
  rule: z.string().nullable(),
  dates: z.array(wall).readonly(),
});

export const seriesSchema = z.object({
  zone: z.union([z.string(), z.object({ observances: z.array(observance).readonly() })]),
  start: wall,
  length,
  /** A15: its starts are dates alone. */
  allDay: z.boolean().optional(),
  /** Starts that are listed. */
  starts: z.array(wall),
  rules: z.array(z.string()),
  exceptRules: z.array(z.string()),
  except: z.array(wall),
  /** Ascending: from that date of the series on, dates are so many seconds later, and have these values. */
  changes: z.array(
    z.object({
      from: wall,
      shift: z.int(),
      length,
      allDay: z.boolean().optional(),
      own: z.object({ venue: z.string().optional(), eventCancelled: z.boolean().optional() }),
    }),
  ),
});

export type Series = z.output<typeof seriesSchema>;

/** Rules that cannot be read are left out: the feed's reader has told of them. Throws for a zone that nobody knows. */
export function setOf(series: Series, clocks: Clocks): RecurrenceSet {
  const clock = clocks(series.zone);
  const rulesOf = (texts: readonly string[]) =>
    texts
      .map((text) => readRule(text, { clock, isOfFeed: true }))
      .filter((read): read is Rule => !isFlaw(read));
  return {
    clock,
    start: series.start,
    rules: rulesOf(series.rules),
    exceptRules: rulesOf(series.exceptRules),
    dates: series.starts,
    except: series.except,
    phases: [{ from: series.start, shift: 0, length: series.length }, ...series.changes],
  };
}
