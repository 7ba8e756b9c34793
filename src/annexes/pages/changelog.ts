/**
 * `GET /changelog` and `/changelog.rss` (K2): first the planned changes, each with its day, in the reader's language; then
 * the calendar's changes that have taken effect; on the page also what CHANGELOG.md, which is in English, has for callers.
 */
import type { Notice } from '../../calendar/notice.ts';
import { formatDay, osloDay, startOfDay } from '../../calendar/time.ts';
import type { ServeContext } from '../../serve/annex.ts';
import type { Handle } from '../../serve/http/koa.ts';
import { secondOf } from '../../serve/http/message.ts';
import { createResource, type Resource } from '../../serve/http/representation.ts';
import type { Snapshot } from '../../snapshot/open.ts';
import { legibleXml } from '../common/legible-xml.ts';
import { gatherNotices, type KeyedNotice, readPlanned } from '../common/notices.ts';
import { writeDate } from '../page/dates.ts';
import { createMakeOnce } from '../page/document.ts';
import { type Content, type Html, html, joined, withCode } from '../page/html.ts';
import type { FeedLink } from '../page/links.ts';
import { type Menu, menuOf } from '../page/menu.ts';
import { frame } from '../page/page.ts';
import { createPage } from '../page/page-reply.ts';
import { renderSection } from '../page/parts.ts';
import { type ChosenLanguage, inEach, type Language, languageOf } from '../page/reader.ts';
import { type Version, versionsIn } from './versions.ts';

/** `text`: CHANGELOG.md, which is read once, because no request should wait for it. */
export function createChangelog(
  context: ServeContext,
  text: string,
): Readonly<Record<'page' | 'feed', Handle>> {
  const { notices: ofInterface, rest } = readPlanned(text);
  const published = { ofInterface, versions: versionsIn(rest) };
  return {
    page: createHandle(context, published, makePage),
    feed: createHandle(context, published, makeFeed),
  };
}

/** The contents of CHANGELOG.md. */
interface Published {
  readonly ofInterface: readonly Notice[];
  readonly versions: readonly Version[];
}

function createHandle(context: ServeContext, published: Published, make: (shown: Shown) => Resource): Handle {
  const { keeper, serverAddress, settings } = context;
  const makeOnce = createMakeOnce(MOST_PAGES);
  return async (request) => {
    const now = secondOf(request);
    const day = osloDay(now);
    const chosen = languageOf(request);
    const address = serverAddress.shown(request.headers);
    // A build may add notices at any time.
    const { current } = keeper.state();
    const resource = await makeOnce([day, current?.id, chosen, address], () =>
      make({ ...chosen, ...shownOn({ day, current }, published, context), address }),
    );
    const seconds = Math.min(settings.maxAge, startOfDay(day + 1) - now);
    return resource(request.headers, `public, max-age=${seconds}`);
  };
}

interface Basis {
  readonly day: number;
  readonly current: Snapshot | null;
}

function shownOn(
  { day, current }: Basis,
  { ofInterface, versions }: Published,
  context: ServeContext,
): Omit<Shown, 'address' | keyof ChosenLanguage> {
  const notices = gatherNotices({ ofInterface, ofCalendar: current?.meta.notices ?? [] });
  const today = formatDay(day);
  return {
    versions,
    menu: menuOf(context),
    name: current?.lists.licence.name ?? 'almanakk',
    planned: notices.filter(({ from }) => from > today),
    past: notices.filter(({ from }) => from <= today).reverse(),
    vary: context.serverAddress.vary,
  };
}

/** Two languages, from the address or the browser, under a few names of this server. */
const MOST_PAGES = 40;

interface Shown extends ChosenLanguage {
  /** Address of this server, without a slash at the end. */
  readonly address: string;
  readonly name: string;
  readonly menu: Menu;
  readonly versions: readonly Version[];
  /** The earliest first. */
  readonly planned: readonly KeyedNotice[];
  /** The latest first. */
  readonly past: readonly KeyedNotice[];
  readonly vary: readonly string[];
}

function makePage(shown: Shown): Resource {
  const { language, inAddress, address, menu, past, versions, vary } = shown;
  const texts = TEXTS[language];
  const feed = { type: 'application/rss+xml', address: `changelog.rss?lang=${language}`, title: texts.feed };
  const inEffect =
    past.length > 0 && renderSection({ id: 'past', title: texts.past, content: articles(past, language) });
  const content = html`<div class="state"><h1>${texts.heading}</h1>
<p class="lede">${texts.lede}</p></div>
${plannedSection(shown, feed)}${inEffect}${sectionsOf(versions, language)}`;
  const document = frame({
    language,
    inAddress,
    menu,
    title: `${texts.heading} – almanakk`,
    description: texts.description,
    page: 'changelog',
    address: `${address}/changelog`,
    feeds: [feed],
    content,
  });
  return createPage({ document, language, vary });
}

function plannedSection({ planned, language }: Shown, feed: FeedLink): Html {
  const texts = TEXTS[language];
  return renderSection({
    id: 'planned',
    title: texts.planned,
    intro: html`<p>${texts.intro} <a href="${feed.address}">${feed.title}</a></p>`,
    content: planned.length === 0 ? html`<p>${texts.none}</p>` : articles(planned, language),
  });
}

