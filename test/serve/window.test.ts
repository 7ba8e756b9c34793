/** A4, A6: windows, held against the rules as they are written. */

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { EventRecord } from '../../jobs/records.ts';
import { HOUR } from '../../src/calendar/time.ts';
import { createShownRows, epochAt, type Window } from '../../src/serve/query/view.ts';
import { bitsOf, type Columns } from '../../src/snapshot/columns.ts';
import { type Random, seeded } from '../helpers/random-operations.ts';
import { BUILD, columnSetOf, date, eventRecord } from '../helpers/records.ts';

const windows = suite('windows');
const HOURS = 40 * 24;
let columns: Columns;

windows.before(async () => {
  const random = seeded(3);
  columns = (await columnSetOf(Array.from({ length: 1_000 }, (_, nth) => randomEvent(random, nth)))).set
    .columns;
});

/** Many on one day, some that last for weeks, some that are not published yet. */
function randomEvent(random: Random, nth: number): EventRecord {
  const first = random(HOURS);
  const dates = Array.from({ length: 1 + random(8) }, () => {
    const start = BUILD + (first + random(random(3) === 0 ? 8 : 200)) * HOUR;
    const end = start + ([0, 0, 2, 5, 30, 400][random(6)] ?? 0) * HOUR;
    return { ...date('2026-11-20 12:00'), start, end, duration: (end - start) / 60 };
  });
  const publishingDate = random(20) === 0 ? BUILD + random(HOURS) * HOUR : null;
  return eventRecord({ id: `e${nth}`, dates, publishingDate });
}

/** The rules as they are written. */
function everyRow({ over, start, event, day, publishing }: Columns, now: number, window: Window) {
  const { fromDate = now, fromStartDate = -Infinity, untilDate = Infinity } = window;
  const taken = new Set<string>();
  return [...start.keys()].filter((row) => {
    const at = start[row] ?? 0;
    if ((over[row] ?? 0) <= Math.max(now, fromDate) || at < fromStartDate || at >= untilDate) return false;
    const key = window.groupRepetitionsByDay === true ? `${event[row]} ${day[row]}` : `${event[row]}`;
    if (taken.has(key)) return false;
    taken.add(key);
    return (publishing[event[row] ?? -1] ?? 0) <= now;
  });
}

windows('A4, A6: MUST show what the rules say of every row, whatever the window', () => {
  const random = seeded(4);
  const now = BUILD + 50 * HOUR;
  const { since } = epochAt({ columns }, now);
  const shown = createShownRows(columns, since);
  const ends = [-Infinity, columns.start[0] ?? 0, columns.start.at(-1) ?? 0, 2 ** 40];
  const somewhen = () => ends[random(20)] ?? BUILD + random(HOURS + 200) * HOUR + random(3) - 1;
  const fields = ['fromDate', 'untilDate', 'fromStartDate'] as const;
  for (let round = 0; round < 300; round++) {
    const window: Window = {
      ...Object.fromEntries(fields.flatMap((field) => (random(2) === 0 ? [] : [[field, somewhen()]]))),
      ...(random(2) === 0 && { groupRepetitionsByDay: true as const }),
    };
    const expected = everyRow(columns, now, window);
    for (const time of ['once', 'again']) {
      const rows = shown(window);
      assert.equal([...bitsOf(rows)], expected, `${time}: ${JSON.stringify(window)}`);
      // The caller may change the set.
      rows.fill(0);
    }
  }
});

windows.run();
