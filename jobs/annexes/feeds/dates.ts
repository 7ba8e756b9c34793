/**
 * G11: the number of dates of a slice. A few lines of a feed can yield any number of them: twenty hourly rules, 3.5 KB, made 196,921
 * dates and a snapshot of 53 MB.
 */
import type { AddOptions } from '../../annex.ts';
import { createDating } from '../../materialise/dating.ts';
import type { RawEntry, Source } from '../../records.ts';
import { createAllowance } from '../../recurrence/expand.ts';
import { createReport } from '../../report.ts';
import { validate } from '../../validate.ts';
import { SERIES } from './recurrence-set.ts';
import type { FeedRecord, Slice } from './slice.ts';

interface CountOptions extends Pick<AddOptions, 'now' | 'horizonDay'> {
  /** Counting stops beyond this. */
  readonly most: number;
}

/** Listed dates, over or not, and dates of rules from now up to the horizon. */
export async function countDates(slice: Slice, { now, horizonDay, most }: CountOptions): Promise<number> {
  const report = createReport();
  const dating = createDating({
    now,
    horizonDay,
    allowance: createAllowance(),
    report,
    seriesKind: SERIES,
  });
  let count = 0;
  const recurring = async function* (): AsyncGenerator<RawEntry, void, undefined> {
    for await (const record of slice.records('events')) {
      const { repeats, series, dates } = record.value;
      const isRecurring = series !== undefined || (Array.isArray(repeats) && repeats.length > 0);
      if (isRecurring) yield timesOf(record);
      else if (Array.isArray(dates)) count += dates.length;
      if (count > most) return;
    }
  };
  const { events } = await validate(sourceOf(recurring), report);
  for await (const event of events()) {
    count += dating(event).upcoming.length;
    if (count > most) break;
  }
  return count;
}

/** The fields of an event that determine its dates: its texts are long, and make none. */
function timesOf({ line, value }: FeedRecord): RawEntry {
  const { id, isSuperEvent, dates, repeats, series } = value;
  const origin = { file: '', ...(line !== null && { line }) };
  const times = { id, isSuperEvent, dates, repeats, title_nb: '-' };
  return { origin, value: times, ...(series !== undefined && { series }) };
}

const LICENCE = {
  id: '-',
  name: '-',
  siteUrl: 'https://localhost/',
  categories: [{ id: '-', name_nb: '-', name_en: '-' }],
};

function sourceOf(events: Source['events']): Source {
  const none: Source['events'] = async function* () {};
  return {
    licence: async () => ({ origin: { file: '' }, value: LICENCE }),
    venues: none,
    organizers: none,
    postalCodes: none,
    notices: none,
    events,
    duplicates: async () => null,
    seriesKind: SERIES,
    hash: async () => '',
  };
}
