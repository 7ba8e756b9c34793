/** The pages for people: the developer page and the changelog. The operator's view is in `operator-app.ts`. */
import type { Routes } from './http/koa.ts';
import { type ChangelogOptions, createChangelog } from './pages/changelog.ts';
import { createDeveloperPage, type DeveloperOptions } from './pages/developer.ts';
import { menuWith, STYLESHEET_ROUTES } from './pages/page.ts';

export interface PagesOptions extends Omit<ChangelogOptions & DeveloperOptions, 'menu'> {
  /** Whether `/status` is there, open to everybody. */
  readonly offersStatus: boolean;
}

export function createPages(options: PagesOptions): Routes {
  const withMenu = { ...options, menu: menuWith({ status: options.offersStatus }) };
  const changelog = createChangelog(withMenu);
  return {
    ...STYLESHEET_ROUTES,
    '/': { GET: createDeveloperPage(withMenu) },
    '/changelog': { GET: changelog.page },
    '/changelog.rss': { GET: changelog.feed },
  };
}
