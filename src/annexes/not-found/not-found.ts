/** The page for a browser at a path that does not exist: it links to existing pages. Programs get the refusal in JSON (D1). */
import type { ServeContext, ServePart } from '../../serve/annex.ts';
import { GRAPHQL_PATH } from '../../serve/http/graphql-endpoint.ts';
import type { Handle } from '../../serve/http/koa.ts';
import { STYLESHEET } from '../page/assets.ts';
import { html } from '../page/html.ts';
import { linkTo, type MenuContext, menuOf } from '../page/menu.ts';
import { createPage } from '../page/page-reply.ts';
import { inEach, languageOf } from '../page/reader.ts';
import { statePage } from '../page/state-page.ts';

export function create(context: ServeContext): ServePart {
  return { notFoundPage: createNotFoundPage(context), routes: STYLESHEET.routes };
}

const createNotFoundPage =
  (context: MenuContext): Handle =>
  (request) => {
    const menu = menuOf(context);
    const chosen = languageOf(request, menu.language);
    const { language } = chosen;
    const { endpoint, ...texts } = TEXTS[language];
    const root = rootOf(request.path);
    const links = menu.pages.map((name) => html`<li>${linkTo(name, { ...chosen, root })}</li>\n`);
    const more = html`<ul>
${links}</ul>
<p>${endpoint} <code>${GRAPHQL_PATH}</code></p>
`;
    const document = statePage({ ...chosen, ...texts, more, menu, root });
    const page = createPage({ document, language, vary: ['Accept'], isTagged: false });
    return page(request.headers, 'no-store');
  };

/** Folders. Each link of the page climbs out of all of them, so this bounds the size of a page that anybody can ask for. */
const DEEPEST = 8;

/** Relative, so that the server can run under a prefix; the root of the host for a page that is deeper. */
function rootOf(path: string): string {
  // Besides its folders, a path has an empty part before its first slash and the page after its last one.
  const depth = path.split('/', DEEPEST + 1 + 2).length - 2;
  return depth > DEEPEST ? '/' : '../'.repeat(depth);
}

const TEXTS = inEach({
  title: ['Denne siden finnes ikke', 'This page does not exist', 'Denne sida finst ikkje'],
  text: [
    'Adressen kan være skrevet feil, eller siden er flyttet. Prøv en av disse:',
    'The address may be misspelt, or the page has moved. Try one of these:',
    'Adressa kan vere skriven feil, eller sida er flytta. Prøv ei av desse:',
  ],
  endpoint: ['GraphQL-endepunktet:', 'The GraphQL endpoint:', 'GraphQL-endepunktet:'],
});
