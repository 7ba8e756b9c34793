/** `/docs/api` and others: pages of `docs/` for those who build on a calendar, in English, with this server's address in the examples. */
import type { ServeContext } from '../../serve/annex.ts';
import type { Handle } from '../../serve/http/koa.ts';
import type { Resource } from '../../serve/http/representation.ts';
import { copyScript } from '../page/assets.ts';
import { createMakeOnce } from '../page/document.ts';
import { loadColours } from '../page/highlight.ts';
import { type Html, html, trustedHtml } from '../page/html.ts';
import { languageQuery } from '../page/links.ts';
import { type Menu, menuOf } from '../page/menu.ts';
import { frame } from '../page/page.ts';
import { createPage } from '../page/page-reply.ts';
import {
  type ChosenLanguage,
  inBoth,
  TECHNICAL_LANGUAGES,
  type TechnicalLanguage,
  technicalLanguageOf,
} from '../page/reader.ts';
import { DOCS, docItems, isDoc, markdownOf } from './doc-list.ts';
import { type Heading, renderMarkdown } from './markdown.ts';

/** Pages in the cache. If the server has so many host names that they exceed this, the oldest is rendered again. */
const MOST_PAGES = 40;

interface DocHandles {
  /** Serves the page with this name. */
  readonly page: (name: string) => Handle;
  /** Serves the list of pages. */
  readonly index: Handle;
}

export function createDocs(context: ServeContext): DocHandles {
  const makeOnce = createMakeOnce(MOST_PAGES);
  const answer =
    (name: string, make: (shown: Shown) => Resource | Promise<Resource>): Handle =>
    async (request) => {
      const chosen = technicalLanguageOf(request);
      const address = context.serverAddress.shown(request.headers);
      const menu = menuOf(context);
      const page = await makeOnce([name, chosen, address, menu.name, menu.brand, menu.privacyUrl], () =>
        make({ ...chosen, name, address, menu, vary: context.serverAddress.vary }),
      );
      return page(request.headers, 'public, max-age=3600');
    };
  return { page: (name: string) => answer(name, makePage), index: answer('', makeIndex) };
}

interface Shown extends ChosenLanguage<TechnicalLanguage> {
  readonly name: string;
  readonly address: string;
  readonly menu: Menu;
  readonly vary: readonly string[];
}

function makeIndex(shown: Shown): Resource {
  const { language, inAddress, address, menu, vary } = shown;
  const { contents, intro } = TEXTS[language];
  const document = frame({
    language,
    languages: TECHNICAL_LANGUAGES,
    inAddress,
    menu,
    title: `${contents} – ${menu.name}`,
    description: intro,
    page: null,
    root: '../',
    address: `${address}/docs/`,
    content: html`<div class="state"><h1>${contents}</h1>
<p class="lede">${intro}</p>
<dl class="resources">
${docItems({ language, inAddress, folder: '' })}</dl></div>`,
  });
  return createPage({ document, language, vary });
}

/** Null for pages that are not served, and for links that are neither web addresses nor anchors. */
export function linkOf(href: string): string | null {
  if (/^(?:https?:\/\/|#)/.test(href)) return href;
  const [, name = '', hash = ''] = /^([\w-]+)\.md(#[\w-]+)?$/.exec(href) ?? [];
  return isDoc(name) ? `${name}${hash}` : null;
}

/** The server's address in the examples of the texts. */
export const EXAMPLE_ADDRESS = 'http://localhost:4000';

/** Columns that name files of the repository: readers of a server have none of these. */
const FOR_CONTRIBUTORS: ReadonlySet<string> = new Set(['test']);

async function makePage(shown: Shown): Promise<Resource> {
  const { name, language, inAddress, address, menu, vary } = shown;
  const colour = await loadColours();
  const { content, headings } = renderMarkdown(markdownOf(name), {
    colour,
    linkOf,
    omitted: FOR_CONTRIBUTORS,
  });
  const title = headings[0]?.text ?? name;
  const sections = headings.filter(({ depth }) => depth === 2);
  const itemOfSection = ({ id, text }: Heading) => html`<li><a href="#${id}">${text}</a></li>\n`;
  const sectionList = html`\n<ul>
${sections.map(itemOfSection)}</ul>\n`;
  const document = frame({
    language,
    inAddress,
    menu,
    title: `${title} – ${menu.name}`,
    description: title,
    page: 'start',
    root: '../',
    written: 'en',
    script: copyScript('en', '../'),
    content: html`<div class="doc">
<nav class="toc" aria-label="${TEXTS.en.contents}">
<ul>
${DOCS.map((doc) => itemOfDoc(doc, shown, sectionList))}</ul>
</nav>
<article class="prose">
${trustedHtml(content.html.replaceAll(EXAMPLE_ADDRESS, html`${address}`.html))}</article>
</div>`,
  });
  return createPage({ document, language: 'en', vary, hasScript: true });
}

/** A page in the list of pages; the one that is shown has the list of its sections. */
function itemOfDoc({ name, title }: (typeof DOCS)[number], shown: Shown, sectionList: Html): Html {
  const address = `${name}${languageQuery(shown)}`;
  if (name !== shown.name) return html`<li><a href="${address}">${title}</a></li>\n`;
  return html`<li><a href="${address}" aria-current="page">${title}</a>${sectionList}</li>\n`;
}

const TEXTS = inBoth({
  contents: ['Dokumentasjon', 'Documentation'],
  intro: [
    'For deg som bruker kalenderens data eller legger inn arrangementer. Sidene er på engelsk.',
    'How to use the calendar’s data, and how to add events.',
  ],
});
