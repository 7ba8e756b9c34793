/** The pages of a list, which are numbered from 0: links between them, and the text of a page that does not exist. */
import type { EventList } from '../events/event-list.ts';
import { type Html, html } from '../page/html.ts';
import { inEach } from '../page/reader.ts';
import { searchWith } from './list-links.ts';

const pagesOf = ({ total, pageSize }: EventList): number => Math.ceil(total / pageSize);

/** Whether the address names a page after the last one. A list without events has no pages, but its first address is valid. */
export const isBeyondLast = (list: EventList): boolean => list.total > 0 && list.page >= pagesOf(list);

/** In place of the events on a page after the last one: a link to the last one. */
export function beyondLast(list: EventList): Html {
  const { noPage, lastPage } = TEXTS[list.language];
  const pages = pagesOf(list);
  // Without a number, the address is that of the first page.
  const query = searchWith(list, { page: pages === 1 ? null : `${pages - 1}` });
  return html`<h2>${noPage}</h2>
<p><a target="_self" href="events.html${query}">${lastPage(pages)}</a></p>
`;
}

/** Links to the pages before and after this one. Null if all events are on one page, or if this page does not exist. */
export function pageLinks(list: EventList): Html | null {
  const { page, language } = list;
  const texts = TEXTS[language];
  const pages = pagesOf(list);
  if (pages <= 1 || page >= pages) return null;
  const linkTo = (to: number, rel: string, text: string) => {
    const query = searchWith(list, { page: `${to}` });
    return html`<li><a rel="${rel}" target="_self" href="events.html${query}">${text}</a></li>\n`;
  };
  const hasPrevious = page > 0;
  const hasNext = page + 1 < pages;
  const previous = hasPrevious ? linkTo(page - 1, 'prev', texts.previous) : null;
  const next = hasNext ? linkTo(page + 1, 'next', texts.next) : null;
  return html`<nav class="pages" aria-label="${texts.pages}"><ul>
${previous}<li>${texts.pageNumber(page + 1, pages)}</li>
${next}</ul></nav>
`;
}

/** Readers count pages from 1. */
const TEXTS = inEach({
  pages: ['Bla i listen', 'Pages of the list', 'Bla i lista'],
  pageNumber: [
    (page: number, pages: number) => `Side ${page} av ${pages}`,
    (page: number, pages: number) => `Page ${page} of ${pages}`,
    (page: number, pages: number) => `Side ${page} av ${pages}`,
  ],
  noPage: ['Siden finnes ikke', 'Page not found', 'Sida finst ikkje'],
  lastPage: [
    (page: number) => `Gå til side ${page}`,
    (page: number) => `Go to page ${page}`,
    (page: number) => `Gå til side ${page}`,
  ],
  previous: ['Forrige side', 'Previous page', 'Førre side'],
  next: ['Neste side', 'Next page', 'Neste side'],
});
