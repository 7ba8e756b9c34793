/**
 * The file of the public edition (J5): the SQL of its tables, view and indexes, and the description of each column. SQLite 3.31 understands
 * all of it.
 */
import { PUBLIC_TABLES, type PublicColumn, type PublicTable } from './tables.ts';
import { UPCOMING, UPCOMING_ABOUT, upcomingSql } from './upcoming.ts';

/** "almp" in ASCII, in SQLite's `application_id`: another one than a snapshot's, so that no server adopts the file. */
export const PUBLIC_APPLICATION_ID = 0x616c6d70;

/** SQLite's `user_version` and `meta.shape`. Within a major version of almanakk columns and tables are only added. */
export const PUBLIC_SHAPE = 1;

/** Bytes: readers by byte ranges fetch whole pages. */
export const PUBLIC_PAGE_SIZE = 4_096;

/** A table of the file, or its full-text index. */
export type FilledTable = keyof typeof PUBLIC_TABLES | 'search';

/** The columns of the full-text index, in order. */
export const SEARCH = {
  title: 'Titles.',
  summary: 'Summaries.',
  description: 'Descriptions, as text.',
  tags: 'Tags.',
  venues: 'Names of the venues of its dates.',
  organizers: 'Names of its organizers.',
  categories: 'Names of its own categories, in all languages.',
} as const;

const SEARCH_ABOUT =
  'The entry of an event in a full-text index (FTS5) of whole words, which ignores case and accents. The index does not store the texts: its `rowid` is `event.number`.';

/** The columns that rows fill, in order. */
export function columnsOf(table: FilledTable): readonly string[] {
  return table === 'search' ? ['rowid', ...Object.keys(SEARCH)] : Object.keys(PUBLIC_TABLES[table].columns);
}

/** SQL of all tables, the view and the index. */
export function publicSchema(): string {
  const tables = Object.entries<PublicTable>(PUBLIC_TABLES).map(([name, table]) => tableSql(name, table));
  return `${tables.join(';\n')};
${upcomingSql()};
create virtual table search using fts5(${Object.keys(SEARCH).join(', ')}, content = '', tokenize = 'unicode61 remove_diacritics 2');
`;
}

/** Created after all rows are inserted. */
export const PUBLIC_INDEXES = `
create index occurrence_by_start on occurrence (start_utc);
create index occurrence_by_event on occurrence (event_id);
create index occurrence_by_venue on occurrence (venue_id);
create index price_by_event on price (event_id);
create index event_category_by_category on event_category (category_id);
create index event_organizer_by_organizer on event_organizer (organizer_id);
create index event_tag_by_tag on event_tag (tag);
create index change_by_time on change (at);
`;

function tableSql(name: string, { columns, primaryKey }: PublicTable): string {
  const lines = Object.entries(columns).map(([column, description]) => columnSql(column, description));
  if (primaryKey === undefined) return `create table ${name} (\n${lines.join(',\n')}\n)`;
  const key = `  primary key (${primaryKey.join(', ')})`;
  return `create table ${name} (\n${[...lines, key].join(',\n')}\n) without rowid`;
}

function columnSql(name: string, { type, isKey, isUnique, isRequired, references }: PublicColumn): string {
  const parts = [
    `${name} ${type}`,
    isKey === true && 'primary key not null',
    isRequired === true && 'not null',
    isUnique === true && 'unique',
    references !== undefined && `references ${references} (id)`,
  ];
  return `  ${parts.filter((part) => part !== false).join(' ')}`;
}

interface DescribedColumn {
  readonly table: string;
  /** Empty for the table itself. */
  readonly column: string;
  readonly about: string;
}

/** Every table, view and column with its description, in the file's order. */
export function describedColumns(): readonly DescribedColumn[] {
  const described: DescribedColumn[] = [];
  const add = (table: string, about: string, columns: readonly (readonly [string, string])[]) => {
    described.push({ table, column: '', about });
    for (const [column, aboutColumn] of columns) described.push({ table, column, about: aboutColumn });
  };
  for (const [name, { about, columns }] of Object.entries<PublicTable>(PUBLIC_TABLES))
    add(
      name,
      about,
      Object.entries(columns).map(([column, description]) => [column, description.about]),
    );
  add(
    'upcoming',
    UPCOMING_ABOUT,
    Object.entries(UPCOMING).map(([name, [, about]]) => [name, about]),
  );
  add('search', SEARCH_ABOUT, Object.entries(SEARCH));
  return described;
}
