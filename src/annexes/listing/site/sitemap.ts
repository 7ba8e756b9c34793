/** `/sitemap.xml`: the pages of this calendar's events for search engines. */
import { isoSecond } from '../../../calendar/time.ts';
import { readNodes, selectNodes } from '../../../serve/query/select.ts';
import { viewAt } from '../../../serve/query/view.ts';
import { bitsOf } from '../../../snapshot/bitmaps.ts';
import { feedEventOf } from '../../events/values.ts';
import type { DocumentBasis } from '../../page/document.ts';
import { type Html as Xml, html as xml } from '../../page/html.ts';

/** The list, and pages of events whose own address is here: others have theirs on the calendar's other site. */
export async function writeSitemap({ snapshot, address, now }: DocumentBasis): Promise<string> {
  const view = viewAt(snapshot, now);
  const { rows, total } = await selectNodes(view, {}, now);
  const entries = [entryOf(`${address}/events.html`, snapshot.meta.builtAt)];
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

function entryOf(link: string, changed: string | null): Xml {
  const lastmod = changed !== null && xml`<lastmod>${changed}</lastmod>`;
  return xml`<url><loc>${link}</loc>${lastmod}</url>\n`;
}
