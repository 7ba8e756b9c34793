/**
 * The plain fields: values of an event, a venue and an organizer that the answer has as the record has them. One entry here is the whole
 * definition of a field. From it come the types of records, how records of each kind of source are read, made safe (G8), the published
 * schema, JSON-LD, the JSON Schemas, the documentation and the developers' page. A field with its own rules (an id, a title, a date) is
 * defined where these rules are. `docs/contributing.md` has the recipe.
 */
import { ACCESSIBILITY } from './accessibility.ts';
import { type EventField, type Field, type FieldKind, type FieldTable, mapFields, sdlOf } from './field.ts';

const WORDS = ACCESSIBILITY.map((word) => `\`${word}\``).join(', ');

/** Properties that several fields share. A column with `names: ''` is found by the field's own name alone. */
const WHOLE = { kind: 'integer', source: 'whole numbers' } as const;
const AGE = {
  ...WHOLE,
  en: 'Years.',
  csv: { about: 'years', names: '' },
  byDefault: true,
  joined: 'age',
} as const;
const CAPACITY = { registration: true, source: 'capacity, for licences with `registration`' } as const;

/** E2: a record may have its own; the build makes one of the description where it has none. */
const SUMMARY = {
  kind: 'line',
  source:
    'text of at most 300 characters for cards and previews; by default, the beginning of the description',
  most: 300,
  localized: 'summary',
  listed: true,
  joined: 'summary',
} as const;

