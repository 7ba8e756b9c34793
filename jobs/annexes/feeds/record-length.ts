/** The bound on the length of a record, which the collector checks, and a series by title when it joins records. */
import type { FeedRecord } from './last-good.ts';

/** People do not make longer records. In bytes, the line of such a record is shorter than the longest line of a file (`MAX_LINE`). */
export const MOST_LETTERS = 4_000_000;

/** UTF-16 units of the record's JSON. */
export function lettersOf(value: FeedRecord['value']): number {
  return JSON.stringify(value).length;
}
