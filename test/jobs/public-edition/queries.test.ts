/** J5: each query of docs/data.md agrees with the interface at the same second, and runs on old SQLite. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { shownText } from '../../../src/calendar/display-text.ts';
import { packagePath } from '../../../src/package.ts';
import { textOf } from '../../../src/snapshot/reader.ts';
import { openWriter } from '../../../src/snapshot/sqlite.ts';
import { assertAbove } from '../../helpers/assertions.ts';
import { built, sourceOfEvents } from '../../helpers/build.ts';
import { NOW } from '../../helpers/calendar.ts';
import { temporaryFolder } from '../../helpers/folder.ts';
import { instantAt } from '../../helpers/moments.ts';
import { sourceFolder } from '../../helpers/native-source.ts';
import { publicPath, publicRows } from '../../helpers/public-file.ts';
import { startServer } from '../../helpers/running.ts';
import { filesOf } from '../../oracle/product.ts';
import { randomFrom } from '../../oracle/random.ts';
import { randomCalendar } from '../../oracle/random-calendar.ts';
import { blocksOf, theBlock } from '../../readme/blocks.ts';
import { allPages } from '../../readme/document.ts';

const queries = suite('queries of docs/data.md');

const QUERIES = allPages()
  .flatMap(blocksOf)
  .filter(({ language }) => language === 'sql');
/** The query that has these words. */
const queryWith = (says: RegExp) => theBlock({ language: 'sql', says }).text;

interface Scene {
  readonly path: string;
  readonly now: number;
  /** Everything that the interface shows, by event. */
  readonly events: readonly Shown[];
  readonly facets: readonly { readonly id: string; readonly name_nb: string; readonly hits: number }[];
}

interface Shown extends ShownDate {
  readonly title_nb: string | null;
  readonly title_en: string | null;
  readonly desc_nb: string | null;
  readonly desc_en: string | null;
  readonly eventLink: string;
  readonly categories: readonly string[];
  readonly tags: readonly string[];
  readonly organizers: readonly { readonly name: string }[];
  readonly ticketsInformation: string;
  readonly prices: readonly Price[];
  readonly occurrencePrices: readonly Price[] | null;
  readonly repetitions: readonly ShownDate[];
}

interface Price {
  readonly price: number | null;
}

interface ShownDate {
  readonly id: string;
  readonly startDate: string;
  readonly allDay: boolean;
  readonly eventCancelled: boolean;
  readonly venue: Venue | null;
  readonly prices: readonly Price[] | null;
}

interface Venue {
  readonly name: string;
  readonly municipality: string | null;
  readonly location: { readonly latitude: number; readonly longitude: number } | null;
}

const VENUE = 'venue { name municipality location { latitude longitude } }';
const EVERYTHING = `{ events(pageSize: 1000) { categories { id name_nb hits } data {
  id: occurrenceID title_nb title_en desc_nb desc_en eventLink categories tags organizers { name } ticketsInformation prices { price }
  occurrencePrices { price } startDate allDay eventCancelled ${VENUE}
  repetitions { id startDate allDay eventCancelled prices { price } ${VENUE} }
} } categories { id subcategories { id } } }`;

/** A public edition whose view `upcoming` is of the given second, and what the interface shows at that second. */
async function sceneOf(
  source: string,
  now: number,
): Promise<Scene & { readonly parents: ReadonlyMap<string, string> }> {
  const target = temporaryFolder();
  await built(source, target, { now, isPublic: true, force: true });
  const server = await startServer({ snapshots: target, clock: () => now * 1_000 });
  const answer = await server.ask<{
    events: { data: readonly Shown[]; categories: Scene['facets'] };
    categories: readonly { id: string; subcategories: readonly { id: string }[] }[];
  }>(EVERYTHING);
  await server.close();
  const parents = new Map(
    answer.categories.flatMap(({ id, subcategories }) => subcategories.map((one) => [one.id, id] as const)),
  );
  const path = await publicPath(target);
  await holdClock(path, now);
  return { path, now, events: answer.events.data, facets: answer.events.categories, parents };
}

/** SQL for another second than the present one. */
const fixed = (sql: string, now: number) => sql.replaceAll("strftime('%s', 'now')", `'${now}'`);

