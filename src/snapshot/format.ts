/**
 * The snapshot file: its identity and its tables. Numbers are integers or text (G5). The upper group of tables and the view over it are for
 * people with the `sqlite3` shell; the server loads the lower group into memory or sends it as it is.
 */
import { CalendarError } from '../calendar/errors.ts';
import { isObject } from '../calendar/json.ts';
import type { Shape } from '../calendar/model.ts';

/** "alma" in ASCII, in SQLite's `application_id`. */
export const APPLICATION_ID = 0x616c6d61;

/**
 * SQLite's `user_version`. Raise it, and say so in CHANGELOG.md, once for each release whose files have another form than the previous
 * release's; additions count, because a server accepts only its own form.
 */
export const FORMAT = 4;

/** Bytes. Rows of events are long: of smaller pages a part would be empty, and larger ones take longer to read than they save. */
export const PAGE_SIZE = 16_384;

export const TABLES = `
create table meta (key text primary key, value text not null) without rowid;

create table venue (
  ordinal integer primary key, id text not null, name text not null, slug text not null, address text,
  postal_code text, municipality text, municipality_number text, latitude_e7 integer, longitude_e7 integer,
  accessibility text not null
);
create table organizer (ordinal integer primary key, id text not null, name text not null, slug text not null, website text);
create table category (
  ordinal integer primary key, id text not null, parent integer references category, name_nb text not null,
  name_en text not null, slug_nb text not null, slug_en text not null, visible integer not null
);
create table event (
  ordinal integer primary key, id text not null, slug text not null, link text not null, title_nb text, title_en text,
  desc_nb text, desc_en text, mode text not null, tickets_information text not null, publishing_date integer,
  super_event text, is_super_event integer not null, is_featured integer not null, tags text not null, created_at integer,
  updated_at integer, minimum_age integer, maximum_age integer, accessibility text not null, body text not null,
  images text not null
);
create table event_category (event integer not null references event, category integer not null references category,
  primary key (event, category)) without rowid;
create table event_organizer (event integer not null references event, organizer integer not null references organizer,
  primary key (event, organizer)) without rowid;
create table occurrence (
  row integer primary key, event integer not null references event, start integer not null, end integer not null,
  over integer not null, start_offset integer not null, end_offset integer not null, start_time text not null,
  duration integer, venue integer references venue, tickets_url text, cancelled integer not null,
  sold_out integer not null, all_day integer not null, nth integer not null,
  start_text text generated always as (${osloText('start')}),
  end_text text generated always as (${osloText('end')})
);
create table price (
  event integer not null references event, occurrence integer references occurrence, position integer not null,
  type text not null, price integer, name_nb text, name_en text
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

create view occurrence_list as select
  event.id || '@' || strftime('%Y%m%dT%H%M%SZ', occurrence.start, 'unixepoch')
    || iif(occurrence.nth > 1, '-' || occurrence.nth, '') as occurrence_id,
  event.id as event_id,
  coalesce(event.title_nb, event.title_en) as title,
  event.title_nb as title_nb,
  event.title_en as title_en,
  substr(occurrence.start_text, 1, iif(occurrence.all_day, 10, 16)) as starts,
  iif(occurrence.end > occurrence.start,
    iif(occurrence.all_day, date(substr(occurrence.end_text, 1, 10), '-1 day'), substr(occurrence.end_text, 1, 16)),
    null) as ends,
  occurrence.all_day as all_day,
  venue.name as venue,
  venue.municipality as municipality,
  (select group_concat(own.name_nb, ', ') from (
    select category.name_nb from event_category
    join category on category.ordinal = event_category.category
    where event_category.event = event.ordinal
    order by category.ordinal
  ) as own) as categories,
  event.tickets_information = 'free' as free,
  event.minimum_age as minimum_age,
  event.maximum_age as maximum_age,
  (select group_concat(word, ', ') from (
    select value as word from json_each(event.accessibility)
    union select value from json_each(coalesce(venue.accessibility, '[]'))
    order by word
  )) as accessibility,
  occurrence.cancelled as cancelled,
  occurrence.sold_out as sold_out,
  event.mode as mode,
  event.link as link,
  occurrence.over as over,
  event.publishing_date as publishing_date
from occurrence
join event on event.ordinal = occurrence.event
left join venue on venue.ordinal = occurrence.venue;

create view image as select
  event.ordinal as event,
  own.key as position,
  json_extract(own.value, '$[0]') as url_small,
  json_extract(own.value, '$[1]') as url_large,
  json_extract(own.value, '$[2]') as alt,
  json_extract(own.value, '$[3]') as caption,
  json_extract(own.value, '$[4]') as credits,
  json_extract(own.value, '$[7]') as width,
  json_extract(own.value, '$[8]') as height
from event, json_each('[[' || replace(replace(images, char(31), ','), char(30), '],[') || ']]') as own
where images <> '';
create table list_json (name text primary key, body text not null) without rowid;
create table column_blob (name text primary key, kind text not null, length integer not null, bytes blob not null) without rowid;
`;

/** SQL: a datetime as the interface writes it (A13). Two texts of 25 bytes a row would be a third of the table. */
function osloText(instant: 'start' | 'end'): string {
  const offset = `${instant}_offset`;
  const wall = `strftime('%Y-%m-%d %H:%M:%S', "${instant}" + ${offset}, 'unixepoch')`;
  return `${wall} || printf('+%02d:%02d', ${offset} / 3600, ${offset} % 3600 / 60)`;
}

/** Created after all rows are inserted: cheaper, and the same bytes every time. */
export const INDEXES = `
create unique index event_by_id on event (id);
create unique index event_by_slug on event (slug);
create index occurrence_by_event on occurrence (event, row);
create index price_by_event on price (event);
`;

/** For the fingerprint of the format. */
export function shapeText(shape: Shape): string {
  if (typeof shape === 'string') return shape;
  if (!isObject(shape)) return `[${shapeText(shape[0])}]`;
  const fields = Object.entries(shape).map(
    ([name, of]) => `${name}: ${shapeText(of)}${isObject(of) ? '?' : ''}`,
  );
  return `{ ${fields.join(', ')} }`;
}

/** The error for content that a snapshot must not have. */
export function unusable(where: string, expected: string, found: unknown, cause?: unknown): CalendarError {
  const shown = (typeof found === 'string' ? found : (JSON.stringify(found) ?? 'nothing')).slice(0, 80);
  return new CalendarError('SNAPSHOT_UNUSABLE', `${where}: expected ${expected}, found ${shown}`, { cause });
}
