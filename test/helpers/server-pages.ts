/** The pages of a server, and their links. */
import type { Running } from './running.ts';
import { hasPart } from './when.ts';

export const DESCRIPTIONS = hasPart('src/annexes/catalog/llms.ts') ? ['/catalog.jsonld', '/llms.txt'] : [];

/** A page that no server has. */
export const UNKNOWN = '/nowhere';

/** Pages and files whose links and addresses are read, beside the page of an event. */
export const READ = [
  '/',
  '/events.html',
  '/events.html?view=plain',
  '/subscribe',
  '/developers',
  '/docs/',
  '/changelog',
  ...(hasPart('src/annexes/operator') ? ['/status?format=html'] : []),
  UNKNOWN,
  '/sitemap.xml',
  '/robots.txt',
  '/manifest.webmanifest',
  '/openapi.json',
  ...DESCRIPTIONS,
];

/** The page of the next event. */
export async function eventPage({ ask }: Running): Promise<string> {
  const query = '{ events(pageSize: 1) { data { event_slug } } }';
  const { events } = await ask<{ events: { data: readonly { event_slug: string }[] } }>(query);
  return `/events/${events.data[0]?.event_slug}.html`;
}

/** The paths of a page's links, scripts, forms and alternates on its server. */
export function linksIn(text: string, address: string): readonly string[] {
  const base = new URL(address);
  return [...text.matchAll(/\s(?:href|src|action)="([^"]+)"/g)].flatMap(([, link = '']) => {
    const url = new URL(link.replaceAll('&amp;', '&'), base);
    return url.origin === base.origin ? url.pathname : [];
  });
}
