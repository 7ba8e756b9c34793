/** Which of an event's dates its page is about (I12): the one that its address names, else the next one. */
import { isNamed, type NamedDate, readDateText } from '../../../calendar/date-address.ts';
import { DAY, instantOf, osloDay, timeOfDay, wallOf } from '../../../calendar/time.ts';
import type { EventNode } from '../../../serve/query/select.ts';
import type { Handling } from '../../events/endpoint.ts';
import { single } from '../../events/query.ts';
import { type Feed, occurrencesOf } from '../../events/read.ts';
import { type FeedOccurrence, feedOccurrenceOf } from '../../events/values.ts';
import { capitalized, writeDayNear, writeWhen } from '../../events/words.ts';
import { AT } from '../../page/dates.ts';
import { type Content, html } from '../../page/html.ts';
import { queryText } from '../../page/queries.ts';
import { inEach } from '../../page/reader.ts';

export type AskedDate = ReturnType<typeof askedDate>;

/** `shown`: the date that the page is about. */
export function askedDate(feed: Feed) {
  const [node = notHere()] = feed.events;
  const named = readDateText(new URLSearchParams(feed.search).get('date') ?? '');
  const rows = occurrencesOf(node, null);
  const all = rows.map((row) => feedOccurrenceOf(row, feed.language));
  const at = named === null ? -1 : all.findIndex((one) => isNamed(named, one));
  const to = named === null || at !== -1 ? -1 : all.findIndex((one) => wasNamed(named, one));
  const [next = notHere()] = all;
  const shown = all[at] ?? all[to] ?? next;
  const alone: EventNode = {
    ...node,
    row: rows[Math.max(0, at, to)]?.row ?? node.row,
    // No repetition is valid for ever.
    validAt: Number.POSITIVE_INFINITY,
  };
  const missed =
    named === null || at !== -1 ? null : { named, isOver: isOver(named, feed), isMoved: to !== -1 };
  return {
    all,
    shown,
    /** The event as the shown date alone. */
    alone,
    /** Whether the address names the shown date. */
    isAsked: at !== -1,
    /** What the address names and the event does not have. */
    missed,
  };
}

function notHere(): never {
  throw new RangeError('expected a feed with one event and a date, found none');
}

/** E12: whether the date was the one that is named before it was moved. */
const wasNamed = (named: NamedDate, { previousStart, isAllDay }: FeedOccurrence): boolean =>
  previousStart !== null && isNamed(named, { start: previousStart, nth: 1, isAllDay });

/** Snapshots soon drop past dates, so the named date itself decides. */
function isOver(named: NamedDate, { now }: Feed): boolean {
  if (named.kind === 'day') return named.day < osloDay(now);
  return (named.kind === 'tail' ? named.start : instantOf(named.wall)) < now;
}

/** The address of a day leads to the event's first date on that day. An answer about a missing date is not cached. */
export function handlingOf(feed: Feed): Handling {
  const { all, missed } = askedDate(feed);
  if (missed === null) return {};
  const { named } = missed;
  const first = named.kind === 'day' && all.find(({ start }) => osloDay(start) === named.day);
  return first ? { seeOther: searchOfDate(first, feed) } : { isPassing: true };
}

/** The query that leads to a date's page, and keeps what the list before it was of. */
export function searchOfDate(
  { date }: Pick<FeedOccurrence, 'date'>,
  { search }: Pick<Feed, 'search'>,
): string {
  const kept = [...new URLSearchParams(search)].filter(([name]) => !NOT_KEPT.has(name));
  return queryText(new URLSearchParams([['date', date], ...kept]));
}

/** The query that leads back to the list. */
export function searchOfList({ search }: Pick<Feed, 'search'>): string {
  return queryText(
    new URLSearchParams([...new URLSearchParams(search)].filter(([name]) => !NOT_KEPT.has(name))),
  );
}

const NOT_KEPT: ReadonlySet<string> = new Set(['date', 'heading', 'view']);

/** The notice above an event whose address names a date that it does not have, with a link to the next one. */
export function noticeOf({ missed, shown }: AskedDate, feed: Feed): Content {
  if (missed === null) return '';
  const texts = TEXTS[feed.language];
  const day = dayOf(missed.named);
  const isSameDay = day === osloDay(shown.start);
  const isKnown = missed.isOver || missed.isMoved;
  const time =
    missed.named.kind === 'day' || (isKnown && !isSameDay)
      ? ''
      : `${AT[feed.language]}${timeOfDay(wallIn(missed.named))}`;
  const said = writeDayNear(day, feed) + time;
  const next = isSameDay ? writeWhen(shown, feed) : writeDayNear(osloDay(shown.start), feed);
  if (missed.isMoved)
    return html`<p class="notice" role="status">${capitalized(texts.moved(said))} <a href="${searchOfDate(shown, feed)}">${writeWhen(shown, feed)}</a></p>\n`;
  const text = missed.isOver ? capitalized(texts.over(said)) : texts.unknown(said);
  return html`<p class="notice" role="status">${text} ${texts.next} <a href="${searchOfDate(shown, feed)}">${next}</a></p>\n`;
}

const wallIn = (named: NamedDate): number => {
  if (named.kind === 'day') return named.day * DAY;
  return named.kind === 'minute' ? named.wall : wallOf(named.start);
};

const dayOf = (named: NamedDate): number => Math.floor(wallIn(named) / DAY);

const TEXTS = inEach({
  over: [(when: string) => `${when} er passert.`, (when: string) => `${when} is over.`],
  unknown: [
    (when: string) => `Arrangementet holdes ikke ${when}.`,
    (when: string) => `This event has no date on ${when}.`,
  ],
  moved: [(when: string) => `Arrangementet ${when} er flyttet til`, (when: string) => `${when} was moved to`],
  next: ['Neste:', 'Next:'],
});

/** `date` of the address: I12. */
export const DATE = {
  ...single({ type: 'string' }, 'a date such as 2026-12-04T18:00 or 2026-12-04', readDateText),
  about: 'One date of the event: its start on the Norwegian clock, or its day.',
};
