/** J5: the public edition holds the content that the interface shows an anonymous caller, and nothing else. */
import { readFileSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  describedColumns,
  PUBLIC_APPLICATION_ID,
  PUBLIC_PAGE_SIZE,
  PUBLIC_SHAPE,
} from '../../../jobs/public-edition/shape.ts';
import { compareCodePoints } from '../../../src/calendar/text.ts';
import { formatOslo } from '../../../src/calendar/time.ts';
import { parseManifest, readManifestText } from '../../../src/snapshot/manifest.ts';
import { textOf } from '../../../src/snapshot/reader.ts';
import { openWriter } from '../../../src/snapshot/sqlite.ts';
import { assertAbove, assertIncludes, assertSameBytes } from '../../helpers/assertions.ts';
import { built, snapshotsIn, sourceOfEvents } from '../../helpers/build.ts';
import { NOW } from '../../helpers/calendar.ts';
import { temporaryFolder } from '../../helpers/folder.ts';
import { instantAt } from '../../helpers/moments.ts';
import { LICENCE, sourceFolder } from '../../helpers/native-source.ts';
import { publicPath, publicRows } from '../../helpers/public-file.ts';
import { startServer } from '../../helpers/running.ts';
import { filesOf } from '../../oracle/product.ts';
import { randomFrom } from '../../oracle/random.ts';
import { randomCalendar } from '../../oracle/random-calendar.ts';

const edition = suite('public edition');

const DATES = [{ start: '2027-02-01 19:00', duration: 90 }];
const DAY = 86_400;

const published = async (files: Record<string, unknown>, now = NOW) => {
  const target = temporaryFolder();
  await built(sourceFolder(files), target, { now, isPublic: true });
  return publicPath(target);
};

edition(
  'J5: should be made with a snapshot where the settings want it, and stand in the manifest',
  async () => {
    const [plain, target] = [temporaryFolder(), temporaryFolder()];
    await built(sourceOfEvents(3), plain);
    assert.not.match(snapshotsIn(plain).join(), 'public-');
    await built(sourceOfEvents(3), target, { isPublic: true });
    const path = await publicPath(target);
    const { public: entry } = parseManifest((await readManifestText(target)) ?? '');
    assert.is(entry?.bytes, statSync(path).size);
    assert.is(entry?.compressed?.bytes, statSync(`${path}.br`).size);
  },
);

edition('J5: should have a shape of its own, in which every table and column is described', async () => {
  const path = await publicPath(await sampleTarget());
  const header = readFileSync(path).subarray(0, 100);
  assert.is(header.readUInt16BE(16), PUBLIC_PAGE_SIZE);
  assert.is(header.readUInt32BE(60), PUBLIC_SHAPE);
  assert.is(header.readUInt32BE(68), PUBLIC_APPLICATION_ID);
  const found = await publicRows(
    path,
    `select list.name as name, info.name as column_name from pragma_table_list() as list, pragma_table_info(list.name) as info
     where list.schema = 'main' and list.name not like 'sqlite_%' and list.name not like 'search_%'
     and not (list.name = 'search' and info.name in ('search', 'rank')) order by list.name, info.cid`,
  );
  const described = describedColumns().filter(({ column }) => column !== '');
  const sorted = (names: readonly string[]) => [...names].sort();
  assert.equal(
    sorted(found.map(({ name, column_name: column }) => `${name}.${column}`)),
    sorted(described.map(({ table, column }) => `${table}.${column}`)),
  );
  const own = await publicRows(path, 'select table_name, column_name, about from meta_column');
  assert.is(own.length, describedColumns().length);
  assert.equal(
    own.filter(({ about }) => about === ''),
    [],
  );
});

edition('J5: should hold foreign keys, and pass the checks of SQLite', async () => {
  for (let seed = 1; seed <= 4; seed++) {
    const { source, builtAt } = randomCalendar(randomFrom(seed));
    const path = await published(filesOf(source), builtAt);
    assert.equal(await publicRows(path, 'pragma foreign_key_check'), [], `seed ${seed}`);
    assert.equal(await publicRows(path, 'pragma integrity_check'), [{ integrity_check: 'ok' }]);
  }
});

