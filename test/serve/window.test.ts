/** A4, A6: windows by checkpoints, held against a look at every row, in a calendar with many checkpoints. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { EventRecord } from '../../jobs/records.ts';
import { HOUR } from '../../src/calendar/time.ts';
import { createShownRows } from '../../src/serve/query/window.ts';
import { placesOf } from '../../src/snapshot/bitmaps.ts';
import { type Columns, changesApart } from '../../src/snapshot/columns.ts';
import { type Random, seeded } from '../helpers/random-operations.ts';
import { BUILD, date, eventRecord } from '../helpers/records.ts';
import { columnSetOf } from '../jobs/columns/random-events.ts';

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

interface Window {
  readonly validAt: number;
  readonly fromStart: number;
  readonly untilStart: number;
  readonly byDay: boolean;
}

/** The rules as they are written. */
function everyRow({ over, start, event, day, publishing }: Columns, now: number, window: Window) {
  const { validAt, fromStart, untilStart, byDay } = window;
  const taken = new Set<string>();
  return [...start.keys()].filter((row) => {
    const at = start[row] ?? 0;
    if ((over[row] ?? 0) <= validAt || at < fromStart || at >= untilStart) return false;
    const key = byDay ? `${event[row]} ${day[row]}` : `${event[row]}`;
    if (taken.has(key)) return false;
    taken.add(key);
    return (publishing[event[row] ?? -1] ?? 0) <= now;
  });
}

windows('A4, A6: MUST show what a look at every row shows, whatever the window', () => {
  assert.ok(columns.shownChanges.length > 3 * changesApart(columns.start.length));
  const random = seeded(4);
  const now = BUILD + 50 * HOUR;
  const shown = createShownRows(columns, now);
  const somewhen = () => BUILD + random(HOURS + 200) * HOUR + random(3) - 1;
  for (let round = 0; round < 600; round++) {
    const window = {
      validAt: random(6) === 0 ? Number.NEGATIVE_INFINITY : somewhen(),
      fromStart: random(2) === 0 ? Number.NEGATIVE_INFINITY : somewhen(),
      untilStart: random(2) === 0 ? Number.POSITIVE_INFINITY : somewhen(),
      byDay: random(2) === 0,
    };
    assert.equal(placesOf(shown(window)), everyRow(columns, now, window), JSON.stringify(window));
  }
});

windows('should answer for windows at and beyond both ends', () => {
  const shown = createShownRows(columns, BUILD);
  const ends = [Number.NEGATIVE_INFINITY, columns.start[0] ?? 0, columns.start.at(-1) ?? 0, 2 ** 40];
  for (const validAt of ends) {
    for (const fromStart of ends) {
      for (const byDay of [false, true]) {
        const window = { validAt, fromStart, untilStart: Number.POSITIVE_INFINITY, byDay };
        assert.equal(placesOf(shown(window)), everyRow(columns, BUILD, window), JSON.stringify(window));
      }
    }
  }
});

windows.run();
