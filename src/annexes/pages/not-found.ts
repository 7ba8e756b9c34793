/** The page for a browser at a path that does not exist: it links to existing pages. Programs get the refusal in JSON (D1, statuses). */
import { LRUCache } from 'lru-cache';
import { GRAPHQL_PATH } from '../../serve/http/graphql.ts';
import type { Handle } from '../../serve/http/koa.ts';
import type { Resource } from '../../serve/http/representation.ts';
import { html } from '../page/html.ts';
import { createPage, linkTo, type PageName, statePage } from '../page/page.ts';
import { inEach, languageOf } from '../page/reader.ts';

/** The menu is only known once the server answers. */
export function createNotFoundPage(menuOfPages: () => readonly PageName[]): Handle {
  const pages = new LRUCache<string, Resource>({ max: MOST_PAGES });
  return (request) => {
    const chosen = languageOf(request);
    const root = rootOf(request.path);
    const key = JSON.stringify([chosen, root]);
    let page = pages.get(key);
    if (page === undefined) {
      const menu = menuOfPages();
      const { title, text, endpoint } = TEXTS[chosen.language];
      const links = menu.map((name) => html`<li>${linkTo(name, false, { ...chosen, root })}</li>\n`);
      const more = html`<ul>
${links}</ul>
<p>${endpoint} <code>${GRAPHQL_PATH}</code></p>
`;
      const document = statePage({ ...chosen, title, text, more, menu, root });
      page = createPage({ document, language: chosen.language, vary: ['Accept'], isTagged: false });
      pages.set(key, page);
    }
    return page(request.headers, 'no-store');
  };
}

/** Two languages, from the address or the browser, at several depths of folders. */
const MOST_PAGES = 40;
const DEEPEST = 8;

/** Relative, so that the server can run under a prefix. */
function rootOf(path: string): string {
  const depth = path.split('/', DEEPEST + 3).length - 2;
  return depth > DEEPEST ? '/' : '../'.repeat(depth);
}

const TEXTS = inEach({
  title: ['Denne siden finnes ikke', 'This page does not exist'],
  text: [
    'Adressen er skrevet feil, eller siden er flyttet. Her er det som finnes:',
    'The address is misspelt, or the page has moved. This is what there is:',
  ],
  endpoint: [
    'Endepunktet, med akkurat disse store og små bokstavene, er',
    'The endpoint, with capitals and small letters just as here, is',
  ],
});
