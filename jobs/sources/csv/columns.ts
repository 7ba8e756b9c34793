/** Which column of a table is what: by the feed's settings, by the native format's own names, or by what people call them. */
import { nameKey } from '../../../src/calendar/text.ts';
import { FeedProblem } from '../../feed-health.ts';
import { TABLE_FIELDS as FIELDS, type TableField as Field } from '../../feeds/config.ts';
import type { AddFinding } from '../../feeds/slice.ts';

import { shorten } from '../../records.ts';
import type { Row } from './table.ts';

/**
 * How people head each column, the likeliest first.
 */
const HEADINGS: Readonly<Record<Field, string>> = {
  id: 'id|nr|nummer|event id',
  title_nb:
    'tittel|norsk tittel|tittel norsk|arrangement|navn|arrangementsnavn|overskrift|programpost|forestilling|hendelse|emne|hva|hva skjer',
  title_en:
    'title|subject|english title|title english|engelsk tittel|tittel engelsk|event|event name|event title|name|what',
  start:
    'start|starttid|starttidspunkt|begynner|starter|fra|dato og tid|dato og klokkeslett|tidspunkt|nar|starts|start time|from|when|begin',
  date: 'dato|startdato|dag|date|start date|day',
  startTime: 'klokkeslett|kl|klokka|klokken|tid|time',
  end: 'slutt|sluttid|slutttid|sluttidspunkt|slutter|til|ferdig|end|ends|end time|to|until',
  endDate: 'sluttdato|til dato|end date|last day',
  endTime: 'slutt kl|til kl|slutt klokkeslett',
  allDay: 'heldagshendelse|heldags|heldag|hele dagen|all day|all day event',
  duration: 'varighet|lengde|duration|length|minutter|minutes',
  venue: 'sted|lokale|hvor|scene|arena|spillested|plassering|venue|venue name|place|location|where',
  address: 'adresse|gateadresse|besoksadresse|address|venue address|street address',
  postalCode: 'postnummer|postnr|postal code|postcode|zip|zip code',
  locality: 'poststed|by|tettsted|city|town|postal place',
  municipality: 'kommune|municipality',
  latitude: 'breddegrad|lat|latitude',
  longitude: 'lengdegrad|lon|lng|longitude',
  desc_nb:
    'beskrivelse|norsk beskrivelse|beskrivelse norsk|omtale|ingress|tekst|info|informasjon|om arrangementet',
  desc_en:
    'description|english description|description english|engelsk beskrivelse|beskrivelse engelsk|details|about',
  organizers: 'arrangor|arrangorer|hvem|organizer|organizers|organiser|organisers|organizer name|host',
  categories: 'kategori|kategorier|category|categories|sjanger|type',
  tags: 'emneord|stikkord|nokkelord|tagger|tags|keywords',
  prices: 'pris|priser|billettpris|inngang|price|prices|ticket price|cost|admission',
  ticketsURL:
    'billetter|billett|billettlenke|billettlink|kjop billett|tickets|ticket link|ticket url|buy tickets',
  moreInfoURL:
    'lenke|link|nettside|nettsted|nettadresse|url|web|website|mer info|mer informasjon|les mer|more info',
  images: 'bilde|bilder|bildelenke|bildeadresse|image|images|picture|photo',
  eventCancelled: 'avlyst|cancelled|canceled',
  eventSoldOut: 'utsolgt|sold out',
  status: 'status',
  ageRestriction: 'aldersgrense|alder|age limit|ages|age restriction',
  eventLink: '',
  streamingURL: 'strom|stromming|stream|livestream',
  facebookURL: 'facebook',
  venueNote: 'merknad om stedet',
  superEvent: '',
  isSuperEvent: '',
  isFeaturedEvent: '',
  minimumAge: '',
  maximumAge: '',
  publishingDate: 'publiseres',
  ticketsFromDate: 'billettsalg fra|billettslipp',
};

const KEYS = FIELDS.map((field) => {
  const names = HEADINGS[field].split('|').filter((name) => name !== '');
  return { field, keys: [nameKey(field), ...names] };
});

export interface Columns {
  /** The row that names them. */
  readonly head: number;
  /** Places of cells. */
  readonly places: ReadonlyMap<Field, number>;
  /** What the table calls a column. */
  readonly titleOf: (field: Field) => string;
  /** Those that are nothing that is known, by their name. */
  readonly others: readonly (readonly [name: string, place: number])[];
}

/** What a feed says of its table. */
interface TableFeed {
  readonly columns: Readonly<Record<string, string>>;
  /** Of titles and descriptions that do not say. */
  readonly language: 'nb' | 'en';
}

/** How many columns are known in the row that knows most. */
export function rateHead(rows: readonly Row[], feed: TableFeed): number {
  return Math.max(0, ...rows.map((row) => placesIn(row, feed).size));
}

