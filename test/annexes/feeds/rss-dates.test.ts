/** I3, I9: dates of items in a feed reader, from build to build. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { built } from '../../helpers/build.ts';
import { NOW } from '../../helpers/calendar.ts';
import { temporaryFolder } from '../../helpers/folder.ts';
import { sourceFolder } from '../../helpers/native-source.ts';
import { startServer } from '../../helpers/running.ts';

const test = suite('dates of items');
const DAY = 86_400;

const PUBLISHED = '2025-12-01T09:00:00.000Z';
const dates = (...days: readonly string[]) =>
  days.map((day) => ({ start: `2026-01-${day} 20:00`, end: `2026-01-${day} 21:00` }));
/** When the one of this day is over. */
const over = (day: string) => `2026-01-${day}T20:00:00.000Z`;
const at = (day: number) => NOW + (day - 1) * DAY;
const build = (day: number) => new Date(at(day) * 1_000).toISOString();

interface Step {
  readonly what: string;
  /** Of January, at noon UTC. */
  readonly day: number;
  /** Undefined: no build, only time passes. */
  readonly days?: readonly string[];
  readonly expected: readonly string[];
}

/** `expected`: of an event that says when it was published, and of one that says nothing. */
const STEPS: readonly Step[] = [
  { what: 'a first build', day: 1, days: ['05', '12', '19'], expected: [PUBLISHED, build(1)] },
  { what: 'another build', day: 2, days: ['05', '12', '19'], expected: [PUBLISHED, build(1)] },
  { what: 'the first date is over', day: 6, expected: [over('05'), over('05')] },
  { what: 'a build after that', day: 7, days: ['05', '12', '19'], expected: [over('05'), over('05')] },
  { what: 'a source without past dates', day: 8, days: ['12', '19'], expected: [over('05'), over('05')] },
  { what: 'a date between', day: 9, days: ['10', '12', '19'], expected: [over('05'), over('05')] },
  { what: 'that one is over', day: 11, expected: [over('10'), over('10')] },
  { what: 'and two at once, in a build', day: 13, days: ['19'], expected: [over('12'), over('12')] },
];

test('I9: should never fall back, whatever is built after a date was over', async () => {
  const target = temporaryFolder();
  for (const { what, day, days, expected } of STEPS) {
    const now = at(day);
    if (days !== undefined) {
      const events = [
        { id: 'a', title_nb: 'Kor', publishingDate: PUBLISHED, dates: dates(...days) },
        { id: 'b', title_nb: `Bridge ${day}`, dates: dates(...days) },
      ];
      await built(sourceFolder({ 'events.json': events }), target, { now, force: true });
    }
    const server = await startServer({ snapshots: target, clock: () => now * 1_000 });
    const text = await (await fetch(`${server.url}/events.rss`)).text();
    await server.close();
    const found = [...text.matchAll(/<pubDate>(.*)<\/pubDate>/g)].map(([, date = '']) =>
      new Date(date).toISOString(),
    );
    assert.equal(found, expected, what);
  }
});

test('I3: should date an event by the build that brought it, where its record does not', async () => {
  const target = temporaryFolder();
  const old = { id: 'a', title_nb: 'Kor', dates: dates('20') };
  const event = { id: 'b', title_nb: 'Bridge', dates: dates('21') };
  for (const [day, events] of [
    [1, [old]],
    [2, [old, event]],
    [3, [old, { ...event, title_nb: 'Ny bridge' }]],
  ] as const) {
    await built(sourceFolder({ 'events.json': events }), target, { now: at(day), force: true });
  }
  const server = await startServer({ snapshots: target, clock: () => at(4) * 1_000 });
  const text = await (await fetch(`${server.url}/events.rss`)).text();
  await server.close();
  const found = [...text.matchAll(/<pubDate>(.*)<\/pubDate>/g)].map(([, date = '']) => date);
  assert.equal(
    found.map((date) => new Date(date).toISOString()),
    [build(1), build(2)],
  );
});

test.run();
