/** `GET /changelog`: CHANGELOG.md, which is in English, inside a page of the reader's language. */

import type { AnswerPage } from './developer.ts';
import { frame, type PageName } from './frame.ts';
import { html } from './html.ts';
import { type InEach, LANGUAGES, type Language, languageOf } from './language.ts';
import { renderMarkdown } from './markdown.ts';
import { createPage, type Page } from './page.ts';

export interface ChangelogOptions {
  /** Markdown. */
  readonly changelog: string;
  readonly menu: readonly PageName[];
  readonly stylesheet: string;
}

/** Made once: the file is part of the install. */
export function createChangelogPage(options: ChangelogOptions): AnswerPage {
  const content = html`<div class="prose" lang="en">
${renderMarkdown(options.changelog)}</div>`;
  const make = (language: Language, inAddress: boolean) => {
    const { title, description } = TEXTS[language];
    const page = 'changelog' as const;
    return createPage({
      document: frame({ ...options, language, inAddress, title, description, page, content }),
      language,
    });
  };
  const pages = new Map<string, Page>();
  for (const language of LANGUAGES) {
    for (const inAddress of [true, false]) pages.set(`${language} ${inAddress}`, make(language, inAddress));
  }
  return (request) => {
    const { language, inAddress } = languageOf(request);
    const page = pages.get(`${language} ${inAddress}`) ?? make(language, inAddress);
    return page(request.headers, 'public, max-age=300');
  };
}

const TEXTS: InEach<{ readonly title: string; readonly description: string }> = {
  nb: { title: 'Endringer – almanakk', description: 'Endringer i grensesnittet og tjenesten.' },
  en: { title: 'Changes – almanakk', description: 'Changes to the interface and the service.' },
};
