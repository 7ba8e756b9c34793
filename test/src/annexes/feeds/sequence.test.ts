/** Calendar entries from build to build. */
import { closedAfterEach } from '../../../helpers/closing.ts';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { built } from '../../../helpers/build.ts';
import { NOW } from '../../../helpers/calendar.ts';
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

/** Each build's record of the event, days after the one before, and the SEQUENCE of its entries by their days. */
const BUILDS: readonly (readonly [what: string, days: number, record: object | null, sequences: object])[] = [
  ['0 at first', 0, event([FIRST, SECOND]), { '0601': 0, '0602': 0 }],
  ['a change of one date', 1, event([LONGER, SECOND]), { '0601': 1, '0602': 0 }],
  ['a change of the event', 1, event([LONGER, SECOND], NEW), { '0601': 2, '0602': 1 }],
  ['a counter', 1, event([LONGER, SECOND], { ...NEW, views: 9 }), { '0601': 2, '0602': 1 }],
  ['a date taken away', 1, event([SECOND], { ...NEW, views: 9 }), { '0602': 1 }],
  ['the event taken away', 1, null, {}],
  ['both back', 30, event([FIRST, SECOND], NEW), { '0601': 3, '0602': 2 }],
];

test('I9: should count the builds that changed an occurrence, from 0, also while it is gone', async () => {
  const target = temporaryFolder();
  let now = NOW;
  for (const [what, days, record, sequences] of BUILDS) {
    now += days * DAY;
    const source = sourceFolder({ 'events.json': [OTHER, record].filter(Boolean) });
    await built(source, target, { now, force: true });
    const server = opened(await startServer({ snapshots: target, clock: () => now * 1_000 }));
    const { text } = await server.send('/events.ics');
    const found = groupsIn(text, /^UID:(?:e@2026(\d{4})|o).*$[\s\S]*?^SEQUENCE:(\d+)/gm);
    const own = found.flatMap(([day, sequence]) => (day ? [[day, Number(sequence)]] : []));
    assert.equal(Object.fromEntries(own), sequences, what);
    // A date that only the horizon brings counts as new.
    for (const [day, sequence] of found) assert.ok(day || sequence === '0', what);
  }
});

test.run();
