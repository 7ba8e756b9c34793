import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { columnsOf } from '../../jobs/columns.ts';
import type { ColumnSet, DateRecord, EventRecord } from '../../jobs/records.ts';
import type { Category } from '../../src/calendar/model.ts';
import { DAY, formatOslo, HOUR, osloDay, osloMinute, overAt } from '../../src/calendar/time.ts';
import { DATETIME_WIDTH } from '../../src/snapshot/columns.ts';
import { checkShape } from '../../src/snapshot/shape.ts';
import {
  BUILD,
  category,
  date,
  eventRecord,
  instant,
  materialised,
  organizerRecord,
  venueRecord,
} from '../helpers/records.ts';

const columns = suite('columns');

const VENUES = ['v1', 'v2', 'v3'];
const ORGANIZERS = ['o1', 'o2'];
const CATEGORIES: readonly Category[] = [
  category('MUSIC'),
  category('JAZZ', 0),
  category('FOLK', 0),
  category('FOOD'),
];
const SOURCE = {
  venues: VENUES.map((id) => venueRecord(id)),
  organizers: ORGANIZERS.map((id) => organizerRecord(id)),
  categories: CATEGORIES,
};

/** Half hours around the build, so that ends, starts and publishings often fall on the same second. */
const moment = fc.integer({ min: -8, max: 60 }).map((halves) => BUILD + halves * HOUR * 0.5);
const length = fc.constantFrom(0, 0, HOUR, 2 * HOUR, 5 * HOUR, 30 * HOUR);
const randomDate = fc.record({
  start: moment,
  length,
  venue: fc.option(fc.constantFrom(...VENUES), { nil: null, freq: 3 }),
});

const dated = (one: { start: number; length: number; venue: string | null }): DateRecord => ({
  ...date('2026-11-20 12:00'),
  start: one.start,
  end: one.start + one.length,
  duration: one.length / 60,
  venue: one.venue,
});

const randomEvents = fc
  .array(
    fc.record({
      dates: fc.array(randomDate.map(dated), { minLength: 1, maxLength: 6 }),
      publishingDate: fc.option(moment, { nil: null }),
      organizers: fc.subarray(ORGANIZERS),
      categories: fc.subarray(CATEGORIES.map(({ id }) => id)),
    }),
    { maxLength: 8 },
  )
  .map((events) => events.map((own, at) => eventRecord({ id: `e${at}`, ...own })));

/** What the unfiltered `events` counts at a moment, by the contract: A1, A2, A4, A9, C1, C2. */
function countByHand(events: readonly EventRecord[], at: number): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  const count = (key: string) => counts.set(key, (counts.get(key) ?? 0) + 1);
  for (const { dates, publishingDate, organizers, categories } of events) {
    if (publishingDate !== null && publishingDate > at) continue;
    const inOrder = dates.toSorted((a, b) => a.start - b.start || a.end - b.end);
    const shown = inOrder.find(({ start, end }) => overAt(start, end) > at);
    if (shown === undefined) continue;
    count('total ');
    if (shown.venue !== null) count(`venue ${shown.venue}`);
    for (const id of organizers) count(`organizer ${id}`);
    const carried = categories.flatMap((id) => [
      id,
      CATEGORIES[CATEGORIES.find((one) => one.id === id)?.parent ?? -1]?.id ?? id,
    ]);
    for (const id of new Set(carried)) count(`category ${id}`);
  }
  return counts;
}

/** The seconds at and around everything that happens. */
function moments(events: readonly EventRecord[]): readonly number[] {
  const all = events.flatMap(({ dates, publishingDate }) => [
    ...dates.flatMap(({ start, end }) => [start, end, overAt(start, end)]),
    publishingDate ?? BUILD,
  ]);
  const around = [BUILD, BUILD + 365 * DAY, ...all].flatMap((one) => [one - 1, one, one + 1]);
  return [...new Set(around)].filter((one) => one >= BUILD).sort((a, b) => a - b);
}

const NAMES = [
  'total ',
  ...VENUES.map((id) => `venue ${id}`),
  ...ORGANIZERS.map((id) => `organizer ${id}`),
  ...CATEGORIES.map(({ id }) => `category ${id}`),
];

