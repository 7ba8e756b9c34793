/** The records of a native source (F1–F3), field by field. `null` means the same as a missing field. */
import * as z from 'zod';
import { ACCESSIBILITY, isAccessibility } from '../../src/calendar/accessibility.ts';
import { type Field, type FieldKind, having, lacking, mapFields } from '../../src/calendar/field.ts';
import { EVENT, ORGANIZER, VENUE } from '../../src/calendar/fields.ts';
import { MODES, NORWEGIAN, TICKETS_INFORMATION } from '../../src/calendar/model.ts';
import { EVENT_STATUS, type EventStatus, isEventStatus } from '../../src/calendar/status.ts';
import { MOST_IN_TEXT } from './lengths.ts';
import { datetime, moment, timeOfDay } from './moments.ts';
import { A_CANONICAL_TEMPLATE, A_TEMPLATE, pageReader, pageWriter } from './page-template.ts';
import { essential } from './salvage.ts';
import { plainText } from './sanitize.ts';
import { spanCheck, spanOf, wallSpanOf } from './spans.ts';
import { webAddress as toWebAddress } from './web-address.ts';

export const text = z.string('a string');
export const named = z.string('a string that is not blank').regex(/\S/, 'a string that is not blank');
/** Ids are compared with those of other records, so they cannot be made safe (G8). */
export const id = named
  .max(MOST_IN_TEXT, `an id of at most ${MOST_IN_TEXT} characters`)
  .refine(
    (written) => plainText(written, 'line', MOST_IN_TEXT).text === written,
    'an id without markup and control characters',
  );
export const flag = z.boolean('true or false');
const integer = z.int32('a whole number of 32 bits');
const COUNT = 'a whole number, 0 or more';
/** A negative value aborts the check of its object, whose comparisons would have no meaning. */
const count = z.int32(COUNT).min(0, { error: COUNT, abort: true });
const fraction = between(0, 1);
const latitude = between(-90, 90);
const longitude = between(-180, 180);
const mode = z.enum(MODES, oneOf(MODES));
const ticketsInformation = z.enum(TICKETS_INFORMATION, oneOf(TICKETS_INFORMATION));
const norwegian = z.enum(NORWEGIAN, oneOf(NORWEGIAN));
export const webAddress = text.refine((written) => toWebAddress(written) !== null, 'an http or https URL');

export const pageTemplate = text.refine((written) => pageReader(written) !== null, A_TEMPLATE);

export const canonicalTemplate = text.refine((written) => pageWriter(written) !== null, A_CANONICAL_TEMPLATE);

function between(least: number, most: number) {
  const expected = `a number from ${least} to ${most}`;
  return z.number(expected).min(least, expected).max(most, expected);
}

function oneOf(values: readonly string[]): string {
  return values.map((value) => JSON.stringify(value)).join(' or ');
}

const OBJECT = 'an object';
const texts = z.array(text, 'a list of strings');
/** Checked one by one, because an invalid one does not cost the rest (G2). */
const apart = (expected: string) => z.array(z.unknown(), expected);

/** For older clients only: a value that is not text is dropped alone. */
const loose = z.unknown().optional();

const STATUS_WORD = `one of ${EVENT_STATUS.join(', ')}`;
/** E12, in any case. */
const status = z.string(STATUS_WORD).transform((word, context): EventStatus => {
  const found = word.trim().toUpperCase();
  if (isEventStatus(found)) return found;
  context.issues.push({ code: 'custom', message: STATUS_WORD, input: word });
  return z.NEVER;
});

const ACCESSIBILITY_WORD = `one of ${ACCESSIBILITY.join(', ')}`;
const accessibilityWord = z
  .string(ACCESSIBILITY_WORD)
  .refine((word) => isAccessibility(word.trim().toUpperCase()), ACCESSIBILITY_WORD);

/** Schema of a plain field in a record, by its kind. */
const PLAIN = {
  line: text.nullish(),
  lines: text.nullish(),
  url: text.nullish(),
  norwegian: norwegian.nullish(),
  olderLine: loose,
  olderUrl: loose,
  integer: integer.nullish(),
  flag: flag.nullish(),
  moment: datetime.nullish(),
  utc: datetime.nullish(),
  accessibility: z.array(accessibilityWord, 'a list of words').nullish(),
} as const satisfies Readonly<Record<FieldKind, z.ZodType>>;

type Shape<Of extends Readonly<Record<string, Field>>> = {
  readonly [Name in keyof Of]: (typeof PLAIN)[Of[Name]['kind']];
};

function shapeOf<Of extends Readonly<Record<string, Field>>>(table: Of): Shape<Of> {
  return mapFields(table, ({ kind, essential: isEssential = false }) =>
    isEssential ? essential(PLAIN[kind]) : PLAIN[kind],
  ) as Shape<Of>;
}

