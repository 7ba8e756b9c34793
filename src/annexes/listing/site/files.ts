/** Files that search engines and browsers request from any site, such as `/robots.txt`, `/manifest.webmanifest` and `/favicon.ico`. */
import { readFileSync } from 'node:fs';
import { isoSecond } from '../../../calendar/time.ts';
import { packagePath } from '../../../package.ts';
import type { PartRoutes, ServeContext } from '../../../serve/annex.ts';
import { fixedReply } from '../../../serve/http/representation.ts';
import { readNodes } from '../../../serve/query/nodes.ts';
import { selectNodes } from '../../../serve/query/select.ts';
import { type View, viewAt } from '../../../serve/query/view.ts';
import { bitsOf } from '../../../snapshot/bitmaps.ts';
import type { Municipality } from '../../../snapshot/filters/filter.ts';
import { municipalitiesWithEvents, municipalityValue } from '../../events/municipalities.ts';
import { listedEventOf } from '../../events/values.ts';
import type { About } from '../../facts/facts.ts';
import { createDocument, type DocumentBasis } from '../../page/document.ts';
import { type Html as Xml, html as xml } from '../../page/html.ts';
import { queryText } from '../../page/links.ts';
import { SHARE_PICTURE } from './frame.ts';

export function createFiles(context: ServeContext): PartRoutes {
  const robots = createDocument(context, 'text/plain; charset=utf-8', writeRobots);
  const sitemap = createDocument(context, 'application/xml; charset=utf-8', writeSitemap);
  const manifest = createDocument(context, 'application/manifest+json; charset=utf-8', writeManifest);
  return {
    '/robots.txt': {
      GET: robots,
      about: aboutOf('The paths that crawlers may fetch, and the address of the sitemap.', 'text/plain'),
    },
    '/sitemap.xml': {
      GET: sitemap,
      about: aboutOf('The pages of events on this server.', 'application/xml'),
    },
    '/manifest.webmanifest': {
      GET: manifest,
      about: aboutOf(
        'The manifest that lets phones install the site as an app.',
        'application/manifest+json',
        { type: 'object' },
      ),
    },
    ...Object.fromEntries(PICTURES.map(([name, type, about]) => [`/${name}`, fileOf(name, type, about)])),
  };
}

function writeRobots({ address }: DocumentBasis): string {
  return `User-agent: *
Disallow: /graphQL
Disallow: /graphql

Sitemap: ${address}/sitemap.xml
`;
}

const ICON = 'icon-512.png';

/** Files of the folder `assets`. */
const PICTURES = [
  ['favicon.ico', 'image/x-icon', 'The picture of this site in a browser.'],
  ['touch-icon.png', 'image/png', 'The picture of this site on the screen of a phone.'],
  [ICON, 'image/png', 'The picture of this site as an app.'],
  [SHARE_PICTURE, 'image/png', 'What a shared link shows where an event has no picture.'],
] as const;

/** Read once, as the server starts: no request waits for it. */
function fileOf(name: string, type: string, about: string): PartRoutes[string] {
  const body = readFileSync(packagePath(`src/annexes/listing/assets/${name}`));
  const GET = fixedReply({ body, type, cacheControl: 'public, max-age=86400' });
  return { GET, about: aboutOf(about, type) };
}

function writeManifest({ snapshot }: DocumentBasis): string {
  const { name, language } = snapshot.lists.licence;
  const icons = [
    { src: ICON, sizes: '512x512', type: 'image/png' },
    { src: 'touch-icon.png', sizes: '180x180', type: 'image/png' },
  ];
  return JSON.stringify({
    name,
    short_name: name,
    lang: language,
    start_url: 'events.html',
    scope: './',
    display: 'minimal-ui',
    background_color: '#f7f3ea',
    theme_color: '#f7f3ea',
    icons,
  });
}

/** `schema`: of JSON. */
function aboutOf(summary: string, type: string, schema?: object): About {
  const answer = { about: 'The file.', type };
  return { summary, answer: schema === undefined ? answer : { ...answer, schema } };
}

/**
 * The list, that of each municipality with events, and pages of events whose own address is here: others have theirs on the calendar's other
 * site.
 */
async function writeSitemap({ snapshot, address, now }: DocumentBasis): Promise<string> {
  const view = viewAt(snapshot, now);
  const { rows, total } = await selectNodes(view, {}, { now });
  const lists = ['', ...municipalitiesWithEvents(view).flatMap((one) => queryOf(one, view) ?? [])];
  const entries = lists.map((query) => entryOf(`${address}/events.html${query}`, snapshot.meta.builtAt));
  for (let first = 0; first < Math.min(total, MOST_ADDRESSES - 1); first += AT_ONCE) {
    const some = [...bitsOf(rows, first, AT_ONCE)];
    for (const node of await readNodes(view, some, { validAt: now, byDay: false })) {
      const { link, updated, created } = listedEventOf(node, 'nb');
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
  const lastmod = changed !== null ? xml`<lastmod>${changed}</lastmod>` : null;
  return xml`<url><loc>${link}</loc>${lastmod}</url>\n`;
}
