/** `/sitemap.xml`: the pages of this calendar's municipalities and events for search engines. */
import { isoSecond } from '../../../calendar/time.ts';
import { readNodes, selectNodes } from '../../../serve/query/select.ts';
import { type View, viewAt } from '../../../serve/query/view.ts';
import { bitsOf } from '../../../snapshot/bitmaps.ts';
import type { Municipality } from '../../../snapshot/filters/filter.ts';
import { municipalitiesWithEvents, municipalityValue } from '../../events/municipalities.ts';
import { feedEventOf } from '../../events/values.ts';
import type { DocumentBasis } from '../../page/document.ts';
import { type Html as Xml, html as xml } from '../../page/html.ts';
import { queryText } from '../../page/links.ts';

/**
 * The list, that of each municipality with events, and pages of events whose own address is here: others have theirs on the calendar's other
 * site.
 */
export async function writeSitemap({ snapshot, address, now }: DocumentBasis): Promise<string> {
  const view = viewAt(snapshot, now);
  const { rows, total } = await selectNodes(view, {}, now);
  const lists = ['', ...municipalitiesWithEvents(view).flatMap((one) => queryOf(one, view) ?? [])];
  const entries = lists.map((query) => entryOf(`${address}/events.html${query}`, snapshot.meta.builtAt));
  for (let first = 0; first < Math.min(total, MOST_ADDRESSES - 1); first += AT_ONCE) {
    const some = [...bitsOf(rows, first, AT_ONCE)];
    for (const node of await readNodes(view, some, { validAt: now, byDay: false })) {
      const { link, updated, created } = feedEventOf(node, 'nb');
      const changed = updated ?? created;
      const isHere = link.startsWith(`${address}/events/`);
      if (isHere) entries.push(entryOf(link, changed === null ? null : isoSecond(changed)));
    }
  }
  return xml`<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
${entries.slice(0, MOST_ADDRESSES)}</urlset>
`.html;
}

/** Addresses in a sitemap, by its protocol. */
const MOST_ADDRESSES = 50_000;

/** Events that are read at once. */
const AT_ONCE = 250;

/** Null if the municipality has no list of its own. */
function queryOf(municipality: Municipality, view: View): string | null {
  const value = municipalityValue(municipality, view);
  return value === null ? null : queryText(new URLSearchParams({ municipality: value }));
}

function entryOf(link: string, changed: string | null): Xml {
  const lastmod = changed !== null && xml`<lastmod>${changed}</lastmod>`;
  return xml`<url><loc>${link}</loc>${lastmod}</url>\n`;
}
