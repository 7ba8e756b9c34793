/** The addresses of one selection of events: other pages of it, and its other formats. */
import type { EventList } from '../events/event-list.ts';
import { nameOf } from '../events/name.ts';
import { type Html, html } from '../page/html.ts';
import { LISTS, queryText } from '../page/links.ts';

/** Values of parameters; null for one that is left out. */
type Changes = Readonly<Record<string, string | null>>;

/** The query of this page with changed values. */
export function searchWith({ parameters }: Pick<EventList, 'parameters'>, changes: Changes): string {
  const query = new URLSearchParams([...parameters]);
  for (const [name, value] of Object.entries(changes)) {
    if (value === null) query.delete(name);
    else query.set(name, value);
  }
  return queryText(query);
}

/** Parameters of pages, which the other formats of the list do not accept, or ignore. */
const ONLY_OF_PAGES: Changes = {
  heading: null,
  view: null,
  theme: null,
  page: null,
  pageSize: null,
};

/** The query of the feeds of this list, whichever page this is. */
export function feedSearch(list: Pick<EventList, 'parameters'>): string {
  return searchWith(list, ONLY_OF_PAGES);
}

/** The heading that the address asks for; by default the name of the selection. */
export function headingOf(list: EventList): string {
  const { heading } = list.values;
  return typeof heading === 'string' ? heading : nameOf(list);
}

/** I1, I6: the other formats of the list. */
const FORMATS = [LISTS.ics, LISTS.rss, LISTS.json, LISTS.jsonld, LISTS.csv];

/** Elements of the document's head, by which programs find other formats of the same events. */
export function alternates(list: EventList): Html {
  return html`${feedAlternates(list)}${oembedAlternate(list)}`;
}

function feedAlternates(list: EventList): readonly Html[] {
  const heading = headingOf(list);
  const search = feedSearch(list);
  return FORMATS.map(
    ({ file, type, kind }) =>
      html`<link rel="alternate" type="${type}" title="${heading} (${kind})" href="${file}${search}">\n`,
  );
}

/** Other sites find here how to frame the page. Null if the server does not know the page's full address, which oEmbed needs. */
export function oembedAlternate(list: EventList): Html | null {
  if (list.address === null) return null;
  const page = new URL(`events.html${list.search}`, list.address);
  const query = new URLSearchParams({ url: page.href });
  const href = `oembed?${query}`;
  return html`<link rel="alternate" type="application/json+oembed" title="${headingOf(list)}" href="${href}">\n`;
}
