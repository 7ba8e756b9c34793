/** docs/examples/almanakk-events in a WordPress of stand-ins, and the calendar that it reads. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync } from 'node:fs';
import { createInterface } from 'node:readline';
import type { Test } from 'uvu';
import { packagePath } from '../../src/package.ts';
import { built } from '../helpers/build.ts';
import { NOW } from '../helpers/calendar.ts';
import { temporaryFolder } from '../helpers/folder.ts';
import { eachIn } from '../helpers/html.ts';
import { sourceFolder } from '../helpers/native-source.ts';
import { type Running, type RunningOptions, startServer } from '../helpers/running.ts';
import { isExpected, when } from '../helpers/when.ts';
import { CHOIR, REVUE, SOURCE } from './newspaper.ts';

/** A suite that needs PHP. */
export const withPhp = <T>(suite: Test<T>): Test<T> =>
  when(isExpected('php'), 'php is not installed here', suite);

/** The site of the stand-ins. */
export const HOME = 'https://avis.example';

/** Of each kind of event one, in the order of their dates. NOW is a Thursday, at 13:00 in Norway. */
const EVENTS = [
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

/** The site has the pages of events in Trondheim and Ås, and the calendar those of all others. */
const FILES = {
  ...SOURCE,
  'licence.json': {
    ...SOURCE['licence.json'],
    siteUrl: undefined,
    eventPages: { Trondheim: `${HOME}/arrangement/{slug}`, Ås: `${HOME}/arrangement/{slug}` },
  },
  'events.json': EVENTS,
};

/** The calendar as a server, as of NOW. It is built once for all files of tests. */
export async function startCalendar(context: RunningOptions['context'] = {}): Promise<Running> {
  build ??= buildCalendar();
  const snapshots = temporaryFolder();
  cpSync(await build, snapshots, { recursive: true });
  return startServer({ snapshots, clock: () => NOW * 1_000, context });
}

let build: Promise<string> | undefined;

async function buildCalendar(): Promise<string> {
  const folder = temporaryFolder();
  await built(sourceFolder(FILES), folder, { now: NOW, force: true });
  return folder;
}

/** The constants of the plugin that a test sets, without `ALMANAKK_`. */
interface Constants {
  readonly KEPT?: string;
  readonly HIDDEN?: string;
  readonly HIDDEN_URL?: string;
  readonly SERVE_HIDDEN?: string;
  readonly PURGE_URL?: string;
  readonly CLOUDFLARE_ZONE?: string;
  readonly CLOUDFLARE_TOKEN?: string;
  readonly LIST_PAGES?: string;
  readonly EVENT_PICTURES?: string;
}

/** Values of a shortcode: with names, or as words alone. */
type Shortcode = Readonly<Record<string, string>> | readonly string[];

interface View {
  readonly html: string;
  /** Those to the calendar. */
  readonly requests: number;
}

/** What the action for caches has told: its name, and what was added and removed. */
export type Change = readonly [name: string, added: readonly string[], removed: readonly string[]];

interface ShownList extends View {
  readonly changes: readonly Change[];
}

interface ShownBlock {
  readonly html: string;
  /** The script of the block in the editor. */
  readonly script: string;
}

interface ShownPage extends View {
  readonly status: number;
  readonly head: string;
  readonly title: string;
  readonly heading: string;
  readonly canonical: string;
  /** The heading and the canonical address of no post. */
  readonly withoutPost: readonly (string | null)[];
  readonly seoPlugins: {
    readonly canonical: string;
    readonly title: string;
    /** The parts that Yoast SEO writes. */
    readonly presenters: readonly string[];
    /** Those of Rank Math. */
    readonly description: string;
    readonly jsonLd: readonly string[];
    readonly removedPreviews: number;
  };
  /** The status and the address; in place of the others. */
  readonly redirect?: string;
}

interface Screen {
  readonly html: string;
  /** What WordPress asks of a user who opens it. */
  readonly capability: string;
}

interface SavedList extends Screen {
  readonly changes: readonly Change[];
}

interface Faults {
  /** In place of Kari: the email address of a user, or a name. */
  readonly by?: string;
  /** The lines that the form was opened with; by default those of now. */
  readonly read?: string;
  /** WordPress cannot write. */
  readonly fails?: boolean;
  /** The code of a cache throws. */
  readonly throws?: boolean;
  /** The status of Cloudflare's answers. */
  readonly cloudflare?: number;
  /** ALMANAKK_PURGE_URL does not answer. */
  readonly nginx?: boolean;
  /** W3 Total Cache throws. */
  readonly w3tc?: boolean;
  /** Other requests save at so many first attempts. */
  readonly locked?: number;
  /** A line that another request adds at the same time. */
  readonly meanwhile?: string;
}

interface User {
  readonly ID: number;
  readonly display_name: string;
}

interface ExportedData {
  /** What the plugin suggests for the privacy policy of the site. */
  readonly policy: string;
  readonly data: readonly { readonly data: readonly { readonly value: string }[] }[];
}

interface Erasure {
  readonly items_removed: boolean;
  readonly items_retained: boolean;
  readonly messages: readonly string[];
}

interface Cron {
  /** Seconds between two events of WP-Cron; null without such an event. */
  readonly interval: number | null;
  /** The minutes in which it has told caches of a change. */
  readonly attempted: readonly number[];
  readonly changes: readonly Change[];
}

interface Sitemaps {
  readonly pages: number;
  readonly firstPage: readonly { readonly loc: string }[];
  /** Whether a cache for whole pages may store it. */
  readonly isFirstPageStored: boolean;
  readonly own: string;
  readonly robots: string;
  /** Of a site that search engines are not to find. */
  readonly robotsOfHiddenSite: string;
  readonly indexOfSeoPlugins: string;
}

export type WordPress = Awaited<ReturnType<typeof startWordPress>>;

/** Each function is a step, which the named file of `test/fixtures/wordpress/steps/` describes. `now`: seconds since 1970. */
export async function startWordPress(calendar: string, constants: Constants = {}, now = NOW) {
  const { step, close } = startPhp({ CALENDAR: calendar, NOW: `${now}`, ...constants });
  const hide = (lines: string, faults: Faults = {}) => step<SavedList>('hide', { lines, ...faults });
  return {
    // surroundings.php
    reset: () => step<null>('reset'),
    setLocale: (locale: string) => step<null>('setLocale', { locale }),
    logIn: (role: 'visitor' | 'editor' | 'administrator') => step<null>('logIn', { role }),
    usePermalinks: () => step<null>('usePermalinks'),
    wait: (seconds: number) => step<null>('wait', { seconds }),
    stopCalendar: () => step<null>('setCalendar', { isDown: true }),
    startCalendar: () => step<null>('setCalendar', { isDown: false }),
    /** In place of the calendar: the body of each answer, and the status of its pages of events. */
    answerAs: (answer: { readonly status: number; readonly body: string }) =>
      step<null>('setCalendar', { isDown: false, answer }),
    /** Code that empties a cache for whole pages. */
    addCache: () => step<null>('addCache'),
    /** What caches for whole pages have been asked to delete since the last call. */
    purged: () => step<readonly string[]>('purged'),
    /** What the plugin has written into PHP's log since the last call. */
    logged: () => step<readonly string[]>('logged'),
    /** What ALMANAKK_HIDDEN_URL has; null if it does not respond. */
    setGroupList: (text: string | null) => step<null>('setGroupList', { text }),
    setUsers: (users: Readonly<Record<string, User>>) => step<null>('setUsers', { users }),
    removeIds: () => step<null>('removeIds'),
    deleteUser: (email: string, how: { sites?: number; isPluginThere?: boolean; locked?: number } = {}) =>
      step<readonly object[]>('deleteUser', { email, ...how }),
    removeUser: (email: string) => step<null>('removeUser', { email }),
    pausesOf: (sites: number) => step<readonly number[]>('pausesOf', { sites }),
    // lists.php
    showList: (values: Shortcode = {}, side?: string) => step<ShownList>('showList', { values, side }),
    showBlock: (attributes: Readonly<Record<string, string | number | boolean>>) =>
      step<ShownBlock>('showBlock', { attributes }),
    // pages.php
    openPage: (address: { slug?: string; arrangement?: string; dato?: string }) =>
      step<ShownPage>('openPage', address),
    readAddressOfPage: () => step<object>('readAddressOfPage'),
    crawl: (count: number) =>
      step<{ requests: number; newTransients: number; absences: number }>('crawl', { count }),
    // screens.php
    saveSettings: (form: object) => step<Screen>('saveSettings', { form }),
    hide,
    /** The button that saves nothing. */
    check: (lines: string) => step<SavedList>('hide', { lines, isCheck: true }),
    /** Other requests hold the lock at the first five attempts, and one of them adds a line of its own. */
    hideWhileOthersSave: (lines: string, lineOfOther: string) =>
      hide(lines, { locked: 5, meanwhile: lineOfOther }),
    exportOf: (email: string) => step<ExportedData>('personalData', { email }),
    eraseNameOf: (email: string) => step<Erasure>('personalData', { email, erases: true }),
    emptyCache: () => step<{ redirect: string; html: string }>('emptyCache'),
    // programs.php
    sitemaps: () => step<Sitemaps>('sitemaps'),
    readHidden: (value: string) => step<{ status: number; text: string }>('readHidden', { value }),
    cron: (options: { minutes?: number; throws?: boolean } = {}) => step<Cron>('cron', options),
    uninstall: (sites: number) =>
      step<Record<'before' | 'events' | 'after' | 'transients', readonly string[]>>('uninstall', { sites }),
    close,
  };
}

/** One PHP for many steps. */
function startPhp(variables: Readonly<Record<string, string>>) {
  const files = ['test/fixtures/wordpress/run.php', 'docs/examples/almanakk-events/almanakk-events.php'];
  const php = spawn('php', ['-n', ...files.map(packagePath)], { env: { ...process.env, ...variables } });
  const lines = createInterface(php.stdout)[Symbol.asyncIterator]();
  let log = '';
  php.stderr.setEncoding('utf8').on('data', (text: string) => {
    log += text;
  });
  const ended = once(php, 'exit');
  return {
    async step<Result>(name: string, values: object = {}): Promise<Result> {
      php.stdin.write(`${JSON.stringify([name, values])}\n`);
      const { value: line, done } = await lines.next();
      if (done || !/^(?:[[{"]|null$)/.test(line))
        throw new Error(`expected what ${name} returns, found ${line ?? 'no line'}\n${log}`);
      return JSON.parse(line);
    },
    async close(): Promise<void> {
      php.stdin.end();
      await ended;
    },
  };
}

/** The events of a list, as HTML. */
export const itemsIn = (html: string) => eachIn(html, /<li class="[^"]+">(.*?)<\/li>/gs);

/** The first word of each title in a list. */
export const titlesIn = (html: string) => eachIn(html, /<a class="almanakk-title"[^>]*>(\w+)/g);
