/** A list of events, which feeds and pages are written from: nodes as `events` returns them for the same filter (I1). */
import { readTail } from '../../calendar/date-address.ts';
import type { Licence } from '../../calendar/model.ts';
import { addMonths, osloDay, startOfDay } from '../../calendar/time.ts';
import type { AnswerBasis } from '../../serve/graphql/answer.ts';
import { shownRow } from '../../serve/query/lookups.ts';
import { type EventNode, readNodes } from '../../serve/query/nodes.ts';
import type { Search } from '../../serve/query/search.ts';
import { selectNodes } from '../../serve/query/select.ts';
import { type View, viewAt } from '../../serve/query/view.ts';
import { type Bitmap, bitsOf, emptyBitmap, hasBit, setBit } from '../../snapshot/bitmaps.ts';
import { elementAt, listAt } from '../../snapshot/columns.ts';
import type { Conditions } from '../../snapshot/filters.ts';
import { isPublishedAt } from '../../snapshot/visibility.ts';
import type { ResizedPicture } from '../facts/facts.ts';
import type { GivenParameters } from '../page/links.ts';
import type { ChosenLanguage } from '../page/reader.ts';
import type { ListQuery } from './query.ts';

/** The nodes that match the query of a list's address, on one page, at one second. */
export interface EventList extends ListAddress, ChosenLanguage {
  readonly query: ListQuery;
  /** The parameters of its address as they were given. */
  readonly parameters: GivenParameters;
  /** The values of the address's own parameters. */
  readonly values: ListQuery['values'];
  readonly view: View;
  readonly licence: Licence;
  /** When the snapshot was built, in seconds since 1970. */
  readonly builtAt: number;
  /** When the request arrived, in seconds since 1970. */
  readonly now: number;
  /** A4: an event that began before this second is running already. */
  readonly from: number;
  readonly events: readonly EventNode[];
  /** Containers of these events by id: those that can be found (A7). */
  readonly containers: ReadonlyMap<string, EventNode>;
  /** Nodes on all pages. */
  readonly total: number;
  readonly page: number;
  readonly pageSize: number;
  /** I9: null if it has all dates. */
  readonly reach: Reach | null;
}

export interface ListAddress {
  /** Its own address, without a key; null if the server does not know its address. */
  readonly address: string | null;
  /** The server's address, without a slash at the end: for examples, if it does not know its own. */
  readonly server: string;
  /** The query of its address: empty, or from its question mark on. */
  readonly search: string;
  /** I17: null if visitors load the originals. */
  readonly resizedPicture: ResizedPicture | null;
  /** Whether it has an entry for each date of an event; else only for the shown one. */
  readonly hasDates: boolean;
}

/** A query for a reader. */
export type ReaderQuery = ListQuery & ChosenLanguage;

export async function readEventList(
  query: ReaderQuery,
  { snapshot, now, work }: AnswerBasis,
  where: ListAddress,
): Promise<EventList> {
  const { plan, event, occurrence, language, inAddress, isSubscription, values } = query;
  const { page, pageSize, conditions } = plan;
  const view = viewAt(snapshot, now);
  const reach = isSubscription ? reachAt(now) : null;
  const search: Search = (step, words) => view.search(step, words, work);
  const shownRows = occurrence === null ? view.shownRows : rowsOfDate(occurrence, view, now);
  const set = await selectNodes(view, within(conditions, reach), { now, search, shownRows });
  const first = page * pageSize;
  const rowsFound = event === null ? null : rowsOfEvent(event, set.rows, view);
  const rows = rowsFound?.slice(first, first + pageSize) ?? [...bitsOf(set.rows, first, pageSize)];
  const { validAt, byDay } = set;
  const repetitionsValidAt = occurrence === null ? validAt : WITHOUT_REPETITIONS;
  const events = await readNodes(view, rows, { validAt: repetitionsValidAt, byDay });
  return {
    ...where,
    parameters: new URLSearchParams(where.search),
    licence: view.lists.licence,
    builtAt: snapshot.builtAt,
    now,
    language,
    inAddress,
    events,
    from: validAt,
    containers: await containersOf(view, events, now),
    total: rowsFound?.length ?? set.total,
    page,
    pageSize,
    reach,
    values,
    query,
    view,
  };
}

