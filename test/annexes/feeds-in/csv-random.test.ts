/** Random programmes, written as tables in random manners, come back as the events that they were. */
import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { readTableFeed } from '../../../jobs/annexes/feeds/csv/events.ts';
import { isObject } from '../../../src/calendar/json.ts';
import { readDocuments } from '../../helpers/feed-reading.ts';

const AWKWARD = [
  'Kor; og "band"',
  'A, b',
  'Å\tø',
  'To\nlinjer',
  'Tre\r\nlinjer',
  '«Hva?»',
  '1',
  '=SUM(A1)',
  'x|y',
];

const row = fc.record({
  id: fc.constantFrom('', '', 'a', 'b', '007'),
  title: fc.constantFrom(...AWKWARD, 'Konsert', 'Quiz', 'Kor'),
  place: fc.constantFrom('', 'Brygga', 'Torget, nedre', 'Kafé "Ø"'),
  day: fc.integer({ min: 0, max: 700 }),
  /** Clear of the nights in which the clock changes. */
  hour: fc.option(fc.integer({ min: 4, max: 23 })),
  minutes: fc.option(fc.integer({ min: 1, max: 600 })),
  text: fc.constantFrom(...AWKWARD, ''),
  isPrivate: fc.constantFrom(false, false, false, true),
});
type Row = typeof row extends fc.Arbitrary<infer T> ? T : never;

const manner = fc.record({
  separator: fc.constantFrom(';', ',', '\t'),
  lineEnd: fc.constantFrom('\n', '\r\n'),
  encoding: fc.constantFrom('UTF-8', 'UTF-8 with a mark', 'UTF-16', 'Windows-1252'),
  isSeparatorSaid: fc.boolean(),
  isQuoted: fc.boolean(),
  /** By which columns are put in order. */
  order: fc.shuffledSubarray([0, 1, 2, 3, 4, 5, 6, 7, 8, 9], { minLength: 10 }),
  isNumbered: fc.boolean(),
  blankAfter: fc.array(fc.nat(25), { maxLength: 3 }),
  dates: fc.constantFrom('Norwegian', 'ISO', 'apart', 'range', 'American'),
});
type Manner = typeof manner extends fc.Arbitrary<infer T> ? T : never;

const test = suite('random tables');

test('L1: should give each row of a random table to its event, whatever program wrote it', () => {
  const property = fc.property(fc.array(row, { minLength: 1, maxLength: 25 }), manner, (rows, how) => {
    const { events, venues, counts } = readDocuments(
      readTableFeed,
      tableOf(rows, how),
      settingsOf(rows, how),
    );
    const nameOf = (id: unknown) => venues.find((venue) => venue.id === id)?.name ?? '';
    const read = events.map((event) => ({
      title: event.title_nb,
      dates: listOf(event.dates).map(({ start, end, venue }) =>
        [start, end ?? '', nameOf(venue ?? event.venue)].join(' | '),
      ),
    }));
    assert.equal(read, naively(rows));
    assert.is(counts.events + counts.merged + counts.dropped, rows.length);
  });
  fc.assert(property, { numRuns: 300, seed: 20_270_214 });
});

test('L1: should read several days in a cell as rows of one day each', () => {
  const days = fc.uniqueArray(fc.integer({ min: 0, max: 700 }), { minLength: 1, maxLength: 8 });
  const property = fc.property(
    days,
    fc.constantFrom(', ', ' og ', '; '),
    fc.boolean(),
    (all, between, isShort) => {
      const written = all
        .sort((left, right) => left - right)
        .map((day) => new Date(FIRST_DAY + day * 86_400_000).toISOString().slice(0, 10));
      const cells = written.map((date, place) => {
        const [year = '', month = '', day = ''] = date.split('-');
        const isOfNext = isShort && written[place + 1]?.slice(0, 7) === date.slice(0, 7);
        return isOfNext ? `${Number(day)}.` : `${day}.${month}.${year}`;
      });
      const { events } = readDocuments(
        readTableFeed,
        `Tittel\tDato\tKl\nKor\t${cells.join(between)}\t19.00\n`,
      );
      assert.equal(
        events.flatMap(({ dates }) => listOf(dates).map(({ start }) => start)),
        written.map((day) => `${day} 19:00`),
      );
    },
  );
  fc.assert(property, { numRuns: 200, seed: 20_270_215 });
});

test.run();

/** Which events the rows are, without a table: those of one id, or of one title and place, that are not private. */
function naively(all: readonly Row[]): readonly object[] {
  const rows = all.filter(({ isPrivate }) => !isPrivate);
  const keyOf = ({ id, title, place }: Row) => (id === '' ? `${title} @ ${place}` : `#${id}`);
  return [...new Set(rows.map(keyOf))].map((key) => {
    const own = rows.filter((candidate) => keyOf(candidate) === key);
    const venue = own.find(({ place }) => place !== '')?.place ?? '';
    const dates = own.map((date) =>
      [startOf(date), endOf(date), date.place === '' ? venue : date.place].join(' | '),
    );
    return { title: own[0]?.title, dates: [...new Set(dates)] };
  });
}

