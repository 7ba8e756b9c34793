/**
 * F13: an editor's own hand on what sources bring. It stands between validation and the joining of duplicates, and neither knows of it:
 * records pass through. What an id hides is only marked here, and goes with all that it is joined with.
 */
import { createDayFinder } from '../materialise/dating.ts';
import type { EventRecord, RawEntry, Records } from '../records.ts';
import { createAllowance } from '../recurrence/allowance.ts';
import type { Report } from '../report.ts';
import type { ValidRecords } from '../validate.ts';
import { applyTo, type Counts } from './apply.ts';
import { readCorrections } from './read.ts';
import { reportMatches } from './report-matches.ts';
import { createFinder, type Matcher } from './where.ts';

interface CorrectOptions {
  readonly entries: AsyncIterable<RawEntry>;
  /** Ids of the sources besides the folder itself. */
  readonly feeds: readonly string[];
  /** Whether an earlier snapshot had an event of this id: then it is over, or was taken out. */
  readonly isFormerId: (id: string) => boolean;
  readonly now: number;
  readonly report: Report;
}

/** Returns the records themselves if there are no corrections. Throws INVALID_SOURCE for those that cannot be understood. */
export async function applyCorrections(records: ValidRecords, options: CorrectOptions): Promise<Records> {
  const { report } = options;
  const corrections = await readCorrections(options.entries, { valuesOf: records.valuesOf, report });
  if (corrections.length === 0) return records;
  const find = remembering(createFinder(corrections, records.venues));
  const findDays = createDayFinder(createAllowance());
  const counts: Counts = { events: [], dates: [] };
  const isNamed = corrections.some(({ where }) => where.id != null);
  const ids: string[] = [];
  const hidden = new Set<string>();

  async function* events(): AsyncGenerator<EventRecord, void, undefined> {
    for await (const record of records.events((event) => find(event).some(hides))) {
      if (isNamed) ids.push(record.id);
      const matchers = find(record);
      const corrected = matchers.length === 0 ? record : applyTo(record, matchers, { counts, findDays });
      const hiding = matchers.filter(hides);
      if (hiding.some(({ correction }) => correction.where.id != null)) yield { ...record, isHidden: true };
      else if (hiding.length === 0 && corrected !== null) yield corrected;
      else {
        hidden.add(record.id);
        report.countFate('hidden');
      }
    }
    reportMatches(corrections, { ...options, counts, ids });
  }

  return { ...records, events, hidden };
}

/** Whether it hides the event, and not only dates of it. */
function hides({ correction, isOfDate }: Matcher): boolean {
  return correction.isHiding && isOfDate === null;
}

/** The event that was asked for last is often asked for again. */
function remembering(find: ReturnType<typeof createFinder>): ReturnType<typeof createFinder> {
  let last: EventRecord | undefined;
  let found: readonly Matcher[] = [];
  return (event) => {
    if (event !== last) found = find(event);
    last = event;
    return found;
  };
}

/** Without the events that an id hides, once duplicates are joined. */
export function withoutHidden(records: Records, report: Pick<Report, 'countFate'>): Records {
  const { hidden } = records;
  if (hidden === undefined) return records;

  async function* events(): AsyncGenerator<EventRecord, void, undefined> {
    for await (const record of records.events()) {
      if (record.isHidden === true) {
        hidden?.add(record.id);
        report.countFate('hidden');
      } else yield record;
    }
    for (const { kind, id, survivor } of records.merged?.() ?? [])
      if (kind === 'event' && hidden?.has(survivor)) hidden.add(id);
  }

  const isShown = (id: string | null) => id !== null && !hidden.has(id);
  return {
    ...records,
    events,
    references: () => {
      const { superEvent, specialEvent } = records.references();
      return {
        superEvent: (event) => {
          const container = superEvent(event);
          return isShown(container) ? container : null;
        },
        specialEvent: isShown(specialEvent) ? specialEvent : null,
      };
    },
  };
}
