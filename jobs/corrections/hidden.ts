/** F13: removes what corrections hide for all sources of an event, once its duplicates are joined. */
import { osloDay } from '../../src/calendar/time.ts';
import { momentOf } from '../event-dates.ts';
import type { DateRecord, EventRecord, EventsEnd, Records } from '../records.ts';
import { createAllowance } from '../recurrence/allowance.ts';
import { createDayFinder, type FindDays } from '../recurrence/day-finder.ts';
import type { Report } from '../report/report.ts';
import { createStreamEnd } from '../source/stream-end.ts';

/** Removes the events and dates that are hidden by id, once duplicates are joined, and references to hidden events. */
export function withoutHidden(records: Records, report: Pick<Report, 'countFate'>): Records {
  const findDays = createDayFinder(createAllowance());
  const end = createStreamEnd<EventsEnd>('events');

  async function* events(): AsyncGenerator<EventRecord, void, undefined> {
    const hiddenHere: string[] = [];
    for await (const record of records.events()) {
      const shown = isWhollyHidden(record) ? null : withoutHiddenDates(record, findDays);
      if (shown === null) {
        hiddenHere.push(record.id);
        report.countFate('hidden');
      } else yield shown;
    }
    end.reach(withHidden(hiddenHere, records.finish()));
  }

  return { ...records, events, finish: end.value };
}

/** `ids`: the ids of further hidden events. */
function withHidden(ids: readonly string[], end: EventsEnd): EventsEnd {
  const { references, merged, unapproved } = end;
  const hidden = new Set([...end.hidden, ...ids]);
  for (const { kind, id, survivor } of merged) {
    const isLeftOut = hidden.has(survivor) || unapproved.has(survivor);
    if (kind === 'event' && isLeftOut) hidden.add(id);
  }
  const shownOrNull = (id: string | null) => (id === null || hidden.has(id) ? null : id);
  return {
    ...end,
    hidden,
    references: {
      superEvent: (event) => shownOrNull(references.superEvent(event)),
      specialEvent: shownOrNull(references.specialEvent),
    },
  };
}

/** F13, F17: ids of events that the editor hides or has not approved. */
export function leftOutIds({ hidden, unapproved }: EventsEnd): ReadonlySet<string> {
  return new Set([...hidden, ...unapproved]);
}

/** Once records are joined, what a limited sheet hides is either the whole event, or a record that is none of it any more. */
export function isWhollyHidden({ isHidden, hiddenBy }: EventRecord): boolean {
  return isHidden === true || hiddenBy !== undefined;
}

/** The record without the dates that corrections hide for all sources of an event; null if it had no others. */
function withoutHiddenDates(record: EventRecord, findDays: FindDays): EventRecord | null {
  const { hiddenDates = [], origin, isSuperEvent } = record;
  if (hiddenDates.length === 0) return record;
  const moments = new Set(hiddenDates.map(({ start, allDay }) => momentOf(start, allDay)));
  const isHidden = ({ start, allDay }: Pick<DateRecord, 'start' | 'allDay'>) =>
    moments.has(momentOf(start, allDay));
  const days = [...new Set(hiddenDates.map(({ start }) => osloDay(start)))];
  const dates = record.dates.filter((date) => !isHidden(date));
  const series = record.series.map((rule) => {
    const found = days.flatMap((day) => findDays(rule, day, origin.file));
    const hidden = found.filter(({ date }) => isHidden(date)).map(({ wall }) => wall);
    return hidden.length === 0 ? rule : { ...rule, except: [...rule.except, ...hidden] };
  });
  const isLeft = dates.length + series.length > 0 || isSuperEvent;
  return isLeft ? { ...record, dates, series } : null;
}
