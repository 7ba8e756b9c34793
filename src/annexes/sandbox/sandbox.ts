/** D3: GraphiQL, from files that ship with this package. */
import type { ServePart } from '../../serve/annex.ts';
import { PREFLIGHT_HEADER } from '../../serve/http/graphql-middleware.ts';
import { createResource } from '../../serve/http/representation.ts';
import { assetOf } from '../page/assets.ts';
import { createMakeOnce } from '../page/document.ts';
import { type Html, html } from '../page/html.ts';
import { type MenuContext, menuOf } from '../page/menu.ts';
import { frame } from '../page/page.ts';
import { pageHeaders } from '../page/page-reply.ts';
import { inBoth, TECHNICAL_LANGUAGES, type TechnicalLanguage, technicalLanguageOf } from '../page/reader.ts';
import { TYPESCRIPT } from './typescript.ts';

export function create(context: MenuContext): ServePart {
  const makeOnce = createMakeOnce(4);
  return {
    offers: ['sandbox'],
    browserPage: async (request) => {
      const chosen = technicalLanguageOf(request);
      const menu = menuOf(context);
      const page = await makeOnce([chosen, menu.name, menu.brand, menu.privacyUrl], () => {
        const { title, description } = TEXTS[chosen.language];
        const document = frame({
          ...chosen,
          languages: TECHNICAL_LANGUAGES,
          title,
          description,
          menu,
          page: 'sandbox',
          stylesheet: TAGS,
          script: html`<meta name="robots" content="noindex">\n`,
          content: contentOf(chosen.language),
        });
        return createResource({ ...PAGE, body: Buffer.from(document.html) });
      });
      return page(request.headers, 'no-cache');
    },
    routes: Object.assign({}, ...[...FILES, ...TOOL].map(({ routes }) => routes)),
  };
}

function tagOf(file: string): Html {
  return file.endsWith('.css')
    ? html`<link rel="stylesheet" href="${file}">\n`
    : html`<script defer src="${file}"></script>\n`;
}

/** GraphiQL speaks English only. */
function contentOf(language: TechnicalLanguage): Html {
  const { title, keys, noScript, loading } = TEXTS[language];
  const waiting = html`<p lang="${language}" class="loading" hidden>${loading}</p>`;
  return html`<h1>${title}</h1>
<p id="keys">${keys}</p>
${EXTRAS.map(({ content }) => content(language))}<div id="sandbox" lang="en" data-files="${TOOL_FILES}">${waiting}<noscript lang="${language}">${noScript}</noscript></div>`;
}

const ASSETS = 'src/annexes/sandbox/assets';

interface Extra {
  readonly script: ReturnType<typeof assetOf>;
  readonly content: (language: TechnicalLanguage) => Html;
}

/** What the page offers besides GraphiQL. Each can be taken away, with its line here. */
const EXTRAS: readonly Extra[] = Object.values<Extra>({
  typescript: TYPESCRIPT,
});

/** In the order in which the page needs them. */
const FILES = [
  assetOf(`${ASSETS}/sandbox.css`),
  ...EXTRAS.map(({ script }) => script),
  assetOf(`${ASSETS}/sandbox.js`),
];

/** 1.6 MB: fetched once the page has been painted. */
const TOOL = [
  assetOf(`${ASSETS}/vendor/graphiql.min.css`),
  assetOf(`${ASSETS}/vendor/react.production.min.js`),
  assetOf(`${ASSETS}/vendor/react-dom.production.min.js`),
  assetOf(`${ASSETS}/vendor/graphiql.min.js`),
];

const TAGS = html`${FILES.map(({ file }) => tagOf(file))}`;
const TOOL_FILES = TOOL.map(({ file }) => file).join(' ');

const PAGE = {
  type: 'text/html; charset=utf-8',
  vary: ['Accept', PREFLIGHT_HEADER, 'Accept-Language'],
  // Only resources of this server, and no inline code. The styles contain their fonts and pictures.
  headers: pageHeaders([
    "script-src 'self'",
    'font-src data:',
    "connect-src 'self'",
    "form-action 'none'",
    "frame-ancestors 'self'",
  ]),
};

const TEXTS = inBoth({
  title: ['Prøv selv: GraphQL', 'GraphQL sandbox'],
  description: ['Skriv spørringer til kalenderen og se svarene.', 'Query the calendar and see the results.'],
  keys: [
    'Tab gir innrykk i rutene. Trykk Escape og så Tab for å gå videre.',
    'Tab indents inside the editors. To leave them, press Escape and then Tab.',
  ],
  loading: ['Henter verktøyet …', 'Loading the tool …'],
  noScript: [
    'Denne siden krever JavaScript. Det gjør ikke endepunktet.',
    'The sandbox needs JavaScript. The endpoint itself does not.',
  ],
});