function countBySteps(
  { columns: { changeAt, changeOf, changeBy } }: ColumnSet,
  at: number,
): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const [step, when] of changeAt.entries()) {
    if (when > at) continue;
    const name = NAMES[changeOf[step] ?? -1] ?? 'no entity';
    counts.set(name, (counts.get(name) ?? 0) + (changeBy[step] ?? 0));
  }
  return new Map([...counts].filter(([, hits]) => hits !== 0));
}

function countByStretches({ facetCounts }: ColumnSet, at: number): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { kind, id, since, until, hits } of facetCounts) {
    if (since > at || at >= until) continue;
    assert.not.ok(counts.has(`${kind} ${id}`), `two stretches of ${kind} ${id} at ${at}`);
    counts.set(`${kind} ${id}`, hits);
  }
  return counts;
}

const sorted = (counts: ReadonlyMap<string, number>) => [...counts].sort(([a], [b]) => (a < b ? -1 : 1));

async function columnSetOf(events: readonly EventRecord[], source = SOURCE) {
  const { calendar } = await materialised(events, source);
  return { calendar, set: columnsOf(calendar, BUILD) };
}

columns('C1, C2: MUST count the facets of every moment as they are counted by hand', async () => {
  await fc.assert(
    fc.asyncProperty(randomEvents, async (events) => {
      const { set } = await columnSetOf(events);
      for (const at of moments(events)) {
        const expected = sorted(countByHand(events, at));
        assert.equal(sorted(countBySteps(set, at)), expected, `steps at ${formatOslo(at)}`);
        assert.equal(sorted(countByStretches(set, at)), expected, `stretches at ${formatOslo(at)}`);
      }
    }),
    { numRuns: 60 },
  );
});

columns('A3, A9: MUST show at every moment the rows that are shown by hand', async () => {
  await fc.assert(
    fc.asyncProperty(randomEvents, async (events) => {
      const { calendar, set } = await columnSetOf(events);
      const { predecessorsOver, over, publishing, event } = set.columns;
      for (const at of moments(events)) {
        const shown = [...over.keys()].filter((row) => {
          const since = Math.max(predecessorsOver[row] ?? 0, publishing[event[row] ?? 0] ?? 0);
          return since <= at && at < (over[row] ?? 0);
        });
        const ids = shown.map((row) => calendar.events[event[row] ?? -1]?.id);
        assert.is(new Set(ids).size, ids.length, 'each event once');
        assert.is(ids.length, countByHand(events, at).get('total ') ?? 0);
      }
    }),
    { numRuns: 60 },
  );
});

columns(
  'C1: should have steps in order of time, none of them nothing, and no two of one moment and entity',
  async () => {
    await fc.assert(
      fc.asyncProperty(randomEvents, async (events) => {
        const { changeAt, changeOf, changeBy } = (await columnSetOf(events)).set.columns;
        const keys = [...changeAt].map((at, step) => at * NAMES.length + (changeOf[step] ?? 0));
        assert.equal(
          keys,
          [...new Set(keys)].sort((a, b) => a - b),
        );
        assert.ok([...changeBy].every((by) => by !== 0));
        assert.ok([...changeAt].every((at) => at >= BUILD));
      }),
      { numRuns: 60 },
    );
  },
);

columns('A2, A6: should know what is before each occurrence, in all and on its day', async () => {
  await fc.assert(
    fc.asyncProperty(randomEvents, async (events) => {
      const { set } = await columnSetOf(events);
      const { occurrencesAt, occurrences, over, day, start, end, event } = set.columns;
      for (const ordinal of set.columns.publishing.keys()) {
        const rows = [...occurrences.subarray(occurrencesAt[ordinal], occurrencesAt[ordinal + 1])];
        assert.ok(rows.every((row) => event[row] === ordinal));
        assert.equal(
          rows,
          rows.toSorted(
            (a, b) => (start[a] ?? 0) - (start[b] ?? 0) || (end[a] ?? 0) - (end[b] ?? 0) || a - b,
          ),
        );
        for (const [place, row] of rows.entries()) {
          const before = rows.slice(0, place);
          const sameDay = before.filter((other) => day[other] === day[row]);
          const latest = (of: readonly number[]) => Math.max(...of.map((one) => over[one] ?? 0));
          assert.is(set.columns.previous[row], before.at(-1) ?? -1);
          assert.is(set.columns.predecessorsOver[row], latest(before));
          assert.is(set.columns.sameDayPredecessorsOver[row], latest(sameDay));
        }
      }
    }),
    { numRuns: 60 },
  );
});

