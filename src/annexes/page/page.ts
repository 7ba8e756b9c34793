/** A page: its menu, the frame around its content, and the reply in the browser's preferred coding. */
import type { IncomingHttpHeaders } from 'node:http';
import { namesOf } from '../../calendar/field.ts';
import type { ServeContext } from '../../serve/annex.ts';
import type { HeaderList, HttpReply } from '../../serve/http/message.ts';
import { createResource, type Resource } from '../../serve/http/representation.ts';
import { STYLESHEET } from './assets.ts';
import { type Content, type Html, html } from './html.ts';
import { languageQuery, queryText } from './queries.ts';
import { type ChosenLanguage, type InEach, inEach, LANGUAGES, type Language } from './reader.ts';

/**
 * Pages that link to one another, in the order of the menu; all are at the root, so that links can be relative and the server can run
 * under a prefix.
 */
const PAGES = {
  events: { path: 'events.html', name: { nb: 'Hva skjer', en: 'What’s on' } },
  start: { path: 'developers', name: { nb: 'For utviklere', en: 'For developers' } },
  subscribe: { path: 'subscribe', name: { nb: 'Abonner', en: 'Subscribe' } },
  sandbox: { path: 'graphQL', name: { nb: 'Prøv selv', en: 'Sandbox' } },
  changelog: { path: 'changelog', name: { nb: 'Endringer', en: 'Changes' } },
  status: { path: 'status', name: { nb: 'Status', en: 'Status' } },
} as const satisfies Readonly<Record<string, { readonly path: string; readonly name: InEach<string> }>>;

type PageName = keyof typeof PAGES;

/** The calendar's name, and the offered pages: those for visitors stand in the masthead, the others at the foot. */
export interface Menu {
  readonly name: string;
  readonly pages: readonly PageName[];
}

const FOR_VISITORS: readonly PageName[] = ['events', 'subscribe'];

export interface MenuContext extends Pick<ServeContext, 'parts'> {
  readonly keeper: Pick<ServeContext['keeper'], 'state'>;
}

/** Before the first snapshot the program has no other name than its own. */
export function menuOf({ parts, keeper }: MenuContext): Menu {
  const offered = parts().flatMap(({ offers = [] }) => offers);
  return {
    name: keeper.state().current?.lists.licence.name ?? 'almanakk',
    pages: namesOf(PAGES).filter((name) => offered.includes(name)),
  };
}

/** Lists of events that pages link to (I1, I6). */
export const LISTS = {
  ics: { file: 'events.ics', type: 'text/calendar', kind: 'iCalendar' },
  rss: { file: 'events.rss', type: 'application/rss+xml', kind: 'RSS' },
  json: { file: 'events.json', type: 'application/json', kind: 'JSON' },
  jsonld: { file: 'events.jsonld', type: 'application/ld+json', kind: 'JSON-LD' },
  csv: { file: 'events.csv', type: 'text/csv', kind: 'CSV' },
} as const;

export interface FrameOptions extends ChosenLanguage {
  readonly title: string;
  readonly description: string;
  /** The language of a page that exists in one language only. Its frame has this language too; its links keep the reader's. */
  readonly written?: Language;
  /** Null for a page outside of the menu. */
  readonly page: PageName | null;
  /** The root relative to this page: empty for a page of the root, `../` for one a level below. */
  readonly root?: string;
  readonly menu: Menu;
  readonly content: Html;
  /** The target of the first link, in place of the content. */
  readonly skipTo?: string | undefined;
  readonly feeds?: readonly FeedLink[];
  readonly footer?: Content;
  /** Markup of a script of this server: a convenience that the page works without. */
  readonly script?: Content;
  /** In place of the site's own style. */
  readonly stylesheet?: Content;
  /** The query of the page's address, which the link to its other language keeps. */
  readonly search?: string;
  /** The page's full address without a language. From it come the links to both languages for search engines; without it there are none. */
  readonly address?: string | undefined;
}

