/** `/docs/api` and others: pages of `docs/` for those who build on a calendar, in English, with this server's address in the examples. */
import { existsSync, readFileSync } from 'node:fs';
import { LRUCache } from 'lru-cache';
import { packagePath } from '../../package.ts';
import type { ServeContext } from '../../serve/annex.ts';
import type { Handle } from '../../serve/http/koa.ts';
import type { Resource } from '../../serve/http/representation.ts';
import { loadColours } from '../page/highlight.ts';
import { type Html, html } from '../page/html.ts';
import { copyScript, createPage, frame, type PageName } from '../page/page.ts';
import { type ChosenLanguage, type InEach, inEach, languageOf } from '../page/reader.ts';
import { type Heading, renderMarkdown } from './markdown.ts';

/** In the order of their list. */
export const DOCS: Readonly<Record<string, InEach<string>>> = {
  api: { nb: 'Grensesnittet', en: 'The interface' },
  clients: { nb: 'Klienter', en: 'Clients' },
  'feeds-out': { nb: 'Strømmer og innbygging', en: 'Feeds and embedding' },
  snapshot: { nb: 'Hele kalenderen i SQL', en: 'The whole calendar in SQL' },
  'source-format': { nb: 'Kildeformatet', en: 'The source format' },
  limits: { nb: 'Grenser', en: 'Limits' },
};

interface DocsOptions extends Pick<ServeContext, 'ownAddress'> {
  readonly menu: readonly PageName[];
}

/** Handlers by name of the page. */
export function createDocs({ ownAddress, menu }: DocsOptions): (name: string) => Handle {
  /** Texts that were rendered, in which the address is that of the examples. */
  const rendered = new Map<string, Promise<Doc>>();
  const pages = new LRUCache<string, Resource>({ max: MOST_PAGES });
  return (name) => async (request) => {
    const chosen = languageOf(request);
    const address = ownAddress.shown(request.headers);
    const key = JSON.stringify([name, chosen, address]);
    let page = pages.get(key);
    if (page === undefined) {
      const doc = rendered.get(name) ?? readDoc(name);
      rendered.set(name, doc);
      page = makePage(await doc, { ...chosen, name, menu, address, ownAddress });
      pages.set(key, page);
    }
    return page(request.headers, 'public, max-age=3600');
  };
}

/** Under further names of this server, it is made for each request. */
const MOST_PAGES = 40;

interface Doc {
  readonly title: string;
  readonly content: Html;
  readonly headings: readonly Heading[];
}

async function readDoc(name: string): Promise<Doc> {
  const colour = await loadColours();
  const { content, headings } = renderMarkdown(readFileSync(fileOf(name), 'utf8'), { colour, linkOf });
  return { title: headings[0]?.text ?? name, content, headings: headings.slice(1) };
}

const fileOf = (name: string): string => packagePath(`docs/${name}.md`);

/** Whether the page came with this install. */
export const isThere = (name: string): boolean => existsSync(fileOf(name));

/** Pages of the project that are not served have no address here, nor has anything but the web. */
export function linkOf(href: string): string | null {
  if (/^(?:https?:\/\/|#)/.test(href)) return href;
  const [, name = '', hash = ''] = /^([\w-]+)\.md(#[\w-]+)?$/.exec(href) ?? [];
  return name in DOCS ? `${name}${hash}` : null;
}

interface Shown extends ChosenLanguage, DocsOptions {
  readonly name: string;
  /** Of this server, without a slash at the end. */
  readonly address: string;
}

/** Of the examples in the texts. */
const EXAMPLE_ADDRESS = 'http://localhost:4000';

function makePage({ title, content, headings }: Doc, shown: Shown): Resource {
  const { language, name, address, ownAddress, inAddress } = shown;
  const texts = TEXTS[language];
  const suffix = inAddress ? `?lang=${language}` : '';
  const others = Object.entries(DOCS).filter(([other]) => isThere(other));
  const document = frame({
    ...shown,
    title: `${title} – almanakk`,
    description: title,
    page: 'start',
    root: '../',
    script: copyScript(language, '../'),
    content: html`<div class="doc">
<nav class="toc" aria-label="${texts.contents}">
<ul>
${others.map(([other, names]) => html`<li><a href="${other}${suffix}"${other === name && html` aria-current="page"`}>${names[language]}</a>${other === name && sectionsOf(headings)}</li>\n`)}</ul>
</nav>
<article class="prose" lang="en">
${{ html: content.html.replaceAll(EXAMPLE_ADDRESS, html`${address}`.html) }}</article>
</div>`,
  });
  return createPage({ document, language, vary: ownAddress.vary, hasScript: true });
}

function sectionsOf(headings: readonly Heading[]): Html {
  const sections = headings.filter(({ depth }) => depth === 2);
  return html`\n<ul lang="en">
${sections.map(({ id, text }) => html`<li><a href="#${id}">${text}</a></li>\n`)}</ul>\n`;
}

const TEXTS = inEach({
  contents: ['Dokumentasjon', 'Documentation'],
});
