/** The parts of README.md and docs/ that are made from the code. */
import { join } from 'node:path';
import { SETTINGS } from '../../jobs/settings.ts';
import { EVENT, type EventField } from '../../src/calendar/fields.ts';
import { CORE_SETTINGS } from '../../src/settings/core.ts';
import { TABLES } from '../../src/snapshot/format.ts';
import { textOf } from '../../src/snapshot/reader.ts';
import { openWriter } from '../../src/snapshot/sqlite.ts';
import { temporaryFolder } from '../helpers/folder.ts';

interface GeneratedTable {
  readonly page: string;
  /** The first table under it is replaced. */
  readonly heading: string;
  /** In Markdown. */
  readonly table: string;
}

export async function generatedTables(): Promise<readonly GeneratedTable[]> {
  return [
    ...settingsTables().map(([heading, table]) => ({ page: 'README.md', heading, table })),
    { page: 'docs/snapshot.md', heading: 'The snapshot, for SQL', table: await snapshotTable() },
    { page: 'docs/source-format.md', heading: 'Events', table: eventFieldsTable() },
  ];
}

/** Those that the smallest calendar of one's own needs. */
const FIRST = new Set([
  'PORT',
  'HOST',
  ...'SOURCE SNAPSHOTS CRON KEYS PUBLIC_URL MEMORY_MB'.split(' ').map((name) => `ALMANAKK_${name}`),
]);

function settingsTables(): readonly (readonly [heading: string, table: string])[] {
  const all = Object.values(SETTINGS);
  const core = new Set<string>(Object.values(CORE_SETTINGS).map(({ name }) => name));
  const rest = all.filter(({ name }) => !FIRST.has(name));
  return [
    ['To begin with', settingsTable(all.filter(({ name }) => FIRST.has(name)))],
    ['The server and its builds', settingsTable(rest.filter(({ name }) => core.has(name)))],
    ['What else it can do', settingsTable(rest.filter(({ name }) => !core.has(name)))],
  ];
}

function settingsTable(settings: readonly (typeof SETTINGS)[keyof typeof SETTINGS][]): string {
  const rows = settings.map(({ name, fallback, description }) => [
    `\`${name}\``,
    fallback === '' ? 'none' : `\`${fallback}\``,
    description,
  ]);
  return markdownTable(['name', 'default', 'what it is'], rows);
}

/** What a row of each table is; null for tables that are the server's own. */
const ROWS: Readonly<Record<string, string | null>> = {
  meta: 'something that the snapshot says about itself',
  venue: 'a venue, in Norwegian alphabetical order',
  organizer: 'an organizer, in Norwegian alphabetical order',
  category: 'a category or, with a `parent`, a subcategory, in the licence’s order',
  event: 'an event, by id',
  event_category: 'an event’s category',
  event_organizer: 'an event’s organizer',
  occurrence:
    'a date of an event that was not over when the snapshot was built, in the order of their starts',
  price: 'a ticket of an event or, with an `occurrence`, of that date only',
  image: 'a picture of an event; the first is the cover',
  slug: 'a slug that belongs to an id, or did within 400 days: `event`, `venue` or `organizer`',
  merged: 'an id under which the event, venue or organizer `survivor` is found as well',
  build: 'a build whose changes are known; `id` is that of its snapshot, null for this one',
  history: 'an event as it was before a build: from when on it could be `seen`, null for not at all',
  sequence: 'how often a date that is gone was changed, should it come back',
  occurrence_list: 'a date as people ask for it: with its event, its venue, and its categories in Norwegian',
  list_json: null,
  column_blob: null,
};

async function snapshotTable(): Promise<string> {
  const writer = await openWriter(join(temporaryFolder(), 'empty.sqlite'));
  await writer.exec(TABLES);
  const columns = await writer.all(COLUMNS_OF_TABLES, [], (row) => [
    textOf(row, 'table'),
    textOf(row, 'column'),
  ]);
  await writer.close();
  const names = [...new Set(columns.map(([table = '']) => table))];
  const rows = names.flatMap((name) => {
    const what = ROWS[name];
    if (what === undefined) throw new Error(`expected to know what a row of ${name} is: say so in ROWS`);
    const own = columns.filter(([table]) => table === name).map(([, column]) => `\`${column}\``);
    return what === null ? [] : [[`\`${name}\``, what, own.join(', ')]];
  });
  return markdownTable(['table', 'a row is', 'columns'], rows);
}

const COLUMNS_OF_TABLES = `select sqlite_schema.name as "table", columns.name as "column"
  from sqlite_schema, pragma_table_xinfo(sqlite_schema.name) as columns
  where sqlite_schema.type in ('table', 'view')
  order by sqlite_schema.rowid, columns.cid`;

/** Fields of an event that have rules of their own; the plain ones come of the table of fields. */
const RULED_FIELDS: readonly (readonly [names: string, text: string])[] = [
  [
    '`slug`, `eventLink`',
    "the last part of the event's URL (at most 80 of `a-z`, `0-9` and `-`), or the whole; by default made from the title and `siteUrl`, once: see [above](#venues-and-organizers)",
  ],
  ['`desc_nb`, `desc_en`', 'descriptions; HTML that formats text is kept'],
  ['`categories`', 'ids of categories and subcategories'],
  ['`tags`', 'keywords'],
  ['`mode`', '`offline` (default) or `online`'],
  ['`venue`, `organizers`', 'an id, and a list of ids'],
  [
    '`images`',
    'objects with `urlSmall`, `urlLarge`, `alt`, `caption`, `credits`, `focusX`, `focusY`, `width`, `height`',
  ],
  ['`ticketsInformation`', '`noTicketsInfo` (default), `ticketsInfo` or `free`'],
  [
    '`prices`',
    'objects with `type`, `price`, `name_nb`, `name_en`; a price is a number, or a string of digits with an optional `.` fraction, and is rounded; anything else, such as `1 200` or `100 kr`, is no price',
  ],
  ['`ticketsURL`, `eventCancelled`, `eventSoldOut`', 'for all dates that do not say otherwise'],
  ['`superEvent` or `super_event`', 'the id of the container to whose programme it belongs'],
  [
    '`isFeaturedInSpecialEvent`',
    '`true` or `false`: whether it is featured in the `specialEvent` of the licence',
  ],
];

/** Plain fields of which the same is said share a row. */
function eventFieldsTable(): string {
  const bySource = new Map<string, string[]>();
  for (const [name, { source }] of Object.entries<EventField>(EVENT)) {
    if (source !== undefined) bySource.set(source, [...(bySource.get(source) ?? []), `\`${name}\``]);
  }
  const plain = [...bySource].map(([source, names]) => [names.join(', '), source]);
  return markdownTable(
    ['field', 'value'],
    [...RULED_FIELDS, ...plain, ['`dates`, `repeats`', 'when it happens']],
  );
}

function markdownTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |\n`);
  return lines.join('').replace(/^(\| ---.*)$/m, (line) => line.replaceAll(' ', ''));
}
