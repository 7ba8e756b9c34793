/** Elements of a page's head, by which programs find other formats of the same events. They are for discovery: no page requests them. */
import type { EventList } from '../events/event-list.ts';
import { type Html, html } from '../page/html.ts';
import { LIST_FILES } from '../page/links.ts';
import { feedSearch, headingOf } from './list-links.ts';
import { oembedAlternate } from './oembed.ts';

/** `hasFeeds`: whether there are feeds to link to. */
export function alternates(list: EventList, hasFeeds: boolean): readonly Html[] {
  const others = Object.values(OTHERS).flatMap((write) => write(list) ?? []);
  return hasFeeds ? [...feedAlternates(list), ...others] : others;
}

/** Besides feeds. */
const OTHERS: Readonly<Record<string, (list: EventList) => Html | null>> = {
  oembed: oembedAlternate,
};

/** I1, I6: the other formats of the list. */
const FORMATS = [LIST_FILES.ics, LIST_FILES.rss, LIST_FILES.json, LIST_FILES.jsonld, LIST_FILES.csv];

function feedAlternates(list: EventList): readonly Html[] {
  const heading = headingOf(list);
  const search = feedSearch(list);
  return FORMATS.map(
    ({ file, type, kind }) =>
      html`<link rel="alternate" type="${type}" title="${heading} (${kind})" href="${file}${search}">\n`,
  );
}
