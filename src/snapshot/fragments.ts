/**
 * An event's answer, rendered ahead of time: one line a field, each line the field's JSON value. JSON text never contains a raw control
 * character, so these separate fields, items of a list, and an item's fields. The first lines are long texts that the table `event` holds
 * already; SQLite turns them into JSON when they are read, because a second copy would enlarge the file by a third.
 */
import { type EventField, lacking, namesOf, shapesOf } from '../calendar/field.ts';
import { EVENT } from '../calendar/fields.ts';
import { type EventFields, IMAGE_FIELDS, type Image, PRICE_FIELDS, type Price } from '../calendar/model.ts';
import {
  OLDER_DATE_FIELDS,
  OLDER_EVENT_FIELDS,
  OLDER_IMAGE_FIELDS,
  type OlderDateFields,
} from '../calendar/older-fields.ts';
import { type ShapeWord, shapeText } from '../calendar/shape.ts';
import { formatOslo } from '../calendar/time.ts';
import type { EventColumn } from './format.ts';

const FIELD_END = '\n';
const GROUP_END = '\x1d';
const ITEM_END = '\x1e';
const PART_END = '\x1f';

/** SQL that makes JSON of a column, and the shape of that JSON. */
type Stored = readonly [sql: string, shape: ShapeWord];

const asWritten = (column: EventColumn, shape: ShapeWord): Stored => [`event.${column}`, shape];
const quoted = (column: EventColumn, shape: ShapeWord): Stored => [`json_quote(event.${column})`, shape];
const flag = (column: EventColumn): Stored => [`iif(event.${column}, 'true', 'false')`, 'flag'];
const utc = (column: EventColumn): Stored => [
  `coalesce(strftime('"%Y-%m-%d %H:%M:%S+00:00"', event.${column}, 'unixepoch'), 'null')`,
  'text?',
];

/** Fields of Event that are in the table `event`. */
const STORED_FIELDS = {
  id: quoted('id', 'text'),
  event_slug: quoted('slug', 'text'),
  eventLink: quoted('link', 'text'),
  title_nb: quoted('title_nb', 'text?'),
  title_en: quoted('title_en', 'text?'),
  desc_nb: quoted('desc_nb', 'text?'),
  desc_en: quoted('desc_en', 'text?'),
  tags: asWritten('tags', '[text]'),
  mode: quoted('mode', 'text'),
  ticketsInformation: quoted('tickets_information', 'text'),
  created_at: utc('created_at'),
  updated_at: utc('updated_at'),
  super_event: quoted('super_event', 'text?'),
  isSuperEvent: flag('is_super_event'),
  isFeaturedEvent: flag('is_featured'),
  minimumAge: quoted('minimum_age', 'integer?'),
  maximumAge: quoted('maximum_age', 'integer?'),
  accessibility: asWritten('accessibility', shapesOf(EVENT).accessibility),
} as const satisfies Readonly<Partial<Record<keyof EventFields, Stored>>>;

/** The plain fields that have their own lines. */
const LINES = lacking(EVENT, 'column');
type LineName = keyof typeof LINES;

/** Fields of Event that are one JSON value, by the interface's names. Their order is the order of the lines. */
const SCALARS: Readonly<Record<'categories' | LineName, ShapeWord>> = {
  categories: '[text]',
  ...shapesOf(LINES),
};

/** In the order of the lines of a row's `body`. */
export const BODY_SCALARS = namesOf(SCALARS);

/** In the order of the lines: fields with a column in the table `event`, then those in its `body`. */
export const EVENT_SCALARS = [...namesOf(STORED_FIELDS), ...BODY_SCALARS];

/** SQL for a whole fragment of a row of `event`, as bytes. */
export const FRAGMENT_SQL = `cast(concat_ws(char(10), ${Object.values(STORED_FIELDS)
  .map(([sql]) => sql)
  .join(', ')}, event.body) as blob)`;

/** SQL for what names an event, as bytes: its id and its link, which contain no line ends. */
export const NAME_SQL = `cast(event.id || char(10) || event.link as blob)`;

const IMAGE_PARTS = namesOf(IMAGE_FIELDS);

/** All parts of an image, with those for older clients that few images have. */
export const ALL_IMAGE_PARTS = [...IMAGE_PARTS, ...OLDER_IMAGE_FIELDS] as const;

export const PRICE_PARTS = namesOf(PRICE_FIELDS);

/** The event's own values that occurrences refer to by index (columns `ticketsURL`, `prices` and `olderTexts`). */
export interface OccurrenceTexts {
  readonly ticketsURLs: readonly string[];
  readonly priceLists: readonly (readonly Price[])[];
  readonly olderTexts: readonly OlderDateFields[];
}

/** The parts of an event's answer. Every string is finished JSON. */
export interface EventFragment {
  /** In the order of EVENT_SCALARS, or BODY_SCALARS. */
  readonly scalars: readonly string[];
  /** Each image's parts in the order of ALL_IMAGE_PARTS: all of them, or only those of IMAGE_PARTS. */
  readonly images: readonly (readonly string[])[];
  /** Each price's parts in the order of PRICE_PARTS. */
  readonly prices: readonly (readonly string[])[];
  readonly ticketsURLs: readonly string[];
  readonly priceLists: readonly (readonly (readonly string[])[])[];
  /** In the order of OLDER_EVENT_FIELDS; empty if the event has none of them. */
  readonly older: readonly string[];
  /** Each in the order of OLDER_DATE_FIELDS. */
  readonly olderTexts: readonly (readonly string[])[];
}

type Lists = Omit<EventFragment, 'scalars'>;
type ListName = keyof Lists;

