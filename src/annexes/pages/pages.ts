/** The pages for people: the developers' page with the docs it leads to, and the changelog. */
import { existsSync, readFileSync } from 'node:fs';
import { packagePath } from '../../package.ts';
import type { ServeContext, ServePart } from '../../serve/annex.ts';
import { createExecute, createExecuteRequest } from '../../serve/graphql/execute.ts';
import type { HttpRequest } from '../../serve/http/message.ts';
import type { About } from '../facts/facts.ts';
import { COPY, menuOf, STYLESHEET } from '../page/page.ts';
import { LANGUAGES } from '../page/reader.ts';
import { type ChangelogOptions, createChangelog, readChangelog } from './changelog.ts';
import type { DeveloperOptions } from './developer/context.ts';
import { createDeveloperPage, SCRIPT } from './developer.ts';
import { createDocs, DOCS, isThere } from './docs.ts';
import { createNotFoundPage } from './not-found.ts';

export function create(
  { keeper, schema, settings, ownAddress, parts, mask }: ServeContext,
  changelog = changelogText(),
): ServePart {
  const written = readChangelog(changelog);
  let made: ReturnType<typeof createPages> | undefined;
  const pages = () => {
    made ??= createPages({
      keeper,
      schema,
      ownAddress,
      maxAge: settings.maxAge,
      menu: menuOf(parts()),
      offersSnapshots: parts().some(({ offers }) => offers?.includes('snapshot')),
      offersOpenApi: parts().some(({ offers }) => offers?.includes('openapi')),
      limits: parts().find(({ limits }) => limits !== undefined)?.limits ?? NO_LIMITS,
      changelog: written,
      executeRequest: createExecuteRequest({ schema, execute: createExecute(mask) }),
    });
    return made;
  };
  const routes: ServePart['routes'] = {
    '/': { GET: (request) => pages().start(request), about: START },
    '/changelog': { GET: (request) => pages().changelog(request), about: CHANGELOG },
    '/changelog/operators': { GET: (request) => pages().operators(request), about: null },
    ...Object.fromEntries(
      Object.entries(DOCS).flatMap(([name, { en }]) => {
        const GET = (request: HttpRequest) => pages().docs(name)(request);
        return isThere(name) ? [[`/docs/${name}`, { GET, about: docAbout(en) }]] : [];
      }),
    ),
    '/changelog.rss': { GET: (request) => pages().feed(request), about: CHANGELOG_FEED },
  };
  const notFoundPage = createNotFoundPage(() => menuOf(parts()));
  return {
    offers: ['start', 'changelog'],
    notFoundPage,
    routes: { ...STYLESHEET.routes, ...COPY.routes, ...SCRIPT.routes, ...routes },
  };
}

const LANG = {
  lang: { about: 'The language of the page.', schema: { enum: LANGUAGES } },
};
const START: About = {
  summary: 'The developers’ page: examples, filters, categories and errors of this calendar.',
  parameters: LANG,
  answer: { about: 'A page.', type: 'text/html' },
};
const CHANGELOG: About = {
  summary: 'What changes for callers, and what is going to.',
  parameters: LANG,
  answer: { about: 'A page.', type: 'text/html' },
};
const CHANGELOG_FEED: About = {
  summary: 'The same as RSS 2.0.',
  answer: { about: 'An item a change.', type: 'application/rss+xml' },
};

const docAbout = (title: string): About => ({
  summary: `The docs: ${title}.`,
  parameters: LANG,
  answer: { about: 'A page.', type: 'text/html' },
});

const NO_LIMITS = { anonymous: null, keyed: null };

function createPages(options: ChangelogOptions & DeveloperOptions) {
  const changelog = createChangelog(options);
  return {
    start: createDeveloperPage(options),
    docs: createDocs(options),
    changelog: changelog.page,
    operators: changelog.operators,
    feed: changelog.feed,
  };
}

function changelogText(): string {
  const file = packagePath('CHANGELOG.md');
  return existsSync(file) ? readFileSync(file, 'utf8') : '# Changes\n';
}
