/**
 * An event's answer, rendered ahead of time: one line a field, each line the field's JSON value. JSON text never contains a raw control
 * character, so these separate fields, items of a list, and an item's fields. The first lines are long texts that the table `event` holds
 * already; SQLite turns them into JSON when they are read, because a second copy would enlarge the file by a third.
 */
import { type EventField, lacking, namesOf, shapesOf } from '../calendar/field.ts';
import { EVENT } from '../calendar/fields.ts';
import {
  type EventFields,
  IMAGE_FIELDS,
  type Image,
  OLDER_DATE_FIELDS,
  OLDER_EVENT_FIELDS,
  OLDER_IMAGE_FIELDS,
  type OlderDateFields,
  PRICE_FIELDS,
  type Price,
} from '../calendar/model.ts';
import { shapeText } from '../calendar/shape.ts';
import { formatOslo } from '../calendar/time.ts';

const FIELD_END = '\n';
const GROUP_END = '\x1d';
const ITEM_END = '\x1e';
const PART_END = '\x1f';

/** SQL that makes JSON of a column, and the shape of that JSON. */
type Stored = readonly [sql: string, shape: string];

const quoted = (column: string, shape: string): Stored => [`json_quote(event.${column})`, shape];
const flag = (column: string): Stored => [`iif(event.${column}, 'true', 'false')`, 'flag'];
const utc = (column: string): Stored => [
  `coalesce(strftime('"%Y-%m-%d %H:%M:%S+00:00"', event.${column}, 'unixepoch'), 'null')`,
  'text?',
];

/** Fields of Event that stand in the table `event`. */
const EVENT_COLUMNS = {
  id: quoted('id', 'text'),
  event_slug: quoted('slug', 'text'),
  eventLink: quoted('link', 'text'),
  title_nb: quoted('title_nb', 'text?'),
  title_en: quoted('title_en', 'text?'),
  desc_nb: quoted('desc_nb', 'text?'),
  desc_en: quoted('desc_en', 'text?'),
  tags: ['event.tags', '[text]'],
  mode: quoted('mode', 'text'),
  ticketsInformation: quoted('tickets_information', 'text'),
  created_at: utc('created_at'),
  updated_at: utc('updated_at'),
  super_event: quoted('super_event', 'text?'),
  isSuperEvent: flag('is_super_event'),
  isFeaturedEvent: flag('is_featured'),
  minimumAge: quoted('minimum_age', 'integer?'),
  maximumAge: quoted('maximum_age', 'integer?'),
  accessibility: ['event.accessibility', shapesOf(EVENT).accessibility],
} as const satisfies Readonly<Partial<Record<keyof EventFields, Stored>>>;

/** The plain fields that have their own lines. */
const LINES = lacking(EVENT, 'column');
type LineName = keyof typeof LINES;

/** Fields of Event that are one JSON value, by the interface's names. Their order is the order of the lines. */
const SCALARS: Readonly<Record<'categories' | LineName, string>> = {
  categories: '[text]',
  ...shapesOf(LINES),
};

/** In the order of the lines of a row's `body`. */
export const BODY_SCALARS = namesOf(SCALARS);

/** In the order of the lines: fields with a column in the table `event`, then those in its `body`. */
export const EVENT_SCALARS = [...namesOf(EVENT_COLUMNS), ...BODY_SCALARS];

/** SQL for a whole fragment of a row of `event`, as bytes. */
export const FRAGMENT_SQL = `cast(concat_ws(char(10), ${Object.values(EVENT_COLUMNS)
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

/** The fields that have no columns in the table `event`. */
type BodyFields = Pick<EventFields, keyof typeof SCALARS | 'prices' | 'images' | 'older'>;

/** The column `body` of the table `event`. */
export function renderBody(event: BodyFields, texts: OccurrenceTexts): string {
  const lines = [
    ...BODY_SCALARS.map((name) => renderScalar(event, name)),
    renderPrices(event.prices),
    texts.ticketsURLs.map((url) => JSON.stringify(url)).join(ITEM_END),
    // Each list is terminated, not separated: an empty list of prices differs from no list.
    texts.priceLists.map((prices) => renderPrices(prices) + GROUP_END).join(''),
    event.older === undefined ? '' : renderParts(event.older, OLDER_EVENT_FIELDS),
    texts.olderTexts.map((older) => renderParts(older, OLDER_DATE_FIELDS)).join(ITEM_END),
    event.images.map(renderImage).join(ITEM_END),
  ];
  return lines.join(FIELD_END);
}

/** `names`: BODY_SCALARS for a row's `body` alone. */
export function readFragment(text: string, names: readonly string[] = EVENT_SCALARS): EventFragment {
  const lines = text.split(FIELD_END);
  for (let line = 0; line < names.length; line++) if (lines[line] === '') lines[line] = 'null';
  return new Fragment(lines, names.length);
}

/** The line of each list, counted from the first line after the scalars: the order of `renderBody`. */
const LIST_LINES = {
  prices: 0,
  ticketsURLs: 1,
  priceLists: 2,
  older: 3,
  olderTexts: 4,
  images: 5,
} as const;

/** Lists are split when they are read: most answers show few of them, and an export of ids none. */
class Fragment implements EventFragment {
  readonly scalars: readonly string[];
  readonly #listsAt: number;
  #images: EventFragment['images'] | undefined;
  #prices: EventFragment['prices'] | undefined;
  #ticketsURLs: EventFragment['ticketsURLs'] | undefined;
  #priceLists: EventFragment['priceLists'] | undefined;
  #older: EventFragment['older'] | undefined;
  #olderTexts: EventFragment['olderTexts'] | undefined;

  /** `listsAt`: the first line after those of the scalars. */
  constructor(lines: readonly string[], listsAt: number) {
    this.scalars = lines;
    this.#listsAt = listsAt;
  }

  get prices(): EventFragment['prices'] {
    this.#prices ??= readItems(this.#line('prices'));
    return this.#prices;
  }

  get ticketsURLs(): EventFragment['ticketsURLs'] {
    this.#ticketsURLs ??= splitList(this.#line('ticketsURLs'), ITEM_END);
    return this.#ticketsURLs;
  }

  get priceLists(): EventFragment['priceLists'] {
    // Each list is terminated: one that is empty differs from none.
    this.#priceLists ??= splitList(this.#line('priceLists'), GROUP_END).slice(0, -1).map(readItems);
    return this.#priceLists;
  }

  get older(): EventFragment['older'] {
    this.#older ??= splitList(this.#line('older'), PART_END);
    return this.#older;
  }

  get olderTexts(): EventFragment['olderTexts'] {
    this.#olderTexts ??= readItems(this.#line('olderTexts'));
    return this.#olderTexts;
  }

  get images(): EventFragment['images'] {
    this.#images ??= readItems(this.#line('images'));
    return this.#images;
  }

  #line(list: keyof typeof LIST_LINES): string {
    return this.scalars[this.#listsAt + LIST_LINES[list]] ?? '';
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

const NONE: readonly never[] = [];

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

/** For the fingerprint of the format: the lines of a fragment and their contents. */
export const FRAGMENT_SHAPE = [
  ...Object.entries(EVENT_COLUMNS).map(([name, [sql, shape]]) => `${name}: ${shape} of ${sql}`),
  ...[SCALARS, IMAGE_FIELDS, PRICE_FIELDS].map(shapeText),
  ...[OLDER_EVENT_FIELDS, OLDER_IMAGE_FIELDS, OLDER_DATE_FIELDS].map((names) => names.join(' ')),
].join('; ');
