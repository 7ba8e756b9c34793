/**
 * `GET /changelog` and `/changelog.rss` (K2, planned changes): first the planned changes, each with its day, in the reader's language; then
 * the calendar's changes that have taken effect; on the page also what CHANGELOG.md, which is in English, has for callers. Operators have
 * `/changelog/operators`.
 */
import { LRUCache } from 'lru-cache';
import { formatDay, osloDay, startOfDay } from '../../calendar/time.ts';
import type { ServeContext } from '../../serve/annex.ts';
import type { Handle } from '../../serve/http/koa.ts';
import { createResource, type Resource } from '../../serve/http/representation.ts';
import type { Keeper } from '../../snapshot/keeper.ts';
import { gatherNotices, type KeyedNotice, readPlanned } from '../common/notices.ts';
import { type Content, type Html, html, withCode } from '../page/html.ts';
import { createPage, frame, type PageName, renderSection } from '../page/page.ts';
import { type ChosenLanguage, inEach, type Language, languageOf, writeDate } from '../page/reader.ts';
import { renderMarkdown } from './markdown.ts';

export interface ChangelogOptions extends Pick<ServeContext, 'ownAddress'> {
  readonly changelog: Changelog;
  readonly keeper: Pick<Keeper, 'state'>;
  /** Seconds: a build may add notices at any time. */
  readonly maxAge: number;
  readonly menu: readonly PageName[];
}

interface Changelog {
  readonly notices: ReturnType<typeof readPlanned>['notices'];
  /** The rest of it, the latest version first. */
  readonly versions: readonly Version[];
}

/** Parses CHANGELOG.md, which no request should wait for. */
export function readChangelog(text: string): Changelog {
  const { notices, rest } = readPlanned(text);
  return { notices, versions: versionsIn(rest) };
}

export function createChangelog(
  options: ChangelogOptions,
): Readonly<Record<'page' | 'operators' | 'feed', Handle>> {
  const { notices: ofInterface, versions } = options.changelog;
  const answer = (make: (shown: Shown) => Resource): Handle => {
    const resources = new LRUCache<string, Resource>({ max: MOST_RESOURCES });
    return (request) => {
      const now = Math.floor(request.arrivedAt / 1_000);
      const day = osloDay(now);
      const { current } = options.keeper.state();
      const chosen = languageOf(request);
      const address = options.ownAddress.shown(request.headers);
      const key = JSON.stringify([day, current?.id, chosen, address]);
      let resource = resources.get(key);
      if (resource === undefined) {
        const all = gatherNotices({ ofInterface, ofCalendar: current?.meta.notices ?? [] });
        const today = formatDay(day);
        resource = make({
          ...chosen,
          address,
          name: current?.lists.licence.name ?? 'almanakk',
          planned: all.filter(({ from }) => from > today),
          past: all.filter(({ from }) => from <= today).reverse(),
        });
        resources.set(key, resource);
      }
      const seconds = Math.min(options.maxAge, startOfDay(day + 1) - now);
      return resource(request.headers, `public, max-age=${Math.max(0, seconds)}`);
    };
  };
  return {
    page: answer((shown) => makePage(shown, { ...options, versions })),
    operators: answer((shown) => makeOperatorsPage(shown, { ...options, versions })),
    feed: answer((shown) => makeFeed(shown, options)),
  };
}

