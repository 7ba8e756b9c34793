/** Time, place and price of an event in words, for feeds and pages: in the reader's language and in Norwegian time. */
import { DAY, osloDay, wallOf } from '../../calendar/time.ts';
import { AT, writeClock, writeDay } from '../page/dates.ts';
import { type Content, html } from '../page/html.ts';
import { inEach, type Language, writeNumber } from '../page/reader.ts';
import type { Feed } from './read.ts';
import type { FeedEvent, FeedOccurrence, FeedPrice, LocalText } from './values.ts';

/** The language in which a day is written, and today, which decides whether the year is. */
type WhenOptions = Pick<Feed, 'language' | 'now'>;

/** `lørdag 14. februar kl. 19.30–22.00`; names the last day if it is another one, and the year if it is another one than today's. */
export function writeWhen({ start, end, isAllDay }: FeedOccurrence, options: WhenOptions): string {
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
  return writeDay(day, yearOf(day) === yearOf(osloDay(now)) ? 'long' : 'full', language);
}

const COMMA_OR_AT = { nb: AT.nb, en: ', ' };

const yearOf = (day: number): number => new Date(day * DAY * 1_000).getUTCFullYear();

/** `Byhallen, Storgata 1, 7010 Trondheim`, `På nett`, or both; empty if nothing is known. */
export function writePlace(event: FeedEvent, { venue }: FeedOccurrence, language: Language): string {
  const place = venue === null ? '' : [venue.name, venue.address].filter(Boolean).join(', ');
  const online = isOnline(event) && TEXTS[language].online;
  return [place, online].filter(Boolean).join(' / ');
}

/** I4: wherever there is a stream, too. */
export const isOnline = (event: FeedEvent): boolean => event.isOnline || event.streamingURL !== null;

/** `Gratis`, or prices from the lowest to the highest: `150–250 kr`; empty if nothing is known. */
export function writePrices(event: FeedEvent, occurrence: FeedOccurrence, language: Language): string {
  if (event.isFree) return TEXTS[language].free;
  // Free tickets are for members, companions or small children.
  const prices = pricesOf(event, occurrence).flatMap(({ price }) => price || []);
  if (prices.length === 0) return '';
  const ends = [...new Set([Math.min(...prices), Math.max(...prices)])];
  return `${ends.map((price) => writeNumber(price, language)).join('–')}\u00a0kr`;
}

/** A date's own prices replace those of its event. */
export const pricesOf = (event: FeedEvent, occurrence: FeedOccurrence): readonly FeedPrice[] =>
  occurrence.prices ?? event.prices;

/** `Avlyst`, `Utsatt` or `Flyttet fra fredag 4. desember` (E12), and `Utsolgt`. */
export function statesOf(occurrence: FeedOccurrence, language: Language): readonly string[] {
  const troubles = troublesOf(occurrence, language);
  if (occurrence.status !== 'RESCHEDULED') return troubles;
  return [...troubles, movedFrom(occurrence, language)];
}

/** The states that a title begins with: those that turn visitors away. */
export function troublesOf({ status, isSoldOut }: FeedOccurrence, language: Language): readonly string[] {
  const { cancelled, postponed, soldOut } = TEXTS[language];
  const states = [
    status === 'CANCELLED' && cancelled,
    status === 'POSTPONED' && postponed,
    isSoldOut && soldOut,
  ];
  return states.filter((state) => state !== false);
}

/** By its day, or of the same day by its time. */
function movedFrom({ start, previousStart }: FeedOccurrence, language: Language): string {
  const texts = TEXTS[language];
  if (previousStart === null) return texts.moved;
  const from = osloDay(previousStart);
  const to = osloDay(start);
  if (from === to) return texts.movedFrom(texts.clock(writeClock(wallOf(previousStart), language)));
  return texts.movedFrom(writeDay(from, yearOf(from) === yearOf(to) ? 'long' : 'full', language));
}

/** Whether visitors can attend it. */
export const takesPlace = ({ isCancelled }: FeedOccurrence): boolean => !isCancelled;

/** I12: the address of a date; that of its event if the event's page is on another site. */
export const linkOf = (event: FeedEvent, occurrence: FeedOccurrence): string => occurrence.link ?? event.link;

/** The `lang` attribute of an element whose text is in another language than the page. */
export const langOf = (text: LocalText, language: Language): Content =>
  text.language !== language && html` lang="${text.language}"`;

/** The states of a date, beside its title. */
export const marksOf = (occurrence: FeedOccurrence, language: Language): Content =>
  statesOf(occurrence, language).map((state) => html` <strong class="mark">${state}</strong> `);

export const capitalized = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** A description of a list, for search results and previews. */
export const describe = ({ licence, language }: Feed): string => TEXTS[language].about(licence.name);

/** The text of an empty list. */
export const writeNone = (language: Language): string => TEXTS[language].none;

const TEXTS = inEach({
  about: [
    (name: string) => `Kommende arrangementer fra ${name}.`,
    (name: string) => `Upcoming events from ${name}.`,
  ],
  none: ['Ingen kommende arrangementer.', 'No upcoming events.'],
  online: ['På nett', 'Online'],
  cancelled: ['Avlyst', 'Cancelled'],
  postponed: ['Utsatt', 'Postponed'],
  moved: ['Flyttet', 'Moved'],
  clock: [(time: string) => `kl. ${time}`, (time: string) => time],
  movedFrom: [(when: string) => `Flyttet fra ${when}`, (when: string) => `Moved from ${when}`],
  soldOut: ['Utsolgt', 'Sold out'],
  free: ['Gratis', 'Free'],
});
