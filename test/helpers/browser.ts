/** Chromium without a head. */
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { type Browser, chromium } from 'playwright-core';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome'];

const executable = process.env.CHROMIUM ?? findExecutable();

/** Without it, tests are skipped; but not where everything has to be there. */
export const hasChromium = executable !== undefined || process.env.CI !== undefined;

if (!hasChromium) console.log('  Chromium is missing: what needs a browser is skipped.');

export async function openBrowser(): Promise<Browser> {
  if (executable === undefined)
    throw new Error(`expected one of ${NAMES.join(', ')} in the path, found none`);
  return chromium.launch({ executablePath: executable, args: ['--no-sandbox'] });
}

function findExecutable(): string | undefined {
  const folders = (process.env.PATH ?? '').split(delimiter);
  return folders
    .flatMap((folder) => NAMES.map((name) => join(folder, name)))
    .find((path) => existsSync(path));
}
