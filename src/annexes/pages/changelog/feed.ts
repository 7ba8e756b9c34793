/** The feed `/changelog.rss` (K2): RSS 2.0 with an item for each planned change and each one in effect. */
import { createResource, type Resource } from '../../../serve/http/representation.ts';
import { legibleXml } from '../../common/legible-xml.ts';
import type { KeyedNotice } from '../../common/notices.ts';
import { writeDate } from '../../page/dates.ts';
import { type Html, html } from '../../page/html.ts';
import type { TechnicalLanguage } from '../../page/reader.ts';
import { type ChangelogContent, noticeText, SHARED_TEXTS } from './content.ts';

export function makeFeed(changelog: ChangelogContent): Resource {
  const { language, server, menu, planned, past, vary } = changelog;
  const texts = SHARED_TEXTS[language];
  const page = `${server}/changelog?lang=${language}`;
  const items = [...planned, ...past].map((notice) => itemOf(notice, page, language));
  const document = html`<?xml version="1.0" encoding="UTF-8"?>
<rss version="2.0" xmlns:atom="http://www.w3.org/2005/Atom">
<channel>
<title>${menu.name} – ${texts.feed}</title>
<link>${page}</link>
<atom:link href="${server}/changelog.rss?lang=${language}" rel="self" type="application/rss+xml"/>
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

/** An item whose guid is constant until the notice's day changes. The description is HTML as text. */
function itemOf(notice: KeyedNotice, page: string, language: TechnicalLanguage): Html {
  const { key, from } = notice;
  return html`<item>
<title>${writeDate(from, language)}: ${notice[`title_${language}`]}</title>
<link>${page}#${key}</link>
<guid isPermaLink="false">${key}</guid>
<description>${noticeText(notice, language).html}</description>
</item>
`;
}
