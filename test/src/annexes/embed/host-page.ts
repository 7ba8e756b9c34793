/** A page of another site with `<almanakk-events>` in it, and a calendar whose clock is in the test's hands. */
import { createServer, type Server } from 'node:http';
import type { Browser, Page, Route } from 'playwright-core';
import type { AccessLogEntry } from '../../../../src/serve/http/access-log.ts';
import { openBrowser } from '../../../helpers/browser.ts';
import { NOW } from '../../../helpers/calendar.ts';
import { sourceFolder } from '../../../helpers/native-source.ts';
import { listening, portOf } from '../../../helpers/port.ts';
import { type Running, startBuilt } from '../../../helpers/running.ts';

export const MINUTE = 60;

export interface Context {
  calendar: Running;
  /** Seconds, by the calendar's clock. */
  now: number;
  accesses: AccessLogEntry[];
  /** The other site. */
  host: Server;
  browser: Browser;
}

const price = (value: number, at = 0) => ({ type: `T${at}`, price: value });
const at = (start: string, more: object = {}) => ({ start: `2026-${start}`, ...more });

const EVENTS = [
  {
    id: 'now',
    title_nb: 'Nå',
    title_en: 'Now',
    ticketsInformation: 'ticketsInfo',
    prices: [price(99)],
    dates: [at('01-01 12:00', { end: '2026-01-01 13:30', prices: [50, 1_200, 0].map(price) })],
    images: [{ urlSmall: 'https://bilde.example/liten.jpg', alt: 'Et band' }],
  },
  {
    id: 'off',
    title_nb: 'Avlyst kveld',
    venue: 'hall',
    categories: ['JAZZ'],
    dates: [at('01-01 19:00', { duration: 60, eventCancelled: true })],
  },
  {
    id: 'out',
    title_nb: 'Utsolgt kveld <3',
    mode: 'online',
    ticketsInformation: 'free',
    dates: [at('01-02 19:00', { eventSoldOut: true }), at('01-02 21:00'), at('01-02 23:00')],
  },
  {
    id: 'days',
    title_nb: 'Hele dager',
    summary_en: 'Two whole days.',
    dates: [at('01-03', { end: '2026-01-04' })],
  },
  { id: 'running', title_nb: 'Utstilling', dates: [{ start: '2025-12-01 10:00', end: '2026-02-01 16:00' }] },
  { id: 'later', title_nb: 'Senere', dates: [at('03-01 10:00', { duration: 30 })] },
  {
    id: 'moved',
    title_nb: 'Flyttet dag',
    dates: [at('12-05 19:00', { previousStart: '2026-12-04 18:00' })],
  },
  {
    id: 'delayed',
    title_nb: 'Flyttet time',
    dates: [at('12-06 19:00', { previousStart: '2026-12-06 18:00' })],
  },
  { id: 'midnight', title_nb: 'Til midnatt', dates: [at('12-07 10:00', { end: '2026-12-08 00:00' })] },
  { id: 'night', title_nb: 'Nattåpent', dates: [at('12-07 16:00', { end: '2026-12-08 02:00' })] },
  {
    id: 'malvik',
    title_nb: 'Revy',
    venue: 'house',
    organizers: ['players'],
    tags: ['revy'],
    minimumAge: 18,
    dates: [at('12-03 19:00')],
  },
];

const PLAYERS = { id: 'players', name: 'Spelarane' };

const HALL = {
  id: 'hall',
  name: 'Ærlige Hall',
  latitude: 63.43,
  longitude: 10.39,
  municipality: 'Trondheim',
  postalCode: '7011',
  accessibility: ['WHEELCHAIR', 'HEARING_LOOP'],
};

const HOUSE = { id: 'house', name: 'Malvik kulturhus', municipality: 'Malvik', postalCode: '7550' };

/** Starts the calendar, the other site and a browser. */
export async function start(context: Context): Promise<void> {
  const source = sourceFolder({
    'events.json': EVENTS,
    'venues.json': [HALL, HOUSE],
    'organizers.json': [PLAYERS],
  });
  context.now = NOW;
  context.accesses = [];
  context.calendar = await startBuilt(source, NOW, {
    clock: () => context.now * 1_000,
    onAccess: (entry) => context.accesses.push(entry),
  });
  context.host = createServer((request, response) => {
    const { searchParams } = new URL(request.url ?? '', 'http://host');
    const type = { 'content-type': 'text/html; charset=utf-8' };
    response.writeHead(200, { ...type, 'content-security-policy': policy(context) });
    response.end(pageWith(context, searchParams));
  });
  await listening(context.host);
  context.browser = await openBrowser();
}

export async function stop({ calendar, host, browser }: Context): Promise<void> {
  await browser.close();
  host.close();
  await calendar.close();
}

