import fc from 'fast-check';
import { RRuleTemporal } from 'rrule-temporal';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { MOST_KEPT } from '../../jobs/recurrence/allowance.ts';
import { plainSeries } from '../../jobs/recurrence/plain.ts';
import { DAY, formatWall, HOUR } from '../../src/calendar/time.ts';
import { expandByDefinition } from './recurrence/by-definition.ts';
import { expanded, ruleOf, wall } from './recurrence/expanding.ts';
import { libraryRules, plainRules, yearlyRules } from './recurrence/rules.ts';

const recurrence = suite('random recurrence');

const starts = fc
  .integer({ min: wall('2024-01-01 00:00') / 60, max: wall('2027-01-01 00:00') / 60 })
  .map((minutes) => minutes * 60);

/** The library's own answer in one go: COUNT and UNTIL are its business here. */
function byLibrary(text: string, start: number, until: number): readonly number[] {
  const begin = formatWall(start).replace(' ', 'T').replace(/[-:]/g, '');
  // It wants UNTIL in UTC, which here is the wall clock.
  const rule = text.replace(/(UNTIL=\d+T\d+)/, '$1Z');
  const library = new RRuleTemporal({
    rruleString: `DTSTART:${begin}Z\nRRULE:${rule}`,
    maxIterations: 1_000_000,
  });
  return library
    .between(new Date(start * 1000), new Date(until * 1000), true)
    .map((one) => one.epochMilliseconds / 1000);
}

recurrence('should expand plain rules as the library does', () => {
  fc.assert(
    fc.property(plainRules, starts, fc.integer({ min: -40 * DAY, max: 400 * DAY }), (text, start, later) => {
      assert.ok(plainSeries(ruleOf(text), start) !== null, text);
      const until = start + 30 * DAY;
      const expected = byLibrary(text, start, until).filter((one) => one >= start + later);
      const { walls, cut } = expanded(text, start, { from: start + later, until });
      assert.equal(walls, expected.slice(0, walls.length), text);
      assert.ok(walls.length === expected.length || (cut !== null && walls.length === MOST_KEPT), text);
    }),
  );
});

recurrence('should expand other rules as RFC 5545 defines them, stretch by stretch', () => {
  const until = wall('2028-01-01 00:00');
  fc.assert(
    fc.property(libraryRules, starts, fc.boolean(), (text, start, fromNow) => {
      const limit = Math.min(until, untilOf(text));
      const from = fromNow ? wall('2026-11-20 10:00') : start;
      const expected = expandByDefinition(text, start, limit).filter((one) => one >= from);
      assert.equal(expanded(text, start, { from, until }), { walls: expected, cut: null }, text);
    }),
    { numRuns: 150 },
  );
});

recurrence('should lose nothing where one stretch of the library ends and the next begins', () => {
  const months = 'BYMONTH=1,2,3,4,5,6,7,8,9,10,11,12';
  const start = wall('2010-01-01 20:00');
  for (const [rule, step, until] of [
    [`FREQ=DAILY;${months}`, DAY, '2028-12-31 20:00'],
    [`FREQ=HOURLY;${months}`, HOUR, '2011-01-31 20:00'],
    [`FREQ=MINUTELY;INTERVAL=15;${months}`, 900, '2010-03-31 20:00'],
  ] as const) {
    const { walls, cut } = expanded(rule, start, { until: wall(until) });
    const count = (wall(until) - start) / step + 1;
    assert.equal([walls.length, cut, walls.at(-1)], [count, null, wall(until)], rule);
  }
});

recurrence('should expand years as RFC 5545 defines them, where the library does not', () => {
  const until = wall('2029-01-01 00:00');
  fc.assert(
    fc.property(yearlyRules, starts, fc.boolean(), (text, start, fromNow) => {
      const limit = Math.min(until, untilOf(text));
      const from = fromNow ? wall('2026-11-20 10:00') : start;
      const expected = expandByDefinition(text, start, limit).filter((one) => one >= from);
      assert.equal(expanded(text, start, { from, until }), { walls: expected, cut: null }, text);
    }),
    { numRuns: 150 },
  );
});

function untilOf(text: string): number {
  const [, day] = /UNTIL=202707(\d\d)T180000/.exec(text) ?? [];
  return day === undefined ? Number.POSITIVE_INFINITY : wall(`2027-07-${day} 18:00`);
}

recurrence.run();