const categoryFields = {
  id,
  name_nb: text,
  name_en: text,
  name_nn: text.nullish(),
  slug_nb: text.nullish(),
  slug_en: text.nullish(),
  visible: flag.nullish(),
};
export const subcategorySchema = z.object(categoryFields, OBJECT);
export const categorySchema = z.object(
  { ...categoryFields, subcategories: z.array(subcategorySchema, 'a list of subcategories').nullish() },
  OBJECT,
);
const dataLicenceSchema = z.object({ name: named, url: webAddress.nullish() }, OBJECT);
const contactSchema = z.object(
  { name: text.nullish(), email: text.nullish(), url: webAddress.nullish() },
  OBJECT,
);
export const licenceSchema = z.object(
  {
    id,
    name: named,
    siteUrl: webAddress.nullish(),
    /** F6: the address of each event's page, or that of each municipality's events. F13: a list only names pages on other sites. */
    eventPages: z
      .union(
        [canonicalTemplate, z.record(z.string(), canonicalTemplate), z.array(pageTemplate)],
        'an address, an object with addresses by municipality, or a list of addresses',
      )
      .nullish(),
    portalUrl: webAddress.nullish(),
    privacyUrl: webAddress.nullish(),
    specialEvent: text.nullish(),
    registration: flag.nullish(),
    language: norwegian.nullish(),
    dataLicence: dataLicenceSchema.nullish(),
    attribution: text.nullish(),
    /** G9: without it, likely duplicates are only reported. */
    duplicates: z.enum(['merge', 'report'], '"merge" or "report"').nullish(),
    contact: contactSchema.nullish(),
    categories: z.array(categorySchema, 'a list of categories'),
    retiredCategories: z.record(z.string(), texts, 'an object of lists').nullish(),
  },
  OBJECT,
);

export const venueSchema = z.object(
  {
    id,
    name: named,
    slug: text.nullish(),
    ...shapeOf(VENUE),
    latitude: latitude.nullish(),
    longitude: longitude.nullish(),
    /** F11: names by which other sources call it. */
    aliases: texts.nullish(),
  },
  OBJECT,
);

export const organizerSchema = z.object(
  {
    id,
    name: named,
    slug: text.nullish(),
    ...shapeOf(ORGANIZER),
  },
  OBJECT,
);

export const imageSchema = z.object(
  {
    urlSmall: text.nullish(),
    urlLarge: text.nullish(),
    alt: text.nullish(),
    caption: text.nullish(),
    credits: text.nullish(),
    focusX: fraction.nullish(),
    focusY: fraction.nullish(),
    width: count.nullish(),
    height: count.nullish(),
    urlOriginal: loose,
    originalSize: loose,
    largeSize: loose,
    smallSize: loose,
  },
  OBJECT,
);

/** `price` may have any type: see F7. */
export const priceSchema = z.object(
  { type: text, price: z.unknown().optional(), name_nb: text.nullish(), name_en: text.nullish() },
  OBJECT,
);
const prices = z.array(priceSchema, 'a list of prices').nullish();

/** Values that a date, and every occurrence of a repeat, may have instead of the event's (F5). */
const dateValues = {
  mode: loose,
  streamingURL: loose,
  startTime: timeOfDay.nullish(),
  venue: text.nullish(),
  ticketsURL: text.nullish(),
  eventCancelled: flag.nullish(),
  status: status.nullish(),
  eventSoldOut: flag.nullish(),
  prices,
};
const span = { start: moment, end: moment.nullish(), duration: count.nullish() };

/** E12: the start that the date had before it was moved. */
const previousStart = moment.nullish();

export const dateSchema = z.object({ ...span, ...dateValues, previousStart }, OBJECT).superRefine(
  spanCheck((raw) => {
    const { start, end } = spanOf(raw);
    return end - start;
  }),
);
export const repeatSchema = z
  .object({ ...span, ...dateValues, rule: named, except: apart('a list of datetimes').nullish() }, OBJECT)
  .superRefine(spanCheck((raw) => wallSpanOf(raw) ?? (raw.duration ?? 0) * 60));

export const eventSchema = z.object(
  {
    id,
    slug: text.nullish(),
    eventLink: text.nullish(),
    title_nb: text.nullish(),
    title_en: text.nullish(),
    desc_nb: text.nullish(),
    desc_en: text.nullish(),
    categories: texts.nullish(),
    tags: texts.nullish(),
    mode: mode.nullish(),
    venue: text.nullish(),
    organizers: texts.nullish(),
    images: z.array(imageSchema, 'a list of images').nullish(),
    ticketsInformation: ticketsInformation.nullish(),
    prices,
    ticketsURL: text.nullish(),
    eventCancelled: flag.nullish(),
    status: status.nullish(),
    eventSoldOut: flag.nullish(),
    ...shapeOf(lacking(EVENT, 'registration')),
    superEvent: text.nullish(),
    /** `superEvent` under the name that the interface has. */
    super_event: text.nullish(),
    isFeaturedInSpecialEvent: flag.nullish(),
    type: loose,
    author_id: loose,
    editableBy: loose,
    contact_from: loose,
    contact_custom: loose,
    videosURL: loose,
    dates: apart('a list of dates').nullish(),
    repeats: apart('a list of repeats').nullish(),
  },
  OBJECT,
);

/** Read only if the licence has registration (F9). */
export const capacitySchema = z.object(shapeOf(having(EVENT, 'registration')), OBJECT);

export type RawLicence = z.output<typeof licenceSchema>;
export type RawSubcategory = z.output<typeof subcategorySchema>;
export type RawVenue = z.output<typeof venueSchema>;
export type RawImage = z.output<typeof imageSchema>;
export type RawPrice = z.output<typeof priceSchema>;
export type RawDate = z.output<typeof dateSchema>;
export type RawRepeat = z.output<typeof repeatSchema>;
export type RawEvent = z.output<typeof eventSchema>;
