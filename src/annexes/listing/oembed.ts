/** `/oembed?url=` (oEmbed 1.0): the frame that shows an address of `/events.html`, for sites into which it is pasted. */
import { CalendarError } from '../../calendar/errors.ts';
import { parsedUrl } from '../../calendar/urls.ts';
import type { PartRoutes, ServeContext } from '../../serve/annex.ts';
import { refuse } from '../../serve/graphql/refusal.ts';
import type { Handle } from '../../serve/http/koa.ts';
import { plainRefusal } from '../../serve/http/replies.ts';
import { createResource } from '../../serve/http/representation.ts';
import { withSnapshot } from '../../snapshot/pins.ts';
import type { EventList } from '../events/event-list.ts';
import { withoutKeyAndTracking } from '../events/query.ts';
import type { About } from '../facts/facts.ts';
import { type Html, html } from '../page/html.ts';
import { headingOf } from './list-links.ts';

/** Pixels, if the site does not say how much room it has. */
const WIDTH = 640;
const HEIGHT = 720;

export function oembedRoute(context: ServeContext): PartRoutes {
  return { '/oembed': { GET: createOembed(context), about: OEMBED } };
}

/** Other sites find here how to frame the page. Null if the server does not know the page's full address, which oEmbed needs. */
export function oembedAlternate(list: EventList): Html | null {
  if (list.address === null) return null;
  const page = new URL(`events.html${list.search}`, list.address);
  const query = new URLSearchParams({ url: page.href });
  const href = `oembed?${query}`;
  return html`<link rel="alternate" type="application/json+oembed" title="${headingOf(list)}" href="${href}">\n`;
}

function createOembed({ keeper, settings, serverAddress }: ServeContext): Handle {
  return async ({ headers, search }) => {
    const parameters = new URLSearchParams(search);
    if ((parameters.get('format') ?? 'json') !== 'json') return NOT_IN_THAT_FORMAT;
    const width = roomOf(parameters.get('maxwidth'), WIDTH);
    const height = roomOf(parameters.get('maxheight'), HEIGHT);
    if (width === null || height === null) return NO_SIZE;
    const server = serverAddress.trusted(headers);
    const page = framedPage(parameters.get('url') ?? '', server);
    const { name, siteUrl } = await withSnapshot(keeper, ({ lists }) => lists.licence);
    const title = page.searchParams.get('heading')?.trim() || name;
    const body = JSON.stringify({
      version: '1.0',
      type: 'rich',
      title,
      html: frameOf(page.href, title, height).html,
      width,
      height,
      provider_name: name,
      provider_url: siteUrl,
      cache_age: CACHE_SECONDS,
    });
    const reply = createResource({
      body: Buffer.from(body),
      type: 'application/json; charset=utf-8',
      vary: serverAddress.vary,
    });
    return reply(headers, `public, max-age=${settings.maxAge}`);
  };
}

function frameOf(address: string, title: string, height: number): Html {
  const size = html`width="100%" height="${height}"`;
  return html`<iframe src="${address}" title="${title}" ${size} loading="lazy" frameborder="0"></iframe>`;
}

/** The frame's content is always current: only its title may be old. */
const CACHE_SECONDS = 86_400;

/** oEmbed 1.0, 2.3.4. */
const NOT_IN_THAT_FORMAT = plainRefusal(refuse('BAD_REQUEST', 'format: expected json'), { status: 501 });

const NO_SIZE = plainRefusal(
  refuse('BAD_REQUEST', 'maxwidth, maxheight: expected whole numbers of pixels, 1 to 99999'),
);

/** Pixels of room; null if the value is not a number. */
function roomOf(given: string | null, most: number): number | null {
  if (given === null || given === '') return most;
  return /^[1-9]\d{0,4}$/.test(given) ? Math.min(most, Number(given)) : null;
}

/** Throws NOT_FOUND for an address that is not of this server's page. A user name looks like the host to a reader: it has none. */
function framedPage(url: string, server: string | null): URL {
  const page = parsedUrl(url);
  const hasUser = page?.username !== '' || page.password !== '';
  const isOurs =
    page !== null && server !== null && `${page.origin}${page.pathname}` === `${server}/events.html`;
  if (!isOurs || hasUser) {
    const where = server ?? 'this server';
    throw new CalendarError('NOT_FOUND', `url: expected an address of /events.html on ${where}`);
  }
  page.searchParams.set('view', 'plain');
  // Most pages are light, so a frame must not turn dark unasked.
  if (!page.searchParams.has('theme')) page.searchParams.set('theme', 'light');
  page.search = withoutKeyAndTracking(page.search.slice(1));
  page.hash = '';
  return page;
}

const PIXELS = { type: 'integer', minimum: 1, maximum: 99_999 };

const OEMBED: About = {
  summary: 'A frame that shows an address of `/events.html` on another site (oEmbed 1.0).',
  parameters: {
    url: {
      about: 'An `/events.html` address on this server.',
      schema: { type: 'string' },
      isRequired: true,
    },
    maxwidth: { about: 'Pixels.', schema: PIXELS },
    maxheight: { about: 'Pixels.', schema: PIXELS },
    format: { about: 'The only supported format.', schema: { type: 'string', enum: ['json'] } },
  },
  answer: {
    about: 'A frame, as HTML.',
    type: 'application/json',
    schema: { type: 'object', required: ['version', 'type', 'html', 'width', 'height'] },
  },
};
