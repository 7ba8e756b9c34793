/**
 * H7: whether what a server uses as it stands is what it takes it for. A stranger's file may have the right SHA-256 and the
 * right tables and still say anything. What each column, list and part of search holds is looked at where it is lifted;
 * here it is how occurrences follow each other, and the texts, which become part of answers as they are.
 */
import { CalendarError } from '../calendar/errors.ts';
import { OLDER_DATE_FIELDS, OLDER_EVENT_FIELDS } from '../calendar/model.ts';
import { overAt } from '../calendar/time.ts';
import { ABSENT, type Columns } from './columns.ts';
import {
  ALL_IMAGE_PARTS,
  EVENT_SCALARS,
  type EventScalar,
  FRAGMENT_SQL,
  IMAGE_PARTS,
  LISTS_BEHIND,
  PRICE_PARTS,
  readFragment,
} from './fragments.ts';
import type { Meta } from './meta.ts';
import { integerOf, type Reader, textOf } from './sqlite.ts';

/**
 * What the window walks along, from an occurrence to the next (A1, A2, A4, A6): were it wrong, a walk could take as long
 * as all occurrences for each. Some 10 ms for 250,000 of them.
 */
export function checkOccurrences(columns: Columns): void {
  const { start, end, over, event, next, day, occurrences, occurrencesAt } = columns;
  const { predecessorsOver, sameDayPredecessorsOver } = columns;
  const found = occurrencesAt.slice(0, -1);
  const latest = new Int32Array(found.length).fill(-1);
  for (let row = 0; row < start.length; row++) {
    const [from, to, owner] = [start[row] as number, end[row] as number, event[row] as number];
    const before = latest[owner] as number;
    const isSameDay = before !== -1 && day[before] === day[row];
    const isRight =
      to >= from &&
      over[row] === overAt(from, to) &&
      (before === -1 || next[before] === row) &&
      predecessorsOver[row] === latestOf(predecessorsOver, over, before) &&
      sameDayPredecessorsOver[row] ===
        (isSameDay ? latestOf(sameDayPredecessorsOver, over, before) : NEVER) &&
      occurrences[found[owner] as number] === row &&
      (found[owner] as number) < (occurrencesAt[owner + 1] as number);
    if (!isRight) throw unusable(`row ${row}: expected columns that agree with each other, found others`);
    (found[owner] as number)++;
    latest[owner] = row;
  }
  for (const row of latest) {
    if (row !== -1 && next[row] !== -1) throw unusable(`row ${row}: expected no occurrence after the last`);
  }
}

const NEVER = Number.NEGATIVE_INFINITY;

function latestOf(predecessorsOver: Float64Array, over: Float64Array, before: number): number {
  if (before === -1) return NEVER;
  return Math.max(predecessorsOver[before] as number, over[before] as number);
}

/** What a value of parsed JSON has to be. */
type Kind = (value: unknown) => boolean;

const isText: Kind = (value) => typeof value === 'string';
const isFlag: Kind = (value) => typeof value === 'boolean';
const isTextList: Kind = (value) => Array.isArray(value) && value.every(isText);
const orNull =
  (kind: Kind): Kind =>
  (value) =>
    value === null || kind(value);

const SCALARS = {
  id: isText,
  event_slug: isText,
  eventLink: isText,
  title_nb: orNull(isText),
  title_en: orNull(isText),
  desc_nb: orNull(isText),
  desc_en: orNull(isText),
  categories: isTextList,
  tags: isTextList,
  mode: isText,
  ticketsInformation: isText,
  minimumAge: orNull(Number.isSafeInteger),
  maximumAge: orNull(Number.isSafeInteger),
  cancellationPeriod: orNull(Number.isSafeInteger),
  views: orNull(Number.isSafeInteger),
  publishingDate: orNull(isText),
  ticketsFromDate: orNull(isText),
  created_at: orNull(isText),
  updated_at: orNull(isText),
  registrationEnabled: isFlag,
  availableTickets: orNull(Number.isSafeInteger),
  activeTickets: orNull(Number.isSafeInteger),
  maxBookingDate: orNull(isText),
  maxBookingTime: orNull(isText),
  paymentMethod: orNull(isText),
  super_event: orNull(isText),
  isSuperEvent: isFlag,
  isFeaturedEvent: isFlag,
  moreInfoURL: orNull(isText),
  streamingURL: orNull(isText),
  facebookURL: orNull(isText),
  venueNote: orNull(isText),
  ageRestriction: orNull(isText),
} satisfies Readonly<Record<EventScalar, Kind>>;

const IMAGE = {
  urlSmall: orNull(isText),
  urlLarge: orNull(isText),
  alt: orNull(isText),
  caption: orNull(isText),
  credits: orNull(isText),
  focusX: orNull(Number.isFinite),
  focusY: orNull(Number.isFinite),
  width: orNull(Number.isSafeInteger),
  height: orNull(Number.isSafeInteger),
  urlOriginal: orNull(isText),
  originalSize: orNull(isText),
  largeSize: orNull(isText),
  smallSize: orNull(isText),
} satisfies Readonly<Record<(typeof ALL_IMAGE_PARTS)[number], Kind>>;

const PRICE = {
  type: isText,
  price: orNull(Number.isSafeInteger),
  name_nb: orNull(isText),
  name_en: orNull(isText),
} satisfies Readonly<Record<(typeof PRICE_PARTS)[number], Kind>>;

