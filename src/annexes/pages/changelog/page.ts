/** The page `/changelog` (K2): planned changes, those in effect, and the versions of CHANGELOG.md. */
import type { Resource } from '../../../serve/http/representation.ts';
import type { KeyedNotice } from '../../common/notices.ts';
import { writeDate } from '../../page/dates.ts';
import { type Content, type Html, html } from '../../page/html.ts';
import type { FeedLink } from '../../page/links.ts';
import { frame } from '../../page/page.ts';
import { createPage } from '../../page/page-reply.ts';
import { renderSection } from '../../page/parts.ts';
import { inBoth, TECHNICAL_LANGUAGES, type TechnicalLanguage } from '../../page/reader.ts';
import type { Version } from '../versions.ts';
import { type ChangelogContent, noticeText, SHARED_TEXTS } from './content.ts';

export function makePage(changelog: ChangelogContent): Resource {
  const { language, inAddress, server, vary, menu, past, renderVersions } = changelog;
  const texts = TEXTS[language];
  const feed = {
    type: 'application/rss+xml',
    address: `changelog.rss?lang=${language}`,
    title: SHARED_TEXTS[language].feed,
  };
  const inEffect =
    past.length > 0
      ? renderSection({ id: 'past', title: texts.past, content: articles(past, language) })
      : null;
  const content = html`<div class="state"><h1>${texts.heading}</h1>
<p class="lede">${texts.lede}</p></div>
${plannedSection(changelog, feed)}${inEffect}${sectionsOf(renderVersions(), language)}`;
  const document = frame({
    language,
    languages: TECHNICAL_LANGUAGES,
    inAddress,
    menu,
    title: `${texts.heading} – almanakk`,
    description: texts.description,
    page: 'changelog',
    address: `${server}/changelog`,
    feeds: [feed],
    content,
  });
  return createPage({ document, language, vary });
}

function plannedSection({ planned, language }: ChangelogContent, feed: FeedLink): Html {
  const texts = TEXTS[language];
  const { intro } = SHARED_TEXTS[language];
  return renderSection({
    id: 'planned',
    title: texts.planned,
    intro: html`<p>${intro} <a href="${feed.address}">${feed.title}</a></p>`,
    content: planned.length === 0 ? html`<p>${texts.none}</p>` : articles(planned, language),
  });
}

const articles = (notices: readonly KeyedNotice[], language: TechnicalLanguage): Content =>
  notices.map((notice) => article(notice, language));

/** Versions with something for callers: the latest in view, those before folded. */
function sectionsOf(all: readonly Version[], language: TechnicalLanguage): Content {
  const { show } = TEXTS[language];
  const forCallers = all.filter(({ text }) => text.html.trim() !== '');
  return forCallers.map((version, at) => {
    const { name, text } = version;
    const folded = html`<details><summary>${show}</summary>\n${text}</details>`;
    return renderSection({
      id: name === null ? 'latest' : `version-${name.replaceAll(/[^\w.-]/g, '-')}`,
      title: headingOf(version, all, language),
      content: html`<div class="prose" lang="en">\n${at === 0 ? text : folded}</div>`,
    });
  });
}

/** `1.2.0, 3. mai 2026` or `1.2.0, ikke utgitt`; of changes after the latest version, `Siden 1.2.0, 3. mai 2026`. */
function headingOf(version: Version, all: readonly Version[], language: TechnicalLanguage): string {
  const { sinceVersion, latest, unreleased } = TEXTS[language];
  const titleOf = ({ name, day }: Version) =>
    name === null ? null : `${name}, ${day === null ? unreleased : writeDate(day, language)}`;
  const before = all[all.indexOf(version) + 1];
  return titleOf(version) ?? (before?.name ? `${sinceVersion} ${titleOf(before)}` : latest);
}

function article(notice: KeyedNotice, language: TechnicalLanguage): Html {
  const { key, from } = notice;
  return html`<article class="notice" id="${key}">
<h3><time datetime="${from}">${writeDate(from, language)}</time>: ${notice[`title_${language}`]}</h3>
${noticeText(notice, language)}</article>
`;
}

const TEXTS = inBoth({
  description: ['Endringer for deg som bruker grensesnittet.', 'Changes for users of the API.'],
  heading: ['Endringer', 'Changes'],
  lede: [
    'Endringer for deg som bruker kalenderens data. Versjonsnotatene er på engelsk.',
    'Changes that affect users of the calendar’s data.',
  ],
  planned: ['Planlagte endringer', 'Planned changes'],
  none: ['Ingen endringer er planlagt.', 'No changes are planned.'],
  past: ['Trådt i kraft', 'In effect'],
  sinceVersion: ['Siden', 'Since'],
  latest: ['Siste nytt', 'Latest'],
  unreleased: ['ikke utgitt', 'not released yet'],
  show: ['Vis endringene', 'Show the changes'],
});
