/** `/docs/api` and others: pages of `docs/` for those who build on a calendar, in English, with this server's address in the examples. */
import { readFileSync } from 'node:fs';
import { packagePath } from '../../package.ts';
import type { ServeContext } from '../../serve/annex.ts';
import type { Handle } from '../../serve/http/koa.ts';
import type { Resource } from '../../serve/http/representation.ts';
import { createCache } from '../page/document.ts';
import { loadColours } from '../page/highlight.ts';
import { html } from '../page/html.ts';
import { copyScript, createPage, frame, menuOf } from '../page/page.ts';
import { type ChosenLanguage, inEach, languageOf, languageQuery } from '../page/reader.ts';
import { renderMarkdown } from './markdown.ts';

export type Doc = readonly [title: string, about: string];

/** In the order of their list. */
export const DOCS = inEach<Readonly<Record<string, Doc>>>({
  api: [
    ['Grensesnittet', 'Alt om å spørre, og om å holde en kopi. På engelsk, som de neste.'],
    ['The interface', 'All about asking, and about keeping a copy.'],
  ],
  clients: [
    ['Klienter', 'Apollo, urql, fetch, Python, lagrede spørringer og typer.'],
    ['Clients', 'Apollo, urql, fetch, Python, persisted queries and types.'],
  ],
  'feeds-out': [
    ['Strømmer og innbygging', 'Adressene til strømmene, og <almanakk-events> på din egen side.'],
    ['Feeds and embedding', 'Addresses of feeds, and <almanakk-events> on a page of yours.'],
  ],
  snapshot: [
    ['Hele kalenderen i SQL', 'Tabellene i øyeblikksbildet, med spørringer.'],
    ['The whole calendar in SQL', 'The tables of the snapshot, with queries.'],
  ],
  'source-format': [
    ['Kildeformatet', 'Slik legger du arrangementer inn.'],
    ['The source format', 'How events get into a calendar.'],
  ],
  limits: [
    ['Grenser', 'Hvor mye du kan spørre om, og hva som gjelder for kilder.'],
    ['Limits', 'How much may be asked, and what holds for sources.'],
  ],
});

/** Under further names of this server, it is made for each request. */
const MOST_PAGES = 40;

/** Handlers by name of the page. */
export function createDocs(context: ServeContext): (name: string) => Handle {
  const cached = createCache(MOST_PAGES);
  return (name) => async (request) => {
    const chosen = languageOf(request);
    const address = context.ownAddress.shown(request.headers);
    const page = await cached([name, chosen, address], () => makePage(context, { ...chosen, name, address }));
    return page(request.headers, 'public, max-age=3600');
  };
}

/** Pages of the project that are not served have no address here, nor has anything but the web. */
export function linkOf(href: string): string | null {
  if (/^(?:https?:\/\/|#)/.test(href)) return href;
  const [, name = '', hash = ''] = /^([\w-]+)\.md(#[\w-]+)?$/.exec(href) ?? [];
  return name in DOCS.en ? `${name}${hash}` : null;
}

/** Of the examples in the texts. */
export const EXAMPLE_ADDRESS = 'http://localhost:4000';

async function makePage(
  { ownAddress, parts }: ServeContext,
  shown: ChosenLanguage & Readonly<Record<'name' | 'address', string>>,
): Promise<Resource> {
  const { language, name, address } = shown;
  const colour = await loadColours();
  const { content, headings } = renderMarkdown(readFileSync(packagePath(`docs/${name}.md`), 'utf8'), {
    colour,
    linkOf,
  });
  const title = headings[0]?.text ?? name;
  const sections = headings.filter(({ depth }) => depth === 2);
  const own = html`\n<ul lang="en">
${sections.map(({ id, text }) => html`<li><a href="#${id}">${text}</a></li>\n`)}</ul>\n`;
  const suffix = languageQuery(shown);
  const document = frame({
    ...shown,
    menu: menuOf(parts()),
    title: `${title} – almanakk`,
    description: title,
    page: 'start',
    root: '../',
    script: copyScript(language, '../'),
    content: html`<div class="doc">
<nav class="toc" aria-label="${TEXTS[language].contents}">
<ul>
${Object.entries(DOCS[language]).map(([other, [text]]) => html`<li><a href="${other}${suffix}"${other === name && html` aria-current="page"`}>${text}</a>${other === name && own}</li>\n`)}</ul>
</nav>
<article class="prose" lang="en">
${{ html: content.html.replaceAll(EXAMPLE_ADDRESS, html`${address}`.html) }}</article>
</div>`,
  });
  return createPage({ document, language, vary: ownAddress.vary, hasScript: true });
}

const TEXTS = inEach({ contents: ['Dokumentasjon', 'Documentation'] });
