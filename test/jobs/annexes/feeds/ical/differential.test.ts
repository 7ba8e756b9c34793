/** Random series as five programs write them: an endpoint has the dates that ical.js reads. Built on 1 January 2026, noon UTC. */
import ICAL from 'ical.js';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { instantOf } from '../../../../../src/calendar/time.ts';
import { type ServedDate, serveFeed } from '../../../../helpers/feeds.ts';
import { IS_LONG } from '../../../../helpers/run-options.ts';
import { randomFrom } from '../../../../oracle/random.ts';
import { DIALECTS, written } from './dialects.ts';
import { randomSeries } from './random-series.ts';

const EACH = IS_LONG ? 700 : 20;

const test = suite('iCalendar, read twice');

for (const [seed, [name, dialect]] of Object.entries(DIALECTS).entries()) {
  test(`A11: should read random series of ${name} as ical.js does`, async () => {
    const random = randomFrom(seed + 1);
    const all = Array.from({ length: EACH }, (_, at) => randomSeries(random, `${at}`));
    const bytes = Buffer.from(written(dialect, all), 'latin1');
    const feed = await serveFeed(bytes);
    const expected = readByIcalJs(bytes.toString('utf8'));
    try {
      for (const series of all) {
        const event = await feed.event(series.uid);
        const found = event === null ? [] : [event, ...event.repetitions].map(timesOf);
        assert.equal(
          [...new Set(found)].filter(isNear),
          expected.get(series.uid)?.filter(isNear),
          JSON.stringify(series),
        );
      }
    } finally {
      await feed.close();
    }
  });
}

test.run();

/** Rules are expanded for 18 months (A11), listed dates are kept. */
function isNear(times: string): boolean {
  return times < '2027-06-20';
}

function timesOf({ startDate, endDate, allDay }: ServedDate): string {
  const times = [startDate, endDate].map((text) => new Date(text.replace(' ', 'T')).toISOString());
  return `${times.join(' to ')}${allDay ? ' all day' : ''}`;
}

/** The times of each UID, in order. */
function readByIcalJs(text: string): ReadonlyMap<string, readonly string[]> {
  const calendar = new ICAL.Component(ICAL.parse(text));
  const byUid = new Map<string, string[]>();
  const components = calendar.getAllSubcomponents('vevent');
  for (const component of components) {
    if (component.hasProperty('recurrence-id')) continue;
    const uid = String(component.getFirstPropertyValue('uid'));
    const exceptions = components.filter(
      (other) => other.hasProperty('recurrence-id') && other.getFirstPropertyValue('uid') === uid,
    );
    const event = new ICAL.Event(component, { exceptions });
    const times: string[] = [];
    const iterator = event.iterator();
    for (let next = iterator.next(); next !== undefined && next !== null; next = iterator.next()) {
      const { startDate, endDate } = event.getOccurrenceDetails(next);
      // A15
      times.push(`${momentOf(startDate)} to ${momentOf(endDate)}${startDate.isDate ? ' all day' : ''}`);
      if (times.length > 1_000) throw new Error(`expected an end of ${uid}`);
    }
    // RFC 5545, 3.8.5.2: what is given twice is there once, which ical.js does not know. Nor can it tell two dates at one time.
    byUid.set(uid, [...new Set(times)].sort());
  }
  return byUid;
}

/** A day begins in Norway. */
function momentOf(time: ICAL.Time): string {
  const wall = Date.UTC(time.year, time.month - 1, time.day, time.hour, time.minute, time.second) / 1000;
  return new Date((time.isDate ? instantOf(wall) : time.toUnixTime()) * 1000).toISOString();
}
