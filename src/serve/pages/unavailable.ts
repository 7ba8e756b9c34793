/** What a page says while no snapshot is open. */
import type { IncomingHttpHeaders } from 'node:http';
import type { HttpReply } from '../http/message.ts';
import { type FrameOptions, frame } from './frame.ts';
import { html } from './html.ts';
import type { InEach } from './language.ts';
import { createPage } from './page.ts';

export type UnavailableOptions = Omit<FrameOptions, 'title' | 'description' | 'content'>;

export function unavailable(options: UnavailableOptions, headers: IncomingHttpHeaders): Promise<HttpReply> {
  const { language } = options;
  const { title, text } = TEXTS[language];
  const content = html`<h1>${title}</h1>\n<p class="lede">${text}</p>`;
  const document = frame({ ...options, title, description: text, content });
  const page = createPage({ document, language, status: 503, headers: ['Retry-After', '5'] });
  return page(headers, 'no-store');
}

const TEXTS: InEach<{ readonly title: string; readonly text: string }> = {
  nb: {
    title: 'Kalenderen er ikke åpen ennå',
    text: 'Den bygges eller hentes akkurat nå. Prøv igjen om et øyeblikk.',
  },
  en: {
    title: 'The calendar is not open yet',
    text: 'It is being built or fetched right now. Try again in a moment.',
  },
};
