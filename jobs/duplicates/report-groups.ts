/** G9: reports groups of duplicates and likely duplicates, as findings and in the report's list. */
import { DAY, formatOslo } from '../../src/calendar/time.ts';
import type { EventRecord, VenueRecord } from '../records.ts';
import type { Report } from '../report/report.ts';
import type { Comparable } from './comparable.ts';
import type { Group } from './groups.ts';
import { venueIn } from './places.ts';

interface ReportOptions {
  /** Ids by their numbers. */
  readonly ids: readonly string[];
  readonly recordOf: (number: number) => Pick<EventRecord, 'origin' | 'title_nb' | 'title_en'>;
  readonly comparables: readonly Comparable[];
  readonly venues: readonly Pick<VenueRecord, 'id' | 'name'>[];
  /** Instant, whole seconds. */
  readonly now: number;
  readonly report: Pick<Report, 'addFinding' | 'countFate' | 'addDuplicates'>;
}

/** Creates the function that reports one group. `why`: the reason not to join it; null if it is joined. */
export function createGroupReporter(options: ReportOptions): (group: Group, why: string | null) => void {
  const { ids, recordOf, venues, now, report } = options;
  const byNumber = new Map(options.comparables.map((event) => [event.number, event]));
  const venueNames = new Map(venues.map(({ id, name }) => [id, name]));

  function reportFinding({ members: [first = 0, ...others], reasons }: Group, why: string | null): void {
    const found = others.map((number) => `${JSON.stringify(ids[number])} (${reasons.get(number) ?? ''})`);
    report.addFinding({
      action: why === null ? 'merged' : 'likely same',
      origin: recordOf(first).origin,
      id: ids[first] ?? '',
      field: null,
      expected: why === null ? ONCE : `${ONCE}: ${why}`,
      found: `also ${found.join(', ')}`,
    });
  }

  function reportDuplicates({ members, reasons }: Group, why: string | null): void {
    const [first = 0] = members;
    const { moment, isUpcoming } = commonMoment(members, byNumber, now);
    const place = moment === null ? null : (byNumber.get(first)?.places.get(moment) ?? null);
    report.addDuplicates({
      why,
      isUpcoming,
      start: moment === null ? null : startText(moment),
      place: place === null ? null : (venueNames.get(venueIn(place)) ?? null),
      events: members.map((number) => ({
        id: ids[number] ?? '',
        title: titleOf(recordOf(number)),
        reason: reasons.get(number) ?? null,
      })),
    });
  }

  return (group, why) => {
    reportFinding(group, why);
    const [, ...joined] = group.members;
    if (why === null) for (const _ of joined) report.countFate('merged');
    reportDuplicates(group, why);
  };
}

const ONCE = 'one event once';

function titleOf({ title_nb, title_en }: Pick<EventRecord, 'title_nb' | 'title_en'>): string {
  return title_nb ?? title_en ?? '';
}

/** By `momentOf`: the next start that the first has in common with another, else the last one; else one of its own. */
function commonMoment(
  [first = -1, ...others]: readonly number[],
  byNumber: ReadonlyMap<number, Comparable>,
  now: number,
): { readonly moment: number | null; readonly isUpcoming: boolean } {
  const all = [...(byNumber.get(first)?.places.keys() ?? [])].sort((left, right) => left - right);
  const common = all.filter((moment) => others.some((number) => byNumber.get(number)?.places.has(moment)));
  const starts = common.length > 0 ? common : all;
  const next = starts.find((moment) => startOf(moment) + RECENT_SECONDS > now);
  return { moment: next ?? starts.at(-1) ?? null, isUpcoming: next !== undefined };
}

/** An event that started today can still be corrected. */
const RECENT_SECONDS = DAY;

function startOf(moment: number): number {
  return Math.floor(moment / 2) * 60;
}

function startText(moment: number): string {
  const text = formatOslo(startOf(moment));
  return text.slice(0, moment % 2 === 1 ? 10 : 16);
}