edition('J5: should be the same bytes for the same snapshot and moment', async () => {
  const { source, builtAt } = randomCalendar(randomFrom(11));
  const files = filesOf(source);
  const [one, other] = [await published(files, builtAt), await published(files, builtAt)];
  assertSameBytes(readFileSync(one), readFileSync(other));
});

/** A word that occurs nowhere else. */
const secret = (index: number) => `hemmelig${index}zq`;

edition('J5, H9: should contain no unpublished value, in any table or index', async () => {
  for (let seed = 20; seed < 28; seed++) {
    const { source, builtAt } = randomCalendar(randomFrom(seed));
    const events = source.events.map((event, index) => marked(event, secret(index)));
    const files = { ...filesOf({ ...source, events: events as typeof source.events }) };
    const target = temporaryFolder();
    await built(sourceFolder(files), target, { now: builtAt, isPublic: true, force: true });
    const shown = await shownBy(target, builtAt);
    const path = await publicPath(target);
    const words = await wordsOf(path);
    const bytes = readFileSync(path).toString('latin1');
    let hidden = 0;
    for (const index of events.keys()) {
      const isShown = shown.includes(secret(index));
      hidden += Number(!isShown);
      assert.is(bytes.includes(`id-${secret(index)}`), isShown, `seed ${seed}: id of ${index}`);
      assert.is(bytes.includes(`tittel ${secret(index)}`), isShown, `seed ${seed}: title of ${index}`);
      assert.is(words.has(secret(index)), isShown, `seed ${seed}: word of ${index}`);
    }
    assertAbove(hidden, 0, `records that are not public, seed ${seed}`);
    assert.not.match(bytes, 'author_id', `seed ${seed}`);
    assert.not.match(bytes, /editableBy|editable_by/, `seed ${seed}`);
  }
});

edition('J5: should hold nothing of rejected records, feeds and findings', async () => {
  const good = Array.from({ length: 8 }, (_, at) => ({ id: `e${at}`, title_nb: `Dag ${at}`, dates: DATES }));
  const bad = {
    id: 'brukket-id',
    title_nb: 'Brukket',
    dates: [{ start: 'når som helst: Per Hansen, 01017012345' }],
  };
  const later = { id: 'senere-id', title_nb: 'Senere', publishingDate: '2027-01-20T00:00:00Z', dates: DATES };
  const path = await published({ 'events.json': [...good, bad, later] });
  const bytes = readFileSync(path).toString('utf8');
  for (const text of ['brukket-id', 'Per Hansen', '01017012345', 'senere-id', 'Senere', 'senere'])
    assert.is(bytes.includes(text), false, `expected nothing of ${text}`);
});

edition('J5: should answer as the interface does, for every event and date of random calendars', async () => {
  for (let seed = 40; seed < 46; seed++) {
    const { source, builtAt } = randomCalendar(randomFrom(seed));
    const target = temporaryFolder();
    await built(sourceFolder(filesOf(source)), target, { now: builtAt, isPublic: true });
    const server = await startServer({ snapshots: target, clock: () => builtAt * 1_000 });
    const { events } = await server.ask<{ events: { data: readonly Shown[] } }>(EVERYTHING);
    await server.close();
    const path = await publicPath(target);
    const where = `seed ${seed}`;
    const byId = [...events.data].sort((one, other) => compareCodePoints(one.id, other.id));
    assert.equal(await publicRows(path, EVENTS), byId.map(eventRow), where);
    const dates = events.data.flatMap(datesOf).sort((one, other) => compareCodePoints(one.id, other.id));
    assert.equal(await publicRows(path, OCCURRENCES), dates, where);
    const categories = byId.flatMap(({ id, categories: own }) =>
      [...new Set(own)].sort().map((one) => `${id} ${one}`),
    );
    const ownRows = await publicRows(
      path,
      'select event_id, category_id from event_category where is_own order by event_id, category_id',
    );
    assert.equal(ownRows.map((row) => `${row.event_id} ${row.category_id}`).sort(), categories.sort(), where);
  }
});