/** The fields that have no columns in the table `event`. */
type BodyFields = Pick<EventFields, keyof typeof SCALARS | 'prices' | 'images' | 'older'>;

/** How the line of a list is written and read. */
interface ListLine<List> {
  readonly write: (event: BodyFields, texts: OccurrenceTexts) => string;
  readonly read: (line: string) => List;
}

/** The lines after the scalars, in their order. */
const LIST_LINES: { readonly [Name in ListName]: ListLine<Lists[Name]> } = {
  prices: {
    write: ({ prices }) => renderPrices(prices),
    read: readItems,
  },
  ticketsURLs: {
    write: (_, { ticketsURLs }) => ticketsURLs.map((url) => JSON.stringify(url)).join(ITEM_END),
    read: (line) => splitList(line, ITEM_END),
  },
  priceLists: {
    // Each list is terminated, not separated: an empty list of prices differs from no list.
    write: (_, { priceLists }) => priceLists.map((prices) => renderPrices(prices) + GROUP_END).join(''),
    read: (line) => splitList(line, GROUP_END).slice(0, -1).map(readItems),
  },
  older: {
    write: ({ older }) => (older === undefined ? '' : renderParts(older, OLDER_EVENT_FIELDS)),
    read: (line) => splitList(line, PART_END),
  },
  olderTexts: {
    write: (_, { olderTexts }) =>
      olderTexts.map((older) => renderParts(older, OLDER_DATE_FIELDS)).join(ITEM_END),
    read: readItems,
  },
  images: {
    write: ({ images }) => images.map(renderImage).join(ITEM_END),
    read: readItems,
  },
};

const LIST_ORDER = namesOf(LIST_LINES);

/** The column `body` of the table `event`. */
export function renderBody(event: BodyFields, texts: OccurrenceTexts): string {
  const scalars = BODY_SCALARS.map((name) => renderScalar(event, name));
  const lists = LIST_ORDER.map((name) => LIST_LINES[name].write(event, texts));
  return [...scalars, ...lists].join(FIELD_END);
}

/** `names`: BODY_SCALARS for a row's `body` alone. */
export function readFragment(text: string, names: readonly string[] = EVENT_SCALARS): EventFragment {
  const scalars = text.split(FIELD_END);
  const lists = scalars.splice(names.length);
  for (let line = 0; line < scalars.length; line++) if (scalars[line] === '') scalars[line] = 'null';
  return new Fragment(scalars, lists);
}

/** Lists are split when they are read: most answers show few of them, and an export of ids none. */
class Fragment implements EventFragment {
  readonly scalars: readonly string[];
  readonly #lines: readonly string[];
  readonly #lists: { -readonly [Name in ListName]?: Lists[Name] } = {};

  /** `lines`: those of the lists. */
  constructor(scalars: readonly string[], lines: readonly string[]) {
    this.scalars = scalars;
    this.#lines = lines;
  }

  get prices(): Lists['prices'] {
    return this.#list('prices');
  }

  get ticketsURLs(): Lists['ticketsURLs'] {
    return this.#list('ticketsURLs');
  }

  get priceLists(): Lists['priceLists'] {
    return this.#list('priceLists');
  }

  get older(): Lists['older'] {
    return this.#list('older');
  }

  get olderTexts(): Lists['olderTexts'] {
    return this.#list('olderTexts');
  }

  get images(): Lists['images'] {
    return this.#list('images');
  }

  #list<Name extends ListName>(name: Name): Lists[Name] {
    const cached = this.#lists[name];
    if (cached !== undefined) return cached;
    const list = LIST_LINES[name].read(this.#lines[LIST_ORDER.indexOf(name)] ?? '');
    this.#lists[name] = list;
    return list;
  }
}

/** Blank for null: half of the fields of most events. */
function renderScalar(event: BodyFields, name: keyof typeof SCALARS): string {
  const value = event[name];
  if (value === null) return '';
  return JSON.stringify(MOMENTS.has(name) ? formatOslo(Number(value)) : value);
}

const MOMENTS: ReadonlySet<string> = new Set(
  Object.entries<EventField>(LINES).flatMap(([name, { kind }]) => (kind === 'moment' ? [name] : [])),
);

function renderImage(image: Image): string {
  const parts = renderParts(image, IMAGE_PARTS);
  return image.older === undefined ? parts : parts + PART_END + renderParts(image.older, OLDER_IMAGE_FIELDS);
}

function renderPrices(prices: readonly Price[]): string {
  return prices.map((price) => renderParts(price, PRICE_PARTS)).join(ITEM_END);
}

function renderParts<Name extends string>(
  of: { readonly [Part in Name]: unknown },
  names: readonly Name[],
): string {
  return names.map((name) => JSON.stringify(of[name])).join(PART_END);
}

function readItems(line: string): readonly (readonly string[])[] {
  return splitList(line, ITEM_END).map((item) => item.split(PART_END));
}

function splitList(line: string, end: string): readonly string[] {
  return line === '' ? NONE : line.split(end);
}

/** One for all: most lists are empty. */
const NONE: readonly never[] = [];

/** For the fingerprint of the format: the lines of a fragment and their contents. */
export const FRAGMENT_SHAPE = [
  ...Object.entries(STORED_FIELDS).map(([name, [sql, shape]]) => `${name}: ${shape} of ${sql}`),
  shapeText(SCALARS),
  shapeText(IMAGE_FIELDS),
  shapeText(PRICE_FIELDS),
  OLDER_EVENT_FIELDS.join(' '),
  OLDER_IMAGE_FIELDS.join(' '),
  OLDER_DATE_FIELDS.join(' '),
].join('; ');
