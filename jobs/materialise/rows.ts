/** Occurrences in columns: collected event by event, returned in serving order. */
import type { Occurrence, OlderDateFields, Price } from '../../src/calendar/model.ts';
import { overAt, parseMinute } from '../../src/calendar/time.ts';
import { ABSENT, OCCURRENCE_FLAGS } from '../../src/snapshot/columns.ts';
import type { OccurrenceTexts } from '../../src/snapshot/fragments.ts';
import type { EventRecord, Occurrences, Reporter } from '../records.ts';

/** Values of a row that are indexes: ABSENT for no text, -1 for no venue. */
export interface RowPlaces extends TextPlaces {
  readonly venue: number;
  /** A16, ids of occurrences. */
  readonly nth: number;
  /** Bits of OCCURRENCE_FLAGS that are not from the record. */
  readonly ruleFlags: number;
}

/** Indexes into the event's own lists. */
interface TextPlaces {
  readonly ticketsURL: number;
  readonly prices: number;
  readonly olderTexts: number;
}

export interface Rows {
  /** Occurrences of one event come in A2's order. `entry` is the event's number until it has an ordinal. */
  readonly add: (entry: number, occurrence: Occurrence, places: RowPlaces) => void;
  /** Sorts; `ordinals` has each entry's ordinal. Called once. */
  readonly finish: (ordinals: Int32Array) => Occurrences;
}

export function createRows(): Rows {
  let size = 0;
  let rows = emptyRows(1024);

  function add(entry: number, occurrence: Occurrence, places: RowPlaces): void {
    if (size === rows.start.length) rows = grown(rows);
    const { start, end, duration, startTime, allDay, eventCancelled, eventSoldOut } = occurrence;
    const { venue, nth, ruleFlags, ticketsURL, prices, olderTexts } = places;
    rows.start[size] = start;
    rows.end[size] = end;
    rows.over[size] = overAt(start, end);
    rows.event[size] = entry;
    rows.venue[size] = venue;
    rows.startTime[size] = parseMinute(startTime) ?? 0;
    rows.duration[size] = duration ?? -1;
    rows.occurrenceFlags[size] =
      ruleFlags |
      (eventCancelled ? OCCURRENCE_FLAGS.cancelled : 0) |
      (eventSoldOut ? OCCURRENCE_FLAGS.soldOut : 0) |
      (allDay ? OCCURRENCE_FLAGS.allDay : 0);
    rows.nth[size] = nth;
    rows.ticketsURL[size] = ticketsURL;
    rows.prices[size] = prices;
    rows.olderTexts[size] = olderTexts;
    size++;
  }

  function finish(ordinals: Int32Array): Occurrences {
    for (let row = 0; row < size; row++) rows.event[row] = ordinals[rows.event[row] ?? -1] ?? -1;
    return inOrder(rows, servingOrder(rows, size));
  }

  return { add, finish };
}

function emptyRows(length: number): Occurrences {
  return {
    start: new Float64Array(length),
    end: new Float64Array(length),
    over: new Float64Array(length),
    event: new Int32Array(length),
    venue: new Int32Array(length),
    startTime: new Uint16Array(length),
    duration: new Int32Array(length),
    occurrenceFlags: new Uint8Array(length),
    nth: new Int32Array(length),
    ticketsURL: new Uint16Array(length),
    prices: new Uint16Array(length),
    olderTexts: new Uint16Array(length),
  };
}

function grown(rows: Occurrences): Occurrences {
  const larger = emptyRows(rows.start.length * 2);
  for (const name of NAMES) larger[name].set(rows[name]);
  return larger;
}

/** By start, then event; equals are already in A2's order, and stay in it. */
function servingOrder({ start, event }: Occurrences, size: number): Uint32Array {
  const order = new Uint32Array(size);
  for (let row = 0; row < size; row++) order[row] = row;
  return order.sort(
    (a, b) => (start[a] ?? 0) - (start[b] ?? 0) || (event[a] ?? 0) - (event[b] ?? 0) || a - b,
  );
}

function inOrder(rows: Occurrences, order: Uint32Array): Occurrences {
  const ordered = emptyRows(order.length);
  for (const name of NAMES) {
    const from = rows[name];
    const to = ordered[name];
    for (let row = 0; row < order.length; row++) to[row] = from[order[row] ?? 0] ?? 0;
  }
  return ordered;
}

const NONE = emptyRows(0);
const isName = (name: string): name is keyof Occurrences => name in NONE;
const NAMES = Object.keys(NONE).filter(isName);

interface TextLists {
  readonly lists: OccurrenceTexts;
  readonly placesOf: (texts: OwnTexts) => TextPlaces;
}

interface OwnTexts {
  readonly ticketsURL: string | null;
  readonly prices: readonly Price[] | null;
  readonly older?: OlderDateFields | undefined;
}

export function createTextLists({ origin, id }: EventRecord, report: Reporter): TextLists {
  const ticketsURLs: string[] = [];
  const priceLists: (readonly Price[])[] = [];
  const olderTexts: OlderDateFields[] = [];
  const places = new Map<string, number>();

  function placeIn<Text>(list: Text[], text: Text | null, field: string): number {
    if (text === null) return ABSENT;
    const key = `${field} ${JSON.stringify(text)}`;
    const known = places.get(key);
    if (known !== undefined) return known;
    if (list.length === ABSENT) {
      const expected = `at most ${ABSENT} different values in the dates of one event`;
      report.addFinding({ action: 'changed value', origin, id, field, expected, found: 'more' });
      return ABSENT;
    }
    places.set(key, list.length);
    return list.push(text) - 1;
  }

  return {
    lists: { ticketsURLs, priceLists, olderTexts },
    placesOf: ({ ticketsURL, prices, older }) => ({
      ticketsURL: placeIn(ticketsURLs, ticketsURL, 'dates[].ticketsURL'),
      prices: placeIn(priceLists, prices, 'dates[].prices'),
      olderTexts: placeIn(olderTexts, older ?? null, 'dates[].streamingURL'),
    }),
  };
}
