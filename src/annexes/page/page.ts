/** A page: the frame around its content, with its head, masthead and foot. */
import { STYLESHEET } from './assets.ts';
import { brandHome, brandLogo, brandStyles } from './brand.ts';
import { type Content, type Html, html } from './html.ts';
import { type FeedLink, languageQuery, queryText } from './links.ts';
import { type LinkOptions, type Menu, menuItems, type PageName, privacyLink } from './menu.ts';
import { type InEach, inEach, LANGUAGES, type Language } from './reader.ts';

export interface FrameOptions extends LinkOptions {
  readonly title: string;
  readonly description: string;
  /** Null for a page outside of the menu. */
  readonly page: PageName | null;
  readonly menu: Menu;
  readonly content: Html;
  /** The target of the first link, if it is not the content. */
  readonly skipTo?: string | undefined;
  readonly feeds?: readonly FeedLink[];
  readonly footer?: Content;
  /** Markup of a script of this server: a convenience that the page works without. */
  readonly script?: Content;
  /** In place of the site's own style. */
  readonly stylesheet?: Content;
  /** The languages that the page exists in; those of pages for visitors by default. */
  readonly languages?: readonly Language[];
  /** The query of the page's address, which the links to its other languages keep. */
  readonly search?: string;
  /** The page's full address without a language. From it come the links to its languages for search engines; without it there are none. */
  readonly address?: string | undefined;
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
  const items = menuItems(menu, page, options);
  const others = written === undefined ? languageLinks(options) : NO_LINKS;
  const privacy = privacyLink(menu.privacyUrl, language);
  const privacyList = privacy && html`<ul><li>${privacy}</li></ul>\n`;
  return html`${documentHead({ language, title, description, more: headOf(options) })}<body>
${skip}
<header class="masthead">
<p class="brand"><a href="${root}${home}${languageQuery(options)}">${brandLogo(menu.brand, root)}${menu.name}</a></p>
<nav aria-label="${texts.pages}">
<ul>
${items.masthead}${brandHome(menu.brand)}</ul>
</nav>
${others.masthead}</header>
<main id="content" tabindex="-1">
${content}
</main>
<footer class="colophon">
${footer}${privacyList}${others.foot}<nav aria-label="${texts.others}"><ul>
${items.foot}</ul></nav>
</footer>
</body>
</html>
`;
}

/** Stylesheets, links to the page in other languages and formats, and scripts. */
function headOf(options: FrameOptions): Html {
  const { feeds = [], script, menu, root = '' } = options;
  const { stylesheet = html`<link rel="stylesheet" href="${root}${STYLESHEET.file}">\n` } = options;
  const linkToFeed = ({ type, title, address }: FeedLink) =>
    html`<link rel="alternate" type="${type}" title="${title}" href="${address}">\n`;
  const styles = html`${stylesheet}${brandStyles(menu.brand, root)}`;
  return html`${styles}${inLanguages(options)}${feeds.map(linkToFeed)}${script}`;
}

/**
 * Links to the same page in its other languages: in the masthead from Norwegian to English, or from English to the calendar's Norwegian. All
 * others are at the foot, so that they take no room above the content.
 */
function languageLinks({ language, languages = LANGUAGES, menu, search = '' }: FrameOptions): LanguageLinks {
  const linkTo = (other: Language) => {
    const query = new URLSearchParams(search);
    query.set('lang', other);
    const href = `?${query}`;
    return html`<a lang="${other}" hreflang="${other}" href="${href}">${OWN_NAMES[other]}</a>`;
  };
  const norwegian = languages.includes(menu.language) ? menu.language : 'nb';
  const first = language === 'en' ? norwegian : 'en';
  const rest = languages.filter((one) => one !== language && one !== first);
  return {
    masthead: html`<p class="language">${linkTo(first)}</p>\n`,
    foot: rest.map((one) => html`<p class="language">${linkTo(one)}</p>\n`),
  };
}

/** The links of a page that exists in one language: none. */
const NO_LINKS: LanguageLinks = { masthead: null, foot: null };

type LanguageLinks = Readonly<Record<'masthead' | 'foot', Content>>;

/** Each language's name in itself. */
const OWN_NAMES: InEach<string> = { nb: 'Bokmål', en: 'English', nn: 'Nynorsk' };

/** The page itself in each language, and without one for all others; each names all, in full. */
function inLanguages({ address, languages = LANGUAGES }: FrameOptions): Content {
  if (address === undefined) return null;
  const addressIn = (language: Language | null) => {
    const { origin, pathname, searchParams } = new URL(address);
    if (language !== null) searchParams.set('lang', language);
    return `${origin}${pathname}${queryText(searchParams)}`;
  };
  return [...languages, null].map(
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
  const dataTheme = theme !== undefined ? html` data-theme="${theme}"` : null;
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

const FRAME = inEach({
  skip: ['Hopp til innholdet', 'Skip to content', 'Hopp til innhaldet'],
  skipToResults: ['Hopp til treffene', 'Skip to results', 'Hopp til treffa'],
  pages: ['Sider', 'Pages', 'Sider'],
  others: ['For utviklere og drift', 'For developers and operators', 'For utviklarar og drift'],
});

/** A leaf of a calendar. */
const ICON = `data:image/svg+xml,${encodeURIComponent(
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><rect width="16" height="16" rx="2" fill="#fffdf8"/><rect width="16" height="5" rx="2" fill="#a3271b"/><path d="M4 8h8M4 11h5" stroke="#1f2426" stroke-width="1.5"/></svg>',
)}`;
