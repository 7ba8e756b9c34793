/** The addresses of one selection of events: other pages of it, and its other formats. */

import { nameOf } from '../events/name.ts';
import type { Feed } from '../events/read.ts';
import { type Html, html } from '../page/html.ts';
import { LISTS, queryText } from '../page/links.ts';

/** Values of parameters; null for one that is left out. */
type Changes = Readonly<Record<string, string | null>>;

/** The query of this page with changed values. */
export function searchWith({ parameters }: Pick<Feed, 'parameters'>, changes: Changes): string {
  const query = new URLSearchParams([...parameters]);
  for (const [name, value] of Object.entries(changes)) {
    if (value === null) query.delete(name);
    else query.set(name, value);
  }
  return queryText(query);
}

/** Parameters of pages, which a feed of the same events does not accept or ignores. */
const ONLY_OF_PAGES: Changes = {
  heading: null,
  view: null,
  theme: null,
  page: null,
  pageSize: null,
};

/** The query of the feeds of the same events, whichever page this is. */
export function feedSearch(feed: Pick<Feed, 'parameters'>): string {
  return searchWith(feed, ONLY_OF_PAGES);
}

/** The heading that the address asks for; by default the name of the selection. */
export function headingOf(feed: Feed): string {
  const { heading } = feed.values;
  return typeof heading === 'string' ? heading : nameOf(feed);
}

/** I1, I6: the formats with a feed of the same events. */
const FORMATS = [LISTS.ics, LISTS.rss, LISTS.json, LISTS.jsonld, LISTS.csv];

/** Elements of the document's head, by which programs find other formats of the same events. `hasFeeds`: whether the server has feeds. */
export function alternates(feed: Feed, hasFeeds: boolean): Html {
  const feeds = hasFeeds ? feedAlternates(feed) : [];
  return html`${feeds}${oembedAlternate(feed)}`;
}

function feedAlternates(feed: Feed): readonly Html[] {
  const heading = headingOf(feed);
  const search = feedSearch(feed);
  return FORMATS.map(
    ({ file, type, kind }) =>
      html`<link rel="alternate" type="${type}" title="${heading} (${kind})" href="${file}${search}">\n`,
  );
}

/** Other sites find here how to frame the page. Null if the server does not know the page's full address, which oEmbed needs. */
function oembedAlternate(feed: Feed): Html | null {
  if (feed.address === null) return null;
  const page = new URL(`events.html${feed.search}`, feed.address);
  const query = new URLSearchParams({ url: page.href });
  const href = `oembed?${query}`;
  return html`<link rel="alternate" type="application/json+oembed" title="${headingOf(feed)}" href="${href}">\n`;
}
