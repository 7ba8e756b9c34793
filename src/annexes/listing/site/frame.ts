/** The frame of the calendar's own site (I11): its masthead, its foot, and what a shared link shows. */
import { osloDay } from '../../../calendar/time.ts';
import type { HeaderList } from '../../../serve/http/message.ts';
import type { EventList } from '../../events/event-list.ts';
import type { ListedImage } from '../../events/listed.ts';
import { pictureAt } from '../../events/pictures.ts';
import { assetOf } from '../../page/assets.ts';
import { writeDay } from '../../page/dates.ts';
import { type Content, type Html, html } from '../../page/html.ts';
import { queryText } from '../../page/links.ts';
import { type FrameOptions, frame } from '../../page/page.ts';
import { pageHeaders } from '../../page/page-reply.ts';
import { inEach } from '../../page/reader.ts';
import { imprint } from '../imprint.ts';

/** The picture in previews of a page that has none. */
export const SHARE_PICTURE = 'share.png';

export const SITE_STYLESHEET = assetOf('src/annexes/listing/assets/site.css');

/** Any page may frame it; its form stays here. JSON-LD is not executed. `images`: other sources of pictures. */
const siteHeaders = (images: string) =>
  pageHeaders(
    ["form-action 'self'", 'frame-ancestors *', "script-src 'self'", "manifest-src 'self'"],
    images,
  );

/** Pictures are of any host. */
export const SITE_HEADERS = siteHeaders(' https: http:');

/** I17: pictures are of this server, which a visitor may know by another name. */
export const ownPicturesHeaders = (publicUrl: URL | null): HeaderList =>
  siteHeaders(publicUrl === null ? '' : ` ${publicUrl.origin}`);

/** For pages that search engines should leave out. */
export const NOINDEX = html`<meta name="robots" content="noindex">\n`;

interface SitePage extends Pick<FrameOptions, 'title' | 'description' | 'menu' | 'content' | 'skipTo'> {
  /** Full address at which search engines should find it. */
  readonly canonical: string;
  /** Full address that is shared; the canonical one by default. */
  readonly address?: string;
  /** Whether the canonical address is on this server; true by default. */
  readonly isHere?: boolean;
  readonly image: ListedImage | null;
  readonly root: '' | '../';
  readonly head?: Content;
  readonly foot?: Content;
}

/** All of the page but its last tags, before which a list may put what is written in pieces. */
export function sitePage(list: EventList, page: SitePage): Html {
  const { language, inAddress, search } = list;
  const { title, description, root, menu, content, skipTo, isHere = true } = page;
  const canonical = inLanguage(page.canonical, list);
  const shared = page.address ?? canonical;
  const printed = `${shared} · ${writeDay(osloDay(list.now), 'dayMonthYear', language)}`;
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
    address: isHere ? page.canonical : undefined,
    page: 'events',
    script: html`${linksOf(root, canonical)}${sharedTags(list, page, shared)}${page.head}`,
    footer: html`${page.foot}${imprint(list)}<p class="printed">${printed}</p>\n`,
  });
}

function linksOf(root: string, canonical: string): Html {
  return html`<link rel="stylesheet" href="${root}${SITE_STYLESHEET.file}">
<link rel="canonical" href="${canonical}">
<link rel="manifest" href="${root}manifest.webmanifest">
<link rel="apple-touch-icon" href="${root}touch-icon.png">
`;
}

/** The preview of a shared link (Open Graph). */
function sharedTags(list: EventList, page: SitePage, address: string): Html {
  const { language, licence, server } = list;
  const { image, title, description } = page;
  const picture = image === null || isSvg(image.large) ? null : pictureAt(image.large, 1280, list);
  const properties = {
    'og:type': 'website',
    'og:site_name': licence.name,
    'og:title': title,
    'og:description': description,
    'og:url': address,
    'og:locale': TEXTS[language].locale,
    'og:image': picture ?? `${server}/${SHARE_PICTURE}`,
    'og:image:alt': picture === null ? licence.name : image?.alt,
  };
  const tags = Object.entries(properties).map(([name, value]) =>
    value ? html`<meta property="${name}" content="${value}">\n` : null,
  );
  return html`${tags}<meta name="twitter:card" content="summary_large_image">\n`;
}

/** Social networks draw no SVG. */
const isSvg = (url: string): boolean => /\.svg(?:$|[?#])/i.test(url);

/** A page whose address names a language is canonical in it. */
function inLanguage(canonical: string, { language, inAddress }: EventList): string {
  if (!inAddress) return canonical;
  const { origin, pathname, searchParams } = new URL(canonical);
  searchParams.set('lang', language);
  return `${origin}${pathname}${queryText(searchParams)}`;
}

const TEXTS = inEach({
  locale: ['nb_NO', 'en_GB', 'nn_NO'],
});
