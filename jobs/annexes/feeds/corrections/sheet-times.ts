/** F15: the new start and end in a row of a correction sheet. */
import type { JsonObject } from '../../../../src/calendar/json.ts';
import type { SheetColumns } from '../csv/sheet-layout.ts';
import { withoutBlanks } from '../event-fields.ts';
import type { ReadMoment, WrittenMoment } from '../moments.ts';
import { writtenAt } from '../native-dates.ts';
import type { SheetField } from './sheet-columns.ts';
import type { SheetCells } from './sheet-details.ts';

interface TimeCells extends SheetCells {
  readonly columns: SheetColumns<SheetField>;
  readonly read: ReadMoment;
}

/** The new times, of which an end may stand beside the start: `19.00–21.00`. */
export function timesOf(reading: TimeCells, isForDates: boolean): JsonObject {
  const start = momentOf('start', reading, isForDates);
  const end = momentOf('end', reading, isForDates);
  const newStart = start === null ? null : momentText(start);
  const endOfStart = start === null ? null : endBeside(start);
  const newEnd = end === null ? endOfStart : momentText(end);
  return withoutBlanks({ start: newStart, end: newEnd });
}

/** Null for a blank cell and, after a finding, for one that is not used. */
function momentOf(field: 'start' | 'end', reading: TimeCells, isForDates: boolean): WrittenMoment | null {
  const { cell, read, reportCell, columns } = reading;
  if (cell(field) === '') return null;
  const moment = read(cell(field));
  if (moment === null || (moment.day === null && moment.offset !== '')) {
    reportCell(field, 'a time of day such as 19.30, or with a date such as 14.02.2031 kl. 19.30');
    return null;
  }
  if (moment.day !== null && !isForDates) {
    const date = columns.nameOf('date');
    reportCell(field, `a time of day such as 19.30 or, in ${date}, the one date that moves`);
    return null;
  }
  return moment;
}

/** As in `corrections.json`: a time of day, a day or a datetime. */
function momentText({ day, time, offset }: Pick<WrittenMoment, 'day' | 'time' | 'offset'>): string {
  if (day === null) return time === '24:00' ? '00:00' : (time ?? '');
  return time === null ? day : writtenAt({ day, time, offset });
}

/** The end in the cell of the start; null without one. */
function endBeside({ day, until, untilOffset, lastDay }: WrittenMoment): string | null {
  if (lastDay !== null) return momentText({ day: lastDay, time: until, offset: untilOffset });
  const isOnClock = until !== null && (day === null || untilOffset === '');
  return isOnClock ? momentText({ day: null, time: until, offset: '' }) : null;
}
