/**
 * `GET /changelog` and `/changelog.rss` (K2, planned changes): first the planned changes, each with its day, in the reader's language; then
 * the calendar's changes that have taken effect; on the page also what CHANGELOG.md, which is in English, has for callers. Operators have
 * `/changelog/operators`.
 */
import { formatDay, osloDay, startOfDay } from '../../calendar/time.ts';
import type { ServeContext } from '../../serve/annex.ts';
import type { Handle } from '../../serve/http/koa.ts';
import { createResource, type Resource } from '../../serve/http/representation.ts';
import { gatherNotices, type KeyedNotice, readPlanned } from '../common/notices.ts';
import { createCache } from '../page/document.ts';
import { type Content, type Html, html, joined, withCode } from '../page/html.ts';
import { createPage, type FeedLink, frame, menuOf, type PageName, renderSection } from '../page/page.ts';
import {
  type ChosenLanguage,
  inEach,
  type Language,
  languageOf,
  languageQuery,
  writeDate,
} from '../page/reader.ts';
import { renderMarkdown } from './markdown.ts';

/** `text`: CHANGELOG.md, which is read once, because no request should wait for it. */
export function createChangelog(
  { keeper, ownAddress, settings, parts }: ServeContext,
  text: string,
): Readonly<Record<'page' | 'operators' | 'feed', Handle>> {
  const { notices: ofInterface, rest } = readPlanned(text);
  const versions = versionsIn(rest);
  const answer = (make: (shown: Shown) => Resource): Handle => {
    const cached = createCache(MOST_PAGES);
    return async (request) => {
      const now = Math.floor(request.arrivedAt / 1_000);
      const day = osloDay(now);
      const { current } = keeper.state();
      const chosen = languageOf(request);
      const address = ownAddress.shown(request.headers);
      // A build may add notices at any time.
      const page = await cached([day, current?.id, chosen, address], () => {
        const all = gatherNotices({ ofInterface, ofCalendar: current?.meta.notices ?? [] });
        const today = formatDay(day);
        return make({
          ...chosen,
          address,
          versions,
          menu: menuOf(parts()),
          name: current?.lists.licence.name ?? 'almanakk',
          planned: all.filter(({ from }) => from > today),
          past: all.filter(({ from }) => from <= today).reverse(),
          vary: ownAddress.vary,
        });
      });
      const seconds = Math.min(settings.maxAge, startOfDay(day + 1) - now);
      return page(request.headers, `public, max-age=${seconds}`);
    };
  };
  return { page: answer(makePage), operators: answer(makeOperatorsPage), feed: answer(makeFeed) };
}

/** Two languages, from the address or the browser, under a few names of this server. */
const MOST_PAGES = 40;

/** A part of CHANGELOG.md, the latest first. */
interface Version {
  /** Null for changes after the latest version. */
  readonly name: string | null;
  /** `YYYY-MM-DD`; null where the heading has none. */
  readonly day: string | null;
  /** Of each audience; empty where it has none. */
  readonly callers: Html;
  readonly operators: Html;
}

