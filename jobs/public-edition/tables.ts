/**
 * The tables of the public edition (J5), with the description of each table and column that the file itself (`meta_column`) and
 * `docs/data.md` show. Names are the interface's in snake case.
 */
import type { Field } from '../../src/calendar/field.ts';
import { EVENT, ORGANIZER, VENUE } from '../../src/calendar/fields.ts';

export interface PublicTable {
  readonly about: string;
  readonly columns: Readonly<Record<string, PublicColumn>>;
  readonly primaryKey?: readonly string[];
}

export interface PublicColumn {
  readonly type: 'text' | 'integer' | 'real';
  readonly about: string;
  readonly isRequired?: true;
  readonly isKey?: true;
  readonly isUnique?: true;
  /** The table whose key it holds. */
  readonly references?: string;
}

/** `eventLink` becomes `event_link`, `ticketsURL` becomes `tickets_url`. */
export function snakeCase(name: string): string {
  return name
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1_$2')
    .toLowerCase();
}

const id = (about: string): PublicColumn => ({ type: 'text', about, isKey: true });
const text = (about: string): PublicColumn => ({ type: 'text', about });
const integer = (about: string): PublicColumn => ({ type: 'integer', about });
const degrees = (about: string): PublicColumn => ({ type: 'real', about });
const flag = (about: string): PublicColumn => ({
  type: 'integer',
  about: `1 or 0: ${about}`,
  isRequired: true,
});
const required = (column: PublicColumn): PublicColumn => ({ ...column, isRequired: true });
const reference = (table: string, about: string): PublicColumn => ({
  type: 'text',
  about,
  references: table,
});

/** A column for each plain field, under its own description. */
function plainColumns(table: Readonly<Record<string, Field>>): Record<string, PublicColumn> {
  const columns: Record<string, PublicColumn> = {};
  for (const [name, field] of Object.entries(table)) columns[snakeCase(name)] = plainColumn(field);
  return columns;
}

function plainColumn({ kind, en }: Field): PublicColumn {
  if (kind === 'flag') return flag(en);
  if (kind === 'integer') return integer(en);
  return text(kind === 'accessibility' ? `${en} Values as in the API, separated by ", ".` : en);
}

const PRICE_NOTE = 'Whole kroner; null if the organizer’s price is not a number.';

