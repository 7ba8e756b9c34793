/** G2: the drops in the report's table are those that its findings name, whatever the source. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { assertAbove } from '../../helpers/assertions.ts';
import { vcalendar, vevent } from '../../helpers/feed-files.ts';
import { builtWithFeeds, type FeedBuild } from '../../helpers/feeds.ts';
import { temporaryFolder } from '../../helpers/folder.ts';
import { type Files, sourceFolder } from '../../helpers/native-source.ts';

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

const UNDATED = 'BEGIN:VEVENT\r\nUID:undated\r\nSUMMARY:Uten dato\r\nEND:VEVENT\r\n';
const UNTITLED = 'BEGIN:VEVENT\r\nUID:untitled\r\nDTSTART:20260401T170000Z\r\nEND:VEVENT\r\n';

const SOURCES: Readonly<Record<string, Files>> = {
  'its own records alone': { 'events.json': [...good(8), { id: 'bad' }, 5] },
  'a container without dates': {
    'events.json': [...good(8), { id: 'c', title_nb: 'Fest', isSuperEvent: true }],
  },
  'venues and organizers': {
    'events.json': good(8),
    'venues.json': [{ id: 'v' }, { id: 'a', name: 'A' }],
    'organizers.json': [5, { id: 'o', name: 'O' }],
  },
  'a table': {
    'events.json': good(15),
    'table.csv': TABLE,
    'sources.json': [{ id: 't', kind: 'csv', file: 'table.csv' }],
  },
  'a calendar': {
    'events.json': good(8),
    'c.ics': vcalendar(vevent('good'), UNDATED, UNTITLED),
    'sources.json': [{ id: 'c', kind: 'ical', file: 'c.ics' }],
  },
};

test('G2: should count as many drops as it names, whatever the source', async () => {
  for (const [what, files] of Object.entries(SOURCES)) {
    const { all } = await builtWithFeeds(sourceFolder(files), temporaryFolder());
    const lists = [all.lists.venues, all.lists.organizers, all.lists.events];
    for (const { read, kept, dropped } of lists) assert.is(read, kept + dropped, what);
    const dropped = lists.reduce((sum, list) => sum + list.dropped, 0);
    assertAbove(dropped, 0, `drops of ${what}`);
    assert.is(dropped, all.actions['dropped record'], what);
  }
});

test('G3: should not stop a build for an excess in one feed', async () => {
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
