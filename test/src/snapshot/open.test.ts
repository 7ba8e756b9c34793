import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { writeSnapshot } from '../../../jobs/write.ts';
import { COLUMN_NAMES } from '../../../src/snapshot/columns.ts';
import { openSnapshotFile } from '../../../src/snapshot/folder.ts';
import type { Snapshot } from '../../../src/snapshot/open.ts';
import { openWriter } from '../../../src/snapshot/sqlite.ts';
import { makeCalendar } from '../../helpers/calendar.ts';
import { rejects } from '../../helpers/errors.ts';
import { contentOf, temporaryFolder } from '../../helpers/folder.ts';

const opening = suite('open');
const folder = temporaryFolder();
const made = await makeCalendar({ events: 1_200, dates: 3 });
const path = join(folder, 'calendar-0123456789abcdef.sqlite');
let snapshot: Snapshot;

opening.before(async () => {
  await writeSnapshot(path, contentOf(made));
  snapshot = await openSnapshotFile(path);
});

opening.after(() => snapshot.close());

opening('should lift every column and list as it was written', () => {
  for (const name of COLUMN_NAMES)
    if (!/Check$|^key|^changed$/.test(name))
      assert.equal(snapshot.columns[name], made.columnSet.columns[name], name);
  const { licence, venues, organizers, sources, categories } = made.calendar;
  const directories = { licence, venues, organizers, sources, categories };
  assert.equal(snapshot.lists, { ...made.columnSet.lists, ...directories });
});

opening('should know its id, its moment and its counts', () => {
  const { id, meta } = snapshot;
  assert.equal(
    [id, meta.builtAt, meta.horizonDay],
    ['0123456789abcdef', '2026-01-01T12:00:00Z', '2027-07-01'],
  );
  assert.equal(meta.counts, { events: 1_200, occurrences: 3_600, venues: 1, organizers: 1, categories: 1 });
});

for (const wanted of [[], [5], [5, 3, 5], Array.from({ length: 1_000 }, (_, at) => (at * 7_919) % 1_200)]) {
  opening(`should give ${wanted.length} bodies in the order of the question, repeated ones too`, async () => {
    const bodies = await snapshot.eventBodies(wanted);
    const ids = bodies.map((body) => body.slice(0, body.indexOf('\n')));
    assert.equal(
      ids,
      wanted.map((ordinal) => `"event-${String(ordinal).padStart(6, '0')}"`),
    );
  });
}

opening('should refuse an event that is not there', async () => {
  await rejects(snapshot.eventBodies([0, 1_200]), 'SNAPSHOT_UNUSABLE', /event: expected 2 events, found 1/);
});

opening('H14: should make no answer of a row that is not what was written, and say so', async () => {
  for (const { ordinal, change } of [
    { ordinal: 1, change: "body = replace(body, 'REGULAR', 'REGULER')" },
    { ordinal: 2, change: "title_nb = 'En annen'" },
    { ordinal: 3, change: 'ordinal = 9999' },
    { ordinal: 4, change: "desc_nb = cast(x'66ff66' as text)" },
  ] as const) {
    const sql = `update event set ${change} where ordinal = ${ordinal}`;
    const damaged = await changedFile(`damaged-${ordinal}`, sql, 6);
    const reasons: string[] = [];
    const opened = await openSnapshotFile(damaged, { onDamage: (reason) => reasons.push(reason) });
    assert.is((await opened.eventBodies([0, 5])).length, 2);
    assert.equal(reasons, [], change);
    await rejects(opened.eventBodies([0, ordinal]), 'SNAPSHOT_UNUSABLE', /expected (the checksum|2 events)/);
    assert.is(reasons.length, 1, change);
    await opened.close();
  }
});

opening('D14: should free the memory of its columns when it is closed', async () => {
  const opened = await openSnapshotFile(path);
  const { start } = opened.columns;
  assert.is(start.length, 3_600);
  await opened.close();
  assert.is(start.length, 0);
});

opening('A7: should find events by id, slug and title, and none for other texts', async () => {
  assert.is(snapshot.ordinalById('event-000007'), 7);
  assert.is(snapshot.ordinalById('event-7'), null);
  assert.is(snapshot.ordinalBySlug('slug-event-000009'), 9);
  assert.is(snapshot.ordinalBySlug('slug-event-9'), null);
  assert.equal(snapshot.ordinalsByTitle('Prøve på event-000004', 'nb'), [4]);
  assert.equal(snapshot.ordinalsByTitle('prøve på event-000004', 'nb'), []);
  assert.equal(snapshot.ordinalsByTitle('Prøve på event-000004', 'en'), []);
});

opening('A8: should find each slug once, in the order of the events', async () => {
  const slugs = ['3', '1', '3'].map((end) => `slug-event-00000${end}`);
  assert.equal(snapshot.ordinalsBySlugs(['none', ...slugs, `'; drop table event --`]), [1, 3]);
  assert.equal(snapshot.ordinalsBySlugs([]), []);
});

/** Changes to a file, each with the message that it must cause. */
const SPOILED: readonly (readonly [sql: string, finding: RegExp])[] = [
  [
    "update column_blob set kind = 'u8' where name = 'start'",
    /column_blob start: expected kind f64, found u8/,
  ],
  [
    "update column_blob set bytes = cast(substr(bytes, 1, length(bytes) - 1) as blob) where name = 'over'",
    /column_blob over: expected 6 values, found 47 bytes/,
  ],
  ["delete from column_blob where name = 'day'", /column_blob day: expected to be there/],
  ["delete from list_json where name = 'venues'", /list_json venues: expected JSON, found nothing/],
  ["update list_json set body = '[{' where name = 'venues'", /list_json venues: expected JSON, found \[\{/],
  [`update meta set value = '{"events":1}' where key = 'counts'`, /meta\.counts: expected whole numbers/],
  ["update meta set value = 'today' where key = 'builtAt'", /meta\.builtAt: expected an ISO 8601/],
  ['drop table event', /no such table: event/],
];

for (const [at, [sql, finding]] of SPOILED.entries()) {
  opening(`H5: should refuse a file after ${sql}`, async () => {
    const opened = openSnapshotFile(await changedFile(`spoiled-${at}`, sql)).then((one) =>
      one.eventBodies([0]),
    );
    await rejects(opened, 'SNAPSHOT_UNUSABLE', finding);
  });
}

/** A small calendar's file in which a statement was run. */
async function changedFile(name: string, sql: string, events = 3): Promise<string> {
  const changed = join(folder, `${name}.sqlite`);
  await writeSnapshot(changed, contentOf(await makeCalendar({ events })));
  const writer = await openWriter(changed);
  await writer.exec(sql);
  await writer.close();
  return changed;
}

opening.run();