export interface FeedLink {
  readonly type: string;
  readonly title: string;
  /** May be relative to the page. */
  readonly address: string;
}

export function frame(options: FrameOptions): Html {
  const { title, description, page, menu, content, footer, root = '', skipTo, written } = options;
  const language = written ?? options.language;
  const texts = FRAME[language];
  const home = menu.pages.includes('events') ? 'events.html' : './';
  const skip =
    skipTo === undefined
      ? html`<a class="skip" href="#content">${texts.skip}</a>`
      : html`<a class="skip" href="${skipTo}">${texts.skipToResults}</a>`;
  const itemsOf = (names: readonly PageName[]) =>
    names.map((name) => html`<li>${linkTo(name, name === page, options)}</li>\n`);
  const forVisitors = menu.pages.filter((name) => FOR_VISITORS.includes(name));
  const others = menu.pages.filter((name) => !FOR_VISITORS.includes(name));
  return html`${documentHead({ language, title, description, more: headOf(options) })}<body>
${skip}
<header class="masthead">
<p class="brand"><a href="${root}${home}${languageQuery(options)}">${menu.name}</a></p>
<nav aria-label="${texts.pages}">
<ul>
${itemsOf(forVisitors)}</ul>
</nav>
${written === undefined && languageSwitch(options)}</header>
<main id="content" tabindex="-1">
${content}
</main>
<footer class="colophon">
${footer}<nav aria-label="${texts.behind}"><ul>
${itemsOf(others)}</ul></nav>
</footer>
</body>
</html>
`;
}

/** Stylesheets, links to other forms of the page, and scripts. */
function headOf(options: FrameOptions): Html {
  const { feeds = [], script, root = '' } = options;
  const { stylesheet = html`<link rel="stylesheet" href="${root}${STYLESHEET.file}">\n` } = options;
  const linkToFeed = ({ type, title, address }: FeedLink) =>
    html`<link rel="alternate" type="${type}" title="${title}" href="${address}">\n`;
  return html`${stylesheet}${inLanguages(options)}${feeds.map(linkToFeed)}${script}`;
}

/** The link to the same page in the other language. */
function languageSwitch({ language, search = '' }: FrameOptions): Html {
  const { other, switch: label } = FRAME[language];
  const query = new URLSearchParams(search);
  query.set('lang', other);
  const href = `?${query}`;
  return html`<p class="language"><a lang="${other}" hreflang="${other}" href="${href}">${label}</a></p>\n`;
}

/** The page itself in each language, and without one for all others; each names all, in full. */
function inLanguages({ address }: FrameOptions): Content {
  if (address === undefined) return '';
  const addressIn = (language: Language | null) => {
    const { origin, pathname, searchParams } = new URL(address);
    if (language !== null) searchParams.set('lang', language);
    return `${origin}${pathname}${queryText(searchParams)}`;
  };
  return [...LANGUAGES, null].map(
    (language) =>
      html`<link rel="alternate" hreflang="${language ?? 'x-default'}" href="${addressIn(language)}">\n`,
  );
}

interface HeadOptions extends Pick<FrameOptions, 'language' | 'title' | 'description'> {
  /** `light` or `dark`, whatever the reader's system prefers. */
  readonly theme?: string | undefined;
  /** Stylesheets, scripts and links. */
  readonly more: Content;
}

/** The part of a page before its body. */
export function documentHead({ language, title, description, more, theme }: HeadOptions): Html {
  const dataTheme = theme !== undefined && html` data-theme="${theme}"`;
  return html`<!doctype html>
<html lang="${language}"${dataTheme}>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="${theme ?? 'light dark'}">
<meta name="description" content="${description}">
<title>${title}</title>
<link rel="icon" href="${ICON}">
${more}</head>
`;
}

type LinkOptions = ChosenLanguage & Pick<FrameOptions, 'root' | 'written'>;

