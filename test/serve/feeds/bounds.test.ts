/** Feeds of many occurrences: written in slices, and refused beyond what an answer may hold. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { NOW } from '../../helpers/calendar.ts';
import { sourceFolder } from '../../helpers/native-source.ts';
import { type Running, startBuilt } from '../../helpers/running.ts';

const test = suite<{ running: Running }>('feeds of many occurrences');

/** 20 events on each of 500 days, and ten with a long description. */
test.before(async (context) => {
  const repeats = [{ rule: 'FREQ=DAILY;COUNT=500', start: '2026-01-02 18:00', duration: 60 }];
  const daily = Array.from({ length: 20 }, (_, at) => ({
    id: `d${at}`,
    title_nb: `Hver dag ${at}`,
    repeats,
  }));
  const long = Array.from({ length: 10 }, (_, at) => ({
    ...{ id: `l${at}`, title_nb: `Lang ${at}`, tags: ['lang'], desc_nb: 'Blåbær '.repeat(1_200), repeats },
  }));
  const tagged = daily.map((event) => ({ ...event, tags: ['kort'] }));
  context.running = await startBuilt(sourceFolder({ 'events.json': [...tagged, ...long] }), NOW);
});
test.after(async ({ running }) => running.close());

test('should write 10,000 occurrences, and answer others meanwhile', async ({ running }) => {
  const done: string[] = [];
  const feed = fetch(`${running.url}/events.ics?tag=kort`).then(async (response) => {
    const text = await response.text();
    done.push('feed');
    return text;
  });
  const other = fetch(`${running.url}/events.rss?event=d1`).then(async (response) => {
    await response.text();
    done.push('other');
  });
  const [text] = await Promise.all([feed, other]);
  assert.is(text.split('BEGIN:VEVENT').length - 1, 10_000);
  assert.equal(done, ['other', 'feed']);
});

test('D10: should refuse a feed that holds more than an answer may, and say what to do', async ({
  running,
}) => {
  for (const path of ['/events.ics', '/events.jsonld']) {
    const response = await fetch(`${running.url}${path}?tag=lang`);
    const { errors } = JSON.parse(await response.text());
    assert.is(response.status, 400);
    assert.is(errors[0].extensions.code, 'QUERY_TOO_COMPLEX');
    assert.match(errors[0].message, /32 MiB.*smaller page/);
  }
  assert.is((await fetch(`${running.url}/events.ics?tag=lang&pageSize=2`)).status, 200);
});

test.run();
