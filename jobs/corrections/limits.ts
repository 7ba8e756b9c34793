/**
 * F15: the limits of correction sheets. What a limited sheet hides or empties in one record of a joined event holds for the whole event if all
 * of its records lie within the limit. Limits have numbers, because records are in a file while they are joined.
 */
import type { EventRecord } from '../records.ts';
import { addFinding } from '../validate/entry-findings.ts';
import type { Correction } from './read.ts';

export interface Limits {
  /** The limit of a correction of one event; null for one without a limit, or of events by other conditions. */
  readonly numberOf: (correction: Correction) => number | null;
  /** The limits that a record lies within. */
  readonly around: (record: EventRecord) => readonly number[];
}

type Limit = Pick<Correction, 'onlyFeeds' | 'area'>;

export function createLimits(corrections: readonly Correction[]): Limits {
  const limits: Limit[] = [];
  const numbers = new Map<Correction, number>();
  for (const correction of corrections) {
    const { event, onlyFeeds, area } = correction;
    if (event === null || (onlyFeeds === null && area === null)) continue;
    // All rows of a sheet share both.
    const known = limits.findIndex((limit) => limit.onlyFeeds === onlyFeeds && limit.area === area);
    numbers.set(correction, known === -1 ? limits.push(correction) - 1 : known);
  }
  return {
    numberOf: (correction) => numbers.get(correction) ?? null,
    around: (record) => limits.flatMap((limit, number) => (isWithin(record, limit) ? number : [])),
  };
}

function isWithin(record: EventRecord, { onlyFeeds, area }: Limit): boolean {
  const isOfFeeds = onlyFeeds === null || (record.feed !== null && onlyFeeds.includes(record.feed));
  return isOfFeeds && (area === null || area.includesRecord(record));
}

/** Whether records that are joined to one event all lie within a limit. */
export function areWithin(records: readonly EventRecord[], limit: number): boolean {
  return records.every(({ withinLimits }) => withinLimits?.includes(limit) ?? false);
}

/** Creates the function that reports that an event is hidden in some of its records alone. `others`: the ids of those that stay. */
export function partlyHiddenReporter(corrections: readonly Correction[]) {
  return ({ id, hiddenBy = [] }: EventRecord, others: readonly string[]): void => {
    for (const { number } of hiddenBy) {
      const subject = corrections[number]?.subject;
      const expected = 'an event with no records outside the limit of the sheet';
      const foundText = others.map((other) => JSON.stringify(other)).join(', ');
      if (subject !== undefined)
        addFinding({ ...subject, id }, 'dropped value', { at: ['hide'], expected, foundText });
    }
  };
}
