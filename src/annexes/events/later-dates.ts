/** An event's dates after the shown one, in words. */
import { formatDay, wallOf } from '../../calendar/time.ts';
import type { EventNode } from '../../serve/query/nodes.ts';
import { isThisYear, writeClock, writeDay, yearOf } from '../page/dates.ts';
import { inEach, inLocales, writeNumber } from '../page/reader.ts';
import type { ListedLine } from './days.ts';
import { occurrencesOf } from './entries.ts';
import type { EventList } from './event-list.ts';

/** `Også 15.00, 3. og 10. desember og 12 til`; empty if the shown date is the last. */
export function writeLater({ node, list }: Pick<ListedLine, 'node' | 'list'>): string {
  const { language, reach } = list;
  const texts = TEXTS[language];
  const later = occurrencesOf(node, reach).slice(1);
  if (later.length === 0) return '';
  const { day, start } = node.view.columns;
  const dayOf = ({ row }: Pick<EventNode, 'row'>) => day[row] ?? 0;
  const clockOf = ({ row }: Pick<EventNode, 'row'>) => writeClock(wallOf(start[row] ?? 0), language);
  // The further times of the shown day come first, and then the other days, each once.
  const timesOfDay = later.filter((one) => dayOf(one) === dayOf(node)).map(clockOf);
  const otherDays = [...new Set(later.map(dayOf))].filter((one) => one !== dayOf(node));
  const times = timesOfDay.slice(0, MOST_LATER);
  const days = otherDays.slice(0, MOST_LATER - times.length);
  const unnamed = timesOfDay.length + otherDays.length - times.length - days.length;
  const parts = [...times, ...writeMonths(days, list)];
  if (unnamed > 0) parts.push(texts.more(writeNumber(unnamed, language)));
  return `${texts.later} ${LIST_FORMATS[language].format(parts)}`;
}

/** Times and days that are named. */
const MOST_LATER = 3;

/** `15.00 og 17.00`. */
const LIST_FORMATS = inLocales((locale) => new Intl.ListFormat(locale));

/** `27. november`, `3. og 10. desember`: the days of each month. The last day of a year names it, unless it is today's. */
function writeMonths(
  days: readonly number[],
  { language, now }: Pick<EventList, 'language' | 'now'>,
): string[] {
  const monthOf = (day: number) => formatDay(day).slice(0, 7);
  const write = (day: number) => {
    const next = days[days.indexOf(day) + 1];
    const isFollowedInSameYear = next !== undefined && yearOf(next) === yearOf(day);
    const isYearOmitted = isThisYear(day, now) || isFollowedInSameYear;
    return writeDay(day, isYearOmitted ? 'dayAndMonth' : 'dayMonthYear', language);
  };
  return [...new Set(days.map(monthOf))].map((month) => {
    const ofMonth = days.filter((day) => monthOf(day) === month);
    const dates = ofMonth.map((day) => TEXTS[language].dayOfMonth(Number(formatDay(day).slice(8))));
    return LIST_FORMATS[language].format([...dates.slice(0, -1), ...ofMonth.slice(-1).map(write)]);
  });
}

const TEXTS = inEach({
  later: ['Også', 'Also', 'Også'],
  more: [
    (count: string) => `${count} til`,
    (count: string) => `${count} more`,
    (count: string) => `${count} til`,
  ],
  dayOfMonth: [(date: number) => `${date}.`, (date: number) => `${date}`, (date: number) => `${date}.`],
});