export const EVENT = {
  minimumAge: { ...AGE, nb: 'Laveste alder, i antall år.', column: 'minimum_age' },
  maximumAge: { ...AGE, nb: 'Høyeste alder, i antall år.', column: 'maximum_age' },
  cancellationPeriod: {
    ...WHOLE,
    en: 'Cancellation period, as given by the organizer.',
    nb: 'Avbestillingsfrist, slik arrangøren har oppgitt den.',
    joined: 'cancellation',
  },
  views: {
    ...WHOLE,
    en: 'Page views, as counted by the calendar.',
    nb: 'Sidevisninger, slik kalenderen har telt dem.',
  },
  publishingDate: {
    kind: 'moment',
    en: 'When the event became, or becomes, public, as a datetime.',
    nb: 'Når arrangementet ble eller blir synlig i kalenderen, som tidspunkt.',
    source: 'the time from which the event is public',
    csv: { about: 'the time from which it is shown', names: 'publiseres|publiserast' },
    // A8: without it, the event would be public at once.
    essential: true,
  },
  ticketsFromDate: {
    kind: 'moment',
    en: 'When ticket sales start, as a datetime.',
    nb: 'Når billettsalget begynner, som tidspunkt.',
    source: 'datetimes',
    csv: {
      about: 'the time from which tickets are sold',
      names: 'billettsalg fra|billettsal fra|billettslipp|billettslepp',
    },
    joined: 'sale',
  },
  created_at: {
    kind: 'utc',
    en: 'When the record was created, as a datetime in UTC.',
    nb: 'Når oppføringen ble opprettet, som tidspunkt i UTC.',
    source: 'datetimes',
    column: 'created_at',
  },
  updated_at: {
    kind: 'utc',
    en: 'When the record was last changed, as a datetime in UTC.',
    nb: 'Når oppføringen sist ble endret, som tidspunkt i UTC.',
    source: 'datetimes',
    column: 'updated_at',
  },
  registrationEnabled: {
    ...CAPACITY,
    kind: 'flag',
    en: 'True if this calendar handles registrations for the event.',
    nb: 'Sann når denne kalenderen tar imot påmeldinger til arrangementet.',
  },
  availableTickets: {
    ...CAPACITY,
    kind: 'integer',
    en: 'Number of tickets left, in calendars with registration. Null never means sold out.',
    nb: 'Antall ledige billetter, i kalendere med påmelding. Null betyr aldri utsolgt.',
  },
  activeTickets: {
    ...CAPACITY,
    kind: 'integer',
    en: 'Number of tickets taken, in calendars with registration.',
    nb: 'Antall bestilte billetter, i kalendere med påmelding.',
  },
  maxBookingDate: {
    ...CAPACITY,
    kind: 'line',
    en: 'Last day of registration, as entered.',
    nb: 'Siste dag for påmelding, slik den er skrevet inn.',
  },
  maxBookingTime: {
    ...CAPACITY,
    kind: 'line',
    en: 'Last time of registration, as entered.',
    nb: 'Siste klokkeslett for påmelding, slik det er skrevet inn.',
  },
  paymentMethod: {
    ...CAPACITY,
    kind: 'line',
    en: 'How to pay for registration, as entered.',
    nb: 'Hvordan påmeldingen betales, slik det er skrevet inn.',
  },
  isSuperEvent: {
    kind: 'flag',
    en: 'True for container events such as festivals and markets.',
    nb: 'Sann for overordnede arrangementer, som festivaler og markeder.',
    source: '`true` for a container such as a festival',
    csv: { about: 'ja or nei: whether it is a festival that other events belong to', names: '' },
    column: 'is_super_event',
  },
  isFeaturedEvent: {
    kind: 'flag',
    en: 'True if the organizer has featured the event.',
    nb: 'Sann når arrangøren har fremhevet arrangementet.',
    source: '`true` or `false`',
    csv: { about: 'ja or nei: whether it is featured', names: '' },
    column: 'is_featured',
    byDefault: true,
  },
  moreInfoURL: {
    kind: 'url',
    en: 'URL with more information about the event.',
    nb: 'Adresse til mer informasjon om arrangementet.',
    source: 'absolute URL of a page with more information',
    csv: {
      about: 'a page about the event',
      names:
        'lenke|lenkje|link|nettside|nettsted|nettstad|nettadresse|url|web|website|mer info|meir info|mer informasjon|meir informasjon|les mer|les meir|more info',
    },
    byDefault: true,
    joined: 'page',
  },
  streamingURL: {
    kind: 'url',
    en: 'URL of a stream.',
    nb: 'Adresse til en direktesending.',
    source: 'absolute URL of a stream',
    csv: { about: 'the URL of its stream', names: 'strom|straum|stromming|stroyming|stream|livestream' },
    byDefault: true,
    joined: 'stream',
  },
  facebookURL: {
    kind: 'url',
    en: 'URL of the event on Facebook.',
    nb: 'Adresse til arrangementet på Facebook.',
    source: 'absolute URL of its Facebook page',
    csv: { about: 'the URL of its Facebook page', names: 'facebook' },
    byDefault: true,
    joined: 'facebook',
  },
  venueNote: {
    kind: 'lines',
    en: 'Place within the venue, in words.',
    nb: 'Hvor på stedet, i fritekst.',
    source: 'text: the place within the venue',
    csv: { about: 'information about the place', names: 'merknad om stedet|merknad om staden' },
    byDefault: true,
    joined: 'note',
  },
  ageRestriction: {
    kind: 'lines',
    en: 'Age limit in words.',
    nb: 'Aldersgrense, i fritekst.',
    source: 'text: the age limit',
    csv: { about: 'an age limit, in words', names: 'aldersgrense|alder|age limit|ages|age restriction' },
    byDefault: true,
    joined: 'age',
  },
  accessibility: {
    kind: 'accessibility',
    en: 'Accessibility features of the event itself, and of the venue of the displayed occurrence.',
    nb: 'Tilrettelegging ved selve arrangementet og på stedet for datoen som vises.',
    source: `a list of the features of the event itself, in upper or lower case: ${WORDS}`,
    csv: {
      about:
        'what the event itself offers, such as tegnspråk or synstolking, separated by commas or semicolons',
      names:
        'tilgjengelighet|tilgjenge|tilgjengelegheit|universell utforming|tilrettelegging|accessibility|access',
    },
    byDefault: true,
    joined: 'accessibility',
    schemaOrg: 'accessibilityFeature',
    column: 'accessibility',
  },
  summary_nb: {
    ...SUMMARY,
    en: 'Norwegian summary for cards and previews: plain text from the record, or at most 200 characters of the description.',
    nb: 'Norsk sammendrag til kort og forhåndsvisninger: ren tekst fra oppføringen, eller høyst 200 tegn av beskrivelsen.',
    csv: {
      about: 'a summary for cards, in Norwegian',
      names: 'sammendrag|samandrag|kort beskrivelse|kort skildring|kortbeskrivelse|kort omtale|teaser',
    },
  },
  summary_en: {
    ...SUMMARY,
    en: 'English summary for cards and previews: plain text from the record, or at most 200 characters of the description.',
    nb: 'Engelsk sammendrag, laget på samme måte.',
    csv: {
      about: 'a summary for cards, in English',
      names: 'english summary|engelsk sammendrag|engelsk samandrag|short description|summary',
    },
  },
  norwegian: {
    kind: 'norwegian',
    en: 'The written Norwegian of the fields that end in `_nb`: `nb` (Bokmål) or `nn` (Nynorsk). Use it to mark these texts with their language.',
    nb: 'Målformen i feltene som slutter på `_nb`: `nb` (bokmål) eller `nn` (nynorsk). Bruk den til å merke tekstene med riktig språk.',
    source:
      '`nb` or `nn`: the written Norwegian of its texts; by default, the `language` of its feed or of the licence',
  },
} as const satisfies FieldTable<EventField>;

