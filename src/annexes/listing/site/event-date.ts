/** The date that an event's page is about (I12): the one that its address names, else the next one. */
import { isNamed, type NamedDate, readDateText } from '../../../calendar/date-address.ts';
import { DAY, instantOf, osloDay, wallOf } from '../../../calendar/time.ts';
import type { EventNode } from '../../../serve/query/nodes.ts';
import { occurrencesOf } from '../../events/entries.ts';
import type { EventList } from '../../events/event-list.ts';
import type { Handling } from '../../events/format.ts';
import type { ListedOccurrence } from '../../events/listed.ts';
import { single } from '../../events/parameters.ts';
import { listedOccurrenceOf } from '../../events/values.ts';
import { writeDayNear, writeWhen } from '../../events/words.ts';
import { AT, writeClock } from '../../page/dates.ts';
import { type Html, html } from '../../page/html.ts';
import { type GivenParameters, queryText } from '../../page/links.ts';
import { capitalized, inEach } from '../../page/reader.ts';

/** The dates of the event, and the one that its page is about. */
export interface PageDate {
  readonly dates: readonly ListedOccurrence[];
  /** The date that the page is about. */
  readonly shownDate: ListedOccurrence;
  /** The event as the shown date alone. */
  readonly shownNode: EventNode;
  /** Whether the address names the shown date. */
  readonly isInAddress: boolean;
  /** The date that the address names, if the event does not have it. */
  readonly missed: MissedDate | null;
}

interface MissedDate {
  readonly named: NamedDate;
  readonly isOver: boolean;
  /** E12: whether the shown date was the named one before it was moved. */
  readonly isMoved: boolean;
}

export function pageDateOf(list: EventList): PageDate {
  const [node] = list.events;
  if (node === undefined) throw missing('an event');
  const named = readDateText(list.parameters.get('date') ?? '');
  const dates = occurrencesOf(node, null).map((one) => ({
    row: one.row,
    date: listedOccurrenceOf(one, list.language),
  }));
  const wanted = dates.find(({ date }) => named !== null && isNamed(named, date));
  const moved = dates.find(({ date }) => named !== null && wasNamed(named, date));
  const isInAddress = wanted !== undefined;
  const shown = wanted ?? moved ?? dates[0];
  if (shown === undefined) throw missing('a date of the event');
  const { row, date: shownDate } = shown;
  const isMissed = named !== null && !isInAddress;
  return {
    dates: dates.map(({ date }) => date),
    shownDate,
    // No repetition is valid for ever.
    shownNode: { ...node, row, validAt: Number.POSITIVE_INFINITY },
    isInAddress,
    missed: isMissed ? { named, isOver: isOver(named, list), isMoved: moved !== undefined } : null,
  };
}

/** The address of a page names an event, so its list has one, with at least one date. */
export function missing(what: string): RangeError {
  return new RangeError(`expected ${what} in the list of its page, found none`);
}

/** E12: whether the date stood at the named time before it was moved. */
function wasNamed(named: NamedDate, { previousStart, isAllDay }: ListedOccurrence): boolean {
  return previousStart !== null && isNamed(named, { start: previousStart, nth: 1, isAllDay });
}

/** Snapshots soon drop past dates, so the named date itself decides. */
function isOver(named: NamedDate, { now }: EventList): boolean {
  if (named.kind === 'day') return named.day < osloDay(now);
  return (named.kind === 'tail' ? named.start : instantOf(named.wall)) < now;
}

/**
 * The address of a day leads to the event's first date on that day, else to the first that is under way then. An answer about a missing date
 * is not cached.
 */
export function handlingOf(list: EventList): Handling {
  const { dates, missed } = pageDateOf(list);
  if (missed === null) return {};
  const { named, isMoved } = missed;
  const first = named.kind === 'day' ? firstOn(named.day, dates, isMoved) : undefined;
  return first ? { seeOther: searchOfDate(first, list) } : { isUncacheable: true };
}