/** Rows above the table's names that may hold the festival's. */
const MOST_ABOVE = 10;

/** Throws FeedProblem for a table that says nowhere what its events are called, or when they are. */
export function findColumns(rows: readonly Row[], feed: TableFeed, addFinding: AddFinding): Columns {
  const candidates = rows.slice(0, MOST_ABOVE);
  const head = candidates.find((row) => isHead(placesIn(row, feed)));
  if (head === undefined) throw new FeedProblem('unreadable answer', missing(candidates[0], feed));
  const note = (row: Row, field: string | null, expected: string, found: string) =>
    addFinding({ action: 'changed value', line: row.number, field, expected, found });
  for (const row of candidates.slice(0, candidates.indexOf(head)))
    note(row, null, 'the names of the columns (passed over)', listOf(row.cells));
  const places = placesIn(head, feed);
  const used = new Set(places.values());
  for (const [field, name] of Object.entries(feed.columns)) {
    if (!head.cells.some((cell) => nameKey(cell) === nameKey(name)))
      note(head, name, `a column of this name, as "columns" says of ${field}`, listOf(head.cells));
  }
  const seen = new Set<string>();
  const others: (readonly [string, number])[] = [];
  for (const [place, cell] of head.cells.entries()) {
    const key = nameKey(cell);
    if (key === '') continue;
    if (seen.has(key))
      note(head, cell, 'each name once (the first column of this name is taken)', listOf(head.cells));
    else if (!used.has(place)) others.push([cell, place]);
    seen.add(key);
  }
  return {
    head: head.number,
    places,
    titleOf: (field) => head.cells[places.get(field) ?? -1] ?? field,
    others,
  };
}

function isHead(places: ReadonlyMap<Field, number>): boolean {
  return (places.has('title_nb') || places.has('title_en')) && (places.has('start') || places.has('date'));
}

function missing(row: Row | undefined, { columns }: TableFeed): string {
  const expected = 'a row that names a column with the title (Tittel) and one with the start (Start or Dato)';
  const settings = Object.keys(columns).length === 0 ? '; "columns" can say what they are called' : '';
  return `expected ${expected}, found ${row === undefined ? 'no row' : listOf(row.cells)}${settings}`;
}

function listOf(cells: readonly string[]): string {
  return shorten(cells.map((cell) => JSON.stringify(cell)).join(', '));
}

/** Each field has one column at most, each column is one field at most. */
function placesIn({ cells }: Row, { columns, language }: TableFeed): ReadonlyMap<Field, number> {
  const byKey = new Map<string, number>();
  for (const [place, cell] of cells.entries()) {
    for (const key of keysOf(cell)) if (!byKey.has(key)) byKey.set(key, place);
  }
  const places = new Map<Field, number>();
  const taken = new Set<number>();
  const take = (field: Field, keys: readonly string[]) => {
    for (const key of keys) {
      const place = byKey.get(key);
      if (place === undefined || taken.has(place)) continue;
      places.set(field, place);
      taken.add(place);
      return;
    }
  };
  const isSet = (field: Field) => columns[field] !== undefined;
  for (const field of FIELDS) if (isSet(field)) take(field, [nameKey(columns[field] ?? '')]);
  for (const { field, keys } of KEYS) if (!isSet(field)) take(field, keys);
  for (const name of ['title', 'desc'] as const) toLanguage(name, { places, cells, language, isSet });
  return places;
}

/** With what stands in brackets, and without: `Pris (kr)`. */
function keysOf(cell: string): readonly string[] {
  const key = nameKey(cell).replace(/[\s:*?.]+$/, '');
  const words = key.replace(/[()]/g, ' ').replace(/\s+/g, ' ').trim();
  const without = key.replace(/\s*\([^()]*\)/g, '').trim();
  // The Events Calendar says so of each of its columns.
  const plain = key.replace(/^event (?=.)/, '');
  return [key, words, without, plain].filter((found) => found !== '');
}

interface Named {
  readonly places: Map<Field, number>;
  readonly cells: readonly string[];
  readonly language: 'nb' | 'en';
  readonly isSet: (field: Field) => boolean;
}

/** A column that is called "Title" need not hold English: alone, and saying nothing of a language, it has the feed's. */
function toLanguage(name: 'title' | 'desc', { places, cells, language, isSet }: Named): void {
  const fields = [`${name}_nb`, `${name}_en`] as const;
  const [only, ...more] = fields.filter((field) => places.has(field));
  const own = `${name}_${language}` as const;
  if (only === undefined || more.length > 0 || only === own || isSet(only)) return;
  const place = places.get(only) ?? -1;
  if (/engelsk|english|norsk|norwegian|_(?:nb|en)$/i.test(cells[place] ?? '')) return;
  places.delete(only);
  places.set(own, place);
}