/** Events that are read in one go. */
const BATCH = 256;
/** What is looked at of an open snapshot. */
interface Opened {
  readonly meta: Meta;
  readonly columns: Columns;
  readonly query: Reader['all'];
  readonly eventBodies: (ordinals: readonly number[]) => Promise<readonly string[]>;
}

/** H7: each ready-made JSON text is parsed once; some 10 µs an event. */
export async function checkTexts(snapshot: Opened): Promise<void> {
  await checkRows(snapshot);
  const { columns, meta } = snapshot;
  for (let from = 0; from < meta.counts.events; from += BATCH) {
    const ordinals = Array.from({ length: Math.min(BATCH, meta.counts.events - from) }, (_, at) => from + at);
    const bodies = await snapshot.eventBodies(ordinals);
    for (const [at, body] of bodies.entries()) checkBody(body, columns, from + at);
  }
}

function checkBody(body: string, columns: Columns, event: number): void {
  const { scalars, images, prices, ticketsURLs, priceLists, older, olderTexts } = readFragment(body);
  const refuse = (what: string, found: string | undefined): never => {
    const shown = found?.slice(0, 60) ?? 'nothing';
    throw unusable(`event ${event}: expected ${what} as JSON of its kind, found ${shown}`);
  };
  const check = (what: string, kind: Kind, text: string | undefined) => {
    if (text === undefined || !kind(parsed(text))) refuse(what, text);
  };
  if (scalars.length !== EVENT_SCALARS.length + LISTS_BEHIND) refuse('fields', `${scalars.length} lines`);
  for (const [at, name] of EVENT_SCALARS.entries()) check(name, SCALARS[name], scalars[at]);
  for (const image of images) {
    if (image.length !== IMAGE_PARTS.length && image.length !== ALL_IMAGE_PARTS.length) {
      refuse('an image', image.join());
    }
    for (const [at, part] of image.entries()) {
      const name = ALL_IMAGE_PARTS[at] ?? 'alt';
      check(`an image's ${name}`, IMAGE[name], part);
    }
  }
  if (older.length > 0 && older.length !== OLDER_EVENT_FIELDS.length) refuse('older fields', older.join());
  for (const texts of olderTexts) {
    if (texts.length !== OLDER_DATE_FIELDS.length) refuse('older fields of a date', texts.join());
  }
  for (const text of [...older, ...olderTexts.flat()]) check('an older field', orNull(isText), text);
  for (const price of [prices, ...priceLists].flat()) {
    if (price.length !== PRICE_PARTS.length) refuse('a price', price.join());
    for (const [at, name] of PRICE_PARTS.entries()) check(`a price's ${name}`, PRICE[name], price[at]);
  }
  for (const url of ticketsURLs) check('a ticketsURL', isText, url);
  const { occurrences, occurrencesAt } = columns;
  for (const row of occurrences.subarray(occurrencesAt[event], occurrencesAt[event + 1])) {
    if (!isPlaceIn(ticketsURLs, columns.ticketsURL[row])) refuse('ticketsURL of an occurrence', undefined);
    if (!isPlaceIn(priceLists, columns.prices[row])) refuse('prices of an occurrence', undefined);
    if (!isPlaceIn(olderTexts, columns.olderTexts[row])) refuse('older fields of an occurrence', undefined);
  }
}

function isPlaceIn(list: readonly unknown[], place: number | undefined): boolean {
  return place === ABSENT || (place ?? 0) < list.length;
}

/** Undefined, which no kind takes, for what is no JSON. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** What single rows are asked for by number is there for each number and for no other, and of its kind. */
async function checkRows({ query, meta }: Opened): Promise<void> {
  const { events } = meta.counts;
  const [found] = await query(ROWS, [2 * 4 * Math.ceil(events / 32)], (row) => ({
    events: integerOf(row, 'events'),
    bodies: integerOf(row, 'bodies'),
    wrongSets: integerOf(row, 'wrong_sets'),
  }));
  const wanted = { events, bodies: events, wrongSets: 0 };
  if (JSON.stringify(found) !== JSON.stringify(wanted)) {
    throw unusable(`expected rows ${JSON.stringify(wanted)}, found ${JSON.stringify(found)}`);
  }
  const [page = 0] = await query(PAGE, [], (row) => integerOf(row, 'bytes'));
  if (page > LARGEST_PAGE) throw unusable(`expected pages of ${LARGEST_PAGE} bytes at most, found ${page}`);
  const meaning = await query('select key, value from meta', [], (row) => [
    textOf(row, 'key'),
    textOf(row, 'value'),
  ]);
  for (const [key = '', value = ''] of meaning) {
    if (JSON_META.has(key) && parsed(value) === undefined) throw unusable(`meta.${key}: expected JSON`);
  }
}

const ROWS = `select (select count(*) from event where ordinal >= 0) as events,
  (select count(*) from event_json where event >= 0) as bodies,
  (select count(*) from search_short where typeof(events) <> 'blob' or encoding not in ('list', 'bits')
    or (encoding = 'bits' and length(events) <> ?)) as wrong_sets`;

/** Of the longest events. */
const PAGE = `select coalesce(sum(bytes), 0) as bytes from
  (select octet_length(${FRAGMENT_SQL}) as bytes from event join event_json on event_json.event = event.ordinal
    order by bytes desc limit 1000)`;

/** Bytes of a page of 1,000 events. */
const LARGEST_PAGE = 256 * 1024 * 1024;

const JSON_META: ReadonlySet<string> = new Set(['counts', 'feeds', 'ledger', 'licence', 'notices', 'report']);

function unusable(message: string): CalendarError {
  return new CalendarError('SNAPSHOT_UNUSABLE', message);
}
