/** A page: what stands around its content, and the reply in whatever coding the browser likes. */
import type { IncomingHttpHeaders } from 'node:http';
import type { HeaderList } from '../http/message.ts';
import { createResource, type Resource } from '../http/representation.ts';
import { type Content, type Html, html } from './html.ts';
import { type ChosenLanguage, type InEach, inEach, type Language } from './reader.ts';

/** Pages that link to one another; all lie at the root, so that links can be relative and the server behind a prefix. */
const PAGES = {
  start: { path: './', name: { nb: 'For utviklere', en: 'For developers' } },
  sandbox: { path: 'graphQL', name: { nb: 'Prøv selv', en: 'Sandbox' } },
  changelog: { path: 'changelog', name: { nb: 'Endringer', en: 'Changes' } },
  status: { path: 'status', name: { nb: 'Status', en: 'Status' } },
} as const satisfies Readonly<Record<string, { readonly path: string; readonly name: InEach<string> }>>;

export type PageName = keyof typeof PAGES;

interface FrameOptions extends ChosenLanguage {
  readonly title: string;
  readonly description: string;
  readonly page: PageName;
  /** Pages that can be reached from here. */
  readonly menu: readonly PageName[];
  readonly stylesheet: string;
  readonly content: Html;
  /** What the page shows, as feeds. */
  readonly feeds?: readonly FeedLink[];
  readonly footer?: Content;
}

export interface FeedLink {
  readonly type: string;
  readonly title: string;
  /** May be relative to the page. */
  readonly address: string;
}

export function frame(options: FrameOptions): Html {
  const {
    language,
    inAddress,
    title,
    description,
    page,
    menu,
    stylesheet,
    content,
    feeds = [],
    footer,
  } = options;
  const texts = FRAME[language];
  return html`<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="description" content="${description}">
<title>${title}</title>
<link rel="icon" href="${ICON}">
<link rel="stylesheet" href="${stylesheet}">
<link rel="alternate" hreflang="${OTHER[language]}" href="?lang=${OTHER[language]}">
${feeds.map(({ type, title, address }) => html`<link rel="alternate" type="${type}" title="${title}" href="${address}">\n`)}</head>
<body>
<a class="skip" href="#content">${texts.skip}</a>
<header class="masthead">
<p class="brand">almanakk</p>
<nav aria-label="${texts.pages}">
<ul>
${menu.map((name) => html`<li>${linkTo(name, { language, inAddress, isCurrent: name === page })}</li>\n`)}</ul>
</nav>
<p class="language"><a lang="${OTHER[language]}" hreflang="${OTHER[language]}" href="?lang=${OTHER[language]}">${SWITCH[language]}</a></p>
</header>
<main id="content" tabindex="-1">
${content}
</main>
<footer class="colophon">
${footer}</footer>
</body>
</html>
`;
}

interface LinkOptions extends ChosenLanguage {
  readonly isCurrent?: boolean;
}

function linkTo(name: PageName, { language, inAddress, isCurrent = false }: LinkOptions): Html {
  const { path, name: names } = PAGES[name];
  const address = inAddress && name !== 'sandbox' ? `${path}?lang=${language}` : path;
  return html`<a href="${address}"${isCurrent && html` aria-current="page"`}>${names[language]}</a>`;
}

const OTHER: InEach<Language> = { nb: 'en', en: 'nb' };
/** In the language that it leads to. */
const SWITCH: InEach<string> = { nb: 'English', en: 'Norsk' };

const FRAME = inEach({
  nb: { skip: 'Hopp til innholdet', pages: 'Sider' },
  en: { skip: 'Skip to content', pages: 'Pages' },
});

/** A leaf of a calendar. */
const ICON = `data:image/svg+xml,${encodeURIComponent(
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><rect width="16" height="16" rx="2" fill="#fffdf8"/><rect width="16" height="5" rx="2" fill="#a3271b"/><path d="M4 8h8M4 11h5" stroke="#1f2426" stroke-width="1.5"/></svg>',
)}`;

interface PageOptions {
  readonly document: Html;
  readonly language: Language;
  readonly status?: number;
  /** Request headers besides those of language and coding that decide whether this is the page. */
  readonly vary?: readonly string[];
  readonly headers?: HeaderList;
}

export type Page = Resource;

/** Each representation of it is made once. */
export function createPage({ document, language, status = 200, ...options }: PageOptions): Page {
  const resource = createResource({
    body: Buffer.from(document.html),
    type: 'text/html; charset=utf-8',
    isTagged: status === 200,
    vary: [...(options.vary ?? []), 'Accept-Language'],
    headers: [
      ...['Content-Security-Policy', POLICY, 'Referrer-Policy', 'no-referrer'],
      ...(options.headers ?? []),
    ],
    bodyHeaders: ['Content-Language', language],
  });
  return async (headers, cacheControl) => {
    const reply = await resource(headers, cacheControl);
    return status === 200 ? reply : { ...reply, status };
  };
}

/** A stylesheet of this server and nothing else: no script, no style inside the page, forms for this server only, no frame. */
const POLICY = [
  "default-src 'none'",
  "style-src 'self'",
  'img-src data:',
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ');

type UnavailableOptions = Omit<FrameOptions, 'title' | 'description' | 'content'>;

export function unavailable(options: UnavailableOptions, headers: IncomingHttpHeaders): ReturnType<Page> {
  const { language } = options;
  const { title, text } = UNAVAILABLE[language];
  const content = html`<h1>${title}</h1>\n<p class="lede">${text}</p>`;
  const document = frame({ ...options, title, description: text, content });
  const page = createPage({ document, language, status: 503, headers: ['Retry-After', '5'] });
  return page(headers, 'no-store');
}

const UNAVAILABLE = inEach({
  nb: {
    title: 'Kalenderen er ikke åpen ennå',
    text: 'Den bygges eller hentes akkurat nå. Prøv igjen om et øyeblikk.',
  },
  en: {
    title: 'The calendar is not open yet',
    text: 'It is being built or fetched right now. Try again in a moment.',
  },
});
