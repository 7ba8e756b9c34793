/** Random programmes, written as tables in random manners, come back as the events that they were. */
import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { readTableFeed } from '../../jobs/sources/csv/events.ts';
import { isObject } from '../../src/calendar/json.ts';
import { readDocuments } from '../helpers/feed-reading.ts';

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
});
type Row = typeof row extends fc.Arbitrary<infer T> ? T : never;

const manner = fc.record({
  separator: fc.constantFrom(';', ',', '\t'),
  lineEnd: fc.constantFrom('\n', '\r\n'),
  encoding: fc.constantFrom('UTF-8', 'UTF-8 with a mark', 'UTF-16', 'Windows-1252'),
  isSeparatorSaid: fc.boolean(),
  isQuoted: fc.boolean(),
  order: fc.shuffledSubarray([0, 1, 2, 3, 4, 5, 6], { minLength: 7 }),
  blankAfter: fc.array(fc.nat(25), { maxLength: 3 }),
  dates: fc.constantFrom('Norwegian', 'ISO', 'apart'),
});
type Manner = typeof manner extends fc.Arbitrary<infer T> ? T : never;

const test = suite('random tables');

test('L1: should give each row of a random table to its event, whatever program wrote it', () => {
  const property = fc.property(fc.array(row, { minLength: 1, maxLength: 25 }), manner, (rows, how) => {
    const { events, venues, counts } = readDocuments(readTableFeed, tableOf(rows, how));
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
  fc.assert(property, { numRuns: 200, seed: 20_270_214 });
});

test.run();

/** Which events the rows are, without a table: those of one id, or of one title and place. */
function naively(rows: readonly Row[]): readonly object[] {
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

function tableOf(rows: readonly Row[], how: Manner): Buffer {
  const head = [
    'Id',
    'Tittel',
    'Sted',
    how.dates === 'apart' ? 'Dato' : 'Notat',
    'Start',
    'Slutt',
    'Beskrivelse',
  ];
  const lines = [head, ...rows.map((date) => cellsOf(date, how))].flatMap((cells, place) => {
    const line = how.order.map((at) => quoted(cells[at] ?? '', how)).join(how.separator);
    return how.blankAfter.includes(place) ? [line, how.separator.repeat(6)] : [line];
  });
  const said = how.isSeparatorSaid ? [`sep=${how.separator}`] : [];
  return encoded([...said, ...lines, ''].join(how.lineEnd), how);
}

function cellsOf(date: Row, { dates }: Manner): readonly string[] {
  const { id, title, place, text } = date;
  const form = (written: string) => {
    const [day = '', time] = written.split(' ');
    const norwegian = day.split('-').reverse().join('.');
    return time === undefined ? norwegian : `${norwegian} kl. ${time.replace(':', '.')}`;
  };
  const timeOf = (written: string) => written.slice(11).replace(':', '.');
  const [start, end] = [startOf(date), endOf(date)];
  if (dates === 'apart')
    return [id, title, place, form(start.slice(0, 10)), timeOf(start), timeOf(end), text];
  const write = dates === 'ISO' ? (written: string) => written : form;
  return [id, title, place, text, write(start), write(end), text];
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
