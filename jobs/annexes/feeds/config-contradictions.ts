/** Settings of a feed that contradict one another, such as a format of dates for a calendar. */
import { isSheet } from '../../records.ts';
import type { Path } from '../../validate/salvage.ts';

/** Settings that do not fit together. */
interface Contradiction {
  readonly path: Path;
  readonly isFault: boolean;
  readonly expected: string;
  readonly found?: string;
}

/** The settings that only some kinds of feeds have. */
interface LimitedSettings {
  readonly kind: 'ical' | 'csv' | 'jsonld' | 'graphql' | 'corrections' | 'venues';
  readonly file: string | null;
  readonly follow: string | null;
  readonly series: string | null;
  readonly columns: object;
  readonly format: string | null;
  readonly sheet: string | null;
  readonly timeZone: string | null;
  readonly feeds: readonly string[] | null;
  readonly municipalities: readonly string[] | null;
  readonly name: string | null;
  readonly link: string | null;
  readonly licence: string | null;
  readonly defaults: object;
  readonly map: object;
  readonly keepIds: boolean;
  readonly categories: string;
}

/** `url` is one address, `pages` a list of them. */
interface FeedAddress {
  readonly url: string | null;
  readonly pages: readonly string[];
}

/** Pages of one feed: each is one request. */
const MOST_PAGES = 200;

/** The first contradiction in the settings of a feed; undefined without one. */
export function contradictionIn(
  settings: LimitedSettings,
  { url, pages }: FeedAddress,
): Contradiction | undefined {
  const { kind, file, follow, series, columns, format, sheet, timeZone, feeds, municipalities } = settings;
  const isTable = kind === 'csv';
  const hasEvents = !isSheet(kind);
  const ofRecords = hasEvents ? undefined : settingOfRecords(settings);
  const hasAddress = url !== null || pages.length > 0;
  const found = `kind "${kind}"`;
  const contradictions: readonly Contradiction[] = [
    { path: [], isFault: hasAddress === (file !== null), expected: 'either "url" or "file"' },
    {
      path: ['url'],
      isFault: pages.length > 0 && kind !== 'jsonld',
      expected: 'one URL',
      found: 'a list',
    },
    {
      path: ['url'],
      isFault: pages.length > MOST_PAGES,
      expected: `at most ${MOST_PAGES} pages`,
      found: `${pages.length}`,
    },
    {
      path: ['follow'],
      isFault: follow !== null && (kind !== 'jsonld' || url === null),
      expected: 'only for kind "jsonld" with one "url"',
    },
    { path: ['url'], isFault: kind === 'graphql' && url === null, expected: 'the URL of an endpoint' },
    {
      path: ['columns'],
      isFault: Object.keys(columns).length > 0 && !isTable,
      expected: 'only for kind "csv"',
      found,
    },
    {
      path: ['format'],
      isFault: format !== null && !isTable && kind !== 'corrections',
      expected: 'only for kind "csv" or "corrections"',
      found,
    },
    {
      path: ['sheet'],
      isFault: sheet !== null && !isTable && hasEvents,
      expected: 'only for kind "csv", "corrections" or "venues"',
      found,
    },
    {
      path: ['feeds'],
      isFault: feeds !== null && kind !== 'corrections',
      expected: 'only for kind "corrections"',
      found,
    },
    {
      path: ['municipalities'],
      isFault: municipalities !== null && kind !== 'corrections',
      expected: 'only for kind "corrections"',
      found,
    },
    {
      path: ofRecords === undefined ? [] : [ofRecords],
      isFault: ofRecords !== undefined,
      expected: 'only for feeds with events',
      found,
    },
    {
      path: ['series'],
      isFault: series !== null && (kind === 'graphql' || !hasEvents),
      expected: 'only for kind "ical", "csv" or "jsonld"',
      found,
    },
    {
      path: ['timeZone'],
      isFault: timeZone !== null && !isTable && kind !== 'ical',
      expected: 'only for kind "ical" or "csv"',
      found,
    },
  ];
  return contradictions.find(({ isFault }) => isFault);
}

/** A setting that says something about events, if any is given: a sheet of corrections or venues has none. */
function settingOfRecords({ name, link, licence, defaults, map, keepIds, categories }: LimitedSettings) {
  const given = {
    name: name !== null,
    link: link !== null,
    licence: licence !== null,
    defaults: Object.keys(defaults).length > 0,
    map: Object.keys(map).length > 0,
    keepIds,
    categories: categories === 'import',
  };
  return Object.entries(given).find(([, isGiven]) => isGiven)?.[0];
}