async function holdClock(path: string, now: number): Promise<void> {
  const writer = await openWriter(path);
  const [sql = ''] = await writer.all("select sql from sqlite_schema where name = 'upcoming'", [], (row) =>
    textOf(row, 'sql'),
  );
  await writer.exec(`drop view upcoming; ${fixed(sql, now)}`);
  await writer.close();
}

type WithParents = Awaited<ReturnType<typeof sceneOf>>;

const carries = ({ categories }: Shown, id: string, parents: ReadonlyMap<string, string>) =>
  categories.some((own) => own === id || parents.get(own) === id);

interface Row {
  readonly event: Shown;
  readonly date: ShownDate;
}

const datesOf = ({ events }: Scene): readonly Row[] =>
  events.flatMap((event) =>
    [{ ...event, prices: event.occurrencePrices }, ...event.repetitions]
      .filter(({ eventCancelled }) => !eventCancelled)
      .map((date) => ({ event, date })),
  );

/** As the column `starts` has it. */
const startsOf = ({ startDate, allDay }: ShownDate) => startDate.slice(0, allDay ? 10 : 16);
const countEach = (keys: readonly string[]) => {
  const counts = new Map<string, number>();
  for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1);
  return counts;
};

interface ExpectedRows {
  /** Words of the query. */
  readonly says: RegExp;
  /** In any order. */
  readonly rowsOf: (scene: WithParents) => readonly unknown[];
}

const EXPECTED: readonly ExpectedRows[] = [
  {
    says: /^select starts, title/,
    rowsOf: (scene) =>
      datesOf(scene)
        .filter(
          ({ event, date }) =>
            event.ticketsInformation === 'free' &&
            instantAt(date.startDate) < scene.now + 7 * 86_400 &&
            carries(event, 'FAMILY', scene.parents),
        )
        .map(({ event, date }) => ({
          starts: startsOf(date),
          title: event.title_nb ?? event.title_en,
          place: date.venue?.name ?? null,
          municipality: date.venue?.municipality ?? null,
          link: event.eventLink,
        })),
  },
  {
    says: / as month\b/,
    rowsOf: (scene) => {
      const placed = datesOf(scene).filter(({ date }) => (date.venue?.municipality ?? null) !== null);
      const keyOf = ({ date }: Row) => `${date.venue?.municipality}|${startsOf(date).slice(0, 7)}`;
      return [...countEach(placed.map(keyOf))].map(([key, dates]) => {
        const own = placed.filter((row) => keyOf(row) === key);
        const [municipality, month] = key.split('|');
        return { municipality, month, dates, events: new Set(own.map(({ event }) => event)).size };
      });
    },
  },
  {
    says: /^select place, latitude/,
    rowsOf: (scene) => {
      const placed = datesOf(scene).filter(({ date }) => (date.venue?.location ?? null) !== null);
      const keys = placed.map(({ date: { venue } }) =>
        JSON.stringify({
          place: venue?.name,
          latitude: venue?.location?.latitude,
          longitude: venue?.location?.longitude,
        }),
      );
      return [...countEach(keys)].map(([key, dates]) => ({ ...JSON.parse(key), dates }));
    },
  },
  {
    says: /^select lowest_price/,
    rowsOf: (scene) =>
      datesOf(scene).flatMap(({ event, date }) => {
        const amounts = (date.prices ?? event.prices).flatMap(({ price }) => price ?? []);
        const isPriced = event.ticketsInformation === 'ticketsInfo' && amounts.length > 0;
        if (!isPriced || !carries(event, 'MUSIC', scene.parents)) return [];
        return {
          lowest_price: Math.min(...amounts),
          starts: startsOf(date),
          title: event.title_nb ?? event.title_en,
          place: date.venue?.name ?? null,
        };
      }),
  },
  {
    says: /^select category\.id/,
    rowsOf: ({ facets }) =>
      facets.filter(({ hits }) => hits > 0).map(({ id, name_nb, hits }) => ({ id, name_nb, hits })),
  },
];

const sorted = (rows: readonly unknown[]) => rows.map((row) => JSON.stringify(row)).sort();
const withoutLimit = (sql: string) => sql.replace(/\nlimit \d+;/, ';');

