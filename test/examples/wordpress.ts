/** Runs docs/examples/almanakk-events in a WordPress of stubs. */
import * as assert from 'uvu/assert';
import { packagePath } from '../../src/package.ts';
import { NOW } from '../helpers/calendar.ts';
import { eachIn } from '../helpers/html.ts';
import { runCommand } from '../helpers/program.ts';
import { CHOIR, REVUE } from './newspaper.ts';

export interface Shown {
  readonly html: string;
  /** To the calendar. */
  readonly requests: number;
  /** Of the page of events; a list has none of these. */
  readonly status?: number;
  readonly title?: string;
  readonly heading?: string;
  readonly canonical?: string;
  readonly head?: string;
  /** The canonical address and the title that SEO plugins show. */
  readonly seo?: readonly [string, string];
  /** The status and the address. */
  readonly redirect?: string;
  /** What the action for caches has told: its name, and what was added and removed. */
  readonly changes?: readonly (readonly [string, readonly string[], readonly string[]])[];
  /** Seconds between two events of WP-Cron; null without such an event. */
  readonly interval?: number | null;
  /** The minutes in which WP-Cron has run that action. */
  readonly attempted?: readonly number[];
  /** The plugin's options and events of WP-Cron, before the plugin was deleted and after it. */
  readonly uninstalled?: readonly [readonly string[], readonly string[]];
  /** Names of events that the calendar does not have. */
  readonly kept?: number;
  /** The number of its pages, and the first one. */
  readonly sitemap?: readonly [number, readonly { readonly loc: string }[]];
  /** The plugin's own, and what names it: `robots.txt`, that of a site that search engines are not to find, and the index of SEO plugins. */
  readonly ownSitemap?: string;
  readonly robots?: string;
  readonly robotsOfHidden?: string;
  readonly index?: string;
  /** The parts that Yoast SEO writes; the description and the JSON-LD of Rank Math, and how many of its previews are taken out. */
  readonly yoast?: readonly string[];
  readonly rankMath?: readonly [string, readonly string[], number];
  /** For opening a screen. */
  readonly capability?: string;
  /** What WordPress looks for, if the site has a post type `arrangement`. */
  readonly asPage?: object;
  /** The heading and the canonical address of nothing. */
  readonly without?: readonly (string | null)[];
}

type Shortcode = Readonly<Record<string, string>> | readonly string[];

type BlockAttributes = Readonly<Record<string, string | number | boolean>>;

interface WordPress {
  readonly calendar: string;
  readonly locale?: string;
  /** Seconds since 1970. */
  readonly now?: number;
  /** ALMANAKK_KEPT. */
  readonly kept?: number;
  /** ALMANAKK_HIDDEN. */
  readonly hidden?: string;
  /** ALMANAKK_HIDDEN_URL. */
  readonly hiddenUrl?: string;
  /** ALMANAKK_SERVE_HIDDEN. */
  readonly servesHidden?: boolean;
  /** ALMANAKK_EVENT_PICTURES. */
  readonly eventPictures?: boolean;
}

/** What happens in a WordPress of stubs; `test/fixtures/wordpress/shortcodes.php` says what each step does. */
export type Step =
  | Shortcode
  | { readonly page: Shortcode }
  | { readonly block: BlockAttributes }
  | { readonly settings: object }
  | {
      readonly hide: string;
      readonly read?: string;
      readonly by?: string;
      readonly fails?: boolean;
      readonly throws?: boolean;
      readonly locked?: number;
      readonly meanwhile?: string;
    }
  | { readonly crawl: number }
  | { readonly uninstall: number }
  | { readonly minutes: number; readonly throws?: boolean }
  | { readonly list: string | null }
  | { readonly answers: { readonly status: number; readonly body: string } }
  | 'permalinks'
  | 'down'
  | 'up'
  | 'later'
  | 'halfDay'
  | 'nextDay'
  | 'editor'
  | 'administrator'
  | 'empty'
  | 'cron'
  | 'served'
  | 'copied';

/** What `almanakk-events.php` shows for the shortcodes and pages among these steps, in one run of PHP. */
export async function inWordPress(
  { calendar, locale = 'nb_NO', now = NOW, kept, hidden, hiddenUrl, servesHidden, eventPictures }: WordPress,
  steps: readonly Step[],
): Promise<readonly Shown[]> {
  const files = [
    'test/fixtures/wordpress/shortcodes.php',
    'docs/examples/almanakk-events/almanakk-events.php',
  ];
  const [stubs = '', plugin = ''] = files.map(packagePath);
  const env = {
    ...process.env,
    CALENDAR: calendar,
    LOCALE: locale,
    NOW: `${now}`,
    KEPT: kept?.toString(),
    HIDDEN: hidden,
    HIDDEN_URL: hiddenUrl,
    SERVES_HIDDEN: servesHidden ? 'true' : undefined,
    EVENT_PICTURES: eventPictures?.toString(),
  };
  const { stdout } = await runCommand('php', ['-n', stubs, plugin, JSON.stringify(steps)], { env });
  return JSON.parse(stdout);
}

/** A step with a name for what it shows; null for one that shows nothing. */
export type NamedStep = readonly [name: string | null, step: Step];

/** What each step shows, by its name. */
export type Named<Steps extends readonly NamedStep[]> = Readonly<
  Record<Exclude<Steps[number][0], null>, Shown>
>;

/** The same for all steps of one run. */
export async function namedIn<const Steps extends readonly NamedStep[]>(
  wordPress: WordPress,
  steps: Steps,
): Promise<Named<Steps>> {
  const results = await inWordPress(
    wordPress,
    steps.map(([, step]) => step),
  );
  const names = steps.flatMap(([name]) => name ?? []);
  assert.is(results.length, names.length, 'a result of each step that has a name');
  return Object.fromEntries(names.map((name, at) => [name, results[at]])) as Named<Steps>;
}

/** Of each kind one, in the order of their dates. NOW is a Thursday, at 13:00 in Norway. */
export const FOR_WORDPRESS = [
  {
    id: 'fair',
    title_nb: 'Marked',
    summary_nb: 'Med & uten.',
    dates: [{ start: '2025-12-30', end: '2026-01-03' }],
  },
  {
    ...CHOIR,
    categories: ['MUSIC'],
    dates: [{ start: '2026-01-02 19:00', end: '2026-01-02 21:00' }, { start: '2026-01-02 22:00' }],
  },
  {
    id: 'walk',
    title_en: 'Walk',
    venue: 'yard',
    status: 'CANCELLED',
    ticketsInformation: 'ticketsInfo',
    prices: [
      { type: 'REGULAR', price: 1250 },
      { type: 'CHILD', price: 99 },
      { type: 'ASSISTANT', price: 0 },
    ],
    dates: [{ start: '2026-01-03', end: '2026-01-05' }],
  },
  { ...REVUE, summary_en: 'Songs & sketches.', eventLink: undefined },
];

export const itemsIn = (html = '') => eachIn(html, /<li class="[^"]+">(.*?)<\/li>/gs);
export const titlesIn = (html = '') => eachIn(html, /<a class="almanakk-title"[^>]*>(\w+)/g);
