import * as z from 'zod';
import type { Series } from './series.ts';

const wall = z.int();
const length = z.object({ days: z.int(), seconds: z.int(), isElapsed: z.boolean() }).nullable();
const observance = z.object({
  start: wall,
  from: z.int(),
  to: z.int(),
  rule: z.string().nullable(),
  dates: z.array(wall),
});

const seriesSchema = z.object({
  zone: z.union([z.string(), z.object({ observances: z.array(observance) })]),
  start: wall,
  length,
  starts: z.array(wall),
  rules: z.array(z.string()),
  exceptRules: z.array(z.string()),
  except: z.array(wall),
  changes: z.array(z.object({ from: wall, shift: z.int(), length, own: z.record(z.string(), z.unknown()) })),
});

/** A series as it was kept in a file. Throws for anything else. */
export function readSeries(value: unknown): Series {
  return seriesSchema.parse(value);
}
