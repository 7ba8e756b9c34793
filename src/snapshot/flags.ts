/** The flags of occurrences and events: their bits in columns, and the bitmaps of the rows that have them. */
import { ACCESSIBILITY, type Accessibility } from '../calendar/accessibility.ts';
import { namesOf } from '../calendar/field.ts';
import { type EventStatus, isOff } from '../calendar/status.ts';
import { type Bitmap, wordsFor } from './bitmaps.ts';
import type { Columns } from './columns.ts';

/** Bits of `occurrenceFlags`. */
export const OCCURRENCE_FLAGS = {
  /** It does not take place: cancelled or postponed. */
  cancelled: 1,
  soldOut: 2,
  allDay: 4,
  /** G10: its rule goes on beyond the horizon of the build. */
  byRule: 8,
  /** G10: it lasts as long as a programme that contains an occurrence by rule. */
  endsByRule: 16,
  /** E12: with `cancelled`. */
  postponed: 32,
  /** E12: it takes place at this new time. */
  rescheduled: 64,
} as const;

/** Bits of `eventFlags`. */
export const EVENT_FLAGS = {
  online: 1,
  featured: 2,
  featuredInSpecialEvent: 4,
  container: 8,
  free: 16,
} as const;

/** Flags that filters use. */
export type Flag = 'cancelled' | 'soldOut' | keyof typeof EVENT_FLAGS | Accessibility;

/** In the order of their rows in `flagRows`. */
export const FLAGS: readonly Flag[] = ['cancelled', 'soldOut', ...namesOf(EVENT_FLAGS), ...ACCESSIBILITY];

/** A bitmap: the flag's part of `flagRows`. */
export function rowsFlagged({ flagRows, event }: Pick<Columns, 'flagRows' | 'event'>, flag: Flag): Bitmap {
  const words = wordsFor(event.length);
  const index = FLAGS.indexOf(flag);
  return flagRows.subarray(index * words, (index + 1) * words);
}

/** E12: the status that these bits of OCCURRENCE_FLAGS say. */
export function statusOf(flags: number): EventStatus {
  if ((flags & OCCURRENCE_FLAGS.rescheduled) !== 0) return 'RESCHEDULED';
  if ((flags & OCCURRENCE_FLAGS.postponed) !== 0) return 'POSTPONED';
  return (flags & OCCURRENCE_FLAGS.cancelled) === 0 ? 'SCHEDULED' : 'CANCELLED';
}

/** The bits of OCCURRENCE_FLAGS that say it. */
export function flagsOfStatus(status: EventStatus): number {
  const { cancelled, postponed, rescheduled } = OCCURRENCE_FLAGS;
  if (status === 'RESCHEDULED') return rescheduled;
  if (status === 'POSTPONED') return cancelled | postponed;
  return isOff(status) ? cancelled : 0;
}
