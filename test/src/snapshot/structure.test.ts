/** H7: a stranger's file with a right hash, in which a modified builder or a hand may have written anything. */
import { createHash } from 'node:crypto';
import { copyFileSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { readColumns, storedParts } from '../../../src/snapshot/column-blobs.ts';
import type { Columns } from '../../../src/snapshot/columns.ts';
import { snapshotFile, snapshotId } from '../../../src/snapshot/files.ts';
import type { Keeper } from '../../../src/snapshot/keeper.ts';
import { type Manifest, renderManifest } from '../../../src/snapshot/manifest.ts';
import { openReader, openWriter } from '../../../src/snapshot/sqlite.ts';
import { verifyFile } from '../../../src/snapshot/verify.ts';
import { rejects } from '../../helpers/errors.ts';
import { publishCalendar, temporaryFolder } from '../../helpers/folder.ts';
import { idOf, reasonsIn, startKeeper } from '../../helpers/keeper.ts';

const structure = suite<{ keepers: Keeper[] }>('structure', { keepers: [] });

structure.after.each(async ({ keepers }) => {
  for (const keeper of keepers.splice(0)) await keeper.close();
});

const folder = temporaryFolder();
let good: string;

structure.before(async () => {
  good = join(folder, (await publishCalendar(folder)).file);
});

/** Changes one column of a file in place. */
async function alter(path: string, name: keyof Columns, change: (values: Columns[keyof Columns]) => unknown) {
  const reader = await openReader(path);
  const { [name]: values } = await readColumns(reader, [name]);
  await reader.close();
  const changed = change(values);
  const [stored] = storedParts(name, (changed ?? values) as Columns[keyof Columns]);
  assert.ok(stored);
  const { kind, length, bytes } = stored;
  const hex = Buffer.from(bytes).toString('hex');
  await run(
    path,
    `update column_blob set kind = '${kind}', length = ${length}, bytes = x'${hex}' where name = '${name}'`,
  );
}

async function run(path: string, sql: string): Promise<void> {
  const writer = await openWriter(path);
  await writer.exec(sql);
  await writer.close();
}

async function copyOf(change: (path: string) => Promise<unknown>): Promise<string> {
  const path = join(temporaryFolder(), 'copy.sqlite');
  copyFileSync(good, path);
  await change(path);
  return path;
}

const set = (at: number, value: number) => (values: Columns[keyof Columns]) => {
  values[at] = value;
};
const shorter = (values: Columns[keyof Columns]) => values.slice(0, -1);

interface ColumnFault {
  readonly name: keyof Columns;
  readonly change: (values: Columns[keyof Columns]) => unknown;
  readonly finding: RegExp;
}

/** Faults in a calendar with three events of two dates each, one venue, organizer and category. */
const COLUMN_FAULTS: readonly ColumnFault[] = [
  {
    name: 'organizersAt',
    change: set(2, 2_147_483_647),
    finding: /column_blob organizersAt, value 3: expected no less than the one before/,
  },
  {
    name: 'organizersAt',
    change: set(3, 2_147_483_647),
    finding: /column_blob organizersAt: expected offsets from 0 to 3, found 0 to 2147483647/,
  },
  {
    name: 'occurrencesAt',
    change: set(0, 1),
    finding: /column_blob occurrencesAt: expected offsets from 0 to 6, found 1 to 6/,
  },
  {
    name: 'venueRowsAt',
    change: shorter,
    finding: /column_blob venueRowsAt: expected 2 values, found 1/,
  },
  {
    name: 'categories',
    change: set(0, 9),
    finding: /column_blob categories, value 0: expected from 0 to below 1, found 9/,
  },
  {
    name: 'occurrences',
    change: set(0, 6),
    finding: /column_blob occurrences, value 0: expected from 0 to below 6, found 6/,
  },
  {
    name: 'event',
    change: set(0, 3),
    finding: /column_blob event, value 0: expected from 0 to below 3, found 3/,
  },
  {
    name: 'venue',
    change: set(1, -2),
    finding: /column_blob venue, value 1: expected from -1 to below 1, found -2/,
  },
  {
    name: 'keyEvent',
    change: set(0, 3),
    finding: /column_blob keyEvent, value 0: expected from -1 to below 3, found 3/,
  },
  {
    name: 'start',
    change: set(0, Number.NaN),
    finding: /column_blob start, value 0: expected from .*, found NaN/,
  },
  {
    name: 'over',
    change: set(5, Number.POSITIVE_INFINITY),
    finding: /column_blob over, value 5: expected from .*, found Infinity/,
  },
  {
    name: 'end',
    change: set(0, 1e300),
    finding: /column_blob end, value 0: expected from .*, found 1e\+300/,
  },
  {
    name: 'publishing',
    change: set(0, Number.NaN),
    finding: /column_blob publishing, value 0: expected from/,
  },
  {
    name: 'moments',
    change: set(0, 1e11),
    finding: /column_blob moments, value 1: expected no less than the one before/,
  },
  {
    name: 'start',
    change: set(0, 2e10),
    finding: /column_blob start, value 1: expected no less than the one before/,
  },
  {
    name: 'minute',
    change: set(0, 1_440),
    finding: /column_blob minute, value 0: expected from 0 to 1439, found 1440/,
  },
  {
    name: 'nth',
    change: set(0, 0),
    finding: /column_blob nth, value 0: expected from 1 to/,
  },
  {
    name: 'bodyCheck',
    change: shorter,
    finding: /column_blob bodyCheck: expected 3 values, found 2/,
  },
  {
    name: 'flagRows',
    change: shorter,
    finding: /column_blob flagRows: expected \d+ values, found \d+/,
  },
  {
    name: 'wordEnds',
    change: set(0, 0),
    finding: /column_blob wordEnds, value 0: expected the position of a line break/,
  },
  {
    name: 'wordEvents',
    change: set(0, 6),
    finding: /column_blob wordEvents, value 0: expected from 0 to below 6, found 6/,
  },
  {
    name: 'wordLengths',
    change: set(319, 1_000_000),
    finding: /column_blob wordLengths, value 319: expected at most \d+, found 1000000/,
  },
];

for (const { name, change, finding } of COLUMN_FAULTS) {
  structure(`H7: should refuse a file with ${String(finding).slice(1, 60)}`, async () => {
    const path = await copyOf((copy) => alter(copy, name, change));
    await rejects(verifyFile(path, {}), 'SNAPSHOT_UNUSABLE', finding);
  });
}

structure('H7: should refuse a column of a filter that has not one value for each event', async () => {
  const sql = "update column_blob set length = 0, bytes = x'' where name = 'minimumAge'";
  const path = await copyOf((copy) => run(copy, sql));
  const finding = /column_blob minimumAge: expected \d+ values, found 0/;
  await rejects(verifyFile(path, {}), 'SNAPSHOT_UNUSABLE', finding);
});

const list = (name: string, body: string) => `update list_json set body = '${body}' where name = '${name}'`;

const fact = (key: string, value: string) => `update meta set value = '${value}' where key = '${key}'`;

interface ListFaultCase {
  readonly sql: string;
  readonly finding: RegExp;
}

const LIST_FAULTS: readonly ListFaultCase[] = [
  {
    sql: list('venues', '{}'),
    finding: /list_json venues: expected a list, found \{\}/,
  },
  {
    sql: list('venues', '[]'),
    finding: /list_json venues: expected 1 entries, found 0/,
  },
  {
    sql: list('tags', '[7]'),
    finding: /list_json tags: expected \[text\], found \[7\]/,
  },
  {
    sql: list('licence', 'null'),
    finding: /list_json licence: expected an object, found null/,
  },
  {
    sql: "update list_json set body = replace(body, '63.4305149', '1e999') where name = 'venues'",
    finding: /venues\[0\]\.location\.latitude: expected number/,
  },
  {
    sql: "update list_json set body = replace(body, '-1', '0') where name = 'categories'",
    finding: /categories\[0\]\.parent: expected from -1 to below 0, found 0/,
  },
  {
    sql: list('earlierSlugs', '[{"kind":"venue","slug":"a","ordinal":1}]'),
    finding: /earlierSlugs: expected the ordinal of a venue, found 1/,
  },
  {
    sql: fact('horizonDay', 'soon'),
    finding: /meta\.horizonDay: expected a day, found soon/,
  },
  {
    sql: fact('format', 'four'),
    finding: /meta\.format: expected a whole number, found four/,
  },
  {
    sql: fact('licence', '{"name":"Kalender"}'),
    finding: /meta\.licence: expected an object with an id, found \{"name"/,
  },
  {
    sql: fact('feeds', '[{"id":"bergen","state":"ok","since":null,"why":7}]'),
    finding: /meta\.feeds\[0\]\.why: expected text\?, found 7/,
  },
  {
    sql: fact('notices', '{}'),
    finding: /meta\.notices: expected a list, found \{\}/,
  },
];

for (const { sql, finding } of LIST_FAULTS) {
  structure(`H7: should refuse a file with ${String(finding).slice(1, 60)}`, async () => {
    await rejects(verifyFile(await copyOf((copy) => run(copy, sql)), {}), 'SNAPSHOT_UNUSABLE', finding);
  });
}

structure('H7, H14: should refuse checksums of other texts, where a file is made or fetched', async () => {
  for (const name of ['bodyCheck', 'nameCheck', 'textCheck'] as const) {
    const path = await copyOf((copy) => alter(copy, name, (values) => values.fill(0)));
    await verifyFile(path, {});
    await rejects(
      verifyFile(path, {}, { isThorough: true }),
      'SNAPSHOT_UNUSABLE',
      /expected the checksum 0, found \d+/,
    );
  }
});

structure(
  'H7, H14: should refuse a file without one of its events, where it is made or fetched',
  async () => {
    const path = await copyOf((copy) => run(copy, 'delete from event where ordinal = 1'));
    await rejects(
      verifyFile(path, {}, { isThorough: true }),
      'SNAPSHOT_UNUSABLE',
      /expected rows of events 3, found 2/,
    );
  },
);

/** Alters the snapshot in the folder and publishes it again under its new hash. */
async function publishAltered(
  into: string,
  manifest: Manifest,
  change: (path: string) => Promise<unknown>,
): Promise<Manifest> {
  const draft = join(into, 'draft.sqlite');
  copyFileSync(join(into, manifest.file), draft);
  await change(draft);
  const content = readFileSync(draft);
  const sha256 = createHash('sha256').update(content).digest('hex');
  const id = snapshotId(sha256);
  const { compressed: _, ...rest } = manifest;
  const altered = { ...rest, id, sha256, file: snapshotFile(id), bytes: content.length };
  renameSync(draft, join(dirname(draft), altered.file));
  rmSync(draft, { force: true });
  writeFileSync(join(into, 'manifest.json'), renderManifest(altered));
  return altered;
}

structure(
  'H7, H14: should leave a file whose checksums are wrong for the one before it, and not take it again',
  async (context) => {
    let sound = '';
    const { keeper, folder: into, lines, time, publish } = await startKeeper(context);
    const first = await publish('God');
    sound = first.id;
    const bad = await publishAltered(into, first, (path) =>
      alter(path, 'bodyCheck', (values) => values.fill(0)),
    );
    await keeper.check();
    assert.is(idOf(keeper), bad.id);
    const { snapshot, release } = keeper.pin();
    await rejects(snapshot.eventBodies([0]), 'SNAPSHOT_UNUSABLE', /checksum/);
    release();
    await keeper.check();
    assert.is(idOf(keeper), sound);
    assert.match(
      keeper.state().damage?.reason ?? '',
      /found damaged while it was served: event 0: expected the checksum 0/,
    );
    for (let nth = 0; nth < 3; nth++) {
      time.now += 120_000;
      await keeper.check();
    }
    assert.is(idOf(keeper), sound);
    assert.is(reasonsIn(lines).length, 1, reasonsIn(lines).join('\n'));
  },
);

structure(
  'H7: should build what requests are answered by before it swaps, and refuse what throws there',
  async (context) => {
    let isStrange = false;
    const prepared: unknown[] = [];
    const { keeper, publish, lines } = await startKeeper(context, (at) => publishCalendar(at), {
      prepare: ({ id }) => {
        prepared.push([id, idOf(keeper)]);
        if (isStrange) throw new TypeError('no such list');
      },
    });
    const before = idOf(keeper);
    isStrange = true;
    const { id } = await publish('Merkelig');
    await keeper.check();
    assert.is(idOf(keeper), before);
    assert.equal(prepared.at(-1), [id, before]);
    assert.match(
      reasonsIn(lines).join(),
      /calendar-\w+\.sqlite: expected a calendar that can be served, found no such list/,
    );
  },
);

structure.run();
