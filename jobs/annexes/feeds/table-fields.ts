/** The fields of a table's columns, with their meaning and common names. */
import * as z from 'zod';
import { type Field, having, mapFields } from '../../../src/calendar/field.ts';
import { EVENT, VENUE } from '../../../src/calendar/fields.ts';

/** The plain fields that have columns of their own (`src/calendar/fields.ts`). */
export const PLAIN_OF_EVENTS = having(EVENT, 'csv');
export const PLAIN_OF_VENUES = having(VENUE, 'csv');

interface Column {
  readonly about: string;
  readonly names: string;
}

function columnsOf<Of extends Readonly<Record<string, Field>>>(
  table: Of,
): Readonly<Record<keyof Of & string, Column>> {
  return mapFields(table, ({ csv = { about: '', names: '' } }) => csv);
}

/**
 * Fields have the native format's names; further columns may hold a day, a last day, an end, a venue's address, or what hides a row.
 * `names` are folded, the most common first.
 */
export const TABLE_FIELDS = {
  id: { about: 'an id; rows with the same id are dates of one event', names: 'id|nr|nummer|event id' },
  title_nb: {
    about: 'the title, in Norwegian',
    names:
      'tittel|norsk tittel|tittel norsk|arrangement|navn|namn|arrangementsnavn|arrangementsnamn|overskrift|programpost|forestilling|framsyning|hendelse|hending|tilskiping|emne|hva|kva|hva skjer|kva skjer',
  },
  title_en: {
    about: 'the title, in English',
    names:
      'title|subject|summary|english title|title english|engelsk tittel|tittel engelsk|event|event name|event title|name|what',
  },
  start: {
    about: 'the day and the time of day of the start, or one of them; a cell can have several days',
    names:
      'start|starttid|starttidspunkt|begynner|byrjar|starter|startar|fra|dato og tid|dato og klokkeslett|date time|date & time|date and time|datetime|tidspunkt|nar|starts|start time|from|when|begin',
  },
  date: {
    about: 'the day, or several',
    names: 'dato|datoer|datoar|startdato|dag|dagar|date|dates|start date|day',
  },
  startTime: {
    about: 'the time of day of the start, or the times of start and end',
    names: 'klokkeslett|kl|klokka|klokken|tid|time',
  },
  end: {
    about: 'the day and the time of day of the end, or one of them',
    names: 'slutt|sluttid|slutttid|sluttidspunkt|slutter|sluttar|til|ferdig|end|ends|end time|to|until',
  },
  endDate: { about: 'the last day, inclusive', names: 'sluttdato|til dato|end date|last day' },
  endTime: { about: 'the time of day of the end', names: 'slutt kl|til kl|slutt klokkeslett' },
  allDay: {
    about: 'ja or nei: whether the times of day are ignored',
    names:
      'heldagshendelse|heildagshending|heldags|heildags|heldag|heildag|hele dagen|heile dagen|all day|all day event',
  },
  timeZone: {
    about: 'the zone of the times, such as Europe/Oslo',
    names: 'tidssone|time zone|timezone',
  },
  duration: {
    about: 'minutes, or hours and minutes such as 1:30',
    names: 'varighet|varigheit|lengde|lengd|duration|length|minutter|minutt|minutes',
  },
  rule: {
    about: 'an RRULE of iCalendar, such as FREQ=WEEKLY;BYDAY=TU, that repeats the date',
    names: 'rrule|regel|gjentakelsesregel|gjentakingsregel|recurrence rule',
  },
  except: {
    about: 'days on which a repeating date does not take place',
    names: 'unntak|unntatt|unnateke|exdate|exdates|except|exceptions',
  },
  private: {
    about: 'ja or nei: whether the row is left out because it is private',
    names: 'privat|private',
  },
  sensitivity: {
    about: 'a word such as Normal or Privat; a row that is private, personal or confidential is left out',
    names: 'folsomhet|folsemd|sensitivity|synlighet|synlegheit|visibility|privacy',
  },
  published: {
    about:
      'ja, nei or the date from which the row is shown; a row that is not published, or may not be, is left out',
    names: 'publisert|published|synlig|synleg|visible',
  },
  venue: {
    about: 'the name of the place, or its URL',
    names:
      'sted|stad|lokale|hvor|kvar|scene|arena|spillested|spelestad|plassering|venue|venue name|place|location|where',
  },
  address: {
    about: 'the address of the place',
    names: 'adresse|gateadresse|besoksadresse|address|venue address|street address',
  },
  postalCode: {
    about: 'the postal code of the place',
    names: 'postnummer|postnr|postal code|postcode|zip|zip code',
  },
  locality: {
    about: 'the town of the postal code',
    names: 'poststed|poststad|tettsted|tettstad|city|town|postal place',
  },
  municipality: { about: 'the municipality of the place', names: 'kommune|municipality' },
  latitude: {
    about: 'the latitude of the place, or latitude and longitude',
    names: 'breddegrad|breiddegrad|lat|latitude|posisjon|koordinater|koordinatar|coordinates',
  },
  longitude: { about: 'the longitude of the place', names: 'lengdegrad|lon|lng|longitude' },
  venueAccessibility: {
    about: 'what the place offers, such as rullestol or teleslynge, separated by commas or semicolons',
    names:
      'stedets tilgjengelighet|tilgjengelighet pa stedet|tilgjenge pa staden|tilgjengelegheit pa staden|venue accessibility',
  },
  desc_nb: {
    about: 'the description, in Norwegian',
    names:
      'beskrivelse|skildring|beskriving|norsk beskrivelse|norsk skildring|beskrivelse norsk|skildring norsk|omtale|ingress|tekst|info|informasjon|om arrangementet|om tilskipinga',
  },
  desc_en: {
    about: 'the description, in English',
    names:
      'description|english description|description english|engelsk beskrivelse|engelsk skildring|beskrivelse engelsk|skildring engelsk|details|about',
  },
  organizers: {
    about: 'names of organizers, separated by semicolons',
    names:
      'arrangor|arrangorer|arrangorar|tilskipar|tilskiparar|hvem|kven|organizer|organizers|organiser|organisers|organizer name|host',
  },
  categories: {
    about: 'names of categories for `map`, separated by commas or semicolons; others become tags',
    names: 'kategori|kategorier|kategoriar|category|categories|sjanger|type',
  },
  tags: {
    about: 'keywords, separated by commas or semicolons',
    names: 'emneord|stikkord|nokkelord|nykelord|tagger|taggar|tags|keywords',
  },
  prices: {
    about:
      'prices such as 150, Voksen 250 / barn 100 or gratis; with several columns, each is a ticket type with the column’s name',
    names: 'pris|priser|prisar|billettpris|inngang|price|prices|ticket price|cost|admission',
  },
  ticketsURL: {
    about: 'where tickets are sold',
    names:
      'billetter|billettar|billett|billettlenke|billettlenkje|billettlink|kjop billett|kjop billettar|tickets|ticket link|ticket url|buy tickets',
  },
  images: {
    about: 'URLs of images, separated by spaces or semicolons',
    names: 'bilde|bilete|bilder|bildelenke|biletlenkje|bildeadresse|bileteadresse|image|images|picture|photo',
  },
  eventCancelled: { about: 'ja or nei: whether it is cancelled', names: 'avlyst|cancelled|canceled' },
  eventSoldOut: { about: 'ja or nei: whether it is sold out', names: 'utsolgt|utseld|utselt|sold out' },
  status: {
    about: 'a word such as Avlyst or Utsolgt; a row that is a draft, private or deleted is left out',
    names: 'status',
  },
  eventLink: { about: 'the event’s own page in the calendar', names: '' },
  ...columnsOf(PLAIN_OF_EVENTS),
  ...columnsOf(PLAIN_OF_VENUES),
  superEvent: { about: 'the id in the table of the festival that it belongs to', names: '' },
} as const satisfies Readonly<Record<string, Column>>;

export type TableField = keyof typeof TABLE_FIELDS;

const COLUMN = 'the name of a column, its number (the first is 1), {"value": "…"}, or a list of these';
const name = z.string(COLUMN).regex(/\S/, COLUMN);
const number = z.int(COLUMN).min(1, COLUMN);
const constant = z.strictObject(
  { value: z.union([z.string(COLUMN), z.number(COLUMN), z.boolean(COLUMN)], COLUMN) },
  { error: () => COLUMN },
);
const source = z.union([name, number, constant], COLUMN);
export const columnSchema = z.union([source, z.array(source, COLUMN).min(1, COLUMN)], COLUMN);

const FIELDS = Object.keys(TABLE_FIELDS);

/** Where each field is found: by default in the column with one of its names. */
export const columnsSchema = z.strictObject(
  Object.fromEntries(FIELDS.map((field) => [field, columnSchema.optional()])) as Record<
    TableField,
    z.ZodOptional<typeof columnSchema>
  >,
  { error: () => `an object with no other fields than ${FIELDS.join(', ')}` },
);

export type ColumnSource = z.output<typeof source>;
export type TableColumns = z.output<typeof columnsSchema>;
