/** `sources.json`, field by field. A schema's error text says what it expects. */
import * as z from 'zod';
import { flag, text, webAddress } from '../validate/parts.ts';
import { eventSchema } from '../validate/schemas.ts';

const ID = 'a name of at most 64 small letters, digits, hyphens and underscores';
const IDS = 'the id of a category, or a list of them';
const REDIRECTS = 'a whole number from 0 to 20';

/** Fields of an event that a feed's entries may lack, and that this folder's owner may know. */
const defaultsSchema = strictly(
  eventSchema.pick({
    categories: true,
    tags: true,
    mode: true,
    venue: true,
    organizers: true,
    images: true,
    ticketsInformation: true,
    prices: true,
    ticketsURL: true,
    minimumAge: true,
    maximumAge: true,
    superEvent: true,
    isFeaturedEvent: true,
    isFeaturedInSpecialEvent: true,
    moreInfoURL: true,
    streamingURL: true,
    facebookURL: true,
    venueNote: true,
    ageRestriction: true,
  }).shape,
);

const feedSchema = strictly({
  id: z.string(ID).regex(/^[a-z0-9][a-z0-9_-]{0,63}$/, ID),
  kind: z.enum(['ical', 'graphql'], '"ical" or "graphql"'),
  url: webAddress.nullish(),
  file: text.min(1, 'a path').nullish(),
  defaults: defaultsSchema.nullish(),
  map: z.record(z.string(), z.union([text, z.array(text)], IDS), 'an object').nullish(),
  language: z.enum(['nb', 'en'], '"nb" or "en"').nullish(),
  apiKeyEnv: text.min(1, 'the name of an environment variable').nullish(),
  keepIds: flag.nullish(),
  categories: z.enum(['import', 'licence'], '"import" or "licence"').nullish(),
  mayBeEmpty: flag.nullish(),
  maxMegabytes: upTo(2048).nullish(),
  timeoutSeconds: upTo(3600).nullish(),
  redirects: z.int(REDIRECTS).min(0, REDIRECTS).max(20, REDIRECTS).nullish(),
});

export const feedsSchema = z.array(feedSchema, 'a list of feeds');

export type WrittenFeed = z.output<typeof feedSchema>;

/** Unknown fields are refused here, other than in records: a setting with a slip in its name would do nothing. */
function strictly<Shape extends z.ZodRawShape>(shape: Shape) {
  const known = `an object with no other fields than ${Object.keys(shape).join(', ')}`;
  return z.strictObject(shape, { error: () => known });
}

function upTo(most: number) {
  const expected = `a number above 0 and up to ${most}`;
  return z.number(expected).positive(expected).max(most, expected);
}
