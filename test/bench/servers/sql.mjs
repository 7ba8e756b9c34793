// Plain SQL on the snapshot, without GraphQL: one statement, which writes the total, the page and three facets as JSON.
//   node sql.mjs SNAPSHOT
import { createServer } from 'node:http';
import sqlite3 from 'sqlite3';

const database = new sqlite3.Database(process.argv[2], sqlite3.OPEN_READONLY);
const marks = (list) => list.map(() => '?').join(', ');
const seconds = (datetime) => Date.parse(datetime.replace(' ', 'T')) / 1000;

const carriesCategory = (ids) => `exists (select 1 from event_category
  join category on category.ordinal = event_category.category left join category as parent on parent.ordinal = category.parent
  where event_category.event = event.ordinal and (category.id in (${marks(ids)}) or parent.id in (${marks(ids)})))`;

const CONDITIONS = {
  categories: (ids) => [carriesCategory(ids), [...ids, ...ids]],
  notCategories: (ids) => [`not ${carriesCategory(ids)}`, [...ids, ...ids]],
  venues: (slugs) => [`venue.slug in (${marks(slugs)})`, slugs],
  organizers: (slugs) => [
    `exists (select 1 from event_organizer join organizer on organizer.ordinal = event_organizer.organizer
      where event_organizer.event = event.ordinal and organizer.slug in (${marks(slugs)}))`,
    slugs,
  ],
  municipality: (name) => ['venue.municipality = ? collate nocase', [name]],
  postalCodes: (codes) => [`venue.postal_code in (${marks(codes)})`, codes],
  hoursRange: (range) => ['substr(occurrence.start_text, 12, 5) between ? and ?', range.split('-')],
  tag: (tag) => ['exists (select 1 from json_each(event.tags) where value = ? collate nocase)', [tag]],
  mode: (mode) => ['event.mode = ?', [mode]],
  onlyFeatured: () => ['event.is_featured', []],
  cancelledNotIncluded: () => ['not occurrence.cancelled', []],
  soldOutNotIncluded: () => ['not occurrence.sold_out', []],
};

function statementFor({ filter, page, pageSize }) {
  const { fromDate, untilDate, ...rest } = filter ?? {};
  const now = Math.floor(Date.now() / 1000);
  const from = fromDate ? Math.max(now, seconds(fromDate)) : now;
  const values = [from, untilDate ? seconds(untilDate) : 1e11, from];
  const conditions = Object.entries(rest).map(([name, value]) => {
    const [sql, given] = CONDITIONS[name](value);
    values.push(...given);
    return `and ${sql}`;
  });
  return {
    sql: SELECT.replace('/* conditions */', conditions.join(' ')),
    values: [...values, pageSize, page * pageSize],
  };
}

const SELECT = `with shown as materialized (
  select occurrence.row, occurrence.event, occurrence.venue
  from occurrence join event on event.ordinal = occurrence.event left join venue on venue.ordinal = occurrence.venue
  where occurrence.over > ? and occurrence.start < ? and not exists (
    select 1 from occurrence as earlier
    where earlier.event = occurrence.event and earlier.row < occurrence.row and earlier.over > ?) /* conditions */),
carried as (
  select event, category from shown join event_category using (event)
  union select event, parent from shown join event_category using (event) join category on category.ordinal = category where parent >= 0)
select (select count(*) from shown) as total,
  (select json_group_array(json_object('slug', slug, 'name', name, 'hits', hits)) from
    (select slug, name, count(*) as hits from shown join venue on venue.ordinal = shown.venue
     group by venue.ordinal order by hits desc, venue.ordinal)) as venues,
  (select json_group_array(json_object('slug', slug, 'name', name, 'hits', hits)) from
    (select slug, name, count(*) as hits from shown join event_organizer using (event)
     join organizer on organizer.ordinal = event_organizer.organizer
     group by organizer.ordinal order by hits desc, organizer.ordinal)) as organizers,
  (select json_group_array(json_object('id', id, 'name_nb', name_nb, 'hits', hits)) from
    (select id, name_nb, count(*) as hits from carried join category on category.ordinal = carried.category
     group by category.ordinal order by hits desc, name_nb)) as categories,
  (select json_group_array(json_object('id', id, 'event_slug', slug, 'title_nb', title_nb, 'title_en', title_en,
     'desc_nb', desc_nb, 'startDate', start_text, 'endDate', end_text, 'startTime', start_time, 'duration', duration,
     'mode', mode, 'tags', json(tags), 'ticketsInformation', tickets_information, 'ticketsURL', tickets_url,
     'eventCancelled', cancelled, 'eventSoldOut', sold_out, 'venue', json(venue),
     'organizers', (select json_group_array(name) from event_organizer
        join organizer on organizer.ordinal = event_organizer.organizer where event_organizer.event = page.event),
     'images', (select json_group_array(json_object('urlSmall', url_small, 'alt', alt)) from image where image.event = page.event),
     'prices', (select json_group_array(json_object('type', type, 'price', price)) from price
        where price.event = page.event and price.occurrence is null),
     'repetitions', (select json_group_array(start_text) from occurrence as later
        where later.event = page.event and later.row > page.row)))
   from (select event.*, occurrence.*,
       case when venue.id is null then 'null' else json_object('id', venue.id, 'name', venue.name, 'slug', venue.slug) end as venue
     from shown join occurrence using (row) join event on event.ordinal = shown.event
     left join venue on venue.ordinal = shown.venue order by shown.row limit ? offset ?) as page) as data`;

function answer(variables) {
  const { sql, values } = statementFor(variables);
  return new Promise((done, fail) => {
    database.get(sql, values, (error, row) => {
      if (error) return fail(error);
      const { total, ...lists } = row;
      const written = Object.entries(lists).map(([name, json]) => `"${name}":${json}`);
      done(`{"data":{"events":{"totalCount":${total},${written.join(',')}}}}`);
    });
  });
}

createServer((request, response) => {
  const chunks = [];
  request.on('data', (chunk) => chunks.push(chunk));
  request.on('end', async () => {
    const { variables = { filter: {}, page: 0, pageSize: 10 } } = JSON.parse(
      Buffer.concat(chunks).toString() || '{}',
    );
    const body = Buffer.from(await answer(variables));
    response.writeHead(200, ['Content-Type', 'application/json', 'Content-Length', `${body.length}`]);
    response.end(body);
  });
}).listen(Number(process.env.PORT), '127.0.0.1');
