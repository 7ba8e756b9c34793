/** H7: what a stranger's snapshot may hold in its columns, its lists and its search index. */
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { writeSnapshot } from '../../jobs/write.ts';
import { isCalendarError } from '../../src/calendar/errors.ts';
import { createSearch } from '../../src/serve/query/search.ts';
import { selectNodes } from '../../src/serve/query/select.ts';
import { upcomingEvents, viewAt } from '../../src/serve/query/view.ts';
import { placesOf } from '../../src/snapshot/bitmaps.ts';
import { COLUMN_NAMES, type ColumnName, storeColumn } from '../../src/snapshot/columns.ts';
import { openSnapshot, type Snapshot } from '../../src/snapshot/open.ts';
import { openWriter } from '../../src/snapshot/sqlite.ts';
import { verifyFile } from '../../src/snapshot/verify.ts';
import { makeCalendar, NOW } from '../helpers/calendar.ts';
import { rejects } from '../helpers/errors.ts';
import { contentOf, temporaryFolder } from '../helpers/folder.ts';
import { seeded } from '../helpers/random-operations.ts';
import { costsAtMost } from '../helpers/usage.ts';

const test = suite('columns of strangers');
const folder = temporaryFolder();
const good = join(folder, 'calendar-0123456789abcdef.sqlite');
let columns: Snapshot['columns'];
let lexicons: Snapshot['searchIndex'];

test.before(async () => {
  await writeSnapshot(good, contentOf(makeCalendar({ events: 40, dates: 3 })));
  const snapshot = await openSnapshot(good);
  columns = snapshot.columns;
  lexicons = snapshot.searchIndex;
  await snapshot.close();
});

/** A copy of the good file with another value in it. */
async function spoiled(name: string, sql: string, values: readonly (string | number | Uint8Array)[]) {
  const path = join(folder, `${name}.sqlite`);
  copyFileSync(good, path);
  const writer = await openWriter(path);
  await writer.run(sql, values);
  await writer.close();
  return path;
}

function withValue(name: ColumnName, place: number, value: number): Uint8Array {
  const changed = columns[name].slice();
  changed[place] = value;
  return storeColumn(name, changed).bytes;
}

const SET_COLUMN = 'update column_blob set bytes = ? where name = ?';

/** Columns that may hold any number: nobody looks up anything by what they say. */
const FREE: ReadonlySet<ColumnName> = new Set([
  'duration',
  'occurrenceFlags',
  'sequence',
  'olderTexts',
  'ticketsURL',
  'prices',
  'eventFlags',
  'accessibility',
]);

/** Each of these is wrong in any column that is not free. */
const WRONG = { f64: 2 ** 52, i32: 0x7fffffff, u32: 0xffffffff, u16: 0xffff, u8: 0x22 };

for (const name of COLUMN_NAMES.filter((one) => !FREE.has(one))) {
  test(`H7: should refuse a value of ${name} that points outside or is no value`, async () => {
    const kinds = new Map<unknown, number>([
      [Float64Array, WRONG.f64],
      [Int32Array, WRONG.i32],
      [Uint32Array, WRONG.u32],
      [Uint16Array, WRONG.u16],
      [Uint8Array, WRONG.u8],
    ]);
    const values = columns[name];
    const wrong = kinds.get(values.constructor) ?? Number.NaN;
    // Lists that the calendar has nothing in have no value that could be wrong.
    const bytes = values.length > 0 ? withValue(name, values.length - 1, wrong) : Uint8Array.of(wrong);
    const path = await spoiled(`outside-${name}`, SET_COLUMN, [bytes, name]);
    await rejects(
      openSnapshot(path),
      'SNAPSHOT_UNUSABLE',
      new RegExp(`column_blob (${name}|changeBy|changeOf)`),
    );
  });
}

/** Values that no single one of gives away. */
const TOGETHER: Readonly<
  Record<string, readonly [ColumnName, place: number, value: number, finding: RegExp]>
> = {
  'rows in a circle': ['next', 50, 40, /next: expected a later row or -1, found 40 at 50/],
  'a start that no year has': ['start', 0, -1e15, /start: expected an instant of the years 1 to 9999/],
  'starts out of order': ['start', 4, 0, /start: expected numbers that ascend/],
  'lists out of order': ['organizersAt', 3, 39, /organizersAt: expected numbers that ascend, found 4 at 4/],
  'a list that begins elsewhere': ['tagsAt', 0, 1, /tagsAt: expected lists that begin at 0/],
  'a row twice in a list': ['categoryRows', 7, 6, /categoryRows: expected ascending lists, found 6 at 7/],
  'more nodes than there are events': ['changeBy', 0, 41, /changeBy: expected 0 to 40 nodes, found 41/],
  'fewer nodes than none': ['changeBy', 0, -1, /changeBy: expected 0 to 40 nodes, found -1/],
};

for (const [what, [name, place, value, finding]] of Object.entries(TOGETHER)) {
  test(`H7: should refuse ${what}`, async () => {
    const path = await spoiled(what, SET_COLUMN, [withValue(name, place, value), name]);
    await rejects(openSnapshot(path), 'SNAPSHOT_UNUSABLE', finding);
  });
}

test('H5, H7: MUST look at every value before a server adopts a file, which does not look again', async () => {
  const path = await spoiled('adopted', SET_COLUMN, [withValue('next', 50, 40), 'next']);
  await rejects(verifyFile(path, {}), 'SNAPSHOT_UNUSABLE', /next: expected a later row or -1/);
  const snapshot = await openSnapshot(path, { lift: { columns, ...lexicons } });
  await snapshot.close();
});

