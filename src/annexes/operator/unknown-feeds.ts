/** The page for a `/status?feeds=` that names feeds which the calendar does not have. */
import { type Html, html } from '../page/html.ts';
import { languageQuery } from '../page/links.ts';
import type { FrameOptions } from '../page/page.ts';
import { type ChosenLanguage, inBoth, TECHNICAL_LANGUAGES, type TechnicalLanguage } from '../page/reader.ts';
import { statePage } from '../page/state-page.ts';
import type { UnknownFeed } from './reports.ts';

export function renderUnknownFeeds(
  unknown: readonly UnknownFeed[],
  options: Pick<FrameOptions, 'menu'> & ChosenLanguage<TechnicalLanguage>,
): Html {
  const texts = TEXTS[options.language];
  const items = unknown.map(({ id, nearest }) => {
    const hint = nearest !== null && html`. ${texts.nearest} <code>${nearest}</code>`;
    return html`<li><code>${id}</code>${hint}</li>\n`;
  });
  const more = html`<ul>
${items}</ul>
<p><a href="status${languageQuery(options)}">${texts.whole}</a></p>
`;
  return statePage({
    ...options,
    languages: TECHNICAL_LANGUAGES,
    title: texts.title,
    text: texts.text,
    more,
  });
}

const TEXTS = inBoth({
  title: ['Ukjent kilde', 'Unknown feed'],
  text: ['Kalenderen har ingen kilde med denne id-en:', 'The calendar has no feed with this id:'],
  nearest: ['Den som ligner mest, er', 'The nearest is'],
  whole: ['Vis status for hele kalenderen', 'Show the status of the whole calendar'],
});
