/** Time, place and price of an event in words, for lists and pages: in the reader's language and in Norwegian time. */
import { DAY, osloDay, wallOf } from '../../calendar/time.ts';
import { AT, isThisYear, writeClock, writeDay, yearOf } from '../page/dates.ts';
import { inEach, type Language, writeNumber } from '../page/reader.ts';
import type { EventList } from './event-list.ts';
import { isOnline, type ListedEvent, type ListedOccurrence, pricesOf } from './listed.ts';

/** The language in which a day is written, and today, which decides whether the year is. */
type WhenOptions = Pick<EventList, 'language' | 'now'>;

/** `lørdag 14. februar kl. 19.30–22.00`; names the last day if it is another one, and the year if it is another one than today's. */
export function writeWhen(occurrence: ListedOccurrence, options: WhenOptions): string {
  const { start, end, isAllDay } = occurrence;
  const { language } = options;
  const withClock = (day: string, wall: number) =>
    `${day}${COMMA_OR_AT[language]}${writeClock(wall, language)}`;
  const from = wallOf(start);
  const to = wallOf(end);
  const startDay = writeDayNear(osloDay(start), options);
  const begins = isAllDay ? startDay : withClock(startDay, from);
  const last = lastDayOf(occurrence);
  if (last === null) return isAllDay || end <= start ? begins : `${begins}–${writeClock(to, language)}`;
  const lastDay = writeDayNear(last, options);
  const isEndOfDay = isAllDay || to % DAY === 0;
  return `${begins} – ${isEndOfDay ? lastDay : withClock(lastDay, to)}`;
}

/** Null if it ends on the day of its start, or within the night after it (I11). An end at midnight belongs to the day before. */
export function lastDayOf({ start, end }: Pick<ListedOccurrence, 'start' | 'end'>): number | null {
  const last = osloDay(end - 1);
  const isLaterDay = end > start && last > osloDay(start);
  const isNight = wallOf(end) - wallOf(start) <= DAY / 2;
  return isLaterDay && !isNight ? last : null;
}

/** `lørdag 14. februar`, with the year if it is another one than today's. */
export function writeDayNear(day: number, { language, now }: WhenOptions): string {
  return writeDay(day, isThisYear(day, now) ? 'long' : 'full', language);
}

const COMMA_OR_AT = { ...AT, en: ', ' };

/** `Byhallen, Storgata 1, 7010 Trondheim`, `På nett`, or both; empty if nothing is known. */
export function writePlace(event: ListedEvent, { venue }: ListedOccurrence, language: Language): string {
  const place = venue === null ? '' : [venue.name, venue.address].filter(Boolean).join(', ');
  const online = isOnline(event) ? TEXTS[language].online : '';
  return [place, online].filter((text) => text !== '').join(' / ');
}

/** `Gratis`, or prices from the lowest to the highest: `150–250 kr`; empty if nothing is known. */
export function writePrices(event: ListedEvent, occurrence: ListedOccurrence, language: Language): string {
  if (event.isFree) return TEXTS[language].free;
  // Free tickets are for members, companions or small children.
  const prices = pricesOf(event, occurrence).flatMap(({ price }) => price || []);
  if (prices.length === 0) return '';
  const ends = [...new Set([Math.min(...prices), Math.max(...prices)])];
  return `${ends.map((price) => writeNumber(price, language)).join('–')}\u00a0kr`;
}

/** Whether a visitor can come, and whether the date was moved (E12): `Utsolgt`, and `Flyttet fra fredag 4. desember`. */
export function statesOf(occurrence: ListedOccurrence, language: Language): readonly string[] {
  const warning = warningOf(occurrence, language);
  const moved = occurrence.status === 'RESCHEDULED' ? movedFrom(occurrence, language) : null;
  return [warning, moved].filter((state) => state !== null);
}

/** What a title begins with: the state that turns visitors away. A date that does not take place is not sold out as well. */
export function warningOf({ status, isSoldOut }: ListedOccurrence, language: Language): string | null {
  const { cancelled, postponed, soldOut } = TEXTS[language];
  if (status === 'CANCELLED') return cancelled;
  if (status === 'POSTPONED') return postponed;
  return isSoldOut ? soldOut : null;
}

/** By its day, or of the same day by its time. */
function movedFrom({ start, previousStart }: ListedOccurrence, language: Language): string {
  const texts = TEXTS[language];
  if (previousStart === null) return texts.moved;
  const from = osloDay(previousStart);
  const to = osloDay(start);
  if (from === to) return texts.movedFrom(texts.clock(writeClock(wallOf(previousStart), language)));
  return texts.movedFrom(writeDay(from, yearOf(from) === yearOf(to) ? 'long' : 'full', language));
}

const TEXTS = inEach({
  online: ['På nett', 'Online', 'På nett'],
  cancelled: ['Avlyst', 'Cancelled', 'Avlyst'],
  postponed: ['Utsatt', 'Postponed', 'Utsett'],
  moved: ['Flyttet', 'Moved', 'Flytta'],
  clock: [(time: string) => `kl. ${time}`, (time: string) => time, (time: string) => `kl. ${time}`],
  movedFrom: [
    (when: string) => `Flyttet fra ${when}`,
    (when: string) => `Moved from ${when}`,
    (when: string) => `Flytta frå ${when}`,
  ],
  soldOut: ['Utsolgt', 'Sold out', 'Utselt'],
  free: ['Gratis', 'Free', 'Gratis'],
});
