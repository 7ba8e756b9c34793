/** F17: an event that waits for approval, as the report shows it to the editor who decides. */
import { isObject, type JsonObject } from '../../../src/calendar/json.ts';
import { compareCodePoints } from '../../../src/calendar/text.ts';
import { formatWall } from '../../../src/calendar/time.ts';
import { shorten } from '../../findings.ts';
import type { WaitingEvent } from '../../report/summary.ts';
import { webAddress } from '../../validate/web-address.ts';
import type { Feed } from './config.ts';

/** Whether all of its dates were before today; a rule may have more. */
export function isOver({ dates, repeats, series }: JsonObject, today: string): boolean {
  if (repeats !== undefined || series !== undefined || !Array.isArray(dates)) return false;
  return dates.every((date) => isObject(date) && String(date.end ?? date.start) < today);
}

interface Surroundings {
  readonly feed: Pick<Feed, 'id' | 'link'>;
  /** The names of the feed's venues, by their ids. */
  readonly places: ReadonlyMap<unknown, string>;
  readonly today: string;
}

export function describe(event: JsonObject, { feed, places, today }: Surroundings): WaitingEvent {
  const { id, title_nb, title_en, venue } = event;
  const shown = shownDate(event, today);
  const place = places.get(shown?.venue ?? venue);
  return {
    feed: feed.id,
    id: String(id),
    title: shorten(String(title_nb ?? title_en ?? '')),
    start: shown === null ? null : shown.start.slice(0, 'YYYY-MM-DD HH:mm'.length),
    place: place === undefined ? null : shorten(place),
    link: linkOf(event) ?? feed.link,
  };
}

interface ShownDate {
  readonly start: string;
  /** Null for that of the event. */
  readonly venue: unknown;
}

/** The next date that the source lists, or that of its rule; else the last one. */
function shownDate({ dates, repeats, series }: JsonObject, today: string): ShownDate | null {
  const lists = [dates, repeats].flatMap((list) => (Array.isArray(list) ? list : []));
  const listed = lists.filter(isObject).map(({ start, venue }) => ({ start: String(start), venue }));
  const sorted = listed.toSorted((left, right) => compareCodePoints(left.start, right.start));
  const next = sorted.find(({ start }) => start >= today);
  if (next !== undefined) return next;
  const start = isObject(series) && typeof series.start === 'number' ? formatWall(series.start) : null;
  return start === null ? (sorted.at(-1) ?? null) : { start, venue: null };
}

/** Characters: the report repeats it. */
const LONGEST_LINK = 1_000;

/** The source's own page about the event, or where its tickets are sold. */
function linkOf({ moreInfoURL, ticketsURL }: JsonObject): string | null {
  const links = [moreInfoURL, ticketsURL].map((written) =>
    typeof written === 'string' ? webAddress(written) : null,
  );
  return links.find((link) => link !== null && link.length <= LONGEST_LINK) ?? null;
}
