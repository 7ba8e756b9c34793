/** What every page has around its content: head, masthead, footer. */
import { type Content, type Html, html } from './html.ts';
import type { ChosenLanguage, InEach, Language } from './language.ts';

/** Pages that link to one another; all lie at the root, so that links can be relative and the server behind a prefix. */
const PAGES = {
  start: { path: './', name: { nb: 'For utviklere', en: 'For developers' } },
  sandbox: { path: 'graphQL', name: { nb: 'Prøv selv', en: 'Sandbox' } },
  changelog: { path: 'changelog', name: { nb: 'Endringer', en: 'Changes' } },
  status: { path: 'status', name: { nb: 'Status', en: 'Status' } },
} as const satisfies Readonly<Record<string, { readonly path: string; readonly name: InEach<string> }>>;

export type PageName = keyof typeof PAGES;

export interface FrameOptions extends ChosenLanguage {
  readonly title: string;
  readonly description: string;
  readonly page: PageName;
  /** Pages that can be reached from here. */
  readonly menu: readonly PageName[];
  readonly stylesheet: string;
  readonly content: Html;
  readonly footer?: Content;
}

export function frame(options: FrameOptions): Html {
  const { language, inAddress, title, description, page, menu, stylesheet, content, footer } = options;
  const texts = TEXTS[language];
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
</head>
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

export interface LinkOptions extends ChosenLanguage {
  readonly isCurrent?: boolean;
}

export function linkTo(name: PageName, { language, inAddress, isCurrent = false }: LinkOptions): Html {
  const { path, name: names } = PAGES[name];
  const address = inAddress && name !== 'sandbox' ? `${path}?lang=${language}` : path;
  return html`<a href="${address}"${isCurrent && html` aria-current="page"`}>${names[language]}</a>`;
}

const OTHER: InEach<Language> = { nb: 'en', en: 'nb' };
/** In the language that it leads to. */
const SWITCH: InEach<string> = { nb: 'English', en: 'Norsk' };

const TEXTS: InEach<Readonly<Record<'skip' | 'pages', string>>> = {
  nb: { skip: 'Hopp til innholdet', pages: 'Sider' },
  en: { skip: 'Skip to content', pages: 'Pages' },
};

/** A leaf of a calendar. */
const ICON = `data:image/svg+xml,${encodeURIComponent(
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><rect width="16" height="16" rx="2" fill="#fffdf8"/><rect width="16" height="5" rx="2" fill="#a3271b"/><path d="M4 8h8M4 11h5" stroke="#1f2426" stroke-width="1.5"/></svg>',
)}`;
