/** `sources.json`: the feeds that a source folder has besides its own records. */
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import type { CalendarError } from '../../../src/calendar/errors.ts';
import { having, mapFields } from '../../../src/calendar/field.ts';
import { EVENT } from '../../../src/calendar/fields.ts';
import type { Norwegian } from '../../../src/calendar/model.ts';
import { createNearest, withNearest } from '../../../src/calendar/nearest.ts';
import { zoneNamed } from '../../../src/calendar/time.ts';
import { arrayEntries } from '../../json-entries.ts';
import { type Origin, originText } from '../../records.ts';
import { openSourceFile } from '../../source-files.ts';
import { valueAt } from '../../validate/salvage.ts';
import { eventSchema, flag, text, webAddress } from '../../validate/schemas.ts';
import type { CategoryNames } from '../../validate/taxonomy.ts';
import { contradictionIn } from './config-contradictions.ts';
import { type Refuse, redact, refusalOf, safeExcerpt } from './config-refusal.ts';
import { FEED_KINDS, isSheet, quotedKinds } from './kinds.ts';
import { patternOf } from './moment-formats.ts';
import { columnsSchema } from './table-fields.ts';

const FEEDS_FILE = 'sources.json';

/** Its location is one of `url`, `file` (relative to the source folder) and `pages`; the others are null or empty. */
export interface Feed
  extends Readonly<Omit<WrittenFeed, 'url' | 'language' | 'defaults' | keyof WrittenLimits>> {
  readonly url: string | null;
  readonly pages: readonly string[];
  /** The fields of titles and descriptions without a language. */
  readonly language: 'nb' | 'en';
  /** Fields of an event, for entries without them. */
  readonly defaults: Defaults;
  /** F8: the name or number of the municipality of places that are in no other. It is no field of an event. */
  readonly defaultMunicipality: string | null;
  readonly limits: FeedLimits;
  /** F18: the list that has this feed in a row; null for a feed of `sources.json`. */
  readonly list: FeedList | null;
  /** The licence's own names for categories, which are used if the feed's `map` has none. */
  readonly categoryNames?: CategoryNames | undefined;
}

/** F18: what a feed of a list has from there. */
interface FeedList {
  readonly id: string;
  /** Host and port of the list's own address; null for a file. */
  readonly host: string | null;
  /** Why the row cannot be used at present; null if it can. */
  readonly fault: string | null;
}

interface Defaults extends Readonly<Omit<WrittenDefaults, 'municipality'>> {
  /** Given by the feed's language. */
  readonly norwegian?: Norwegian;
}

export interface FeedLimits {
  /** The limit for one file or answer, decompressed. */
  readonly bytes: number;
  /** For one request, from the look-up of its host to the last byte. */
  readonly seconds: number;
  readonly redirects: number;
}

export type DocumentKind = Exclude<Feed['kind'], 'graphql'>;

/** The settings that a feed's records depend on, besides its kind. */
export type ParsedFeed = Pick<
  Feed,
  | 'id'
  | 'language'
  | 'defaults'
  | 'map'
  | 'categoryNames'
  | 'keepIds'
  | 'needsApproval'
  | 'series'
  | 'columns'
  | 'format'
  | 'sheet'
  | 'timeZone'
  | 'municipalities'
>;

/** Empty if the file does not exist. Throws INVALID_SOURCE for any invalid part of it. */
export async function readFeeds(folder: string, categoryNames: CategoryNames = {}): Promise<readonly Feed[]> {
  const path = join(folder, FEEDS_FILE);
  if (!existsSync(path)) return [];
  const feeds: Feed[] = [];
  const origins = new Map<string, Origin>();
  const refusals = new Map<string, Refuse>();
  const file = await openSourceFile(path, FEEDS_FILE);
  for await (const { origin, value, problem, repeated } of arrayEntries(file, redact)) {
    const refuse = refusalOf(origin, value);
    if (problem !== undefined) throw refuse([], problem.expected, problem.found);
    if (repeated !== undefined)
      throw refuse([], 'each field once', `${safeExcerpt(repeated)} more than once`);
    const parsed = feedSchema.safeParse(value);
    if (!parsed.success) throw faultOf(parsed.error.issues[0], value, refuse);
    const { id } = parsed.data;
    const first = origins.get(id);
    if (first !== undefined) throw refuse(['id'], 'a unique id', `"${id}", which ${originText(first)} has`);
    origins.set(id, origin);
    feeds.push({ ...feedOf(parsed.data, refuse), categoryNames });
    refusals.set(id, refuse);
  }
  for (const feed of feeds) refuseUnknownFeeds(feed, feeds, refusals.get(feed.id));
  return feeds;
}

