/** A17 in feeds. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { built } from '../../helpers/build.ts';
import { NOW } from '../../helpers/calendar.ts';
import { temporaryFolder } from '../../helpers/folder.ts';
import { sourceFolder } from '../../helpers/native-source.ts';
import { startServer } from '../../helpers/running.ts';

const test = suite('former slugs in feeds');
const DAY = 86_400;

test('A17: feeds should find a place by each slug that it had', async () => {
  const target = temporaryFolder();
  const dates = [{ start: '2027-05-17 20:00', venue: 'v1' }];
  for (const [build, slug] of [undefined, 'domkirka'].entries()) {
    const now = NOW + build * DAY;
    const source = sourceFolder({
      'venues.json': [{ id: 'v1', name: 'Kirka', slug }],
      'events.json': [{ id: 'e1', title_nb: 'Julekonsert', dates }],
    });
    await built(source, target, { now, force: true });
    const server = await startServer({ snapshots: target, clock: () => now * 1_000 });
    const { text } = await server.send('/events.ics?venues=kirka&repetitions=all');
    await server.close();
    assert.equal(text.match(/^UID:.*(?=@)/gm), ['UID:e1@20270517T180000Z'], slug);
  }
});

test.run();