columns('D6: should know every moment at which an answer can change, each once', async () => {
  await fc.assert(
    fc.asyncProperty(randomEvents, async (events) => {
      const { set } = await columnSetOf(events);
      const times = [...set.columns.moments];
      assert.equal(
        times,
        [...new Set(times)].sort((a, b) => a - b),
      );
      const written = events.filter(({ dates }) =>
        dates.some(({ start, end }) => overAt(start, end) > BUILD),
      );
      const expected = written
        .flatMap(({ dates, publishingDate }) => [
          ...dates.map(({ start, end }) => overAt(start, end)),
          publishingDate ?? 0,
        ])
        .filter((one) => one > BUILD);
      assert.equal(
        times,
        [...new Set(expected)].sort((a, b) => a - b),
      );
    }),
    { numRuns: 60 },
  );
});

columns('should have the length that a snapshot is checked for, also when there is nothing', async () => {
  await fc.assert(
    fc.asyncProperty(randomEvents, async (events) => {
      const { calendar, set } = await columnSetOf(events);
      const counts = {
        events: calendar.events.length,
        occurrences: calendar.occurrences.start.length,
        venues: VENUES.length,
        organizers: ORGANIZERS.length,
        categories: CATEGORIES.length,
      };
      assert.not.throws(() => checkShape(set.columns, set.lists, counts));
    }),
    { numRuns: 20 },
  );
  const { set } = await columnSetOf([]);
  assert.equal([...set.columns.occurrencesAt], [0]);
  assert.equal([...set.facetCounts], []);
});

columns('A13, B5: should say when an occurrence is, as text, day and minute in Norway', async () => {
  const starts = ['2027-03-28 03:30', '2027-06-30 23:45', '2026-12-31 00:00'];
  const { set } = await columnSetOf([
    eventRecord({ id: 'a', dates: starts.map((start) => date(start, null, { startTime: '02:30' })) }),
  ]);
  const { start, day, minute, startTime, startText, endText } = set.columns;
  const text = (column: Uint8Array, row: number) =>
    Buffer.from(column).toString('latin1', row * DATETIME_WIDTH, (row + 1) * DATETIME_WIDTH);
  for (const [row, at] of [...starts].sort().entries()) {
    const expected = instant(at);
    assert.is(start[row], expected);
    assert.equal([day[row], minute[row], startTime[row]], [osloDay(expected), osloMinute(expected), 150]);
    assert.equal([text(startText, row), text(endText, row)], [formatOslo(expected), formatOslo(expected)]);
  }
  assert.equal([...minute], [0, 210, 1425]);
});

columns(
  'B6: should fold tags, each once, and list them and the containers in the order of their bytes',
  async () => {
    const dates = [date('2026-12-01 20:00')];
    const { set } = await columnSetOf([
      eventRecord({ id: 'a', dates, tags: ['Øl', 'jazz', 'ØL'], super_event: 'c' }),
      eventRecord({ id: 'b', dates, super_event: 'a' }),
      eventRecord({ id: 'c', dates, tags: ['Jazz', 'Blåbær'], publishingDate: BUILD + 60 }),
    ]);
    const { columns: found, lists } = set;
    assert.equal(lists.tags, ['blabaer', 'jazz', 'ol']);
    assert.equal([...found.tagsAt], [0, 2, 2, 4]);
    assert.equal([...found.tags], [2, 1, 1, 0]);
    assert.equal(lists.containers, ['a', 'c']);
    assert.equal([...found.container], [1, 0, -1]);
    assert.equal([...found.publishing], [Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY, BUILD + 60]);
  },
);

columns.run();