edition('J5, I16: should have the names of categories in Nynorsk, and find them', async () => {
  const category = { id: 'MUSIC', name_nb: 'Musikk', name_en: 'Music' };
  const path = await published({
    'licence.json': { ...LICENCE, categories: [{ ...category, name_nn: 'Slåttar' }] },
    'events.json': [{ id: 'a', title_nb: 'Kveld', categories: ['MUSIC'], dates: DATES }],
  });
  assert.equal(await publicRows(path, 'select name_nb, name_nn from category'), [
    { name_nb: 'Musikk', name_nn: 'Slåttar' },
  ]);
  const found =
    "select event.id from search join event on event.number = search.rowid where search match 'slattar'";
  assert.equal(await publicRows(path, found), [{ id: 'a' }]);
});

edition('G14: a build should not be unchanged when an event has been published since', async () => {
  const events = [
    { id: 'a', title_nb: 'Alltid', dates: DATES },
    { id: 'b', title_nb: 'Senere', publishingDate: '2026-01-20T12:00:00Z', dates: DATES },
  ];
  const source = sourceFolder({ 'events.json': events });
  const target = temporaryFolder();
  const options = { isPublic: true, now: NOW };
  assert.is((await built(source, target, options)).outcome, 'published');
  assert.is((await built(source, target, { ...options, now: NOW + 60 })).outcome, 'unchanged');
  assert.is((await publicRows(await publicPath(target), 'select * from event')).length, 1);
  const later = Date.parse('2026-01-20T12:00:00Z') / 1_000;
  assert.is(
    (await built(source, target, { now: later, horizonMonths: 18 })).outcome,
    'published',
    'another horizon day',
  );
  assert.is(
    (await built(source, target, { ...options, now: later + 1 })).outcome,
    'published',
    'no public edition yet',
  );
  assert.is((await publicRows(await publicPath(target), 'select * from event')).length, 2);
  assert.is((await built(source, target, { ...options, now: later + 2 })).outcome, 'unchanged');
  const [change] = await publicRows(await publicPath(target), "select * from change where id = 'b'");
  assert.equal(change, { id: 'b', kind: 'added', at: '2026-01-20T12:00:00Z' });
});

edition('J5: should keep the current public edition and two before it', async () => {
  const target = temporaryFolder();
  for (let build = 0; build < 5; build++)
    await built(sourceOfEvents(3 + build), target, { isPublic: true, now: NOW + build * DAY });
  const names = snapshotsIn(target).filter((name) => name.startsWith('public-'));
  assert.is(names.length, 6, names.join());
  assertIncludes(names, basename(await publicPath(target)));
});

interface Shown {
  readonly id: string;
  readonly event_slug: string;
  readonly eventLink: string;
  readonly title_nb: string | null;
  readonly desc_en: string | null;
  readonly mode: string;
  readonly publishingDate: string | null;
  readonly minimumAge: number | null;
  readonly isFeaturedEvent: boolean;
  readonly categories: readonly string[];
  readonly tags: readonly string[];
  readonly prices: readonly { readonly price: number | null }[];
  readonly repetitions: readonly ShownDate[];
  readonly occurrenceID: string;
  readonly startDate: string;
  readonly endDate: string;
  readonly startTime: string;
  readonly duration: number | null;
  readonly ticketsURL: string | null;
  readonly eventCancelled: boolean;
  readonly status: string;
  readonly previousStartDate: string | null;
  readonly eventSoldOut: boolean;
  readonly allDay: boolean;
  readonly venue: { readonly id: string } | null;
}

