/** Calendar entries from build to build. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { built } from '../../../helpers/build.ts';
import { NOW } from '../../../helpers/calendar.ts';
import { closedAfterEach } from '../../../helpers/closing.ts';
import { temporaryFolder } from '../../../helpers/folder.ts';
import { groupsIn } from '../../../helpers/html.ts';
import { sourceFolder } from '../../../helpers/native-source.ts';
import { startServer } from '../../../helpers/running.ts';

const test = suite('feeds from build to build');
const opened = closedAfterEach(test);
const DAY = 86_400;

const FIRST = { start: '2026-06-01 20:00', duration: 60 };
const SECOND = { start: '2026-06-02 20:00', duration: 60 };
const LONGER = { ...FIRST, duration: 90 };
const NEW = { title_nb: 'Ny' };
const event = (dates: readonly object[], more = {}) => ({ id: 'e', title_nb: 'Konsert', dates, ...more });
const OTHER = { id: 'o', title_nb: 'Annet', repeats: [{ rule: 'FREQ=MONTHLY', start: '2026-01-20 20:00' }] };

interface BuildCase {
  readonly title: string;
  readonly days: number;
  readonly record: object | null;
  readonly sequences: object;
}

/** Each build's record of the event, days after the one before, and the SEQUENCE of its entries by their days. */
const BUILDS: readonly BuildCase[] = [
  {
    title: '0 at first',
    days: 0,
    record: event([FIRST, SECOND]),
    sequences: { '0601': 0, '0602': 0 },
  },
  {
    title: 'a change of one date',
    days: 1,
    record: event([LONGER, SECOND]),
    sequences: { '0601': 1, '0602': 0 },
  },
  {
    title: 'a change of the event',
    days: 1,
    record: event([LONGER, SECOND], NEW),
    sequences: { '0601': 2, '0602': 1 },
  },
  {
    title: 'a counter',
    days: 1,
    record: event([LONGER, SECOND], { ...NEW, views: 9 }),
    sequences: { '0601': 2, '0602': 1 },
  },
  {
    title: 'a date taken away',
    days: 1,
    record: event([SECOND], { ...NEW, views: 9 }),
    sequences: { '0602': 1 },
  },
  {
    title: 'the event taken away',
    days: 1,
    record: null,
    sequences: {},
  },
  {
    title: 'both back',
    days: 30,
    record: event([FIRST, SECOND], NEW),
    sequences: { '0601': 3, '0602': 2 },
  },
];

test('I9: should count in SEQUENCE the builds that changed an occurrence, also while it is gone', async () => {
  const target = temporaryFolder();
  let now = NOW;
  for (const { title, days, record, sequences } of BUILDS) {
    now += days * DAY;
    const source = sourceFolder({ 'events.json': [OTHER, record].filter(Boolean) });
    await built(source, target, { now, force: true });
    const server = opened(await startServer({ snapshots: target, clock: () => now * 1_000 }));
    const { text } = await server.send('/events.ics');
    const found = groupsIn(text, /^UID:(?:e@2026(\d{4})|o).*$[\s\S]*?^SEQUENCE:(\d+)/gm);
    const own = found.flatMap(([day, sequence]) => (day ? [[day, Number(sequence)]] : []));
    assert.equal(Object.fromEntries(own), sequences, title);
    // A date that only the horizon brings counts as new.
    for (const [day, sequence] of found) assert.ok(day || sequence === '0', title);
  }
});

test.run();
