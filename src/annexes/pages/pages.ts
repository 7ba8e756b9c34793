/** The pages for people: the developers' page with the docs it leads to, and the changelog. */
import { readFileSync } from 'node:fs';
import { packagePath } from '../../package.ts';
import type { ServeContext, ServePart } from '../../serve/annex.ts';
import type { About } from '../facts/facts.ts';
import { COPY, STYLESHEET } from '../page/assets.ts';
import { TECHNICAL_LANGUAGES } from '../page/reader.ts';
import { createChangelog } from './changelog.ts';
import { createDeveloperPage, SCRIPT } from './developer.ts';
import { DOCS } from './doc-list.ts';
import { createDocs } from './docs.ts';

/** `changelog`: for tests, the text of CHANGELOG.md. */
export function create(
  context: ServeContext,
  changelog = readFileSync(packagePath('CHANGELOG.md'), 'utf8'),
): ServePart {
  const changes = createChangelog(context, changelog);
  const developer = createDeveloperPage(context);
  const docs = createDocs(context);
  const docRoutes = DOCS.map(({ name, title }) => {
    const about = pageAbout(`The documentation: ${title}.`);
    return [`/docs/${name}`, { GET: docs.page(name), about }];
  });
  return {
    offers: ['start', 'changelog'],
    routes: {
      ...STYLESHEET.routes,
      ...COPY.routes,
      ...SCRIPT.routes,
      ...Object.fromEntries(docRoutes),
      '/': { GET: developer, about: START },
      '/developers': { GET: developer, about: START },
      '/docs/': { GET: docs.index, about: pageAbout('The documentation: a list of its pages.') },
      '/changelog': { GET: changes.page, about: CHANGELOG },
      '/changelog.rss': { GET: changes.feed, about: CHANGELOG_FEED },
    },
  };
}

const pageAbout = (summary: string): About => ({
  summary,
  parameters: { lang: { about: 'The language of the page.', schema: { enum: TECHNICAL_LANGUAGES } } },
  answer: { about: 'A page.', type: 'text/html' },
});

const START = pageAbout('The developers’ page: examples, filters, categories and errors of this calendar.');
const CHANGELOG = pageAbout('What changes for callers, and what is going to.');
const CHANGELOG_FEED: About = {
  summary: 'The changelog as RSS 2.0.',
  answer: { about: 'A feed with one item per change.', type: 'application/rss+xml' },
};
