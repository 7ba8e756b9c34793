/** G2: what the report's table counts as dropped is what its findings name, whatever the source. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { builtWithFeeds, type FeedBuild } from '../helpers/feeds.ts';
import { temporaryFolder } from '../helpers/folder.ts';
import { type Files, sourceFolder } from '../helpers/native-source.ts';

const test = suite('G2: one truth');

const good = (count: number) =>
  Array.from({ length: count }, (_, at) => ({
    id: `e${at}`,
    title_nb: `Kveld ${at}`,
    categories: ['MUSIC'],
    dates: [{ start: '2026-03-01 19:00' }],
  }));

const TABLE = `Id,Tittel,Start
a,Vårkonsert,2026-04-01 19:00
b,Slurv,en gang
c,,2026-04-02 19:00
d,Utepils,2026-04-03 19:00
`;

const CALENDAR = `BEGIN:VCALENDAR
VERSION:2.0
PRODID:x
BEGIN:VEVENT
UID:good
DTSTART:20260401T170000Z
SUMMARY:Kor
END:VEVENT
BEGIN:VEVENT
UID:undated
SUMMARY:Uten dato
END:VEVENT
BEGIN:VEVENT
UID:untitled
DTSTART:20260401T170000Z
END:VEVENT
END:VCALENDAR
`.replaceAll('\n', '\r\n');

const SOURCES: Readonly<Record<string, Files>> = {
  'its own records alone': { 'events.json': [...good(8), { id: 'bad' }, 5] },
  'a container without dates': {
    'events.json': [...good(8), { id: 'c', title_nb: 'Fest', isSuperEvent: true }],
  },
  'venues and organizers': {
    'events.json': good(8),
    'venues.json': [{ id: 'v' }, { id: 'a', name: 'A' }, { id: 'b', name: 'B' }, { id: 'c', name: 'C' }],
    'organizers.json': [
      { id: 'o', name: 'O' },
      { id: 'o', name: 'Again' },
    ],
  },
  'a table': {
    'events.json': good(15),
    'table.csv': TABLE,
    'sources.json': [{ id: 't', kind: 'csv', file: 'table.csv' }],
  },
  'a calendar': {
    'events.json': good(8),
    'c.ics': CALENDAR,
    'sources.json': [{ id: 'c', kind: 'ical', file: 'c.ics' }],
  },
};

for (const [what, files] of Object.entries(SOURCES)) {
  test(`should drop as many in the table as it names, with ${what}`, async () => {
    const { all } = await builtWithFeeds(sourceFolder(files), temporaryFolder());
    const { venues, organizers, events } = all.lists;
    for (const { read, kept, dropped } of [venues, organizers, events]) assert.is(read, kept + dropped);
    const dropped = venues.dropped + organizers.dropped + events.dropped;
    assert.ok(dropped > 0);
    assert.is(dropped, all.actions['dropped record']);
  });
}

test('G3: should not stop a build for what a feed alone has too much of', async () => {
  const rows = Array.from({ length: 30 }, (_, at) => `x${at},Slurv,en gang\n`).join('');
  const source = sourceFolder({
    'events.json': good(4),
    'table.csv': `${TABLE}${rows}`,
    'sources.json': [{ id: 't', kind: 'csv', file: 'table.csv' }],
  });
  const { result, all }: FeedBuild = await builtWithFeeds(source, temporaryFolder());
  assert.is(result.outcome, 'published');
  assert.equal(all.lists.events, { read: 38, kept: 6, dropped: 32 });
});

test.run();