/** Two languages, from the address or the browser, under a few names of this server. */
const MOST_RESOURCES = 40;

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
    const [, name = '', day] = /^\[?([^\]\n]*?)\]?(?: - (\d{4}-\d{2}-\d{2}))?\n/.exec(part) ?? [];
    const entries = part
      .slice(part.indexOf('\n'))
      .replace(FINGERPRINTS, '')
      .split(/^(?=[-#])/m);
    const textOf = (isOurs: (entry: string) => boolean) => htmlOf(entries.filter(isOurs).join(''));
    const isForOperators = (entry: string) => FOR_OPERATORS.test(entry);
    return {
      name: name === 'Unreleased' ? null : name,
      day: day ?? null,
      callers: textOf((entry) => !isForOperators(entry) && !FINGERPRINT.test(entry)),
      operators: textOf(isForOperators),
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
  /** The earliest first. */
  readonly planned: readonly KeyedNotice[];
  /** The latest first. */
  readonly past: readonly KeyedNotice[];
}

type PageOptions = ChangelogOptions & { readonly versions: readonly Version[] };

function makePage(shown: Shown, options: PageOptions): Resource {
  const { language, inAddress, planned, past } = shown;
  const texts = TEXTS[language];
  const feed = {
    type: 'application/rss+xml',
    address: `changelog.rss?lang=${language}`,
    title: texts.feed,
  };
  const operators = `changelog/operators${inAddress ? `?lang=${language}` : ''}`;
  const content = html`<div class="state"><h1>${texts.heading}</h1>
<p class="lede">${texts.lede} <a href="${operators}">${texts.toOperators}</a></p></div>
${renderSection({
  id: 'planned',
  title: texts.planned,
  intro: html`<p>${texts.intro} <a href="${feed.address}">${texts.feed}</a></p>`,
  content:
    planned.length === 0 ? html`<p>${texts.none}</p>` : planned.map((notice) => article(notice, language)),
})}${
  past.length > 0 &&
  renderSection({
    id: 'past',
    title: texts.past,
    content: past.map((notice) => article(notice, language)),
  })
}${sectionsOf(options.versions, 'callers', language)}`;
  const { title, description } = texts;
  const about = { title, description, page: 'changelog', content, feeds: [feed] } as const;
  return createPage({ document: frame({ ...options, ...shown, ...about }), language });
}

function makeOperatorsPage(shown: Shown, options: PageOptions): Resource {
  const { language, inAddress } = shown;
  const texts = TEXTS[language];
  const callers = `../changelog${inAddress ? `?lang=${language}` : ''}`;
  const content = html`<div class="state"><h1>${texts.operators}</h1>
<p class="lede">${texts.operatorsLede} <a href="${callers}">${texts.toCallers}</a></p></div>
${sectionsOf(options.versions, 'operators', language)}`;
  const about = {
    title: `${texts.operators} – almanakk`,
    description: texts.operatorsLede,
    content,
  } as const;
  const document = frame({ ...options, ...shown, ...about, page: 'changelog', root: '../' });
  return createPage({ document, language });
}

/** Versions with something for these readers: the latest in view, those before folded. */
function sectionsOf(
  versions: readonly Version[],
  audience: 'callers' | 'operators',
  language: Language,
): Content {
  const isEmpty = (version: Version) => version[audience].html.trim() === '';
  const latest = versions.find((version) => !isEmpty(version));
  return versions.map((version, at) => {
    if (isEmpty(version)) return '';
    const text =
      version === latest
        ? version[audience]
        : html`<details><summary>${TEXTS[language].show}</summary>\n${version[audience]}</details>`;
    return versionSection({ ...version, text }, versions[at + 1], language);
  });
}

/** `before`: the version that this one follows. */
function versionSection(
  { name, day, text }: Pick<Version, 'name' | 'day'> & { readonly text: Html },
  before: Version | undefined,
  language: Language,
): Html {
  const titleOf = (named: string, on: string | null) =>
    on === null ? named : `${named}, ${writeDate(on, language)}`;
  const { since, latest } = TEXTS[language];
  const title =
    name !== null
      ? titleOf(name, day)
      : before?.name
        ? `${since} ${titleOf(before.name, before.day)}`
        : latest;
  const id = name === null ? 'latest' : `version-${name.replaceAll(/[^\w.-]/g, '-')}`;
  return renderSection({ id, title, content: html`<div class="prose" lang="en">\n${text}</div>` });
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
  const names = replacements.map((name, place) => html`${place > 0 && ', '}<code>${name}</code>`);
  const instead = names.length > 0 && html` ${TEXTS[language].instead} ${names}`;
  return html`<code>${id}</code> ${TEXTS[language].retires}${instead}`;
}

/** RSS 2.0. An item's guid is constant until its day changes. */
function makeFeed(
  { language, name, address, planned, past }: Shown,
  { ownAddress }: ChangelogOptions,
): Resource {
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
    vary: [...ownAddress.vary, 'Accept-Language'],
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