export const PUBLIC_TABLES = {
  meta: {
    about: 'A fact about the file.',
    columns: {
      key: id('Name of the fact.'),
      value: text('Its value.'),
    },
  },
  meta_column: {
    about: 'The description of a table or view (`column_name` is empty), or of a column.',
    columns: {
      table_name: required(text('Table or view.')),
      column_name: required(text('Column; empty for the table itself.')),
      about: required(text('Its description.')),
    },
    primaryKey: ['table_name', 'column_name'],
  },
  venue: {
    about: 'A place.',
    columns: {
      id: id('The venue’s permanent id.'),
      name: required(text('Name.')),
      slug: required(text('Slug, for the filter `venues` of the API.')),
      ...plainColumns(VENUE),
      latitude: degrees('Degrees north (WGS 84).'),
      longitude: degrees('Degrees east (WGS 84).'),
    },
  },
  organizer: {
    about: 'An organizer of events.',
    columns: {
      id: id('The organizer’s permanent id.'),
      name: required(text('Name.')),
      slug: required(text('Slug, for the filter `organizers` of the API.')),
      ...plainColumns(ORGANIZER),
    },
  },
  category: {
    about: 'A category or, with a parent, a subcategory.',
    columns: {
      id: id('The category’s id.'),
      parent_id: reference('category', 'Its category; null for a top-level one.'),
      name_nb: required(text('Norwegian name.')),
      name_en: required(text('English name.')),
      slug_nb: required(text('Norwegian slug.')),
      slug_en: required(text('English slug.')),
      visible: flag('whether sites list it.'),
      name_nn: text('Name in Nynorsk; null if it is `name_nb`.'),
    },
  },
  event: {
    about: 'An event. Its dates are in `occurrence`.',
    columns: {
      number: {
        type: 'integer',
        about: 'Number of the row, valid in this file only: `search` has it as `rowid`.',
        isKey: true,
      },
      id: required({ ...text('The event’s permanent id.'), isUnique: true }),
      event_slug: required(text('Last part of its URL.')),
      event_link: required(text('Its public URL.')),
      title_nb: text('Norwegian title.'),
      title_en: text('English title.'),
      desc_nb: text('Norwegian description, as safe HTML.'),
      desc_en: text('English description, as safe HTML.'),
      mode: required(text('`online` or `offline`.')),
      tickets_information: required(text('`free`, `noTicketsInfo` or `ticketsInfo`.')),
      super_event: reference('event', 'The festival or market that it belongs to.'),
      ...plainColumns(EVENT),
      contact_email: text('Email address for questions.'),
      contact_phone: text('Phone number for questions.'),
      changed_at: text('When a build last changed it, in UTC; null if that was more than 90 days ago.'),
    },
  },
  event_category: {
    about: 'A category of an event, or the parent of one of its subcategories.',
    columns: {
      event_id: required(reference('event', 'Event.')),
      category_id: required(reference('category', 'Category.')),
      is_own: flag('whether the event itself has it; 0 for the parent of a subcategory that it has.'),
    },
    primaryKey: ['event_id', 'category_id'],
  },
  event_tag: {
    about: 'A tag of an event.',
    columns: {
      event_id: required(reference('event', 'Event.')),
      tag: required(text('Tag, as written.')),
    },
    primaryKey: ['event_id', 'tag'],
  },
  event_organizer: {
    about: 'An organizer of an event.',
    columns: {
      event_id: required(reference('event', 'Event.')),
      organizer_id: required(reference('organizer', 'Organizer.')),
      position: required(integer('From 0, in the event’s order.')),
    },
    primaryKey: ['event_id', 'organizer_id'],
  },
  image: {
    about: 'A picture of an event; position 0 is the cover.',
    columns: {
      event_id: required(reference('event', 'Event.')),
      position: required(integer('From 0.')),
      url_small: text('URL of the small picture.'),
      url_large: text('URL of the large picture.'),
      alt: text('A description of the picture, for readers who cannot see it.'),
      caption: text('Caption.'),
      credits: text('The creator of the picture.'),
      focus_x: degrees('The focal point, from 0 (left) to 1 (right).'),
      focus_y: degrees('The focal point, from 0 (top) to 1 (bottom).'),
      width: integer('Width of the large picture, in pixels.'),
      height: integer('Height of the large picture, in pixels.'),
    },
    primaryKey: ['event_id', 'position'],
  },
  occurrence: {
    about: 'A date of an event that was not over when the file was created.',
    columns: {
      id: id('The date’s permanent id: `occurrenceID` in the API.'),
      event_id: required(reference('event', 'Event.')),
      starts: required(text('Start in Norwegian time, `YYYY-MM-DD HH:mm`; for whole days, `YYYY-MM-DD`.')),
      ends: text('End, in the same format; for whole days, the last day. Null without an end.'),
      start_utc: required(integer('Start, in seconds since 1970-01-01 in UTC.')),
      end_utc: required(integer('End, in the same unit; without an end, the same as the start.')),
      over_utc: required(integer('The first second at which the date is over.')),
      all_day: flag('whether it has days without times.'),
      start_time: required(text('Start time as the organizer wrote it, `HH:mm`.')),
      duration: integer('Minutes; null without an end.'),
      venue_id: reference('venue', 'Venue of this date.'),
      tickets_url: text('URL where tickets for this date are sold.'),
      event_cancelled: flag('whether it is cancelled or postponed.'),
      status: required(text('`SCHEDULED`, `CANCELLED`, `POSTPONED` or `RESCHEDULED`.')),
      previous_starts: text(
        'The old start of a rescheduled date, in the format of `starts`; null if unknown.',
      ),
      event_sold_out: flag('whether the organizer has marked it as sold out.'),
      accessibility: required(text('Features of the event and its venue, as in the API, separated by ", ".')),
    },
  },
  price: {
    about: 'A ticket price of an event or, with `occurrence_id`, of that date alone.',
    columns: {
      event_id: required(reference('event', 'Event.')),
      occurrence_id: reference('occurrence', 'The date that this price is for; null for the whole event.'),
      position: required(integer('From 0, in the organizer’s order.')),
      type: required(text('Kind of ticket, such as `REGULAR`.')),
      price: integer(PRICE_NOTE),
      name_nb: text('Norwegian label.'),
      name_en: text('English label.'),
    },
  },
  change: {
    about: 'A change to an event in the last 90 days.',
    columns: {
      id: required(text('Id of an event, which may no longer exist.')),
      kind: required(text('`added`, `changed` or `removed`. Dates that end are not listed.')),
      at: required(text('When callers could first see it, in UTC.')),
    },
    primaryKey: ['id', 'at', 'kind'],
  },
} as const satisfies Readonly<Record<string, PublicTable>>;
