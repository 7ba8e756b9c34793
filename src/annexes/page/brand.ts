/** I15: the design of a calendar on its pages: links to its stylesheet and to its owner's home page, and its logo. */
import { createHash } from 'node:crypto';
import type { Brand } from '../../calendar/brand.ts';
import { oncePer } from '../../calendar/once-per.ts';
import { type Html, html } from './html.ts';

/** Relative to the root of the pages. */
export const BRAND_FILES = {
  stylesheet: 'brand.css',
  logo: 'logo',
  logoDark: 'logo-dark',
} as const;

/** Changes with the design: the query of its files, so that browsers may cache these for ever. */
export const versionOf = oncePer((brand: Brand) =>
  createHash('sha256').update(JSON.stringify(brand)).digest('hex').slice(0, 12),
);

/** `root`: relative to the page. */
export function brandStyles(brand: Brand | null, root: string): Html | null {
  if (brand === null) return null;
  return html`<link rel="stylesheet" href="${root}${BRAND_FILES.stylesheet}?${versionOf(brand)}">\n`;
}

/** The logo of a calendar, without a text, because the calendar's name is beside it. */
export function brandLogo(brand: Brand | null, root: string): Html | null {
  if (brand === null || brand.logo === null) return null;
  const query = versionOf(brand);
  const dark =
    brand.logoDark === null
      ? null
      : html`<source media="(prefers-color-scheme: dark)" srcset="${root}${BRAND_FILES.logoDark}?${query}">`;
  return html`<picture>${dark}<img src="${root}${BRAND_FILES.logo}?${query}" alt=""></picture>`;
}

/** An item of the masthead's list. */
export function brandHome(brand: Brand | null): Html | null {
  if (brand === null || brand.homeUrl === null) return null;
  return html`<li><a href="${brand.homeUrl}">${brand.homeName}</a></li>\n`;
}
