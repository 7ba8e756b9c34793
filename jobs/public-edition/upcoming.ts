/** The view `upcoming` of the public edition (J5): a row for each date, with the columns that most queries need. */

/** SQL of a list in a given order: `group_concat` alone takes rows as they come. */
const listOf = (value: string, from: string, order: string) =>
  `(select group_concat(value, ', ') from (select ${value} as value from ${from} order by ${order}))`;

const OF_EVENT_CATEGORIES =
  'event_category join category on category.id = event_category.category_id where event_category.event_id = event.id';

/** The columns of the view `upcoming`, in order: SQL and description. */
export const UPCOMING = {
  occurrence_id: ['occurrence.id', 'The date’s id.'],
  event_id: ['event.id', 'The event’s id.'],
  starts: ['occurrence.starts', 'Start in Norwegian time.'],
  ends: ['occurrence.ends', 'End in Norwegian time; null without an end.'],
  all_day: ['occurrence.all_day', '1 or 0: whether it has days without times.'],
  title: [
    'coalesce(event.title_nb, event.title_en)',
    'Norwegian title, or the English one if there is none.',
  ],
  title_nb: ['event.title_nb', 'Norwegian title.'],
  title_en: ['event.title_en', 'English title.'],
  place: ['venue.name', 'Name of the venue.'],
  address: ['venue.address', 'Address of the venue.'],
  postal_code: ['venue.postal_code', 'Postal code of the venue.'],
  municipality: ['venue.municipality', 'Municipality of the venue.'],
  latitude: ['venue.latitude', 'Degrees north.'],
  longitude: ['venue.longitude', 'Degrees east.'],
  category_ids: [
    listOf('category.id', OF_EVENT_CATEGORIES, 'category.id'),
    'Ids of its categories, parents included, separated by ", ".',
  ],
  categories: [
    listOf('category.name_nb', OF_EVENT_CATEGORIES, 'category.id'),
    'Their Norwegian names, in the same order.',
  ],
  organizer: [
    listOf(
      'organizer.name',
      'event_organizer join organizer on organizer.id = event_organizer.organizer_id where event_organizer.event_id = event.id',
      'event_organizer.position',
    ),
    'Names of its organizers.',
  ],
  tags: [listOf('tag', 'event_tag where event_tag.event_id = event.id', 'tag'), 'Its tags.'],
  free: ["event.tickets_information = 'free'", '1 or 0: whether it is free of charge.'],
  lowest_price: [
    `case when event.tickets_information = 'ticketsInfo' then (
      select min(price.price) from price where price.event_id = event.id and (price.occurrence_id = occurrence.id or price.occurrence_id is null
        and not exists (select 1 from price as own where own.occurrence_id = occurrence.id))) end`,
    'The lowest price of this date in whole kroner; null if it has no prices.',
  ],
  sold_out: ['occurrence.event_sold_out', '1 or 0: whether it is marked as sold out.'],
  minimum_age: ['event.minimum_age', 'Lowest age, in years.'],
  maximum_age: ['event.maximum_age', 'Highest age, in years.'],
  accessibility: ['occurrence.accessibility', 'Features of the event and its venue, separated by ", ".'],
  mode: ['event.mode', '`online` or `offline`.'],
  link: ['event.event_link', 'Its public URL.'],
  start_utc: ['occurrence.start_utc', 'Start, in seconds since 1970 in UTC.'],
  over_utc: ['occurrence.over_utc', 'The first second at which it is over.'],
} as const satisfies Readonly<Record<string, readonly [sql: string, about: string]>>;

export const UPCOMING_ABOUT =
  'A date that is neither over nor cancelled at the time of the query, with everything that most queries need.';

/** SQL of the view. */
export function upcomingSql(): string {
  const columns = Object.entries(UPCOMING).map(([name, [sql]]) => `${sql} as ${name}`);
  return `create view upcoming as select
  ${columns.join(',\n  ')}
from occurrence
join event on event.id = occurrence.event_id
left join venue on venue.id = occurrence.venue_id
where occurrence.over_utc > cast(strftime('%s', 'now') as integer) and not occurrence.event_cancelled`;
}
