/** The content of the changelog, and the text of a planned change, for the page and the feed. */
import type { KeyedNotice } from '../../common/notices.ts';
import { type Html, html, joined, withCode } from '../../page/html.ts';
import type { Menu } from '../../page/menu.ts';
import { type ChosenLanguage, inBoth, type TechnicalLanguage } from '../../page/reader.ts';
import type { Version } from '../versions.ts';

export interface ChangelogContent extends ChosenLanguage<TechnicalLanguage> {
  /** Address of this server, without a slash at the end. */
  readonly server: string;
  /** Request headers besides `Host` that the address depends on. */
  readonly vary: readonly string[];
  readonly menu: Menu;
  /** Rendered for the first page: it takes a sixth of a server's start. */
  readonly renderVersions: () => readonly Version[];
  /** The earliest first. */
  readonly planned: readonly KeyedNotice[];
  /** The latest first. */
  readonly past: readonly KeyedNotice[];
}

/** The paragraphs of a notice, and the categories that retire. */
export function noticeText({ categories, ...notice }: KeyedNotice, language: TechnicalLanguage): Html {
  const lines = notice[`text_${language}`].split('\n').filter((line) => line.trim() !== '');
  const items = categories.map((category) => html`<li>${retirement(category, language)}</li>\n`);
  const paragraphs = lines.map((line) => html`<p>${withCode(line)}</p>\n`);
  const list = items.length > 0 ? html`<ul>\n${items}</ul>\n` : null;
  return html`${paragraphs}${list}`;
}

function retirement(
  { id, replacements }: KeyedNotice['categories'][number],
  language: TechnicalLanguage,
): Html {
  const names = replacements.map((name) => html`<code>${name}</code>`);
  const instead = names.length > 0 ? html` ${TEXTS[language].instead} ${joined(names, ', ')}` : null;
  return html`<code>${id}</code> ${TEXTS[language].retires}${instead}`;
}

/** Texts of both the page and the feed. */
export const SHARED_TEXTS = inBoth({
  feed: ['Planlagte endringer (RSS)', 'Planned changes (RSS)'],
  intro: [
    'Kommende endringer, med dato. Har nøkkelen din en e-postadresse, får du dem også på e-post.',
    'Planned changes, with their dates. If your key has an email address, you also get them by email.',
  ],
});

const TEXTS = inBoth({
  retires: ['legges ned', 'is retired'],
  instead: ['og erstattes av', 'and replaced by'],
});
