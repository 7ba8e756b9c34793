/** Chromium without a head. */
import { type Browser, type BrowserContextOptions, chromium } from 'playwright-core';
import type { Test } from 'uvu';
import { isInstalled, pathOf, when } from './when.ts';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome'];

const executable = process.env.CHROMIUM ?? NAMES.map(pathOf).find((path) => path !== undefined);

/** A suite, or a test of it, that is skipped where there is no Chromium. */
export function inBrowser<T>(suite: Test<T>): Test<T> {
  const isThere = executable !== undefined || NAMES.some(isInstalled);
  return when(isThere, 'Chromium is not installed here', suite);
}

export async function openBrowser(args: readonly string[] = []): Promise<Browser> {
  if (executable === undefined)
    throw new Error(`expected one of ${NAMES.join(', ')} in the path, found none`);
  const browser = await chromium.launch({ executablePath: executable, args: ['--no-sandbox', ...args] });
  const newContext = browser.newContext.bind(browser);
  return Object.assign(browser, {
    newContext: async (options?: BrowserContextOptions) => {
      const context = await newContext(options);
      context.setDefaultTimeout(PATIENCE_MS);
      return context;
    },
  });
}

/** Long, because a slow machine is no failure. */
const PATIENCE_MS = 200_000;
