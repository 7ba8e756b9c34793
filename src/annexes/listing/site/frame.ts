/** The frame of the calendar's own site (I11, the calendar's own site): its masthead, its foot, and what a shared link shows. */
import type { ServePart } from '../../../serve/annex.ts';
import type { Feed } from '../../events/read.ts';
import type { FeedImage } from '../../events/values.ts';
import { type Content, type Html, html } from '../../page/html.ts';
import { assetOf, type FrameOptions, frame, menuOf, type PageName, pageHeaders } from '../../page/page.ts';
import { inEach, languageQuery } from '../../page/reader.ts';
import { imprint } from '../plain.ts';

export const SITE_STYLESHEET = assetOf('src/annexes/listing/assets/site.css');

/** Pictures are of any host; any page may frame it; its form stays here. JSON-LD is not executed. */
export const SITE_HEADERS = pageHeaders(
  ["form-action 'self'", 'frame-ancestors *', "script-src 'self'"],
  ' https: http:',
);

/** Pages for visitors, of those that the server offers. */
const SITE_MENU: readonly PageName[] = ['events', 'subscribe'];

export const siteMenuOf = (parts: readonly ServePart[]): readonly PageName[] =>
  menuOf(parts).filter((name) => SITE_MENU.includes(name));

interface SitePage extends Pick<FrameOptions, 'title' | 'description' | 'menu' | 'content' | 'skipTo'> {
  /** Full address at which search engines should find it. */
  readonly canonical: string;
  /** Full address that is shared; the canonical one by default. */
  readonly address?: string;
  readonly image: FeedImage | null;
  readonly root: '' | '../';
  readonly head?: Content;
  readonly foot?: Content;
}

/** All of the page but its last tags, before which a list may put what is written in pieces. */
export function sitePage(feed: Feed, page: SitePage): Html {
  const { language, inAddress, licence, search } = feed;
  const { title, description, root, image, menu, content, skipTo } = page;
  const texts = TEXTS[language];
  /** Those without a value are left out. */
  const meta = {
    'og:type': 'website',
    'og:site_name': licence.name,
    'og:title': title,
    'og:description': description,
    'og:url': page.address ?? page.canonical,
    'og:locale': texts.locale,
    'og:image': image?.large,
    'og:image:alt': image?.alt,
  };
  return frame({
    language,
    inAddress,
    title,
    description,
    root,
    menu,
    content,
    search,
    skipTo,
    page: 'events',
    brand: html`<a href="${root}events.html${languageQuery(feed)}">${licence.name}</a>`,
    script: html`<link rel="stylesheet" href="${root}${SITE_STYLESHEET.file}">
<link rel="canonical" href="${page.canonical}">
${Object.entries(meta).map(([name, value]) => value && html`<meta property="${name}" content="${value}">\n`)}<meta name="twitter:card" content="${image === null ? 'summary' : 'summary_large_image'}">
${page.head}`,
    footer: html`${page.foot}${imprint(feed)}<p class="feeds"><a href="${root}./">${texts.developers}</a></p>
`,
  });
}

const TEXTS = inEach({
  locale: ['nb_NO', 'en_GB'],
  developers: ['For utviklere', 'For developers'],
});