/** A day from which a date was moved is about that date, not about another one that is under way. */
function firstOn(
  day: number,
  dates: readonly ListedOccurrence[],
  isMoved: boolean,
): ListedOccurrence | undefined {
  const begins = ({ start }: ListedOccurrence) => osloDay(start) === day;
  const isUnderWay = ({ start, end }: ListedOccurrence) => osloDay(start) < day && osloDay(end - 1) >= day;
  return dates.find(begins) ?? (isMoved ? undefined : dates.find(isUnderWay));
}

/** The query that leads to a date's page. It keeps the parameters of the list that led here. */
export function searchOfDate(
  { date }: Pick<ListedOccurrence, 'date'>,
  { parameters }: Pick<EventList, 'parameters'>,
): string {
  return queryText(new URLSearchParams([['date', date], ...listParametersIn(parameters)]));
}

/** The query that leads back to the list. */
export function searchOfList({ parameters }: Pick<EventList, 'parameters'>): string {
  return queryText(new URLSearchParams(listParametersIn(parameters)));
}

const listParametersIn = (given: GivenParameters): [string, string][] =>
  [...given].filter(([name]) => !OF_PAGE.has(name));

const OF_PAGE: ReadonlySet<string> = new Set(['date', 'heading', 'view']);

/** The notice above an event whose address names a date that it does not have, with a link to the next one. */
export function noticeOf({ missed, shownDate }: PageDate, list: EventList): Html | null {
  if (missed === null) return null;
  const texts = TEXTS[list.language];
  const when = writeMissed(missed, shownDate, list);
  const isSameDay = dayOf(missed.named) === osloDay(shownDate.start);
  const next = isSameDay ? writeWhen(shownDate, list) : writeDayNear(osloDay(shownDate.start), list);
  const link = (words: string) => html`<a href="${searchOfDate(shownDate, list)}">${words}</a>`;
  if (missed.isMoved) return notice(capitalized(texts.moved(when)), link(writeWhen(shownDate, list)));
  const text = missed.isOver ? capitalized(texts.over(when)) : texts.unknown(when);
  return notice(`${text} ${texts.next}`, link(next));
}

const notice = (text: string, link: Html): Html =>
  html`<p class="notice" role="status">${text} ${link}</p>\n`;

/** The day of a missed date, and its time if the day alone would not tell it from the date that the page shows. */
function writeMissed(missed: MissedDate, shownDate: ListedOccurrence, list: EventList): string {
  const { language } = list;
  const { named } = missed;
  const day = dayOf(named);
  const isOtherDay = (missed.isOver || missed.isMoved) && day !== osloDay(shownDate.start);
  const isDayEnough = named.kind === 'day' || isOtherDay;
  const clock = isDayEnough ? '' : `${AT[language]}${writeClock(wallIn(named), language)}`;
  return `${writeDayNear(day, list)}${clock}`;
}

const wallIn = (named: NamedDate): number => {
  if (named.kind === 'day') return named.day * DAY;
  return named.kind === 'minute' ? named.wall : wallOf(named.start);
};

const dayOf = (named: NamedDate): number => Math.floor(wallIn(named) / DAY);

const TEXTS = inEach({
  over: [
    (when: string) => `${when} er passert.`,
    (when: string) => `${when} is over.`,
    (when: string) => `${when} er passert.`,
  ],
  unknown: [
    (when: string) => `Arrangementet holdes ikke ${when}.`,
    (when: string) => `This event has no date on ${when}.`,
    (when: string) => `Arrangementet blir ikkje halde ${when}.`,
  ],
  moved: [
    (when: string) => `Arrangementet ${when} er flyttet til`,
    (when: string) => `${when} was moved to`,
    (when: string) => `Arrangementet ${when} er flytta til`,
  ],
  next: ['Neste:', 'Next:', 'Neste:'],
});

/** `date` of the address: I12. */
export const DATE = {
  ...single({ type: 'string' }, 'a date such as 2026-12-04T18:00 or 2026-12-04', readDateText),
  about: 'One date of the event: its start in Norwegian time, or its day.',
};
