/** The pages for people: the developers' page and the changelog. */
import { existsSync, readFileSync } from 'node:fs';
import { packagePath } from '../../package.ts';
import type { ServeContext, ServePart } from '../../serve/annex.ts';
import type { Routes } from '../../serve/http/koa.ts';
import { menuOf, STYLESHEET_ROUTES } from '../page/page.ts';
import { type ChangelogOptions, createChangelog } from './changelog.ts';
import { createDeveloperPage, type DeveloperOptions } from './developer.ts';

export function create(
  { keeper, schema, settings, parts }: ServeContext,
  changelog = readChangelog(),
): ServePart {
  let made: ReturnType<typeof createPages> | undefined;
  const pages = () => {
    made ??= createPages({
      keeper,
      schema,
      publicUrl: settings.publicUrl?.href ?? null,
      maxAge: settings.maxAge,
      menu: menuOf(parts()),
      offersSnapshots: parts().some(({ offers }) => offers?.includes('snapshot')),
      limits: parts().find(({ limits }) => limits !== undefined)?.limits ?? NO_LIMITS,
      changelog,
    });
    return made;
  };
  const routes: Routes = {
    '/': { GET: (request) => pages().start(request) },
    '/changelog': { GET: (request) => pages().changelog(request) },
    '/changelog.rss': { GET: (request) => pages().feed(request) },
  };
  return { offers: ['start', 'changelog'], routes: { ...STYLESHEET_ROUTES, ...routes } };
}

const NO_LIMITS = { anonymous: null, keyed: null };

function createPages(options: ChangelogOptions & DeveloperOptions) {
  const changelog = createChangelog(options);
  return { start: createDeveloperPage(options), changelog: changelog.page, feed: changelog.feed };
}

function readChangelog(): string {
  const file = packagePath('CHANGELOG.md');
  return existsSync(file) ? readFileSync(file, 'utf8') : '# Changes\n';
}
