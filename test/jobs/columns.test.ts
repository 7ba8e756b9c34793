import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { osloDay, osloMinute, overAt } from '../../src/calendar/time.ts';
import { BUILD, date, eventRecord, instant } from '../helpers/records.ts';
import { columnSetOf, randomEvents } from './columns/random-events.ts';

const test = suite('columns');

test('D6: should know the build and every moment at which an answer can change, each once', async () => {
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
        [...new Set([BUILD, ...expected])].sort((a, b) => a - b),
      );
    }),
    { numRuns: 60 },
  );
});

test('B5: should say when an occurrence is, as day and minute in Norway', async () => {
  const starts = ['2027-03-28 03:30', '2027-06-30 23:45', '2026-12-31 00:00'];
  const { set } = await columnSetOf([
    eventRecord({ id: 'a', dates: starts.map((start) => date(start, null, { startTime: '02:30' })) }),
  ]);
  const { start, day, minute, startTime } = set.columns;
  for (const [row, at] of [...starts].sort().entries()) {
    const expected = instant(at);
    assert.is(start[row], expected);
    assert.equal([day[row], minute[row], startTime[row]], [osloDay(expected), osloMinute(expected), 150]);
  }
  assert.equal([...minute], [0, 210, 1425]);
});

test('B6: should fold tags, each once, and list them and the containers in the order of their bytes', async () => {
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
});

test('C1: should carry an organizer once that an event names twice', async () => {
  const dates = [date('2026-12-01 20:00'), date('2026-12-02 20:00')];
  const { set } = await columnSetOf([eventRecord({ id: 'a', dates, organizers: ['o2', 'o1', 'o2'] })]);
  const { organizers, organizerRows, organizerRowsAt } = set.columns;
  assert.equal([...organizers], [1, 0]);
  assert.equal(
    [[...organizerRowsAt], [...organizerRows]],
    [
      [0, 2, 4],
      [0, 1, 0, 1],
    ],
  );
});

test('C2: should index the rows of all that they carry, as the columns say it', async () => {
  await fc.assert(
    fc.asyncProperty(randomEvents, async (events) => {
      const { calendar, set } = await columnSetOf(events);
      const { columns: of } = set;
      const carried = (at: Int32Array, values: Int32Array, row: number) => {
        const ordinal = of.event[row] ?? -1;
        return [...values.subarray(at[ordinal], at[ordinal + 1])];
      };
      const groups = [
        [of.venueRowsAt, of.venueRows, (row: number) => [of.venue[row] ?? -1]],
        [of.organizerRowsAt, of.organizerRows, (row: number) => carried(of.organizersAt, of.organizers, row)],
        [of.categoryRowsAt, of.categoryRows, (row: number) => carried(of.categoriesAt, of.categories, row)],
      ] as const;
      for (const [at, rows, ordinalsOf] of groups) {
        for (let ordinal = 0; ordinal + 1 < at.length; ordinal++) {
          const expected = [...of.start.keys()].filter((row) => ordinalsOf(row).includes(ordinal));
          assert.equal([...rows.subarray(at[ordinal], at[ordinal + 1])], expected);
        }
      }
      assert.equal(
        groups.map(([at]) => at.length - 1),
        [calendar.venues.length, calendar.organizers.length, calendar.categories.length],
      );
    }),
    { numRuns: 40 },
  );
});

test('should know the latest end of each event', async () => {
  await fc.assert(
    fc.asyncProperty(randomEvents, async (events) => {
      const { columns: of } = (await columnSetOf(events)).set;
      for (const [event, over] of of.eventOver.entries()) {
        const rows = [...of.over.keys()].filter((row) => of.event[row] === event);
        assert.is(over, Math.max(...rows.map((row) => of.over[row] ?? 0)));
      }
    }),
    { numRuns: 40 },
  );
});

test.run();
