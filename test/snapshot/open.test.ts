import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { writeSnapshot } from '../../jobs/write.ts';
import { COLUMN_NAMES } from '../../src/snapshot/columns.ts';
import { openSnapshot, type Snapshot } from '../../src/snapshot/open.ts';
import { openWriter } from '../../src/snapshot/sqlite.ts';
import { makeCalendar } from '../helpers/calendar.ts';
import { rejects } from '../helpers/errors.ts';
import { contentOf, temporaryFolder } from '../helpers/folder.ts';

const opening = suite('open');
const folder = temporaryFolder();
const made = makeCalendar({ events: 1_200, dates: 3 });
const path = join(folder, 'calendar-0123456789abcdef.sqlite');
let snapshot: Snapshot;

opening.before(async () => {
  await writeSnapshot(path, contentOf(made));
  snapshot = await openSnapshot(path);
});

opening.after(() => snapshot.close());

opening('should lift every column and list as it was written', () => {
  for (const name of COLUMN_NAMES)
    if (!/Check$|^key/.test(name)) assert.equal(snapshot.columns[name], made.columnSet.columns[name], name);
  assert.equal(snapshot.lists, made.columnSet.lists);
});

opening('should know its id, its moment and its counts', () => {
  assert.is(snapshot.id, '0123456789abcdef');
  assert.is(snapshot.meta.builtAt, '2026-01-01T12:00:00Z');
  assert.is(snapshot.meta.horizonDay, '2027-07-01');
  assert.equal(snapshot.meta.counts, {
    events: 1_200,
    occurrences: 3_600,
    venues: 1,
    organizers: 1,
    categories: 1,
  });
});

for (const count of [0, 1, 10, 1_000]) {
  opening(`should give ${count} bodies in the order asked`, async () => {
    const wanted = Array.from({ length: count }, (_, at) => (at * 7_919) % 1_200);
    const bodies = await snapshot.eventBodies(wanted);
    const ids = bodies.map((body) => body.slice(0, body.indexOf('\n')));
    assert.equal(
      ids,
      wanted.map((ordinal) => `"event-${String(ordinal).padStart(6, '0')}"`),
    );
  });
}

opening('should give a body as often as it is asked for', async () => {
  const [first, second, third] = await snapshot.eventBodies([5, 3, 5]);
  assert.is(first, third);
  assert.is.not(first, second);
});

opening('should refuse an event that is not there', async () => {
  await rejects(snapshot.eventBodies([0, 1_200]), 'SNAPSHOT_UNUSABLE', /event: expected 2 events, found 1/);
});

opening('H14: should make no answer of a row that is not what was written, and say so', async () => {
  for (const [ordinal, change] of [
    [1, "body = replace(body, 'Barn', 'Varn')"],
    [2, "title_nb = 'En annen'"],
    [3, 'ordinal = 9999'],
    [4, "desc_nb = cast(x'66ff66' as text)"],
  ] as const) {
    const damaged = join(folder, `damaged-${ordinal}.sqlite`);
    await writeSnapshot(damaged, contentOf(makeCalendar({ events: 6 })));
    const writer = await openWriter(damaged);
    await writer.exec(`update event set ${change} where ordinal = ${ordinal}`);
    await writer.close();
    const said: string[] = [];
    const opened = await openSnapshot(damaged, { onDamage: (reason) => said.push(reason) });
    assert.is((await opened.eventBodies([0, 5])).length, 2);
    assert.equal(said, [], change);
    await rejects(opened.eventBodies([0, ordinal]), 'SNAPSHOT_UNUSABLE', /expected (the checksum|2 events)/);
    assert.is(said.length, 1, change);
    await opened.close();
  }
});

opening('D14: should free the memory of its columns when it is closed', async () => {
  const opened = await openSnapshot(path);
  const { start } = opened.columns;
  assert.is(start.length, 3_600);
  await opened.close();
  assert.is(start.length, 0);
});

opening('A7: should find events by id, slug and title, and nothing for the rest', async () => {
  assert.is(snapshot.ordinalById('event-000007'), 7);
  assert.is(snapshot.ordinalById('event-7'), null);
  assert.is(snapshot.ordinalBySlug('slug-event-000009'), 9);
  assert.is(snapshot.ordinalBySlug('slug-event-9'), null);
  assert.equal(snapshot.ordinalsByTitle('Prøve på event-000004', 'nb'), [4]);
  assert.equal(snapshot.ordinalsByTitle('prøve på event-000004', 'nb'), []);
  assert.equal(snapshot.ordinalsByTitle('Prøve på event-000004', 'en'), []);
});

opening('A8: should find each slug once, in the order of the events', async () => {
  const slugs = [
    'slug-event-000003',
    'none',
    'slug-event-000001',
    'slug-event-000003',
    `'; drop table event --`,
  ];
  assert.equal(snapshot.ordinalsBySlugs(slugs), [1, 3]);
  assert.equal(snapshot.ordinalsBySlugs([]), []);
});

const SPOILED: Readonly<Record<string, readonly [sql: string, finding: RegExp]>> = {
  'a column of another kind': [
    `update column_blob set kind = 'u8' where name = 'start'`,
    /column_blob start: expected kind f64, found u8/,
  ],
  'a column that is too short for its length': [
    `update column_blob set bytes = cast(substr(bytes, 1, length(bytes) - 1) as blob) where name = 'over'`,
    /column_blob over: expected 6 values, found 47 bytes/,
  ],
  'no such column': [`delete from column_blob where name = 'day'`, /column_blob day: expected to be there/],
  'no such list': [
    `delete from list_json where name = 'venues'`,
    /list_json venues: expected JSON, found nothing/,
  ],
  'a list cut short': [
    `update list_json set body = '[{' where name = 'venues'`,
    /list_json venues: expected JSON, found \[\{/,
  ],
  'no counts': [
    `update meta set value = '{"events":1}' where key = 'counts'`,
    /meta\.counts: expected whole numbers/,
  ],
  'no moment': [
    `update meta set value = 'today' where key = 'builtAt'`,
    /meta\.builtAt: expected an ISO 8601/,
  ],
  'no table': ['drop table event', /no such table: event/],
};

for (const [what, [sql, finding]] of Object.entries(SPOILED)) {
  opening(`H5: should refuse a file with ${what}`, async () => {
    const spoiled = join(folder, `${what}.sqlite`);
    await writeSnapshot(spoiled, contentOf(makeCalendar()));
    const writer = await openWriter(spoiled);
    await writer.exec(sql);
    await writer.close();
    await rejects(
      openSnapshot(spoiled).then((opened) => opened.eventBodies([0])),
      'SNAPSHOT_UNUSABLE',
      finding,
    );
  });
}

opening.run();
