/**
 * The snapshot file: its identity and its tables. Numbers are integers or text (G5). A server loads `list_json` and `column_blob` into memory
 * and sends rows of `event` as they are; `slug`, `merged`, `history` and `sequence` are for the next build. People read the public edition
 * (J5), so that nothing here is for the `sqlite3` shell.
 */
/** "alma" in ASCII, in SQLite's `application_id`. */
export const APPLICATION_ID = 0x616c6d61;

/**
 * SQLite's `user_version`. `npm run generate` raises it once for each release whose files have another format than those of the previous
 * release; additions count, because a server accepts only its own format.
 */
export const FORMAT = 4;

/** Bytes. Rows of events are long: smaller pages would be partly empty, and larger ones cost more reading time than they save. */
export const PAGE_SIZE = 16_384;

/** The columns of the table `event`, in their order. */
const EVENT_COLUMNS = {
  ordinal: 'integer primary key',
  id: 'text not null',
  slug: 'text not null',
  link: 'text not null',
  title_nb: 'text',
  title_en: 'text',
  desc_nb: 'text',
  desc_en: 'text',
  mode: 'text not null',
  tickets_information: 'text not null',
  super_event: 'text',
  is_super_event: 'integer not null',
  is_featured: 'integer not null',
  tags: 'text not null',
  created_at: 'integer',
  updated_at: 'integer',
  minimum_age: 'integer',
  maximum_age: 'integer',
  accessibility: 'text not null',
  body: 'text not null',
} as const;

export type EventColumn = keyof typeof EVENT_COLUMNS;

const eventColumns = Object.entries(EVENT_COLUMNS).map(([name, type]) => `${name} ${type}`);

export const TABLES = `
create table meta (key text primary key, value text not null) without rowid;
create table event (
  ${eventColumns.join(', ')}
);
create table slug (
  kind text not null, slug text not null, id text not null, is_current integer not null, given text, held integer,
  primary key (kind, slug)
) without rowid;
create table merged (kind text not null, id text not null, survivor text not null, primary key (kind, id)) without rowid;
create table build (number integer primary key, id text, built_at integer not null);
create table history (
  id text not null, build integer not null, seen integer, changed integer not null, primary key (id, build)
) without rowid;
create table sequence (occurrence text primary key, count integer not null, held integer not null) without rowid;
create table list_json (name text primary key, body text not null) without rowid;
create table column_blob (
  name text not null, part integer not null, kind text not null, length integer not null, bytes blob not null, primary key (name, part)
) without rowid;
`;

export const BUILD_AGAIN = 'build it again with this version, as a builder does at startup';

/** Says which side is older, because that is the one to update. */
export function formatMismatch(found: number): string {
  const advice = found > FORMAT ? 'this program is older than the build' : BUILD_AGAIN;
  return `expected format ${FORMAT}, found ${found}: ${advice}`;
}
