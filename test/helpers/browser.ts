/** Headless Chromium, and assertions about pages in it. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Browser, BrowserContextOptions, Locator, Page } from 'playwright-core';
import type { Test } from 'uvu';
import * as assert from 'uvu/assert';
import { executablePath, isExpected, when } from './when.ts';

const require = createRequire(import.meta.url);

/** The shell comes first: it renders the same pages for a quarter of the CPU. */
const NAMES = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome'];

const executable = process.env.CHROMIUM ?? NAMES.map(executablePath).find((path) => path !== undefined);

/** A suite, or a test of it, that is skipped where there is no Chromium. */
export function inBrowser<T>(suite: Test<T>): Test<T> {
  const isThere = executable !== undefined || NAMES.some(isExpected);
  return when(isThere, 'Chromium is not installed here', suite);
}

/** Required: to import it as a module, Node would first look for its names in 3 MB of code, for half as much CPU again. */
const load = (): typeof import('playwright-core') => require('playwright-core');

export async function openBrowser(args: readonly string[] = []): Promise<Browser> {
  if (executable === undefined)
    throw new Error(`expected one of ${NAMES.join(', ')} in the path, found none`);
  const browser = await load().chromium.launch({
    executablePath: executable,
    args: ['--no-sandbox', ...args],
  });
  const newContext = browser.newContext.bind(browser);
  return Object.assign(browser, {
    newContext: async (options?: BrowserContextOptions) => {
      const context = await newContext(options);
      context.setDefaultTimeout(PATIENCE_MS);
      return context;
    },
  });
}

/** Long, because a slow machine is not a failure. */
const PATIENCE_MS = 200_000;

const AXE = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');

interface Judgement {
  readonly passed: number;
  readonly objections: readonly string[];
}

/**
 * Names the cookies of a page, of which there should be none, and the objections of axe-core, and counts the rules that looked at anything.
 * Everything is unfolded first. The rules are those of WCAG 2.0 to 2.2, levels A and AA, and its best practices. Its rule for the size of
 * targets is off by default. The page must have no content security policy.
 */
export async function judgedBy(page: Page): Promise<Judgement> {
  await page.evaluate(`for (const one of document.querySelectorAll('details')) one.open = true`);
  await page.evaluate(AXE);
  const { passed, objections } =
    await page.evaluate<Judgement>(`axe.run({ rules: { 'target-size': { enabled: true } } })
    .then(({ passes, violations }) => ({
      passed: passes.length,
      objections: violations.map(({ id, nodes }) => id + ': ' + nodes.map(({ html }) => html).join(' ')),
    }))`);
  const cookies = await page.context().cookies();
  return { passed, objections: [...cookies.map(({ name }) => `a cookie: ${name}`), ...objections] };
}

/** Works in a page of its own, such as one without scripts. */
export async function inPage(
  browser: Browser,
  options: BrowserContextOptions,
  work: (page: Page) => Promise<void>,
): Promise<void> {
  const context = await browser.newContext(options);
  try {
    await work(await context.newPage());
  } finally {
    await context.close();
  }
}

export async function assertVisible(element: Locator): Promise<void> {
  assert.is(await element.isVisible(), true, `expected ${element} in view`);
}

export async function assertHidden(element: Locator): Promise<void> {
  assert.is(await element.isVisible(), false, `expected ${element} out of view`);
}

export async function assertFocused(element: Locator): Promise<void> {
  const focused = await element.page().evaluate('document.activeElement?.outerHTML');
  const isFocused = await element.evaluate((one) => one.matches(':focus'));
  assert.is(isFocused, true, `expected the focus on ${element}, found it on ${focused}`);
}
