/** G12: a snapshot from an origin that does not cut texts. A text of megabytes makes no list fail. */
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { writeSnapshot } from '../../../../jobs/write.ts';
import { openSnapshotFile } from '../../../../src/snapshot/folder.ts';
import type { Snapshot } from '../../../../src/snapshot/open.ts';
import { ANNEXES } from '../../../helpers/annex.ts';
import { makeCalendar, NOW } from '../../../helpers/calendar.ts';
import { snapshotContentOf, temporaryFolder } from '../../../helpers/folder.ts';
import { type Stand, startStand } from '../../serve/http/stand.ts';

const lists = suite<{ stand: Stand; snapshot: Snapshot }>('lists with a text of megabytes');

lists.before(async (context) => {
  const made = await makeCalendar();
  const { read } = made.calendar;
  const description = '&amp;'.repeat(400_000);
  const calendar: typeof made.calendar = {
    ...made.calendar,
    read: (event) => {
      const texts = read(event);
      if (event !== 0) return texts;
      return { ...texts, fields: { ...texts.fields, desc_nb: description } };
    },
  };
  const file = join(temporaryFolder(), 'calendar-1.sqlite');
  await writeSnapshot(file, snapshotContentOf({ ...made, calendar }));
  context.snapshot = await openSnapshotFile(file);
  const { snapshot } = context;
  const startAt = NOW * 1_000;
  context.stand = await startStand({ snapshot, startAt, annexes: ANNEXES });
});

lists.after(async ({ stand, snapshot }) => {
  await stand?.close();
  await snapshot?.close();
});

for (const format of ['ics', 'rss', 'jsonld', 'csv', 'json', 'html', 'html?view=plain']) {
  lists(`G12: should show all events in .${format}`, async ({ stand }) => {
    const { status, text } = await stand.send(`/events.${format}`);
    assert.is(status, 200);
    for (const place of [0, 1, 2]) assert.match(text, `event-00000${place}`);
  });
}

lists('G12: should answer .geojson, which has events with a position only', async ({ stand }) => {
  assert.is((await stand.send('/events.geojson')).status, 200);
});

lists.run();
