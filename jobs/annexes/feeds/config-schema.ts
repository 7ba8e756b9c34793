/** The settings of a feed in `sources.json`, as they are written. */
import * as z from 'zod';
import { having, mapFields } from '../../../src/calendar/field.ts';
import { EVENT } from '../../../src/calendar/fields.ts';
import { zoneNamed } from '../../../src/calendar/time.ts';
import { eventSchema, flag, text, webAddress } from '../../validate/schemas.ts';
import { FEED_KINDS, quotedKinds } from './kinds.ts';
import { patternOf } from './moment-formats.ts';
import { columnsSchema } from './table-fields.ts';

const ID = 'a name of at most 64 lower-case letters, digits, hyphens and underscores';
const IDS = 'the id of a category, or a list of them';
const REDIRECTS = 'a whole number from 0 to 20';

const MUNICIPALITY = 'the name or the four-digit number of a municipality';
const municipalityName = z.string(MUNICIPALITY).regex(/\S/, MUNICIPALITY);

/**
 * Fields of an event that a feed's entries may lack, and that this folder's owner may know; and the municipality of their places. Unknown
 * fields are refused here, unlike in records: a mistyped setting would have no effect.
 */
export const defaultsSchema = z.strictObject({
  ...eventSchema.pick({
    categories: true,
    tags: true,
    mode: true,
    venue: true,
    organizers: true,
    images: true,
    ticketsInformation: true,
    prices: true,
    ticketsURL: true,
    superEvent: true,
    isFeaturedInSpecialEvent: true,
    ...mapFields(having(EVENT, 'byDefault'), () => true as const),
  }).shape,
  municipality: municipalityName.nullish(),
});

const LIST_OF_MUNICIPALITIES = 'a list of names or four-digit numbers of municipalities';

const LIST_OF_FEEDS = 'a list of ids of feeds';

const MOST_DESKS = 10;
const ADDRESSES = `a list of up to ${MOST_DESKS} addresses such as "desk@lillevik.example"`;
const mailAddress = z.string(ADDRESSES).regex(/^[\w.+-]+@[\w.-]+$/, ADDRESSES);

const FORMAT = 'how dates are written, such as "DD.MM.YYYY HH:mm"';

const ZONE = 'the name of a time zone, such as "Europe/London"';

const PATH = 'the beginning of a path, such as "/arrangement/"';

export const feedSchema = z.strictObject({
  id: z.string(ID).regex(/^[a-z0-9][a-z0-9_-]{0,63}$/, ID),
  kind: z.enum(FEED_KINDS, quotedKinds(FEED_KINDS)),
  url: or(z.union([webAddress, z.array(webAddress).min(1)], 'an http or https URL'), null),
  file: or(text.min(1, 'a path'), null),
  follow: or(text.regex(/^\/[^\s?#]*$/, PATH), null),
  /** E2: shown to callers as the source of its events. */
  name: or(text.regex(/\S/, 'a name'), null),
  link: or(webAddress, null),
  licence: or(text.regex(/\S/, 'the name of a licence'), null),
  /** For entries without values of their own. */
  defaults: or(defaultsSchema, {}),
  map: or(z.record(z.string(), z.union([text, z.array(text)], IDS), 'an object'), {}),
  language: or(z.enum(['nb', 'nn', 'en'], '"nb", "nn" or "en"'), null),
  apiKeyEnv: or(text.min(1, 'the name of an environment variable'), null),
  keepIds: or(flag, false),
  categories: or(z.enum(['import', 'licence'], '"import" or "licence"'), 'licence'),
  mayBeEmpty: or(flag, false),
  /** H12: days after which it is a concern that nothing has changed; null for a feed that may stay as it is. */
  expectChangesWithinDays: or(upTo(366), null),
  /** H12: the desks that get mail when it fails. The server reads them itself. */
  alert: or(z.array(mailAddress, ADDRESSES).min(1, ADDRESSES).max(MOST_DESKS, ADDRESSES), []),
  /** F17: whether its events are hidden until an editor approves them. */
  needsApproval: or(flag, false),
  /** F17: whether an approval is of one version of an event alone. */
  approveAgainAfterChange: or(flag, false),
  /** F19: whether a change in a correction sheet starts a build at once. */
  urgent: or(flag, false),
  /** F15: the feeds whose records a correction sheet may correct; null for all records. */
  feeds: or(z.array(text, LIST_OF_FEEDS).min(1, LIST_OF_FEEDS), null),
  /** F15, F18: the municipalities whose events a correction sheet may correct, or whose feeds a list may have; names or numbers, null for all. */
  municipalities: or(z.array(municipalityName, LIST_OF_MUNICIPALITIES).min(1, LIST_OF_MUNICIPALITIES), null),
  /** L4: makes one event of entries of equal title and place. */
  series: or(z.literal('title', '"title"'), null),
  columns: or(columnsSchema, {}),
  format: or(
    text.refine((format) => patternOf(format) !== null, FORMAT),
    null,
  ),
  /** The name of a sheet of a workbook; null for its first one. */
  sheet: or(text.regex(/\S/, 'the name of a sheet'), null),
  timeZone: or(
    text.refine((name) => zoneNamed(name) !== null, ZONE),
    null,
  ),
  maxMegabytes: or(upTo(2048), 50),
  timeoutSeconds: or(upTo(3600), 30),
  redirects: or(z.int(REDIRECTS).min(0, REDIRECTS).max(20, REDIRECTS), 5),
});

function or<Schema extends z.ZodType, const Else extends z.output<Schema> | null>(
  schema: Schema,
  otherwise: Else,
) {
  return schema.nullish().transform((value): z.output<Schema> | Else => value ?? otherwise);
}

/** The whole file: an entry for each feed. */
export const feedsSchema = z.array(feedSchema);

/** An entry of the file, with the defaults of what it leaves out. */
export type WrittenFeed = z.output<typeof feedSchema>;
export type WrittenDefaults = z.output<typeof defaultsSchema>;
export type WrittenLimits = Pick<WrittenFeed, 'maxMegabytes' | 'timeoutSeconds' | 'redirects'>;

function upTo(most: number) {
  const expected = `a number above 0 and up to ${most}`;
  return z.number(expected).positive(expected).max(most, expected);
}
