// Plain SQL on the snapshot, without GraphQL: one statement each for the total, the page and the three facets, written
// straight down from the filter's meaning.   node sql.mjs SNAPSHOT
import { createServer } from 'node:http';
import sqlite3 from 'sqlite3';

const database = new sqlite3.Database(process.argv[2], sqlite3.OPEN_READONLY);
const marks = (list) => list.map(() => '?').join(', ');
const seconds = (datetime) => Date.parse(datetime.replace(' ', 'T')) / 1000;

const carriesCategory = (
  ids,
) => `exists (select 1 from event_category join category on category.ordinal = event_category.category
  where event_category.event = event.ordinal and category.id in (${marks(ids)}))`;

const CONDITIONS = {
  categories: (ids) => [carriesCategory(ids), ids],
  notCategories: (ids) => [`not ${carriesCategory(ids)}`, ids],
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

function shownBy({ fromDate, untilDate, ...filter }) {
  const now = Math.floor(Date.now() / 1000);
  const from = fromDate ? Math.max(now, seconds(fromDate)) : now;
  const values = [from, untilDate ? seconds(untilDate) : 1e11];
  const conditions = Object.entries(filter).map(([name, value]) => {
    const [sql, given] = CONDITIONS[name](value);
    values.push(...given);
    return sql;
  });
  const sql = `with shown as (
    select occurrence.row, occurrence.event, occurrence.venue
    from (select min(row) as row from occurrence where over > ? and start < ? group by event) as first
    join occurrence on occurrence.row = first.row join event on event.ordinal = occurrence.event
    left join venue on venue.ordinal = occurrence.venue ${conditions.length === 0 ? '' : `where ${conditions.join(' and ')}`})`;
  return { sql, values };
}

const STATEMENTS = {
  total: 'select count(*) as total from shown',
  venues: `select venue.slug, venue.name, count(*) as hits from shown join venue on venue.ordinal = shown.venue
    group by venue.ordinal order by hits desc, venue.ordinal`,
  organizers: `select organizer.slug, organizer.name, count(*) as hits from shown join event_organizer using (event)
    join organizer on organizer.ordinal = event_organizer.organizer group by organizer.ordinal order by hits desc, organizer.ordinal`,
  categories: `select category.id, category.name_nb, count(*) as hits from shown join event_category using (event)
    join category on category.ordinal = event_category.category group by category.ordinal order by hits desc, category.name_nb`,
  data: `select event.*, occurrence.start_text, occurrence.end_text, occurrence.start_time, occurrence.duration,
    occurrence.tickets_url, occurrence.cancelled, occurrence.sold_out, venue.id as venue_id, venue.name as venue_name
    from shown join occurrence using (row) join event on event.ordinal = shown.event
    left join venue on venue.ordinal = shown.venue order by shown.row limit ? offset ?`,
};

async function answer({ filter, page, pageSize }) {
  const { sql, values } = shownBy(filter ?? {});
  const ask = (name, more = []) =>
    new Promise((done, fail) => {
      database.all(`${sql} ${STATEMENTS[name]}`, [...values, ...more], (error, rows) =>
        error ? fail(error) : done(rows),
      );
    });
  const [[{ total }], data, venues, organizers, categories] = await Promise.all([
    ask('total'),
    ask('data', [pageSize, page * pageSize]),
    ask('venues'),
    ask('organizers'),
    ask('categories'),
  ]);
  return { data: { events: { totalCount: total, data, venues, organizers, categories } } };
}

createServer((request, response) => {
  const chunks = [];
  request.on('data', (chunk) => chunks.push(chunk));
  request.on('end', async () => {
    const { variables = { filter: {}, page: 0, pageSize: 10 } } = JSON.parse(
      Buffer.concat(chunks).toString() || '{}',
    );
    const body = Buffer.from(JSON.stringify(await answer(variables)));
    response.writeHead(200, ['Content-Type', 'application/json', 'Content-Length', `${body.length}`]);
    response.end(body);
  });
}).listen(Number(process.env.PORT), '127.0.0.1');
