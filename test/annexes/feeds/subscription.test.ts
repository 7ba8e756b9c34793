/** I9: what a subscription leaves out. Built on 1 January 2026, noon UTC. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { NOW } from '../../helpers/calendar.ts';
import { sourceFolder } from '../../helpers/native-source.ts';
import { type Running, startBuilt } from '../../helpers/running.ts';

const test = suite<{ running: Running; clock: { now: number } }>('subscription');

/** 12:00 UTC on the day a year ahead is 13:00 in Norway, and so is NOW. */
const EVENTS = [
  {
    id: 'daily',
    title_nb: 'Hver dag',
    repeats: [{ rule: 'FREQ=DAILY;COUNT=40', start: '2026-01-02 18:00', duration: 60 }],
  },
  {
    id: 'yearly',
    title_nb: 'Hvert år',
    dates: [{ start: '2026-02-01 12:00' }, { start: '2027-02-01 12:00' }],
  },
  { id: 'edge', title_nb: 'Om et år', dates: [{ start: '2027-01-01 13:00' }] },
  { id: 'beyond', title_nb: 'Like etter', dates: [{ start: '2027-01-01 13:00:07' }] },
  { id: 'far', title_nb: 'Langt fram', dates: [{ start: '2027-03-01 12:00' }] },
];

test.before(async (context) => {
  context.clock = { now: NOW };
  context.running = await startBuilt(sourceFolder({ 'events.json': EVENTS }), NOW, {
    clock: () => context.clock.now * 1_000,
  });
});
test.before.each(({ clock }) => {
  clock.now = NOW;
});
test.after(async ({ running }) => running.close());

async function countsOf({ url }: Running, path: string) {
  const response = await fetch(url + path);
  const counts: Record<string, number> = {};
  for (const [, id = ''] of (await response.text()).matchAll(/^UID:(\w+)@/gm)) {
    counts[id] = (counts[id] ?? 0) + 1;
  }
  const maxAge = Number(/max-age=(\d+)/.exec(response.headers.get('cache-control') ?? '')?.[1]);
  return { counts, maxAge };
}

test('I9: should hold the shown date and the next 20, up to 12 months ahead', async ({ running }) => {
  const { counts } = await countsOf(running, '/events.ics');
  assert.equal(counts, { daily: 21, yearly: 1, edge: 1 });
});

test('I9: should hold all dates where repetitions=all asks for them', async ({ running }) => {
  const { counts } = await countsOf(running, '/events.ics?repetitions=all');
  assert.equal(counts, { daily: 40, yearly: 2, edge: 1, beyond: 1, far: 1 });
});

test('I9: should know to the second when a date comes within reach (D6)', async ({ running, clock }) => {
  const before = await countsOf(running, '/events.ics');
  assert.is(before.maxAge, 7);
  clock.now = NOW + 6;
  assert.is((await countsOf(running, '/events.ics')).counts.beyond, undefined);
  clock.now = NOW + 7;
  const after = await countsOf(running, '/events.ics');
  assert.is(after.counts.beyond, 1);
  assert.is(after.maxAge, 60);
});

test('I9: should count and page what is left', async ({ running }) => {
  assert.equal((await countsOf(running, '/events.ics?pageSize=1&page=2')).counts, { edge: 1 });
  assert.equal((await countsOf(running, '/events.ics?pageSize=1&page=3')).counts, {});
});

test('I1: should refuse other words, and the parameter where it has no meaning', async ({ running }) => {
  for (const path of ['/events.ics?repetitions=some', '/events.rss?repetitions=all']) {
    const response = await fetch(running.url + path);
    assert.is(response.status, 400, path);
    assert.equal(JSON.parse(await response.text()).errors[0].extensions.invalidArgs, ['repetitions']);
  }
});

test.run();
