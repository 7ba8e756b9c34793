/**
 * F13, implemented a second time: the events that result from a list of corrections, if all dates are listed. It follows the definition:
 * for each event, each correction in the order of the file, each date separately. Times are texts of the Norwegian clock. It uses nothing
 * of `jobs/`.
 */

/** `2026-02-10 19:00` and minutes; null without an end. `wall` counts minutes from 1970 on the Norwegian clock. */
export interface ListedDate {
  readonly wall: number;
  readonly minutes: number | null;
  readonly isCancelled: boolean;
  readonly venue: string | null;
}

export interface ListedEvent {
  readonly id: string;
  readonly feed: string | null;
  readonly title: string;
  readonly tags: readonly string[];
  readonly categories: readonly string[];
  readonly dates: readonly ListedDate[];
}

export interface Where {
  readonly id?: string;
  readonly feed?: string;
  readonly title?: string;
  readonly place?: string;
  readonly tag?: string;
  readonly date?: string;
}

export interface Correction {
  readonly where: Where;
  readonly hide?: true;
  readonly set?: {
    readonly title_nb?: string;
    readonly tags?: readonly string[];
    readonly categories?: readonly string[];
    readonly venue?: string | null;
    readonly status?: 'CANCELLED' | 'SCHEDULED';
    readonly start?: string;
    readonly end?: string | null;
  };
  readonly add?: { readonly tags?: readonly string[]; readonly categories?: readonly string[] };
}

/** The words of each venue, by its id. */
export type Places = Readonly<Record<string, string>>;

/** Each event that is not hidden, as corrected. */
export function correctedByDefinition(
  events: readonly ListedEvent[],
  corrections: readonly Correction[],
  places: Places,
): readonly ListedEvent[] {
  return events.flatMap((event) => {
    const theirs = corrections.filter(({ where }) => isOfEvent(where, event, places));
    if (theirs.some(({ hide, where }) => hide === true && where.date === undefined)) return [];
    const dates = correctedDates(event, theirs, places);
    return dates.length === 0 ? [] : [{ ...event, ...correctedTexts(event, theirs), dates }];
  });
}

/** The dates that are not hidden. Each correction is matched with the date as it was in the source. */
function correctedDates(
  event: ListedEvent,
  corrections: readonly Correction[],
  places: Places,
): readonly ListedDate[] {
  return event.dates.flatMap((written) => {
    let date = written;
    for (const { where, hide, set } of corrections) {
      if (!isOfDate(where, written, places)) continue;
      if (hide === true) return [];
      date = withSet(date, set ?? {}, countOf(where, event, places));
    }
    return [date];
  });
}

/** A correction of dates alone changes no texts. */
function correctedTexts(event: ListedEvent, corrections: readonly Correction[]) {
  let { title, tags, categories } = event;
  for (const { where, set, add } of corrections) {
    if (where.date !== undefined) continue;
    title = set?.title_nb ?? title;
    tags = [...new Set([...(set?.tags ?? tags), ...(add?.tags ?? [])])];
    categories = [...new Set([...(set?.categories ?? categories), ...(add?.categories ?? [])])];
  }
  return { title, tags, categories };
}

function wordsIn(text: string): readonly string[] {
  return text
    .toLowerCase()
    .replaceAll('å', 'a')
    .split(/[^a-z0-9æø]+/)
    .filter(Boolean);
}

function hasAll(text: string, wanted: string): boolean {
  return wordsIn(wanted).every((word) => wordsIn(text).includes(word));
}

function isOfEvent(where: Where, event: ListedEvent, places: Places): boolean {
  if (where.id !== undefined && where.id !== event.id) return false;
  if (where.feed !== undefined && where.feed !== event.feed) return false;
  if (where.title !== undefined && !hasAll(event.title, where.title)) return false;
  if (where.tag !== undefined && !event.tags.some((tag) => tag.toLowerCase() === where.tag?.toLowerCase()))
    return false;
  return event.dates.some((date) => isOfDate(where, date, places));
}

/** A place alone matches the whole event if one of its dates is there. */
function isOfDate({ place, date }: Where, { wall, venue }: ListedDate, places: Places): boolean {
  if (date === undefined && place === undefined) return true;
  const isThere = place === undefined || hasAll(places[venue ?? ''] ?? '', place);
  return date === undefined ? isThere : isThere && textOf(wall).startsWith(date);
}

function countOf(where: Where, { dates }: ListedEvent, places: Places): number {
  return dates.filter((date) => isOfDate(where, date, places)).length;
}

const DAY = 1440;

export function textOf(wall: number): string {
  return new Date(wall * 60_000).toISOString().slice(0, 16).replace('T', ' ');
}

export function wallAt(text: string): number {
  return Date.parse(`${text.replace(' ', 'T')}:00Z`) / 60_000;
}

/** `count`: how many dates of the event the correction matches. */
function withSet(date: ListedDate, set: NonNullable<Correction['set']>, count: number): ListedDate {
  const { venue = date.venue, status } = set;
  const isCancelled = status === undefined ? date.isCancelled : status === 'CANCELLED';
  const namesDay = [set.start, set.end].some((time) => time != null && isDated(time));
  // F13, Dates: a datetime for several dates changes nothing.
  if (namesDay && count !== 1) return { ...date, venue, isCancelled };
  const wall = set.start === undefined ? date.wall : moved(date.wall, set.start);
  return { wall, minutes: minutesOf(date, wall, set.end), venue, isCancelled };
}

function moved(wall: number, to: string): number {
  return isDated(to) ? wallAt(to) : wallAt(`${textOf(wall).slice(0, 10)} ${to}`);
}

/** Longer than `HH:mm`. */
function isDated(time: string): boolean {
  return time.length > 'HH:mm'.length;
}

function minutesOf(before: ListedDate, wall: number, end: string | null | undefined): number | null {
  // Without a new end, a date keeps its length.
  if (end === undefined) return before.minutes;
  if (end === null) return null;
  // An end before the start is not used.
  if (isDated(end)) return wallAt(end) < wall ? before.minutes : wallAt(end) - wall;
  // F13, Dates: a date of more than a day keeps the day on which it ended.
  const lastDay = moved(before.wall + (before.minutes ?? 0), end);
  if ((before.minutes ?? 0) > DAY && lastDay >= wall) return lastDay - wall;
  // F13, Dates: else it is the first such time from the start on.
  const sameDay = moved(wall, end);
  return (sameDay >= wall ? sameDay : sameDay + DAY) - wall;
}