/** F15: a correction sheet may be limited to other feeds, and to the feeds of lists. They may stand below it. */
function refuseUnknownFeeds({ feeds: named }: Feed, feeds: readonly Feed[], refuse?: Refuse): void {
  const others = feeds.filter(({ kind }) => !isSheet(kind) || kind === 'feeds').map(({ id }) => id);
  const index = named?.findIndex((id) => !others.includes(id)) ?? -1;
  const unknown = named?.[index];
  if (unknown === undefined || refuse === undefined) return;
  const nearest = createNearest(others, (id) => [id])(unknown);
  const expected = withNearest('the id of a feed with events', nearest);
  throw refuse(['feeds', index], expected, safeExcerpt(unknown));
}

function faultOf(issue: z.core.$ZodIssue | undefined, value: unknown, refuse: Refuse): CalendarError {
  const path = issue?.path ?? [];
  if (issue?.code !== 'unrecognized_keys')
    return refuse(path, `${issue?.message}`, safeExcerpt(valueAt(value, path)));
  const [unknown = ''] = issue.keys;
  const settings = Object.keys((path.length === 0 ? feedSchema : defaultsSchema).shape);
  const nearest = createNearest(settings, (name) => [name])(unknown);
  const anySetting = `one of ${settings.join(', ')}`;
  const expected = nearest === null ? anySetting : withNearest('a known setting', nearest);
  return refuse(path, expected, safeExcerpt(unknown));
}

/** The settings of a feed that its reader needs. */
export function rulesOf(feed: Feed): ParsedFeed {
  const { id, language, defaults, map, categoryNames, keepIds, needsApproval } = feed;
  const { series, columns, format, sheet, timeZone, municipalities } = feed;
  return {
    id,
    language,
    defaults,
    map,
    categoryNames,
    keepIds,
    needsApproval,
    series,
    columns,
    format,
    sheet,
    timeZone,
    municipalities,
  };
}

/**
 * Hashes what determines a feed's records, besides its bytes; the address of a private calendar is a secret. `readers` is a fingerprint of the
 * code that reads feeds.
 */
export function configHash(feed: Feed, readers: string): string {
  const { kind, url, file, pages, follow, categories } = feed;
  const parts = [readers, kind, url, file, pages, follow, categories, rulesOf(feed)];
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 16);
}

const MEBI = 1024 * 1024;

function feedOf(written: WrittenFeed, refuse: Refuse): Feed {
  const { maxMegabytes, timeoutSeconds, redirects, ...feed } = written;
  const pages: readonly string[] = typeof feed.url === 'object' ? (feed.url ?? []) : [];
  const url = typeof feed.url === 'string' ? feed.url : null;
  const contradiction = contradictionIn(feed, { url, pages });
  if (contradiction !== undefined)
    throw refuse(contradiction.path, contradiction.expected, contradiction.found);
  const limits = { bytes: maxMegabytes * MEBI, seconds: timeoutSeconds, redirects };
  const { municipality, ...defaults }: WrittenDefaults = feed.defaults;
  return {
    ...feed,
    ...inLanguage(feed.language, defaults),
    defaultMunicipality: municipality ?? null,
    url,
    pages,
    limits,
    list: null,
  };
}

/** Texts in Nynorsk are in the fields for Norwegian. A feed that names no language has the Norwegian of the calendar. */
function inLanguage(
  language: WrittenFeed['language'],
  defaults: Defaults,
): Pick<Feed, 'language' | 'defaults'> {
  if (language === 'en') return { language, defaults };
  return { language: 'nb', defaults: language === null ? defaults : { ...defaults, norwegian: language } };
}

const ID = 'a name of at most 64 lower-case letters, digits, hyphens and underscores';
const IDS = 'the id of a category, or a list of them';
const REDIRECTS = 'a whole number from 0 to 20';

const MUNICIPALITY = 'the name or the four-digit number of a municipality';
const municipalityName = z.string(MUNICIPALITY).regex(/\S/, MUNICIPALITY);

/**
 * Fields of an event that a feed's entries may lack, and that this folder's owner may know; and the municipality of their places. Unknown
 * fields are refused here, unlike in records: a mistyped setting would have no effect.
 */
const defaultsSchema = z.strictObject({
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

const feedSchema = z.strictObject({
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

type WrittenFeed = z.output<typeof feedSchema>;
type WrittenDefaults = z.output<typeof defaultsSchema>;
type WrittenLimits = Pick<WrittenFeed, 'maxMegabytes' | 'timeoutSeconds' | 'redirects'>;

function upTo(most: number) {
  const expected = `a number above 0 and up to ${most}`;
  return z.number(expected).positive(expected).max(most, expected);
}