interface ShownDate extends Omit<Shown, 'occurrenceID' | 'repetitions'> {
  readonly id: string;
}

const DATE_FIELDS =
  'startDate endDate startTime duration ticketsURL eventCancelled status previousStartDate eventSoldOut allDay venue { id }';
const EVERYTHING = `{ events(pageSize: 1000) { data {
  id event_slug eventLink title_nb desc_en mode publishingDate minimumAge isFeaturedEvent categories tags prices { price }
  occurrenceID ${DATE_FIELDS} repetitions { id ${DATE_FIELDS} }
} } }`;

const EVENTS = `select id, event_slug, event_link, title_nb, desc_en, mode, publishing_date, minimum_age, is_featured_event,
  (select count(*) from price where price.event_id = event.id and price.occurrence_id is null) as prices,
  (select count(*) from event_tag where event_tag.event_id = event.id) as tags from event order by id`;

const eventRow = (event: Shown) => ({
  id: event.id,
  event_slug: event.event_slug,
  event_link: event.eventLink,
  title_nb: event.title_nb,
  desc_en: event.desc_en,
  mode: event.mode,
  publishing_date: event.publishingDate,
  minimum_age: event.minimumAge,
  is_featured_event: Number(event.isFeaturedEvent),
  prices: event.prices.length,
  tags: new Set(event.tags).size,
});

const OCCURRENCES = `select id, starts, ends, start_utc, end_utc, start_time, duration, tickets_url, event_cancelled, status, previous_starts, event_sold_out,
  all_day, venue_id from occurrence order by id`;

function datesOf(event: Shown) {
  return [{ ...event, id: event.occurrenceID }, ...event.repetitions].map((date) => {
    const hasEnd = date.endDate !== date.startDate;
    return {
      id: date.id,
      starts: date.startDate.slice(0, date.allDay ? 10 : 16),
      ends: hasEnd ? (date.allDay ? dayBefore(date.endDate) : date.endDate.slice(0, 16)) : null,
      start_utc: instantAt(date.startDate),
      end_utc: instantAt(date.endDate),
      start_time: date.startTime,
      duration: date.duration,
      tickets_url: date.ticketsURL,
      event_cancelled: Number(date.eventCancelled),
      status: date.status,
      previous_starts: date.previousStartDate?.slice(0, date.allDay ? 10 : 16) ?? null,
      event_sold_out: Number(date.eventSoldOut),
      all_day: Number(date.allDay),
      venue_id: date.venue?.id ?? null,
    };
  });
}

const dayBefore = (text: string) => formatOslo(instantAt(text) - DAY / 2).slice(0, 10);

function marked(event: unknown, word: string): unknown {
  if (typeof event !== 'object' || event === null || !('id' in event)) return event;
  return {
    ...event,
    id: `id-${word}`,
    title_nb: `tittel ${word}`,
    desc_nb: `<p>beskrivelse ${word}</p>`,
    slug: `slug-${word}`,
    tags: [`tagg ${word}`],
    superEvent: undefined,
  };
}

/** All that an anonymous caller can read. */
async function shownBy(snapshots: string, now: number): Promise<string> {
  const server = await startServer({ snapshots, clock: () => now * 1_000 });
  const { text } = await server.post(EVERYTHING, {});
  await server.close();
  return text;
}

/** The words of the full-text index. */
async function wordsOf(path: string): Promise<ReadonlySet<string>> {
  const writer = await openWriter(path);
  try {
    await writer.exec("create virtual table temp.word using fts5vocab('main', 'search', 'row')");
    return new Set(await writer.all('select term from temp.word', [], (row) => textOf(row, 'term')));
  } finally {
    await writer.close();
  }
}

let sample: Promise<string> | undefined;

function sampleTarget(): Promise<string> {
  sample ??= (async () => {
    const target = temporaryFolder();
    await built(join('data', 'sample'), target, { isPublic: true, now: NOW });
    return target;
  })();
  return sample;
}

edition.run();
