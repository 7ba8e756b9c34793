/**
 * The pictures of README.md and docs/norsk.md, and a list of what they show: `node --import tsx test/readme/pictures.ts` takes them anew. A test
 * compares the list with the pages of today, so that an outdated picture is noticed; pixels are not compared.
 */
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { packagePath } from '../../src/package.ts';
import { openBrowser } from '../helpers/browser.ts';
import { always, startFeedServer } from '../helpers/feed-server.ts';
import { type Running, startBuilt } from '../helpers/running.ts';
import { ADDRESS } from './shell.ts';

const SAMPLE = packagePath('data/sample');
const FOLDER = 'docs/pictures';
/** Beside the pictures: what each shows, by its name. */
const LIST = `${FOLDER}/shown.json`;
/** The moment of the README's question. */
const NOON = Date.parse('2026-11-20T12:00:00+01:00');

interface Picture {
  readonly name: string;
  readonly width: number;
  readonly height: number;
  /** Opens the page that it is of. */
  readonly open: (page: Page, calendar: Running) => Promise<void>;
  /** Selects the elements whose text is listed. */
  readonly shows: string;
}

const PICTURES: readonly Picture[] = [
  {
    name: 'site',
    // The strip of days ends with a whole day at this width.
    width: 988,
    height: 955,
    open: async (page, { url }) => {
      await page.goto(`${url}/events.html?period=WEEKEND&lang=en`);
    },
    shows: 'h1, .strip li, .day h2, .programme li',
  },
  {
    name: 'nettsted',
    width: 748,
    height: 760,
    open: async (page, { url }) => {
      await page.goto(`${url}/events.html?period=WEEKEND&categories=MUSIC&lang=nb`);
    },
    shows: 'h1, .strip li, .day h2, .programme li',
  },
  {
    name: 'embed',
    width: 620,
    height: 940,
    open: async (page, { url }) => {
      const paper = await startFeedServer(always(200, newspaper(url), { 'content-type': 'text/html' }));
      try {
        await page.goto(paper.url);
        await page.locator('almanakk-events li').first().waitFor();
      } finally {
        await paper.close();
      }
    },
    shows: 'h1, h2, li',
  },
];

/** The page of a newspaper that embeds the calendar's next concerts. */
const newspaper = (calendar: string): string => `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<title>The Fjord Gazette</title>
<style>
  body { font: 17px/1.55 Georgia, serif; margin: 2rem auto; max-width: 34rem; padding: 0 1.25rem; }
  h1 { border-bottom: 3px double; font-size: 2rem; margin: 0 0 1rem; padding-bottom: 0.5rem; text-align: center; }
</style>
<h1>The Fjord Gazette</h1>
<p>The days grow short, and the stages fill. Here is what musicians have planned for the next evenings.</p>
<almanakk-events categories="MUSIC" limit="7" lang="en" heading="Concerts"></almanakk-events>
<script src="${calendar}/embed.js" defer></script>
</html>`;

/** The texts in view on the page of each picture, in their order, by the name of the picture. */
export async function textsInView(browser: Browser, calendar: Running): Promise<Record<string, string[]>> {
  const shown: Record<string, string[]> = {};
  for (const picture of PICTURES) {
    const view: View = { browser, calendar, picture, colorScheme: 'light' };
    shown[picture.name] = await inView(view, (page) => readTexts(page, picture));
  }
  return shown;
}

/** The texts in view when the pictures were taken. */
export const textsInPictures = (): Record<string, string[]> =>
  JSON.parse(readFileSync(packagePath(LIST), 'utf8'));

/** The sample calendar at the moment of the pictures. */
const startPictured = (): Promise<Running> =>
  startBuilt(SAMPLE, NOON / 1_000, { clock: () => NOON, context: { settings: { source: SAMPLE } } });

interface View {
  readonly browser: Browser;
  readonly calendar: Running;
  readonly picture: Picture;
  readonly colorScheme: 'light' | 'dark';
}

/** Opens the page of a picture, in its size, and works with it. */
async function inView<T>(view: View, work: (page: Page) => Promise<T>): Promise<T> {
  const { browser, calendar, picture, colorScheme } = view;
  const { width, height } = picture;
  const context = await browser.newContext({ viewport: { width, height }, colorScheme });
  try {
    const page = await context.newPage();
    await page.clock.setFixedTime(NOON);
    await page.route(`${ADDRESS}/**`, (route) => {
      const { pathname } = new URL(route.request().url());
      return route.continue({ url: `${calendar.url}${pathname}` });
    });
    await picture.open(page, calendar);
    await page.waitForLoadState('networkidle');
    return await work(page);
  } finally {
    await context.close();
  }
}

/** The texts of the elements that the picture shows whole. */
function readTexts(page: Page, { shows, height }: Picture): Promise<string[]> {
  // The embed has its elements in a shadow tree.
  return page.evaluate(
    `[document, document.querySelector('almanakk-events')?.shadowRoot]
      .flatMap((root) => [...(root?.querySelectorAll(${JSON.stringify(shows)}) ?? [])])
      .filter((element) => element.checkVisibility() && element.getBoundingClientRect().bottom < ${height})
      .filter((element) => element.getBoundingClientRect().right <= innerWidth)
      .map((element) => element.innerText.replace(/\\s+/g, ' ').trim())`,
  );
}

async function takeAll(browser: Browser, calendar: Running): Promise<void> {
  for (const picture of PICTURES) {
    for (const colorScheme of ['light', 'dark'] as const) {
      const path = packagePath(`${FOLDER}/${picture.name}-${colorScheme}.png`);
      rmSync(path, { force: true });
      const view: View = { browser, calendar, picture, colorScheme };
      await inView(view, (page) => page.screenshot({ path }));
    }
  }
  const shown = await textsInView(browser, calendar);
  writeFileSync(packagePath(LIST), `${JSON.stringify(shown, null, 2)}\n`);
}

/** Starts the calendar and a browser, and closes both when the work has ended or failed. */
export async function withPictured(
  work: (browser: Browser, calendar: Running) => Promise<void>,
): Promise<void> {
  const calendar = await startPictured();
  try {
    const browser = await openBrowser();
    try {
      await work(browser, calendar);
    } finally {
      await browser.close();
    }
  } finally {
    await calendar.close();
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) await withPictured(takeAll);