export function linkTo(
  name: PageName,
  isCurrent: boolean,
  { root = '', written, ...chosen }: LinkOptions,
): Html {
  const { path, name: names } = PAGES[name];
  const current = isCurrent && html` aria-current="page"`;
  const text = names[written ?? chosen.language];
  return html`<a href="${root}${path}${languageQuery(chosen)}"${current}>${text}</a>`;
}

const FRAME = inEach({
  skip: ['Hopp til innholdet', 'Skip to content'],
  skipToResults: ['Hopp til treffene', 'Skip to results'],
  pages: ['Sider', 'Pages'],
  behind: ['For utviklere og drift', 'For developers and operators'],
  other: ['en', 'nb'],
  switch: ['English', 'Norsk'],
});

/** A leaf of a calendar. */
const ICON = `data:image/svg+xml,${encodeURIComponent(
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><rect width="16" height="16" rx="2" fill="#fffdf8"/><rect width="16" height="5" rx="2" fill="#a3271b"/><path d="M4 8h8M4 11h5" stroke="#1f2426" stroke-width="1.5"/></svg>',
)}`;

interface PageOptions {
  readonly document: Html;
  readonly language: Language;
  /** Request headers besides those of language and coding that select this page. */
  readonly vary?: readonly string[];
  /** False for pages that are new each time. */
  readonly isTagged?: boolean;
  readonly hasScript?: boolean;
}

/** Each of its representations is made once. */
export function createPage(options: PageOptions): Resource {
  const { document, language, vary = [], hasScript = false, ...tagged } = options;
  return createResource({
    ...tagged,
    body: Buffer.from(document.html),
    type: 'text/html; charset=utf-8',
    vary: [...vary, 'Accept-Language'],
    headers: hasScript ? SCRIPT_PAGE_HEADERS : PAGE_HEADERS,
    bodyHeaders: ['Content-Language', language],
  });
}

/**
 * Allows stylesheets of this server and what the directives add: no inline code, no frame, no form. `images`: where pictures come from
 * besides.
 */
export function pageHeaders(directives: readonly string[], images = ''): HeaderList {
  const policy = [
    "default-src 'none'",
    "style-src 'self'",
    `img-src data:${images}`,
    "base-uri 'none'",
    ...directives,
  ];
  return ['Content-Security-Policy', policy.join('; '), 'Referrer-Policy', 'no-referrer'];
}

export const OWN_FORMS = ["form-action 'self'", "frame-ancestors 'none'"];
const PAGE_HEADERS = pageHeaders(OWN_FORMS);

/** For pages with a script of this server. */
const SCRIPT_PAGE_HEADERS = pageHeaders([...OWN_FORMS, "script-src 'self'"]);

export interface StateOptions extends Omit<FrameOptions, 'description' | 'content' | 'page'> {
  readonly text: string;
  readonly more?: Content;
  /** The end of the window's title. */
  readonly ending?: string;
}

/** A page outside of the menu that says what is the matter, and where to go from there. */
export function statePage({ title, text, more, ending, ...options }: StateOptions): Html {
  const content = html`<div class="state">
<h1>${title}</h1>
<p class="lede">${text}</p>
${more}</div>`;
  return frame({
    ...options,
    title: `${title}${ending ?? ` – ${options.menu.name}`}`,
    description: text,
    page: null,
    content,
  });
}

export async function unavailable(
  options: Pick<FrameOptions, 'menu' | keyof ChosenLanguage>,
  headers: IncomingHttpHeaders,
): Promise<HttpReply> {
  const { language } = options;
  const document = statePage({ ...options, ...UNAVAILABLE[language] });
  const reply = await createPage({ document, language, isTagged: false })(headers, 'no-store');
  return { ...reply, status: 503, headers: [...reply.headers, 'Retry-After', '5'] };
}

export const UNAVAILABLE = inEach({
  title: ['Kalenderen er ikke klar ennå', 'The calendar is not open yet'],
  text: [
    'Den bygges eller hentes akkurat nå. Prøv igjen om et øyeblikk.',
    'It is being built or fetched right now. Try again in a moment.',
  ],
});