/** In a snapshot's list of venues a value is the same as in the record. */
type EntityField = Field & { readonly kind: Exclude<FieldKind, 'moment' | 'utc'> };

/** F8 fills in a missing postal code and municipality. */
export const VENUE = {
  address: {
    kind: 'lines',
    en: 'Street address.',
    nb: 'Gateadresse.',
    source: 'street, postal code and place, such as `Havnegata 2, 7170 Lillevik`',
  },
  postalCode: { kind: 'line', en: 'Four digits.', nb: 'Fire sifre.', source: 'four digits' },
  municipality: {
    kind: 'line',
    en: 'Name of the municipality.',
    nb: 'Navnet på kommunen.',
    source: 'name or four-digit number of the municipality',
  },
  mapImageURL: {
    kind: 'olderUrl',
    en: 'URL of a map image, as in the record.',
    nb: 'Adressen til et kartbilde, slik den står i oppføringen.',
    deprecated: 'Use `location`.',
    mirror: false,
  },
  accessibility: {
    kind: 'accessibility',
    en: 'Accessibility features of the place.',
    nb: 'Tilretteleggingen på stedet.',
    source: `a list of what the place offers, in any case: ${WORDS}`,
    schemaOrg: 'amenityFeature',
  },
} as const satisfies FieldTable<EntityField>;

const OLDER_CONTACT = {
  kind: 'olderLine',
  en: 'As in the record.',
  nb: 'Slik det står i oppføringen.',
  deprecated: 'Use `website`.',
  mirror: false,
} as const;

export const ORGANIZER = {
  website: {
    kind: 'url',
    en: 'URL.',
    nb: 'Nettadresse.',
    source: 'an absolute URL',
    schemaOrg: 'url',
  },
  email: OLDER_CONTACT,
  telephoneNumber: OLDER_CONTACT,
} as const satisfies FieldTable<EntityField>;

/** By the name of the type in the schema. */
const FIELDS = new Map(
  Object.entries<FieldTable<Field>>({ Event: EVENT, Venue: VENUE, Organizer: ORGANIZER }),
);

/** A plain field's description in Norwegian; undefined for any other field. */
export function norwegianOf(type: string, name: string): string | undefined {
  return FIELDS.get(type)?.[name]?.nb;
}

/**
 * The published schema: in a type, the line `# plain fields of Venue` is replaced by the fields of that table. `schema.graphql` has all
 * the rest.
 */
export function withPlainFields(sdl: string): string {
  return sdl.replace(/^ *# plain fields of (\w+)$/gm, (line, type: string) => {
    const table = FIELDS.get(type);
    if (table === undefined) throw new Error(`expected a type of FIELDS, found ${line.trim()}`);
    return Object.values(mapFields(table, sdlOf)).join('\n');
  });
}