async function compare(source: string, now: number, where: string): Promise<number> {
  const scene = await sceneOf(source, now);
  let rows = 0;
  for (const { says, rowsOf } of EXPECTED) {
    const found = await publicRows(scene.path, fixed(withoutLimit(queryWith(says)), now));
    assert.equal(sorted(found), sorted(rowsOf(scene)), `${where}: ${says}`);
    rows += found.length;
  }
  return rows;
}

const SAMPLE = packagePath('data/sample');
const SAMPLE_NOW = Date.parse('2026-11-27T10:00:00Z') / 1_000;

queries('J5: should answer about the sample as the interface does', async () => {
  assertAbove(await compare(SAMPLE, SAMPLE_NOW, 'the sample'), 50, 'rows');
});

queries('J5: should answer about random calendars as the interface does', async () => {
  for (let seed = 60; seed < 68; seed++) {
    const { source, builtAt } = randomCalendar(randomFrom(seed));
    await compare(sourceFolder(filesOf(source)), builtAt, `seed ${seed}`);
  }
});

/** Words as the full-text index sees them. */
const wordsIn = (text: string) =>
  new Set(
    text
      .normalize('NFD')
      .replace(/\p{M}/gu, '')
      .toLowerCase()
      .match(/[\p{L}\p{N}\p{Co}]+/gu) ?? [],
  );

queries('J5: should find what the interface finds, by whole words', async () => {
  const { path, events } = await sceneOf(SAMPLE, SAMPLE_NOW);
  for (const word of [
    'foredrag',
    'FOREDRAG',
    'kafé',
    'kafe',
    'julemarked',
    'trondheim',
    'barn',
    'ingensteds',
  ]) {
    const found = await publicRows(path, queryWith(/\bfrom search\b/).replace("'foredrag'", `'${word}'`));
    const [wanted = ''] = wordsIn(word);
    const expected = events.filter((event) => {
      const descriptions = [event.desc_nb, event.desc_en].map((markup) => shownText(markup ?? ''));
      const names = [event, ...event.repetitions].map(({ venue }) => venue?.name ?? '');
      const texts = [event.title_nb, event.title_en, ...descriptions, ...event.tags, ...names];
      const all = [...texts, ...event.organizers.map(({ name }) => name)].join(' \n ');
      return wordsIn(all).has(wanted);
    });
    const ids = new Set(found.map(({ id }) => id));
    for (const event of expected) assert.ok(ids.has(event.id.split('@')[0]), `${word}: ${event.id}`);
  }
});

queries('J5: should name what has changed since a moment', async () => {
  const target = temporaryFolder();
  for (const [nth, events] of [3, 4, 2].entries())
    await built(sourceOfEvents(events), target, { isPublic: true, force: true, now: NOW + nth * 86_400 });
  const path = await publicPath(target);
  const changesSince = (at: string) =>
    publicRows(path, queryWith(/\bfrom change\b/).replace(/'\d{4}-.*Z'/, `'${at}'`));
  const kinds = (await changesSince('2026-01-01T12:00:00Z')).map(({ id, kind }) => `${id} ${kind}`).sort();
  assert.equal(kinds, ['e2 removed', 'e3 removed']);
  assert.equal(await changesSince('2026-01-03T12:00:00Z'), []);
});

queries('J5: should be readable with SQLite 3.31', async () => {
  const { path, now } = await sceneOf(SAMPLE, SAMPLE_NOW);
  const load = createRequire(import.meta.url);
  const start = load('sql.js-3.31');
  const wasmBinary = readFileSync(load.resolve('sql.js-3.31/dist/sql-wasm.wasm'));
  const { Database } = await start({ wasmBinary });
  const old = new Database(readFileSync(path));
  assert.match(old.exec('select sqlite_version()')[0].values[0][0], /^3\.31\./);
  for (const { text, key } of QUERIES) {
    // That build of it has no FTS5.
    if (/\bfrom search\b/.test(text)) continue;
    const [{ values = [] } = {}] = old.exec(fixed(text, now));
    assert.is(values.length, (await publicRows(path, fixed(text, now))).length, key);
  }
  old.close();
});

queries.run();