/** A list of one date has no repetitions: after this time, none is valid. */
const WITHOUT_REPETITIONS = Number.POSITIVE_INFINITY;

/** I1: finds only the row of this date, if it is in the window (A4). The other conditions of the filter apply to it as to any node. */
function rowsOfDate(id: string, view: View, now: number): View['shownRows'] {
  const row = rowOfId(id, view, now);
  const { start, over } = view.columns;
  return ({ fromDate = now, fromStartDate = -Infinity, untilDate = Infinity }) => {
    const rows = emptyBitmap(start.length);
    if (row === undefined) return rows;
    const begins = start[row] ?? Number.NaN;
    const isInWindow = begins >= fromStartDate && begins < untilDate;
    const isOver = (over[row] ?? 0) <= Math.max(now, fromDate);
    if (isInWindow && !isOver) setBit(rows, row);
    return rows;
  };
}

/** The row of a date by its id (A16); undefined if no date has it, or if its event is not published. */
function rowOfId(id: string, { snapshot, columns }: View, now: number): number | undefined {
  const at = id.lastIndexOf('@');
  const tail = readTail(id.slice(at + 1));
  const ordinal = tail === null ? null : snapshot.ordinalById(id.slice(0, at));
  if (tail === null || ordinal === null) return undefined;
  if (!isPublishedAt(columns, ordinal, now)) return undefined;
  const { start, nth, occurrences, occurrencesAt } = columns;
  return listAt(occurrences, occurrencesAt, ordinal).find(
    (row) => start[row] === tail.start && Math.max(1, nth[row] ?? 1) === tail.nth,
  );
}

/** I9: months for which a subscription has dates. */
const MOST_MONTHS = 12;

export interface Reach {
  /** The last second at which a date of the list may start. */
  readonly last: number;
  /** Seconds from now to that second: the same all day. */
  readonly ahead: number;
}

/** I9: the limit up to which a subscription has dates. Within a Norwegian day, it advances with the clock. */
export function reachAt(now: number): Reach {
  const today = osloDay(now);
  const ahead = startOfDay(addMonths(today, MOST_MONTHS)) - startOfDay(today);
  return { last: now + ahead, ahead };
}

/** I9: adds the condition that an event starts within reach. The shown date is the event's next one, so its other dates are even later. */
function within(conditions: Conditions, reach: Reach | null): Conditions {
  if (reach === null) return conditions;
  return {
    ...conditions,
    untilDate: Math.min(reach.last + 1, conditions.untilDate ?? Number.POSITIVE_INFINITY),
  };
}

/** The nodes of the containers that the events name, by the ids of the containers. One that is not found (A7) is left out. */
async function containersOf(
  view: View,
  events: readonly EventNode[],
  now: number,
): Promise<ReadonlyMap<string, EventNode>> {
  const { event, container } = view.columns;
  const containers = new Set(events.map(({ row }) => elementAt(container, event[row])));
  const idsByRow = new Map(
    [...containers].flatMap((index) => {
      const id = elementAt(view.lists.containers, index);
      const ordinal = id === undefined ? null : view.snapshot.ordinalById(id);
      const row = ordinal === null ? null : shownRow(view, ordinal, now);
      return id === undefined || row === null ? [] : [[row, id]];
    }),
  );
  const nodes = await readNodes(view, [...idsByRow.keys()], { validAt: now, byDay: false });
  return new Map(nodes.map((node) => [idsByRow.get(node.row) ?? '', node]));
}

/** The rows of this event among those of a set. */
function rowsOfEvent(id: string, rows: Bitmap, view: View): readonly number[] {
  const ordinal = view.snapshot.ordinalById(id);
  if (ordinal === null) return [];
  const dates = listAt(view.columns.occurrences, view.columns.occurrencesAt, ordinal);
  return [...dates].filter((row) => hasBit(rows, row));
}

/** The credit and the licence of the data; null if the calendar has neither. */
export function termsOf({ attribution, dataLicence }: Licence): string | null {
  const licence = dataLicence && [dataLicence.name, dataLicence.url].filter(Boolean).join(', ');
  return [attribution, licence].filter(Boolean).join(' – ') || null;
}
