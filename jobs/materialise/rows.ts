/**
 * The rows of occurrences: collected event by event, as columns, and returned in serving order. Values that few rows have, such as prices
 * of their own, are indexes into a list of their event.
 */
import { parseMinute } from '../../src/calendar/input-datetime.ts';
import type { Occurrence, Price } from '../../src/calendar/model.ts';
import type { OlderDateFields } from '../../src/calendar/older-fields.ts';
import { overAt } from '../../src/calendar/time.ts';
import { ABSENT, freeColumns } from '../../src/snapshot/columns.ts';
import { flagsOfStatus, OCCURRENCE_FLAGS } from '../../src/snapshot/flags.ts';
import type { OccurrenceTexts } from '../../src/snapshot/fragments.ts';
import type { Occurrences } from '../calendar.ts';
import type { Reporter } from '../findings.ts';
import type { EventRecord } from '../records.ts';

export interface Rows {
  /** Occurrences of one event come in A2's order. `collectedAt`: the event's index among those that are read, which `finish` replaces. */
  readonly add: (collectedAt: number, occurrence: Occurrence, indexes: RowIndexes) => void;
  /** Sorts; `ordinals` has each event's ordinal by its `collectedAt`, or -1. Called once. */
  readonly finish: (ordinals: Int32Array) => Occurrences;
}

/** Collects rows in columns that grow. */
export function createRows(): Rows {
  let size = 0;
  let rows = emptyRows(1024);

  function add(collectedAt: number, occurrence: Occurrence, indexes: RowIndexes): void {
    if (size === rows.start.length) rows = grown(rows);
    const { start, end, duration, startTime, allDay, status, eventSoldOut } = occurrence;
    const { venue, nth, ruleFlags, ticketsURL, prices, olderTexts } = indexes;
    rows.start[size] = start;
    rows.end[size] = end;
    rows.over[size] = overAt(start, end);
    rows.event[size] = collectedAt;
    rows.venue[size] = venue;
    rows.startTime[size] = parseMinute(startTime) ?? 0;
    rows.duration[size] = duration ?? -1;
    rows.occurrenceFlags[size] =
      ruleFlags |
      flagsOfStatus(status) |
      (eventSoldOut ? OCCURRENCE_FLAGS.soldOut : 0) |
      (allDay ? OCCURRENCE_FLAGS.allDay : 0);
    rows.previousStart[size] = occurrence.previousStart ?? Number.NaN;
    rows.nth[size] = nth;
    rows.ticketsURL[size] = ticketsURL;
    rows.prices[size] = prices;
    rows.olderTexts[size] = olderTexts;
    size++;
  }

  function finish(ordinals: Int32Array): Occurrences {
    for (let row = 0; row < size; row++) rows.event[row] = ordinals[rows.event[row] ?? -1] ?? -1;
    return inServingOrder(rows, size);
  }

  return { add, finish };
}

/** Values of a row that are indexes: ABSENT for no text, -1 for no venue. */
export interface RowIndexes extends TextIndexes {
  readonly venue: number;
  /** A16: the number of an occurrence among those of its event with the same start. */
  readonly nth: number;
  /** Bits of OCCURRENCE_FLAGS that are not from the record. */
  readonly ruleFlags: number;
}

interface TextIndexes {
  readonly ticketsURL: number;
  readonly prices: number;
  readonly olderTexts: number;
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
    previousStart: new Float64Array(length),
    nth: new Int32Array(length),
    ticketsURL: new Uint16Array(length),
    prices: new Uint16Array(length),
    olderTexts: new Uint16Array(length),
  };
}

function grown(rows: Occurrences): Occurrences {
  const larger = emptyRows(rows.start.length * 2);
  for (const name of NAMES) larger[name].set(rows[name]);
  freeColumns(Object.values(rows));
  return larger;
}

/** By start, then event; equals are already in A2's order, and stay in it. */
function inServingOrder(rows: Occurrences, size: number): Occurrences {
  const { start, event } = rows;
  const order = new Uint32Array(size)
    .map((_, row) => row)
    .sort((a, b) => (start[a] ?? 0) - (start[b] ?? 0) || (event[a] ?? 0) - (event[b] ?? 0) || a - b);
  const ordered = emptyRows(size);
  for (const name of NAMES)
    for (let row = 0; row < size; row++) ordered[name][row] = rows[name][order[row] ?? 0] ?? 0;
  freeColumns(Object.values(rows));
  return ordered;
}

const NONE = emptyRows(0);
const isName = (name: string): name is keyof Occurrences => name in NONE;
const NAMES = Object.keys(NONE).filter(isName);

interface OwnTexts {
  readonly ticketsURL: string | null;
  readonly prices: readonly Price[] | null;
  readonly older?: OlderDateFields | undefined;
}

interface TextLists {
  /** The different texts of an event's dates. */
  readonly lists: OccurrenceTexts;
  /** The indexes of a date's texts in these lists. */
  readonly indexesOf: (texts: OwnTexts) => TextIndexes;
}

/** Collects the texts of an event's dates, each once. Reports an event with too many. */
export function createTextLists({ origin, id }: EventRecord, report: Reporter): TextLists {
  const ticketsURLs: string[] = [];
  const priceLists: (readonly Price[])[] = [];
  const olderTexts: OlderDateFields[] = [];
  const indexes = new Map<string, number>();

  function indexIn<Text>(list: Text[], text: Text | null, field: string): number {
    if (text === null) return ABSENT;
    const key = `${field} ${JSON.stringify(text)}`;
    const existing = indexes.get(key);
    if (existing !== undefined) return existing;
    if (list.length === ABSENT) {
      const expected = `at most ${ABSENT} different values in the dates of one event`;
      report.addFinding({ action: 'changed value', origin, id, field, expected, found: 'more' });
      return ABSENT;
    }
    const index = list.length;
    indexes.set(key, index);
    list.push(text);
    return index;
  }

  return {
    lists: { ticketsURLs, priceLists, olderTexts },
    indexesOf: ({ ticketsURL, prices, older }) => ({
      ticketsURL: indexIn(ticketsURLs, ticketsURL, 'dates[].ticketsURL'),
      prices: indexIn(priceLists, prices, 'dates[].prices'),
      olderTexts: indexIn(olderTexts, older ?? null, 'dates[].streamingURL'),
    }),
  };
}
