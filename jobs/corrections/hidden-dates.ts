/** F13: dates that corrections hide for all sources of an event. They are removed once duplicates are joined, because each source may list them. */
import { osloDay } from '../../src/calendar/time.ts';
import { momentOf } from '../duplicates/comparable.ts';
import type { DateRecord, EventRecord } from '../records.ts';
import type { FindDays } from '../recurrence/dates.ts';

type Start = Pick<DateRecord, 'start' | 'allDay'>;

/** The record without its hidden dates; null if it had no others. */
export function withoutHiddenDates(record: EventRecord, findDays: FindDays): EventRecord | null {
  const { hiddenDates = [], origin, isSuperEvent } = record;
  if (hiddenDates.length === 0) return record;
  const moments = new Set(hiddenDates.map(({ start, allDay }) => momentOf(start, allDay)));
  const isHidden = ({ start, allDay }: Start) => moments.has(momentOf(start, allDay));
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
