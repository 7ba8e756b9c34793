/** `GET /changelog`: CHANGELOG.md, which is in English, inside a page of the reader's language. */
import { Marked } from 'marked';
import type { AnswerPage } from './developer.ts';
import { type Html, html } from './html.ts';
import { createPage, frame, type Page, type PageName } from './page.ts';
import { inEach, LANGUAGES, type Language, languageOf } from './reader.ts';

interface ChangelogOptions {
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

const TEXTS = inEach({
  nb: { title: 'Endringer – almanakk', description: 'Endringer i grensesnittet og tjenesten.' },
  en: { title: 'Changes – almanakk', description: 'Changes to the interface and the service.' },
});

/** HTML in it is text, and links go to the web or within the project. */
export function renderMarkdown(text: string): Html {
  return { html: MARKED.parse(text, { async: false }) };
}

const MARKED = new Marked({
  renderer: {
    html: ({ text, block }) => (block ? html`<p>${text.trim()}</p>\n` : html`${text}`).html,
    image: ({ raw }) => html`${raw}`.html,
    code: ({ text }) => html`<pre class="example" tabindex="0"><code>${text}</code></pre>\n`.html,
    link({ href, tokens }) {
      const label = this.parser.parseInline(tokens);
      return SAFE_LINK.test(href) ? html`<a href="${href}">${{ html: label }}</a>`.html : label;
    },
  },
});

const SAFE_LINK = /^(https?:\/\/|[\w./#-]+$)/;