const articles = (notices: readonly KeyedNotice[], language: Language): Content =>
  notices.map((notice) => article(notice, language));

/** Versions with something for callers: the latest in view, those before folded. */
function sectionsOf(all: readonly Version[], language: Language): Content {
  const { show } = TEXTS[language];
  const shown = all.filter(({ text }) => text.html.trim() !== '');
  return shown.map((version, at) => {
    const { name, text } = version;
    const folded = html`<details><summary>${show}</summary>\n${text}</details>`;
    return renderSection({
      id: name === null ? 'latest' : `version-${name.replaceAll(/[^\w.-]/g, '-')}`,
      title: headingOf(version, all, language),
      content: html`<div class="prose" lang="en">\n${at === 0 ? text : folded}</div>`,
    });
  });
}

/** `1.2.0, 3. mai 2026`; of changes after the latest version, `Siden 1.2.0, 3. mai 2026`. */
function headingOf(version: Version, all: readonly Version[], language: Language): string {
  const { sinceVersion, latest } = TEXTS[language];
  const titleOf = ({ name, day }: Version) =>
    name !== null && day !== null ? `${name}, ${writeDate(day, language)}` : name;
  const before = all[all.indexOf(version) + 1];
  return titleOf(version) ?? (before?.name ? `${sinceVersion} ${titleOf(before)}` : latest);
}

function article(notice: KeyedNotice, language: Language): Html {
  const { key, from } = notice;
  return html`<article class="notice" id="${key}">
<h3><time datetime="${from}">${writeDate(from, language)}</time>: ${notice[`title_${language}`]}</h3>
${textOf(notice, language)}</article>
`;
}

/** Its paragraphs, and the categories that retire. */
function textOf({ categories, ...notice }: KeyedNotice, language: Language): Html {
  const lines = notice[`text_${language}`].split('\n').filter((line) => line.trim() !== '');
  const items = categories.map((category) => html`<li>${retirement(category, language)}</li>\n`);
  const paragraphs = lines.map((line) => html`<p>${withCode(line)}</p>\n`);
  const list = items.length > 0 && html`<ul>\n${items}</ul>\n`;
  return html`${paragraphs}${list}`;
}

function retirement({ id, replacements }: KeyedNotice['categories'][number], language: Language): Html {
  const names = replacements.map((name) => html`<code>${name}</code>`);
  const instead = names.length > 0 && html` ${TEXTS[language].instead} ${joined(names, ', ')}`;
  return html`<code>${id}</code> ${TEXTS[language].retires}${instead}`;
}

/** RSS 2.0. An item's guid is constant until its day changes. */
function makeFeed({ language, name, address, planned, past, vary }: Shown): Resource {
  const texts = TEXTS[language];
  const page = `${address}/changelog?lang=${language}`;
  const items = [...planned, ...past].map(
    (notice) => html`<item>
<title>${writeDate(notice.from, language)}: ${notice[`title_${language}`]}</title>
<link>${page}#${notice.key}</link>
<guid isPermaLink="false">${notice.key}</guid>
<description>${/* HTML inside of XML. */ textOf(notice, language).html}</description>
</item>
`,
  );
  const document = html`<?xml version="1.0" encoding="UTF-8"?>
<rss version="2.0" xmlns:atom="http://www.w3.org/2005/Atom">
<channel>
<title>${name} – ${texts.feed}</title>
<link>${page}</link>
<atom:link href="${address}/changelog.rss?lang=${language}" rel="self" type="application/rss+xml"/>
<description>${texts.intro}</description>
<language>${language}</language>
${items}</channel>
</rss>
`;
  return createResource({
    body: Buffer.from(legibleXml(document.html)),
    type: 'application/rss+xml; charset=utf-8',
    vary: [...vary, 'Accept-Language'],
    bodyHeaders: ['Content-Language', language],
  });
}

const TEXTS = inEach({
  description: ['Endringer for deg som bruker grensesnittet.', 'Changes for users of the API.'],
  heading: ['Endringer', 'Changes'],
  lede: [
    'Endringer for deg som bruker kalenderens data. Versjonsnotatene er på engelsk.',
    'Changes that affect users of the calendar’s data.',
  ],
  planned: ['Planlagte endringer', 'Planned changes'],
  intro: [
    'Kommende endringer, med dato. Har nøkkelen din en e-postadresse, får du dem også på e-post.',
    'Planned changes, with their dates. If your key has an email address, you also get them by email.',
  ],
  none: ['Ingen endringer er planlagt.', 'No changes are planned.'],
  past: ['Trådt i kraft', 'In effect'],
  feed: ['Planlagte endringer (RSS)', 'Planned changes (RSS)'],
  sinceVersion: ['Siden', 'Since'],
  latest: ['Siste nytt', 'Latest'],
  show: ['Vis endringene', 'Show the changes'],
  retires: ['legges ned', 'is retired'],
  instead: ['og erstattes av', 'and replaced by'],
});
