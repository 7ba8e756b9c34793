/** `sources.json`: the feeds that a source folder has besides its own records. */
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type * as z from 'zod';
import type { CalendarError } from '../../../src/calendar/errors.ts';
import type { Norwegian } from '../../../src/calendar/model.ts';
import { createNearest, withNearest } from '../../../src/calendar/nearest.ts';
import { type Origin, originText } from '../../findings.ts';
import { arrayEntries } from '../../source/json-entries.ts';
import { openSourceFile } from '../../source/source-files.ts';
import { valueAt } from '../../validate/salvage.ts';
import type { CategoryNames } from '../../validate/taxonomy.ts';
import { contradictionIn } from './config-contradictions.ts';
import { createErrorAt, type ErrorAt, redact, safeExcerpt } from './config-errors.ts';
import {
  defaultsSchema,
  feedSchema,
  type WrittenDefaults,
  type WrittenFeed,
  type WrittenLimits,
} from './config-schema.ts';
import { isSheet } from './kinds.ts';

const FEEDS_FILE = 'sources.json';

/** A feed of `sources.json`. Its location is one of `url`, `file` (relative to the source folder) and `pages`; the others are null or empty. */
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

/** F19: each of them is looked at every half a minute. */
const MOST_URGENT = 50;

/** Empty if the file does not exist. Throws INVALID_SOURCE for any invalid part of it. */
export async function readFeeds(folder: string, categoryNames: CategoryNames = {}): Promise<readonly Feed[]> {
  const path = join(folder, FEEDS_FILE);
  if (!existsSync(path)) return [];
  const feeds: Feed[] = [];
  const origins = new Map<string, Origin>();
  const errorsByFeed = new Map<string, ErrorAt>();
  const file = await openSourceFile(path, FEEDS_FILE);
  for await (const { origin, value, problem, repeated } of arrayEntries(file, redact)) {
    const errorAt = createErrorAt(origin, value);
    if (problem !== undefined) throw errorAt([], problem.expected, problem.found);
    if (repeated !== undefined)
      throw errorAt([], 'each field once', `${safeExcerpt(repeated)} more than once`);
    const parsed = feedSchema.safeParse(value);
    if (!parsed.success) throw faultOf(parsed.error.issues[0], value, errorAt);
    const { id } = parsed.data;
    const first = origins.get(id);
    if (first !== undefined) throw errorAt(['id'], 'a unique id', `"${id}", which ${originText(first)} has`);
    origins.set(id, origin);
    feeds.push({ ...feedOf(parsed.data, errorAt), categoryNames });
    errorsByFeed.set(id, errorAt);
  }
  for (const feed of feeds) checkNamedFeeds(feed, feeds, errorsByFeed.get(feed.id));
  const tooMany = feeds.filter(({ urgent }) => urgent)[MOST_URGENT];
  if (tooMany !== undefined)
    throw errorsByFeed.get(tooMany.id)?.(['urgent'], `at most ${MOST_URGENT} urgent sheets`, 'more');
  return feeds;
}

/** F15: a correction sheet may be limited to other feeds, and to the feeds of lists. They may stand below it. */
function checkNamedFeeds({ feeds: named }: Feed, feeds: readonly Feed[], errorAt?: ErrorAt): void {
  const others = feeds.filter(({ kind }) => !isSheet(kind) || kind === 'feeds').map(({ id }) => id);
  const index = named?.findIndex((id) => !others.includes(id)) ?? -1;
  const unknown = named?.[index];
  if (unknown === undefined || errorAt === undefined) return;
  const nearest = createNearest(others, (id) => [id])(unknown);
  const expected = withNearest('the id of a feed with events', nearest);
  throw errorAt(['feeds', index], expected, safeExcerpt(unknown));
}

function faultOf(issue: z.core.$ZodIssue | undefined, value: unknown, errorAt: ErrorAt): CalendarError {
  const path = issue?.path ?? [];
  if (issue?.code !== 'unrecognized_keys')
    return errorAt(path, `${issue?.message}`, safeExcerpt(valueAt(value, path)));
  const [unknown = ''] = issue.keys;
  const settings = Object.keys((path.length === 0 ? feedSchema : defaultsSchema).shape);
  const nearest = createNearest(settings, (name) => [name])(unknown);
  const anySetting = `one of ${settings.join(', ')}`;
  const expected = nearest === null ? anySetting : withNearest('a known setting', nearest);
  return errorAt(path, expected, safeExcerpt(unknown));
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

function feedOf(written: WrittenFeed, errorAt: ErrorAt): Feed {
  const { maxMegabytes, timeoutSeconds, redirects, ...feed } = written;
  const pages: readonly string[] = typeof feed.url === 'object' ? (feed.url ?? []) : [];
  const url = typeof feed.url === 'string' ? feed.url : null;
  const contradiction = contradictionIn(written, { url, pages });
  if (contradiction !== undefined)
    throw errorAt(contradiction.path, contradiction.expected, contradiction.found);
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
