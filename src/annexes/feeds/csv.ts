/** `/events.csv` (I6): a row an occurrence, for spreadsheets and scripts. */
import { type Field, having } from '../../calendar/field.ts';
import { EVENT } from '../../calendar/fields.ts';
import { plainLines, withoutLineEnds } from '../common/lines.ts';
import { eventsIn } from '../events/entries.ts';
import type { EventList } from '../events/event-list.ts';
import { type ListedEvent, type ListedOccurrence, type ListedPrice, pricesOf } from '../events/listed.ts';

/** RFC 4180; each record stands on one line. */
export function* writeCsv(list: EventList): Generator<string> {
  const isForSpreadsheets = list.values.delimiter === ';';
  const delimiter = isForSpreadsheets ? ';' : ',';
  const recordOf = (cells: readonly Cell[]) => {
    const texts = cells.map((cell) => cellText(cell, isForSpreadsheets));
    return `${texts.join(delimiter)}\r\n`;
  };
  // A byte order mark makes spreadsheets read UTF-8; a program would take it as part of the first name.
  const mark = isForSpreadsheets ? '\ufeff' : '';
  yield `${mark}${recordOf(Object.keys(COLUMNS))}`;
  const columns = Object.values(COLUMNS);
  for (const { event, dates } of eventsIn(list)) {
    for (const occurrence of dates()) yield recordOf(columns.map((read) => read(event, occurrence)));
  }
}

type Cell = string | number | boolean | null | undefined;

/** The cell of a column in the row of one date. */
type ReadCell = (event: ListedEvent, occurrence: ListedOccurrence) => Cell;

/** The header, in its order. Readers count columns: new ones are appended, and none is removed. */
const COLUMNS: Readonly<Record<string, ReadCell>> = {
  id: ({ id }) => id,
  occurrenceID: (_, { id }) => id,
  title: ({ title }) => title.text,
  startDate: (_, { startText }) => startText,
  endDate: (_, { endText }) => endText,
  // For spreadsheets, which read dates and times but no offsets.
  day: (_, { startText }) => startText.slice(0, 10),
  startTime: (_, { startTime }) => startTime,
  endTime: (_, { start, end, endText }) => (end > start ? endText.slice(11, 16) : null),
  allDay: (_, { isAllDay }) => isAllDay,
  eventCancelled: (_, { isCancelled }) => isCancelled,
  eventSoldOut: (_, { isSoldOut }) => isSoldOut,
  mode: ({ isOnline }) => (isOnline ? 'online' : 'offline'),
  venue: (_, { venue }) => venue?.name,
  address: (_, { venue }) => venue?.address,
  postalCode: (_, { venue }) => venue?.postalCode,
  municipality: (_, { venue }) => venue?.municipality,
  latitude: (_, { venue }) => venue?.location?.latitude,
  longitude: (_, { venue }) => venue?.location?.longitude,
  categoryLabels: ({ labels }) => labels.join(', '),
  organizers: ({ organizers }) => organizers.map(({ name }) => name).join(', '),
  eventLink: ({ link }) => link,
  ticketsURL: (_, { ticketsURL }) => ticketsURL,
  streamingURL: ({ streamingURL }) => streamingURL,
  free: ({ isFree }) => isFree,
  prices: (event, occurrence) => pricesOf(event, occurrence).map(priceOf).join(', '),
  image: ({ image }) => image?.large,
  description: ({ description }) => description && plainLines(description.text),
  accessibility: (_, { accessibility }) => accessibility.join(', '),
  ...plainColumns(),
};

/** The plain fields that say they are columns. */
function plainColumns(): Readonly<Record<string, ReadCell>> {
  const fields = Object.entries<Field>(having(EVENT, 'listed'));
  // The two fields of a pair have one column.
  const names = fields.map(([name, { localized: pair }]) => pair ?? name);
  const columns = names.map((name) => [name, ({ plain }: ListedEvent) => cellOf(plain[name])] as const);
  return Object.fromEntries(columns);
}

function cellOf(value: unknown): Cell {
  if (Array.isArray(value)) return value.join(', ');
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? value : null;
}

function priceOf({ type, name, price }: ListedPrice): string {
  return [name ?? type, price].filter((part) => part !== null).join(' ');
}

function cellText(cell: Cell, isForSpreadsheets: boolean): string {
  // Norwegian spreadsheets read `10.3` as a day in March.
  if (typeof cell === 'number' && isForSpreadsheets) return String(cell).replace('.', ',');
  if (typeof cell !== 'string') return String(cell ?? '');
  const text = withoutLineEnds(cell).replace(RUNNABLE, "'");
  return SPECIAL.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Positions at which spreadsheets would run a cell as a formula. */
const RUNNABLE = new RegExp(
  [
    // The beginning of a cell, as in `=1+1`; for programs that use another delimiter, after each of those, too, as in `a;=1+1`.
    String.raw`(?<=^|[;,\t])`,
    // `,-` belongs to a price, as in `150,-` or `150,-/100,-`, unless the rest could call a function or a program, as in `5,- cmd|'/C calc'!A0`.
    String.raw`(?!(?<=\d,)-(?:$|[\s./)!?:])(?![^,]*(?:\||!\S|[\p{L}\p{N}]\s*\()))`,
    // Programs skip blanks, quotes and characters without a form before the sign, as in ` "=1+1`. Full-width signs count, too.
    String.raw`(?=[\s"\p{Cf}\p{Default_Ignorable_Code_Point}]*[=+\-@\uff1d\uff0b\uff0d\uff20])`,
  ].join(''),
  'gu',
);

const SPECIAL = /[",;\t]|^\s|\s$/;