const FIRST_DAY = Date.parse('2027-01-01T00:00:00Z');

function wallOf({ day, hour }: Row, minutes: number): string {
  return new Date(FIRST_DAY + (day * 1440 + (hour ?? 0) * 60 + minutes) * 60_000).toISOString();
}

function startOf(date: Row): string {
  return wallOf(date, 0)
    .slice(0, date.hour === null ? 10 : 16)
    .replace('T', ' ');
}

function endOf(date: Row): string {
  return date.hour === null || date.minutes === null
    ? ''
    : wallOf(date, date.minutes).slice(0, 16).replace('T', ' ');
}

/** Where each field is, by the name of its column. */
const FIELDS = {
  Id: 'id',
  Tittel: 'title_nb',
  Sted: 'venue',
  Beskrivelse: 'desc_nb',
  Privat: 'private',
  Start: 'start',
  Slutt: 'end',
  Dato: 'date',
  Kl: 'startTime',
  'Start Date': 'date',
  'Start Time': 'startTime',
  'End Date': 'endDate',
  'End Time': 'endTime',
  'All Day Event': 'allDay',
} as const;
type Name = keyof typeof FIELDS;
type Cells = Readonly<Partial<Record<Name, string>>>;

function namesOf(rows: readonly Row[], how: Manner): readonly Name[] {
  const names = rows[0] === undefined ? [] : (Object.keys(cellsOf(rows[0], how)) as Name[]);
  return how.order.flatMap((place) => names[place] ?? []);
}

function settingsOf(rows: readonly Row[], how: Manner) {
  if (!how.isNumbered) return {};
  const columns = namesOf(rows, how).map((name, place) => [FIELDS[name], place + 1]);
  return {
    columns: Object.fromEntries(columns),
    format: how.dates === 'American' ? 'MM/DD/YYYY h:mm A' : null,
  };
}

function tableOf(rows: readonly Row[], how: Manner): Buffer {
  const names = namesOf(rows, how);
  const all = rows.map((date) => cellsOf(date, how)).map((cells) => names.map((name) => cells[name] ?? ''));
  const lines = (how.isNumbered ? all : [names, ...all]).flatMap((cells, place) => {
    const line = cells.map((cell) => quoted(cell, how)).join(how.separator);
    return how.blankAfter.includes(place) ? [line, how.separator.repeat(6)] : [line];
  });
  const said = how.isSeparatorSaid ? [`sep=${how.separator}`] : [];
  return encoded([...said, ...lines, ''].join(how.lineEnd), how);
}

function cellsOf(date: Row, { dates }: Manner): Cells {
  const { id, title, place, text, isPrivate } = date;
  const common = { Id: id, Tittel: title, Sted: place, Beskrivelse: text, Privat: isPrivate ? 'ja' : 'nei' };
  const [start, end] = [startOf(date), endOf(date)];
  const [clock, until] = [start, end].map((written) => written.slice(11).replace(':', '.'));
  if (dates === 'ISO') return { ...common, Start: start, Slutt: end };
  if (dates === 'Norwegian') return { ...common, Start: norwegian(start), Slutt: norwegian(end) };
  const Dato = norwegian(start.slice(0, 10));
  if (dates === 'apart') return { ...common, Dato, Start: clock ?? '', Slutt: until ?? '' };
  if (dates === 'range') return { ...common, Dato, Kl: until === '' ? (clock ?? '') : `${clock}-${until}` };
  return {
    ...common,
    'Start Date': americanDay(start),
    'Start Time': americanTime(start),
    'End Date': americanDay(end),
    'End Time': americanTime(end),
    'All Day Event': date.hour === null ? 'True' : 'False',
  };
}

function norwegian(written: string): string {
  const [day = '', time] = written.split(' ');
  const plain = day.split('-').reverse().join('.');
  return time === undefined ? plain : `${plain} kl. ${time.replace(':', '.')}`;
}

function americanDay(written: string): string {
  const [year, month, day] = written.slice(0, 10).split('-');
  return written === '' ? '' : `${month}/${day}/${year}`;
}

function americanTime(written: string): string {
  const [hour = '', minute] = written.slice(11).split(':');
  if (hour === '') return '';
  return `${Number(hour) % 12 === 0 ? 12 : Number(hour) % 12}:${minute} ${Number(hour) < 12 ? 'AM' : 'PM'}`;
}

function quoted(cell: string, { isQuoted, separator }: Manner): string {
  const needsQuotes = isQuoted || /["\r\n]/.test(cell) || cell.includes(separator);
  return needsQuotes ? `"${cell.replaceAll('"', '""')}"` : cell;
}

function encoded(text: string, { encoding }: Manner): Buffer {
  if (encoding === 'Windows-1252') return Buffer.from(text, 'latin1');
  if (encoding === 'UTF-16') return Buffer.from(`\ufeff${text}`, 'utf16le');
  return Buffer.from(encoding === 'UTF-8' ? text : `\ufeff${text}`);
}

function listOf(value: unknown): readonly Readonly<Record<string, unknown>>[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}
