/** F13: removes what corrections hide for all sources of an event, once its duplicates are joined. */
import { osloDay } from '../../src/calendar/time.ts';
import { momentOf } from '../duplicates/comparable.ts';
import type { DateRecord, EventRecord, Records } from '../records.ts';
import { createAllowance } from '../recurrence/allowance.ts';
import { createDayFinder, type FindDays } from '../recurrence/dates.ts';
import type { Report } from '../report.ts';

/** Removes the events and dates that are hidden by id, once duplicates are joined, and references to hidden events. */
export function withoutHidden(records: Records, report: Pick<Report, 'countFate'>): Records {
  const { hidden } = records;
  if (hidden === undefined) return records;
  const findDays = createDayFinder(createAllowance());

  async function* events(): AsyncGenerator<EventRecord, void, undefined> {
    for await (const record of records.events()) {
      const shown = isWhollyHidden(record) ? null : withoutHiddenDates(record, findDays);
      if (shown === null) {
        hidden?.add(record.id);
        report.countFate('hidden');
      } else yield shown;
    }
    for (const { kind, id, survivor } of records.merged())
      if (kind === 'event' && hidden?.has(survivor)) hidden.add(id);
  }

  // References are read after all events, when `hidden` is complete.
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
