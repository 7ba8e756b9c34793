/** F13: the fields of an entry of `corrections.json`. Values have the names and forms of native records. */
import * as z from 'zod';
import { wordsOf } from '../../src/calendar/search-term.ts';
import { fold } from '../../src/calendar/text.ts';
import { moment, timeOfDay } from '../validate/moments.ts';
import { eventSchema, id, named, text, venueSchema } from '../validate/schemas.ts';

const words = text.refine((given) => wordsOf(fold(given)).length > 0, 'one word or more');

/** A missing condition is null, like one that is written as null. */
function orNull<Schema extends z.ZodType>(schema: Schema) {
  return schema.nullish().transform((given) => given ?? null);
}

/** The conditions of a correction: all that are given must hold. */
export const whereSchema = z.object(
  {
    id: orNull(id),
    feed: orNull(named),
    title: orNull(words),
    place: orNull(words),
    tag: orNull(named),
    date: orNull(moment),
  },
  'an object',
);

const TIMES = 'a time of day such as "19:30", or a datetime such as "2026-05-17 19:30"';
const time = z.union([timeOfDay, moment], TIMES);

/** Fields that a correction may set for the whole event. */
const eventFields = eventSchema.pick({
  title_nb: true,
  title_en: true,
  desc_nb: true,
  desc_en: true,
  summary_nb: true,
  summary_en: true,
  norwegian: true,
  categories: true,
  tags: true,
  organizers: true,
  images: true,
  mode: true,
  prices: true,
  ticketsInformation: true,
  minimumAge: true,
  maximumAge: true,
  ageRestriction: true,
  accessibility: true,
  isFeaturedEvent: true,
});

/** Fields that a correction may set for each date. The municipality is that of its place. */
const dateFields = eventSchema
  .pick({ venue: true, status: true, ticketsURL: true, eventSoldOut: true })
  .extend({
    start: time.nullish(),
    end: time.nullish(),
    municipality: venueSchema.shape.municipality,
  });

/** The values of `set` replace those of the record; those of `add` are added to its lists. */
export const setSchema = z.object({ ...eventFields.shape, ...dateFields.shape }, 'an object');
export const addSchema = eventSchema.pick({ categories: true, tags: true });

export const correctionSchema = z.object(
  {
    where: whereSchema,
    hide: z.literal(true, 'true').nullish(),
    /** F17: the decision on an event that needs approval. */
    approve: z.boolean('true or false').nullish(),
    set: setSchema.nullish(),
    add: addSchema.nullish(),
    note: text.nullish(),
  },
  'an object',
);

/** Names of the fields that a correction may set for each date. */
export const DATE_FIELDS: readonly string[] = Object.keys(dateFields.shape);

/** Conditions, values and additions, as parsed. */
export type RawWhere = z.output<typeof whereSchema>;
export type RawSet = z.output<typeof setSchema>;
export type RawAdd = z.output<typeof addSchema>;
