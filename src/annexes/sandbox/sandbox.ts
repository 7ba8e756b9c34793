/** D3, sandbox: GraphiQL, from files that ship with this package. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { packagePath } from '../../package.ts';
import type { ServeContext, ServePart } from '../../serve/annex.ts';
import { GRAPHQL_PATH, PREFLIGHT_HEADER } from '../../serve/http/graphql.ts';
import type { Handle } from '../../serve/http/koa.ts';
import { fixedReply } from '../../serve/http/representation.ts';
import { type Html, html } from '../page/html.ts';
import { frame, menuOf, type PageName } from '../page/page.ts';
import { type ChosenLanguage, inEach, languageOf } from '../page/reader.ts';

export function create({ parts }: Pick<ServeContext, 'parts'>): ServePart {
  return createSandbox(() => menuOf(parts()));
}

/** Reads the files. `menu`: the pages to link to, known once the server answers. */
export function createSandbox(menu: () => readonly PageName[] = () => ['sandbox']): ServePart {
  const files = FILES.map((file) => ({ ...file, body: readFileSync(packagePath(`${FOLDER}/${file.path}`)) }));
  const hash = createHash('sha256');
  for (const { body } of files) hash.update(body);
  // Its name changes with the files' contents, so that browsers may cache them for ever.
  const folder = `${GRAPHQL_PATH}/sandbox-${hash.digest('hex').slice(0, 12)}`;
  const urlOf = (path: string) => `${folder}/${path.split('/').at(-1)}`;
  const assets = files.map(({ path, type, body }) => {
    const file = fixedReply({ body, type, cacheControl: 'public, max-age=31536000, immutable' });
    return [urlOf(path), { GET: file, about: null }] as const;
  });
  const tags = html`${FILES.map(({ path, kind }) => TAGS[kind](urlOf(path).slice(1)))}`;
  const pages = new Map<string, Handle>();
  return {
    offers: ['sandbox'],
    browserPage: (request) => {
      const chosen = languageOf(request);
      const key = JSON.stringify(chosen);
      const page = pages.get(key) ?? pageReply(pageWith(tags, chosen, menu()));
      pages.set(key, page);
      return page(request);
    },
    routes: Object.fromEntries(assets),
  };
}

const pageReply = (page: Html): Handle =>
  fixedReply({
    body: Buffer.from(page.html),
    type: 'text/html; charset=utf-8',
    cacheControl: 'no-cache',
    vary: ['Accept', PREFLIGHT_HEADER, 'Accept-Language'],
    headers: ['Content-Security-Policy', POLICY, 'Referrer-Policy', 'no-referrer'],
  });

const FOLDER = 'src/annexes/sandbox/assets';

const SCRIPT = { kind: 'script', type: 'text/javascript; charset=utf-8' } as const;
const STYLE = { kind: 'style', type: 'text/css; charset=utf-8' } as const;

/** In the order in which the page needs them. */
const FILES = [
  { path: 'vendor/graphiql.min.css', ...STYLE },
  { path: 'sandbox.css', ...STYLE },
  { path: 'vendor/react.production.min.js', ...SCRIPT },
  { path: 'vendor/react-dom.production.min.js', ...SCRIPT },
  { path: 'vendor/graphiql.min.js', ...SCRIPT },
  { path: 'sandbox.js', ...SCRIPT },
] as const;

/** URLs are relative to the page's, so that the server can run under a prefix. */
const TAGS = {
  script: (url: string) => html`<script defer src="${url}"></script>\n`,
  style: (url: string) => html`<link rel="stylesheet" href="${url}">\n`,
};

/** Allows only resources of this server, and no inline code. The styles contain their fonts and pictures. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'self'",
].join('; ');

/** GraphiQL and the hints speak English only. */
const pageWith = (tags: Html, chosen: ChosenLanguage, menu: readonly PageName[]): Html => {
  const { title, description, keys, noScript } = TEXTS[chosen.language];
  return frame({
    ...{ ...chosen, title, description, menu, page: 'sandbox', stylesheet: tags },
    script: html`<meta name="robots" content="noindex">\n`,
    content: html`<h1>${title}</h1>
<p id="keys">${keys}</p>
<div id="sandbox" lang="en"><noscript lang="${chosen.language}">${noScript}</noscript></div>
<div id="hints" role="status" lang="en"></div>`,
  });
};

const TEXTS = inEach({
  title: ['Prøv selv: GraphQL', 'GraphQL sandbox'],
  description: [
    'Skriv spørringer til kalenderen og se svarene.',
    'Write queries to the calendar, see the answers.',
  ],
  keys: [
    'Tab rykker inn i rutene. Escape og så Tab går videre fra dem.',
    'Tab indents inside the editors. Escape, then Tab leaves them.',
  ],
  noScript: [
    'Denne siden trenger JavaScript. Endepunktet selv trenger det ikke.',
    'The sandbox needs JavaScript. The endpoint itself does not.',
  ],
});
