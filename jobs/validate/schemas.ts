/** The records of a native source (F1–F3), field by field. `null` is the same as leaving the field out. */
import * as z from 'zod';
import {
  count,
  datetime,
  flag,
  fraction,
  id,
  integer,
  latitude,
  longitude,
  mode,
  named,
  text,
  ticketsInformation,
  timeOfDay,
  webAddress,
} from './parts.ts';
import { checkDateSpan, checkRepeatSpan } from './spans.ts';

const OBJECT = 'an object';
const texts = z.array(text, 'a list of strings');
/** Looked at one by one, because a bad one does not cost the rest (G2). */
const apart = (expected: string) => z.array(z.unknown(), expected);

const label = {
  id,
  name_nb: text,
  name_en: text,
  slug_nb: text.nullish(),
  slug_en: text.nullish(),
  visible: flag.nullish(),
};
export const subcategorySchema = z.object(label, OBJECT);
export const categorySchema = z.object(
  { ...label, subcategories: z.array(subcategorySchema, 'a list of subcategories').nullish() },
  OBJECT,
);
export const licenceSchema = z.object(
  {
    id,
    name: named,
    siteUrl: webAddress,
    portalUrl: webAddress.nullish(),
    specialEvent: text.nullish(),
    registration: flag.nullish(),
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
    address: text.nullish(),
    postalCode: text.nullish(),
    municipality: text.nullish(),
    latitude: latitude.nullish(),
    longitude: longitude.nullish(),
  },
  OBJECT,
);

export const organizerSchema = z.object(
  { id, name: named, slug: text.nullish(), website: text.nullish() },
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
  },
  OBJECT,
);

/** `price` is anything: F7 says what is made of it. */
export const priceSchema = z.object(
  { type: text, price: z.unknown().optional(), name_nb: text.nullish(), name_en: text.nullish() },
  OBJECT,
);
const prices = z.array(priceSchema, 'a list of prices').nullish();

/** What a date, and every occurrence of a repeat, may have instead of the event's (F5). */
const own = {
  startTime: timeOfDay.nullish(),
  venue: text.nullish(),
  ticketsURL: text.nullish(),
  eventCancelled: flag.nullish(),
  eventSoldOut: flag.nullish(),
  prices,
};
const span = { start: datetime, end: datetime.nullish(), duration: count.nullish() };

export const dateSchema = z.object({ ...span, ...own }, OBJECT).superRefine(checkDateSpan);
export const repeatSchema = z
  .object({ ...span, ...own, rule: named, except: apart('a list of datetimes').nullish() }, OBJECT)
  .superRefine(checkRepeatSpan);

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
    eventSoldOut: flag.nullish(),
    minimumAge: integer.nullish(),
    maximumAge: integer.nullish(),
    cancellationPeriod: integer.nullish(),
    views: integer.nullish(),
    publishingDate: datetime.nullish(),
    ticketsFromDate: datetime.nullish(),
    created_at: datetime.nullish(),
    updated_at: datetime.nullish(),
    superEvent: text.nullish(),
    /** The same under the name that the interface gives it. */
    super_event: text.nullish(),
    isSuperEvent: flag.nullish(),
    isFeaturedEvent: flag.nullish(),
    isFeaturedInSpecialEvent: flag.nullish(),
    moreInfoURL: text.nullish(),
    streamingURL: text.nullish(),
    facebookURL: text.nullish(),
    venueNote: text.nullish(),
    ageRestriction: text.nullish(),
    dates: apart('a list of dates').nullish(),
    repeats: apart('a list of repeats').nullish(),
  },
  OBJECT,
);

/** Read only where the licence has registration (F9). */
export const capacitySchema = z.object(
  {
    registrationEnabled: flag.nullish(),
    availableTickets: integer.nullish(),
    activeTickets: integer.nullish(),
    maxBookingDate: text.nullish(),
    maxBookingTime: text.nullish(),
    paymentMethod: text.nullish(),
  },
  OBJECT,
);

export type RawLicence = z.output<typeof licenceSchema>;
export type RawCategory = z.output<typeof categorySchema>;
export type RawSubcategory = z.output<typeof subcategorySchema>;
export type RawVenue = z.output<typeof venueSchema>;
export type RawImage = z.output<typeof imageSchema>;
export type RawPrice = z.output<typeof priceSchema>;
export type RawDate = z.output<typeof dateSchema>;
export type RawRepeat = z.output<typeof repeatSchema>;
export type RawEvent = z.output<typeof eventSchema>;
export type RawCapacity = z.output<typeof capacitySchema>;