test('H7: should refuse checkpoints that are fewer than there are changes for', async () => {
  const { shownAfter } = columns;
  const half = storeColumn('shownAfter', shownAfter.slice(0, shownAfter.length - 1)).bytes;
  const sql = 'update column_blob set bytes = ?, length = ? where name = ?';
  const path = await spoiled('few', sql, [half, shownAfter.length - 1, 'shownAfter']);
  await rejects(openSnapshot(path), 'SNAPSHOT_UNUSABLE', /shownAfter: expected \d+ entries, found \d+/);
});

const LISTS: Readonly<Record<string, readonly [list: string, body: unknown, finding: RegExp]>> = {
  'a venue without a slug': [
    'venues',
    [{ id: 'v1', name: 'Ås' }],
    /venues: expected venues only, found .* at 0/,
  ],
  'a venue at no place': [
    'venues',
    [{ id: 'v', name: 'Ås', slug: 'as', location: { latitude: '1', longitude: 2 } }],
    /venues: expected venues only/,
  ],
  'an organizer in place of the list': ['organizers', { length: 1 }, /organizers: expected a list/],
  'a category that is its own parent': [
    'categories',
    [{ id: 'A', name_nb: '', name_en: '', slug_nb: '', slug_en: '', visible: true, parent: 0 }],
    /categories: expected a parent before each child/,
  ],
  'a tag that is a number': ['tags', [1], /tags: expected tags only, found 1 at 0/],
  'no licence': ['licence', null, /licence: expected a licence, found null/],
};

for (const [what, [list, body, finding]] of Object.entries(LISTS)) {
  test(`H7: should refuse ${what}`, async () => {
    const sql = 'update list_json set body = ? where name = ?';
    const path = await spoiled(what, sql, [JSON.stringify(body), list]);
    await rejects(openSnapshot(path), 'SNAPSHOT_UNUSABLE', finding);
  });
}

const INDEX: Readonly<Record<string, readonly [column: string, bytes: Uint8Array, finding: RegExp]>> = {
  'a list of entries that ends behind its bytes': [
    'words.events.ends',
    new Uint8Array(Uint32Array.of(0xffffffff).buffer),
    /words\.events\.ends: expected \d+ entries, found 1/,
  ],
  'entries that are cut short': [
    'words.text',
    new Uint8Array(3),
    /words\.ends: expected numbers that ascend to 3/,
  ],
  'no lengths': ['parts.lengths', new Uint8Array(0), /parts\.lengths: expected 320 entries, found 0/],
  'half a number': ['words.letters', new Uint8Array(6), /words\.letters: expected words of 4 bytes, found 6/],
};

for (const [what, [column, bytes, finding]] of Object.entries(INDEX)) {
  test(`H7: should refuse a search index with ${what}`, async () => {
    const sql = 'update search_part set bytes = ? where name = ?';
    const path = await spoiled(what, sql, [bytes, column]);
    await rejects(openSnapshot(path), 'SNAPSHOT_UNUSABLE', finding);
  });
}

test('H7: should refuse a set of events in an encoding that only every object knows', async () => {
  const path = await spoiled('by another name', 'update search_short set encoding = ?', ['constructor']);
  const snapshot = await openSnapshot(path);
  await rejects(
    snapshot.searchIndex.short(Buffer.from('a')),
    'SNAPSHOT_UNUSABLE',
    /search_short: expected encoding list or bits, found constructor/,
  );
  await snapshot.close();
});

test('H7: MUST refuse, or answer from, whatever is in the columns, and soon', async () => {
  const random = seeded(7);
  let refused = 0;
  for (let round = 0; round < 150; round++) {
    const name = COLUMN_NAMES[random(COLUMN_NAMES.length)] ?? 'start';
    const { length } = columns[name];
    if (length === 0) continue;
    const value = [random(200), -random(5), random(2 ** 31), Number.NaN][random(4)] ?? 0;
    const path = await spoiled(`round-${round}`, SET_COLUMN, [withValue(name, random(length), value), name]);
    const what = `${name} ${value}`;
    const isRefused = async () =>
      openSnapshot(path)
        .then(askAll)
        .then(() => false)
        .catch((cause) => {
          assert.ok(isCalendarError(cause), `${what}: ${String(cause)}`);
          return true;
        });
    const work = async () => {
      refused += Number(await isRefused());
    };
    await costsAtMost(50, work, { what, everyThread: true, tries: 1 });
  }
  assert.ok(refused > 20, `${refused} refused`);
});

async function askAll(snapshot: Snapshot): Promise<void> {
  for (const now of [NOW, NOW + 86_400, NOW + 10 * 86_400]) {
    const view = viewAt(snapshot, now);
    for (const selection of [
      {},
      { groupRepetitionsByDay: true as const },
      { fromStartDate: NOW + 86_400, categories: ['MUSIC'] },
      { untilDate: NOW + 2 * 86_400, tag: 'blåbær', hoursRange: { from: 0, to: 1_000 } },
      { searchTerm: 'elva', venues: ['as'], cancelledNotIncluded: true as const },
    ]) {
      const set = await selectNodes(view, selection, now);
      for (const kind of ['venues', 'organizers', 'categories'] as const)
        view.facets.entities(set.counts(), kind, null);
      view.facets.days(set.rows, null);
      view.facets.municipalities(set.counts(), null);
      view.facets.tags(set.rows, null);
      placesOf(set.rows);
    }
    upcomingEvents(snapshot, now);
  }
  await createSearch(snapshot).find('approximate', ['elvb']);
  await snapshot.close();
}

test.run();
