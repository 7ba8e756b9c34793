/** Pages that state a problem, such as a page that does not exist, or a calendar that is not ready yet. */
import type { IncomingHttpHeaders } from 'node:http';
import type { HttpReply } from '../../serve/http/message.ts';
import { RETRY_LATER } from '../../serve/http/replies.ts';
import { type Content, type Html, html } from './html.ts';
import { type FrameOptions, frame } from './page.ts';
import { createPage } from './page-reply.ts';
import { type ChosenLanguage, inEach } from './reader.ts';

export interface StateOptions extends Omit<FrameOptions, 'description' | 'content' | 'page'> {
  readonly text: string;
  readonly more?: Content;
  /** The end of the window's title. */
  readonly ending?: string;
}

/** A page outside the menu that states a problem, and links to other pages. */
export function statePage({ title, text, more, ending, ...options }: StateOptions): Html {
  const content = html`<div class="state">
<h1>${title}</h1>
<p class="lede">${text}</p>
${more}</div>`;
  return frame({
    ...options,
    title: `${title}${ending ?? ` – ${options.menu.name}`}`,
    description: text,
    page: null,
    content,
  });
}

export async function unavailable(
  options: Pick<FrameOptions, 'menu' | 'languages' | keyof ChosenLanguage>,
  headers: IncomingHttpHeaders,
): Promise<HttpReply> {
  const { language } = options;
  const { title, text } = UNAVAILABLE[language];
  const document = statePage({ ...options, title, text });
  const reply = await createPage({ document, language, isTagged: false })(headers, 'no-store');
  return { ...reply, status: 503, headers: [...reply.headers, ...RETRY_LATER] };
}

export const UNAVAILABLE = inEach({
  title: ['Kalenderen er ikke klar ennå', 'The calendar is not ready yet', 'Kalenderen er ikkje klar enno'],
  text: [
    'Den bygges eller hentes akkurat nå. Prøv igjen om et øyeblikk.',
    'It is being built or fetched right now. Try again in a moment.',
    'Han blir bygd eller henta akkurat no. Prøv igjen om ein augneblink.',
  ],
});
