/** I3, I9: dates of items in a feed reader: worked out of each record alone, so that a first build has them too. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { NOW } from '../../helpers/calendar.ts';
import { sourceFolder } from '../../helpers/native-source.ts';
import { startBuilt } from '../../helpers/running.ts';

const test = suite('dates of items');

const CREATED = { created_at: '2024-03-01T09:00:00Z' };
const WEEKLY = { rule: 'FREQ=WEEKLY', start: '2024-03-06 19:00', duration: 120 };

/** Built on 1 January 2026, a Thursday, at noon UTC. */
const CASES: Readonly<Record<string, readonly [record: object, expected: string]>> = {
  'a rule: when the date before was over': [{ repeats: [WEEKLY] }, '2025-12-31T20:00:00.000Z'],
  'a rule of years': [
    { repeats: [{ rule: 'FREQ=YEARLY', start: '2025-02-01', duration: 60 }] },
    '2025-02-01T23:00:00.000Z',
  ],
  'a rule whose last date was taken out': [
    { repeats: [{ ...WEEKLY, except: ['2025-12-31 19:00'] }] },
    '2025-12-24T20:00:00.000Z',
  ],
  'a rule that has not begun': [
    { repeats: [{ ...WEEKLY, start: '2026-03-04 19:00' }] },
    '2024-03-01T09:00:00.000Z',
  ],
  'listed dates': [
    { dates: [{ start: '2025-11-05 20:00', end: '2025-11-05 21:00' }, { start: '2026-02-05 20:00' }] },
    '2025-11-05T20:00:00.000Z',
  ],
  'listed dates, one of which replaces the last of a rule': [
    { repeats: [WEEKLY], dates: [{ start: '2025-12-31 19:00', end: '2025-12-31 23:00' }] },
    '2025-12-31T22:00:00.000Z',
  ],
  'a date that ran before what is over began': [
    { dates: [{ start: '2025-06-01', end: '2026-06-01' }, { start: '2025-12-01 10:00' }] },
    '2024-03-01T09:00:00.000Z',
  ],
  'published after that': [
    { repeats: [WEEKLY], publishingDate: '2026-01-01 09:00' },
    '2026-01-01T08:00:00.000Z',
  ],
};

for (const [what, [record, expected]] of Object.entries(CASES)) {
  test(`I9: should date an item on a first build by its record: ${what}`, async () => {
    const events = [{ id: 'a', title_nb: 'Kor', ...CREATED, ...record }];
    const server = await startBuilt(sourceFolder({ 'events.json': events }), NOW);
    const { text } = await server.send('/events.rss');
    await server.close();
    const [, found = ''] = /<pubDate>(.*)<\/pubDate>/.exec(text) ?? [];
    assert.is(new Date(found).toISOString(), expected);
  });
}

test('I9: should go on from date to date while the clock does', async () => {
  let now = NOW;
  const events = [{ id: 'a', title_nb: 'Kor', ...CREATED, repeats: [WEEKLY] }];
  const server = await startBuilt(sourceFolder({ 'events.json': events }), NOW, { clock: () => now * 1_000 });
  now = Date.parse('2026-01-07T20:00:00Z') / 1_000;
  const { text } = await server.send('/events.rss');
  // What is shown of it in March becomes its next date in the last week of February.
  const later = await server.send('/events.rss?fromDate=2026-03-01');
  await server.close();
  assert.match(text, '<pubDate>Wed, 07 Jan 2026 20:00:00 GMT</pubDate>');
  assert.match(later.text, '<pubDate>Fri, 01 Mar 2024 09:00:00 GMT</pubDate>');
});

test.run();
