/** What search engines and browsers ask any site for, `/robots.txt`, `/sitemap.xml` and `/favicon.ico`. */
import { readFileSync } from 'node:fs';
import { packagePath } from '../../../package.ts';
import type { ServeContext, ServePart } from '../../../serve/annex.ts';
import { fixedReply } from '../../../serve/http/representation.ts';
import { selectNodes } from '../../../serve/query/select.ts';
import { viewAt } from '../../../serve/query/view.ts';
import { bitsOf } from '../../../snapshot/bitmaps.ts';
import type { About } from '../../facts/facts.ts';
import { createDocument, type Documented } from '../../page/document.ts';
import { html as xml } from '../../page/html.ts';

export function createFiles(context: ServeContext): NonNullable<ServePart['routes']> {
  const robots = createDocument(
    context,
    'text/plain; charset=utf-8',
    ({ address }) =>
      `User-agent: *\nDisallow: /graphQL\nDisallow: /graphql\n\nSitemap: ${address}/sitemap.xml\n`,
  );
  const sitemap = createDocument(context, 'application/xml; charset=utf-8', writeSitemap);
  const icon = fixedReply({
    body: readFileSync(packagePath('src/annexes/listing/assets/favicon.ico')),
    type: 'image/x-icon',
    cacheControl: 'public, max-age=86400',
  });
  return {
    '/robots.txt': { GET: robots, about: aboutOf('Where programs may look, and the sitemap.', 'text/plain') },
    '/sitemap.xml': {
      GET: sitemap,
      about: aboutOf('Pages of events that are found here alone.', 'application/xml'),
    },
    '/favicon.ico': { GET: icon, about: aboutOf('The picture of this site in a browser.', 'image/x-icon') },
  };
}

const aboutOf = (summary: string, type: string): About => ({ summary, answer: { about: 'The file.', type } });

/** Addresses in a sitemap, by its protocol. */
const MOST_ADDRESSES = 50_000;

/** The list, and pages of events whose own address is here: others have theirs on the calendar's other site. */
async function writeSitemap({ snapshot, address, now }: Documented): Promise<string> {
  const view = viewAt(snapshot, now);
  const { rows, total } = await selectNodes(view, {}, now);
  const events = [...bitsOf(rows, 0, Math.min(total, MOST_ADDRESSES - 1))].map(
    (row) => view.columns.event[row] ?? -1,
  );
  const links = (await snapshot.eventNames(events)).map(({ link }) => link);
  const own = links.filter((link) => link.startsWith(`${address}/events/`));
  return xml`<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
${[`${address}/events.html`, ...own].map((link) => xml`<url><loc>${link}</loc></url>\n`)}</urlset>
`.html;
}
