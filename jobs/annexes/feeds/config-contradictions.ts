/** Settings of a feed that contradict one another, such as a format of dates for a calendar. */
import type { Path } from '../../validate/salvage.ts';
import type { WrittenFeed } from './config-schema.ts';
import { hasDirectory, isSheet, type KindSetting, kindsWith, mayHavePages, takes } from './kinds.ts';

/** Settings that do not fit together. */
interface Contradiction {
  readonly path: Path;
  readonly expected: string;
  readonly found?: string;
}

/** `url` is one address, `pages` a list of them. */
interface FeedAddress {
  readonly url: string | null;
  readonly pages: readonly string[];
}

/** Pages of one feed: each is one request. */
const MOST_PAGES = 200;

/** The first contradiction in the settings of a feed; undefined without one. */
export function contradictionIn(settings: WrittenFeed, address: FeedAddress): Contradiction | undefined {
  return (
    contradictionOfAddress(settings, address) ??
    misplacedSetting(settings) ??
    openSeries(settings) ??
    needlessApproval(settings)
  );
}

function contradictionOfAddress(
  { kind, file, follow }: WrittenFeed,
  { url, pages }: FeedAddress,
): Contradiction | undefined {
  const hasAddress = url !== null || pages.length > 0;
  const contradictions: readonly (Contradiction & { readonly isFault: boolean })[] = [
    { path: [], isFault: hasAddress === (file !== null), expected: 'either "url" or "file"' },
    {
      path: ['url'],
      isFault: pages.length > 0 && !mayHavePages(kind),
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
      isFault: follow !== null && (!takes(kind, 'follow') || url === null),
      expected: `only for ${kindsWith('follow')} with one "url"`,
    },
    { path: ['url'], isFault: hasDirectory(kind) && url === null, expected: 'the URL of an endpoint' },
  ];
  return contradictions.find(({ isFault }) => isFault);
}

/** F17: an entry that nobody has approved would join an approved event of its title and place. */
function openSeries({ series, needsApproval }: WrittenFeed): Contradiction | undefined {
  if (series === null || !needsApproval) return undefined;
  return { path: ['series'], expected: 'nothing beside "needsApproval"', found: JSON.stringify(series) };
}

function needlessApproval({
  approveAgainAfterChange,
  needsApproval,
}: WrittenFeed): Contradiction | undefined {
  if (!approveAgainAfterChange || needsApproval) return undefined;
  return { path: ['approveAgainAfterChange'], expected: 'only beside "needsApproval"', found: 'true' };
}

/** A setting that feeds of this kind do not take, if any is given. */
function misplacedSetting(settings: WrittenFeed): Contradiction | undefined {
  const { kind } = settings;
  const found = `kind "${kind}"`;
  const ofEvents = isSheet(kind) ? settingOfEvents(settings) : undefined;
  if (ofEvents !== undefined) return { path: [ofEvents], expected: 'only for feeds with events', found };
  const ofOthers = givenSettings(settings).find((setting) => !takes(kind, setting));
  if (ofOthers === undefined) return undefined;
  return { path: [ofOthers], expected: `only for ${kindsWith(ofOthers)}`, found };
}

function givenSettings(settings: WrittenFeed): readonly KindSetting[] {
  const given: readonly (readonly [KindSetting, boolean])[] = [
    ['columns', Object.keys(settings.columns).length > 0],
    ['format', settings.format !== null],
    ['sheet', settings.sheet !== null],
    ['feeds', settings.feeds !== null],
    ['municipalities', settings.municipalities !== null],
    ['series', settings.series !== null],
    ['timeZone', settings.timeZone !== null],
    ['urgent', settings.urgent],
  ];
  return given.flatMap(([setting, isGiven]) => (isGiven ? [setting] : []));
}

/** F18: settings about events that a list of feeds passes on to its feeds. */
const PASSED_ON: readonly string[] = ['defaults', 'map', 'needsApproval', 'approveAgainAfterChange'];

/** A setting that says something about events, if any is given: a sheet of corrections or venues has none. */
function settingOfEvents(settings: WrittenFeed) {
  const { kind } = settings;
  const given = {
    name: settings.name !== null,
    link: settings.link !== null,
    licence: settings.licence !== null,
    defaults: Object.keys(settings.defaults).length > 0,
    map: Object.keys(settings.map).length > 0,
    keepIds: settings.keepIds,
    categories: settings.categories === 'import',
    needsApproval: settings.needsApproval,
    approveAgainAfterChange: settings.approveAgainAfterChange,
  };
  const isPassedOn = (setting: string) => kind === 'feeds' && PASSED_ON.includes(setting);
  const [misplaced] =
    Object.entries(given).find(([setting, isGiven]) => isGiven && !isPassedOn(setting)) ?? [];
  return misplaced;
}