/** The other site allows the calendar's script and endpoint: no styles, no code of its own, no text made into HTML. */
const policy = ({ calendar: { url } }: Context) =>
  `default-src 'none'; script-src ${url}; connect-src ${url}; require-trusted-types-for 'script'; base-uri 'none'; form-action 'none'`;

const pageWith = ({ calendar: { url } }: Context, parameters: URLSearchParams) => `<!doctype html>
<html lang="${parameters.get('page-lang') ?? 'nb'}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Avisen</title>
${parameters.get('before') ?? ''}
<script src="${url}/embed.js" defer></script>
</head>
<body>
<main><h1>Avisen</h1>
<almanakk-events ${parameters.get('attributes') ?? ''}><a href="https://kalender.example/">Kalenderen</a></almanakk-events>
</main>
</body>
</html>`;

export interface Visit {
  readonly attributes?: string;
  /** Changes of other scripts to the page, before the embed's script. */
  readonly before?: string;
  readonly language?: string;
  readonly options?: Parameters<Browser['newContext']>[0];
  /** Answers requests to the endpoint in its place. */
  readonly answer?: (route: Route) => Promise<void>;
}

/** What browsers of early 2022, such as Safari 15.4, do not have: the embed is shown on the pages of others, to readers with old phones. */
const NEWER = `
for (const name of ['canParse', 'parse']) delete URL[name];
for (const name of ['any', 'timeout']) delete AbortSignal[name];
for (const name of ['groupBy']) delete Object[name];
for (const name of ['withResolvers', 'try']) delete Promise[name];
for (const name of ['toSorted', 'toReversed', 'toSpliced', 'with']) delete Array.prototype[name];
for (const name of ['union', 'difference', 'intersection']) delete Set.prototype[name];
for (const name of ['isWellFormed', 'toWellFormed']) delete String.prototype[name];
delete Array.fromAsync;
delete Intl.DurationFormat;
`;

/** Opens the page at the calendar's time, which then stands still. */
export async function visit(
  context: Context,
  { attributes = '', before = '', language = 'nb', options = {}, answer }: Visit,
  work: (page: Page, findings: readonly string[]) => Promise<void>,
): Promise<void> {
  const browsing = await context.browser.newContext(options);
  try {
    const page = await browsing.newPage();
    const findings: string[] = [];
    page.on('console', (message) => findings.push(message.text()));
    page.on('pageerror', (error) => findings.push(error.message));
    await page.addInitScript(NEWER);
    await page.clock.install({ time: (context.now - MINUTE) * 1_000 });
    await page.clock.pauseAt(context.now * 1_000);
    if (answer !== undefined) await page.route(isOfEmbed, answer);
    const search = new URLSearchParams({ attributes, before, 'page-lang': language });
    await page.goto(`http://127.0.0.1:${portOf(context.host)}/side?${search}`);
    await work(page, findings);
  } finally {
    await browsing.close();
  }
}

/** Whether it is the address of an element's list. */
export const isOfEmbed = ({ pathname }: URL): boolean => pathname === '/embed.json';

type Attributes = readonly (readonly [name: string, value: string])[];

/** Adds an element with these attributes, set in this order, to the page, and returns the address of its list on the calendar's server. */
export async function requested(page: Page, attributes: Attributes): Promise<string> {
  const sent = page.waitForRequest((request) => isOfEmbed(new URL(request.url())));
  await page.evaluate(`{
    const element = document.createElement('almanakk-events');
    for (const [name, value] of ${JSON.stringify(attributes)}) element.setAttribute(name, value);
    document.body.append(element);
  }`);
  const { pathname, search } = new URL((await sent).url());
  return pathname + search;
}

/** Lets so many seconds pass by the clocks of the calendar and of the page. */
export async function pass(context: Context, page: Page, seconds: number): Promise<void> {
  context.now += seconds;
  await page.clock.runFor(seconds * 1_000);
}

/** The texts of the events, once they are loaded. */
export const shown = async (page: Page) => {
  await page.locator('almanakk-events section[aria-busy=false]').waitFor();
  return page.locator('almanakk-events li').allInnerTexts();
};
const lines = (text: string) =>
  text
    .split('\n')
    .map((line) => line.replaceAll('\u00a0', ' ').trim())
    .filter(Boolean);
/** The lines of each shown event. */
export const shownLines = async (page: Page) => (await shown(page)).map(lines);
/** The line at this place of each event, without the state after a title. */
export const lineOf = async (page: Page, place: number) =>
  (await shownLines(page)).map((text) => text[place]?.replace(/Avlyst$|Utsolgt$/, ''));
/** What the embed says in place of events or about them. */
export const state = (page: Page) => page.locator('almanakk-events [role=status]').innerText();
/** Pixels. */
export const heightOf = async (page: Page) =>
  (await page.locator('almanakk-events').boundingBox())?.height ?? Number.NaN;