/** The text before the first heading is for readers of the file. */
function versionsIn(changelog: string): readonly Version[] {
  const [, ...parts] = changelog.split(/^## /m);
  return parts.map((part) => {
    const [heading = '', name = '', day = null] =
      /^\[?([^\]\n]*?)\]?(?: - (\d{4}-\d{2}-\d{2}))?\n/.exec(part) ?? [];
    const text = part.slice(heading.length).replace(FINGERPRINTS, '');
    const entries = text.split(/^(?=[-#])/m).filter((entry) => !FINGERPRINT.test(entry));
    const textOf = (areForOperators: boolean) =>
      htmlOf(entries.filter((entry) => FOR_OPERATORS.test(entry) === areForOperators).join(''));
    return {
      name: name === 'Unreleased' ? null : name,
      day,
      callers: textOf(false),
      operators: textOf(true),
    };
  });
}

/** For programs: the text beside it explains it to people. */
const FINGERPRINTS = /^### Fingerprints\n[^#]*/m;
const FINGERPRINT = /^- (?:Schema|Snapshot format): /;

/** Entries about running a calendar, and about sources that it reads. */
const FOR_OPERATORS = /^- \**(?:Operation|Operating|Feeds|Sources|Security)\**:/;

const htmlOf = (text: string): Html =>
  renderMarkdown(text, { colour: (code) => html`${code}`, linkOf: () => null }).content;

interface Shown extends ChosenLanguage {
  /** Address of this server, without a slash at the end. */
  readonly address: string;
  readonly name: string;
  readonly menu: readonly PageName[];
  readonly versions: readonly Version[];
  /** The earliest first. */
  readonly planned: readonly KeyedNotice[];
  /** The latest first. */
  readonly past: readonly KeyedNotice[];
  readonly vary: readonly string[];
}

function makePage(shown: Shown): Resource {
  const { language, planned, past } = shown;
  const texts = TEXTS[language];
  const feed = { type: 'application/rss+xml', address: `changelog.rss?lang=${language}`, title: texts.feed };
  const articles = (notices: readonly KeyedNotice[]) => notices.map((notice) => article(notice, language));
  return framed(shown, {
    audience: 'callers',
    title: texts.title,
    heading: texts.heading,
    lede: texts.lede,
    description: texts.description,
    other: { path: 'changelog/operators', text: texts.toOperators },
    root: '',
    feeds: [feed],
    before: html`${renderSection({
      id: 'planned',
      title: texts.planned,
      intro: html`<p>${texts.intro} <a href="${feed.address}">${texts.feed}</a></p>`,
      content: planned.length === 0 ? html`<p>${texts.none}</p>` : articles(planned),
    })}${past.length > 0 && renderSection({ id: 'past', title: texts.past, content: articles(past) })}`,
  });
}

function makeOperatorsPage(shown: Shown): Resource {
  const { operators, operatorsLede: lede, toCallers } = TEXTS[shown.language];
  return framed(shown, {
    audience: 'operators',
    title: `${operators} – almanakk`,
    heading: operators,
    lede,
    description: lede,
    other: { path: '../changelog', text: toCallers },
    root: '../',
  });
}

interface Framed {
  readonly audience: 'callers' | 'operators';
  readonly title: string;
  readonly heading: string;
  readonly lede: string;
  readonly description: string;
  /** The page for the others. */
  readonly other: { readonly path: string; readonly text: string };
  readonly root: string;
  readonly feeds?: readonly FeedLink[];
  /** What stands before the versions. */
  readonly before?: Content;
}

function framed(shown: Shown, { audience, heading, lede, other, before, ...page }: Framed): Resource {
  const { language, versions } = shown;
  const address = `${other.path}${languageQuery(shown)}`;
  const content = html`<div class="state"><h1>${heading}</h1>
<p class="lede">${lede} <a href="${address}">${other.text}</a></p></div>
${before}${sectionsOf(versions, audience, language)}`;
  return createPage({ document: frame({ ...shown, ...page, page: 'changelog', content }), language });
}

/** Versions with something for these readers: the latest in view, those before folded. */
function sectionsOf(all: readonly Version[], audience: Framed['audience'], language: Language): Content {
  const { since, latest, show } = TEXTS[language];
  const titleOf = ({ name, day }: Version) =>
    name !== null && day !== null ? `${name}, ${writeDate(day, language)}` : name;
  let isFirst = true;
  return all.map((version, at) => {
    const { name, [audience]: text } = version;
    if (text.html.trim() === '') return '';
    const shown = isFirst ? text : html`<details><summary>${show}</summary>\n${text}</details>`;
    isFirst = false;
    const before = all[at + 1];
    return renderSection({
      id: name === null ? 'latest' : `version-${name.replaceAll(/[^\w.-]/g, '-')}`,
      title: titleOf(version) ?? (before?.name ? `${since} ${titleOf(before)}` : latest),
      content: html`<div class="prose" lang="en">\n${shown}</div>`,
    });
  });
}

function article(notice: KeyedNotice, language: Language): Html {
  const { key, from, categories } = notice;
  return html`<article class="notice" id="${key}">
<h3><time datetime="${from}">${writeDate(from, language)}</time>: ${notice[`title_${language}`]}</h3>
${paragraphsOf(notice, language)}${
  categories.length > 0 &&
  html`<ul>
${categories.map((category) => html`<li>${retirement(category, language)}</li>\n`)}</ul>
`
}</article>
`;
}

function paragraphsOf(notice: KeyedNotice, language: Language): readonly Html[] {
  const lines = notice[`text_${language}`].split('\n').filter((line) => line.trim() !== '');
  return lines.map((line) => html`<p>${withCode(line)}</p>\n`);
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
<description>${
      // A description is HTML inside of XML.
      html`${paragraphsOf(notice, language)}${notice.categories.map((category) => html`<p>${retirement(category, language)}</p>`)}`
        .html
    }</description>
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
    body: Buffer.from(document.html),
    type: 'application/rss+xml; charset=utf-8',
    vary: [...vary, 'Accept-Language'],
    bodyHeaders: ['Content-Language', language],
  });
}

const TEXTS = inEach({
  title: ['Endringer – almanakk', 'Changes – almanakk'],
  description: ['Endringer for dem som bruker grensesnittet.', 'Changes for those who call the interface.'],
  heading: ['Endringer', 'Changes'],
  lede: [
    'Det som endres for dem som bruker kalenderens data. Teksten om hver versjon er på engelsk.',
    'What changes for those who use the calendar’s data.',
  ],
  toOperators: ['For dem som driver en kalender', 'For those who run a calendar'],
  operators: ['Endringer for drift', 'Changes for operators'],
  operatorsLede: [
    'Det som endres for dem som driver en kalender. Teksten om hver versjon er på engelsk.',
    'What changes for those who run a calendar.',
  ],
  toCallers: ['For dem som bruker dataene', 'For those who use the data'],
  planned: ['Planlagte endringer', 'Planned changes'],
  intro: [
    'Det som blir annerledes, med dagen det skjer. De som har nøkkel og adresse, får det også på e-post.',
    'Planned changes, each with its day. Applications with a key and an address also get them by e-mail.',
  ],
  none: ['Ingen endringer er planlagt.', 'No changes are planned.'],
  past: ['Trådt i kraft', 'In effect'],
  feed: ['Planlagte endringer (RSS)', 'Planned changes (RSS)'],
  since: ['Siden', 'Since'],
  latest: ['Det nyeste', 'The latest'],
  show: ['Vis endringene', 'Show the changes'],
  retires: ['legges ned', 'is retired'],
  instead: ['og erstattes av', 'and replaced by'],
});
