/** Time, place and price of an event in words, for lists and pages: in the reader's language and in Norwegian time. */
import { DAY, osloDay, wallOf } from '../../calendar/time.ts';
import { AT, isThisYear, writeClock, writeDay, yearOf } from '../page/dates.ts';
import { inEach, type Language, writeNumber } from '../page/reader.ts';
import type { EventList } from './event-list.ts';
import { isOnline, type ListedEvent, type ListedOccurrence, pricesOf } from './listed.ts';

/** The language in which a day is written, and today, which decides whether the year is. */
type WhenOptions = Pick<EventList, 'language' | 'now'>;

/** `lørdag 14. februar kl. 19.30–22.00`; names the last day if it is another one, and the year if it is another one than today's. */
export function writeWhen({ start, end, isAllDay }: ListedOccurrence, options: WhenOptions): string {
  const from = wallOf(start);
  const to = wallOf(isAllDay ? end - 1 : end);
  const first = writeDayNear(Math.floor(from / DAY), options);
  const last = writeDayNear(Math.floor(to / DAY), options);
  if (isAllDay) return first === last ? first : `${first} – ${last}`;
  const { language } = options;
  const at = COMMA_OR_AT[language];
  const begins = `${first}${at}${writeClock(from, language)}`;
  if (end <= start) return begins;
  const ends = writeClock(to, language);
  return first === last ? `${begins}–${ends}` : `${begins} – ${last}${at}${ends}`;
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

/** `Avlyst`, `Utsatt` or `Flyttet fra fredag 4. desember` (E12), and `Utsolgt`. */
export function statesOf(occurrence: ListedOccurrence, language: Language): readonly string[] {
  const warnings = warningsOf(occurrence, language);
  if (occurrence.status !== 'RESCHEDULED') return warnings;
  return [...warnings, movedFrom(occurrence, language)];
}

/** The states that a title begins with: those that turn visitors away. */
export function warningsOf({ status, isSoldOut }: ListedOccurrence, language: Language): readonly string[] {
  const { cancelled, postponed, soldOut } = TEXTS[language];
  const states = [
    status === 'CANCELLED' ? cancelled : null,
    status === 'POSTPONED' ? postponed : null,
    isSoldOut ? soldOut : null,
  ];
  return states.filter((state) => state !== null);
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
