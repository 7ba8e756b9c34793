/** F13: an event, its dates and its series with the values of a correction. */
import type { DateRecord, EventRecord } from '../records.ts';
import { retimed } from '../recurrence/retiming.ts';
import type { OwnValues, Phase, Series } from '../recurrence/series.ts';
import { MOST_ITEMS } from '../validate/lengths.ts';
import type { Correction, DateValues } from './read.ts';
import type { Matcher } from './where.ts';

/** A date with the values of a correction of it. */
export function withDateValues(date: DateRecord, { start, end, ...own }: DateValues): DateRecord {
  return { ...date, ...retimed(date, { start, end }), ...ownValuesOf(own) };
}

type OwnPart = Omit<DateValues, 'start' | 'end'>;

/** E12: only a date that was moved has a start before. */
function ownValuesOf(own: OwnPart): Partial<OwnValues> {
  return own.status === undefined || own.status === 'RESCHEDULED' ? own : { ...own, previousStart: null };
}

/** A record with the values of a correction of the whole event. `includesVenue`: whether it applies to the event's own venue, which may differ from that of its dates. */
export function withEventValues(
  record: EventRecord,
  correction: Correction,
  includesVenue: boolean,
): EventRecord {
  const { eventValues, dateValues, added } = correction;
  const { start: _, end: __, ...ownValues } = dateValues;
  const changed = { ...record, ...eventValues };
  if (includesVenue) Object.assign(changed, ownValues);
  const isUntitled = changed.title_nb === null && changed.title_en === null;
  const { title_nb, title_en } = isUntitled ? record : changed;
  return {
    ...changed,
    title_nb,
    title_en,
    categories: withAdded(changed.categories, added.categories),
    tags: withAdded(changed.tags, added.tags).slice(0, MOST_ITEMS),
  };
}

export function withSeriesValues(series: Series, matchers: readonly Matcher[]): Series {
  const phases = series.phases.map((phase) => {
    // As elsewhere, the venue in the source decides.
    const phaseMatchers = matchers.filter(({ matchesVenue }) => matchesVenue(phase.own.venue));
    return phaseMatchers.reduce(
      (changed, { correction }) => withPhaseValues(changed, correction.dateValues),
      phase,
    );
  });
  return { ...series, phases };
}

function withAdded(current: readonly string[], added: readonly string[]): readonly string[] {
  return added.length === 0 ? current : [...new Set([...current, ...added])];
}

function withPhaseValues(phase: Phase, { start, end, ...own }: DateValues): Phase {
  const changed = { ...phase, own: { ...phase.own, ...ownValuesOf(own) } };
  if (start === undefined && end === undefined) return changed;
  const earlier = phase.retimings ?? [];
  return { ...changed, retimings: [...earlier, { start, end }] };
}
