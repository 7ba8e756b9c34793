/** Settings of a feed that contradict one another, such as a format of dates for a calendar. */
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
  readonly kind: 'ical' | 'csv' | 'jsonld' | 'graphql';
  readonly file: string | null;
  readonly follow: string | null;
  readonly series: string | null;
  readonly columns: object;
  readonly format: string | null;
  readonly timeZone: string | null;
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
  { kind, file, follow, series, columns, format, timeZone }: LimitedSettings,
  { url, pages }: FeedAddress,
): Contradiction | undefined {
  const isTable = kind === 'csv';
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
    { path: ['format'], isFault: format !== null && !isTable, expected: 'only for kind "csv"', found },
    {
      path: ['series'],
      isFault: series !== null && kind === 'graphql',
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
