/**
 * `/events.html`, the calendar's own site (I11) with a page for each event at `/events/SLUG.html`; with
 * `view=plain` one more list of events, for frames, printers and readers without a script (I10); and `/oembed` for it.
 */
import { eventPagesOf } from '../../calendar/date-address.ts';
import type { ServeContext, ServePart } from '../../serve/annex.ts';
import type { HeaderList } from '../../serve/http/message.ts';
import { NEAR_ROUTES } from '../events/choices.ts';
import { createLists } from '../events/endpoint.ts';
import type { Format } from '../events/format.ts';
import { oneOf, text } from '../events/parameters.ts';
import { resizedPictureOf } from '../events/pictures.ts';
import { STYLESHEET } from '../page/assets.ts';
import { menuOf } from '../page/menu.ts';
import { pageHeaders } from '../page/page-reply.ts';
import { oembedRoute } from './oembed.ts';
import { PLAIN_STYLESHEET, writePlain } from './plain.ts';
import { SHARE_ROUTES } from './site/card.ts';
import { writeEvent } from './site/event.ts';
import { DATE, handlingOf } from './site/event-date.ts';
import { createFiles } from './site/files.ts';
import { ownPicturesHeaders, SITE_HEADERS, SITE_STYLESHEET } from './site/frame.ts';
import { eventOf, explainGone, isEventPage } from './site/gone.ts';
import { type Offered, writeList } from './site/list.ts';
import { STRIP_ROUTES } from './site/strip.ts';
import { byDay, tidyAddress, tidyEventAddress } from './site/window.ts';

export function create(context: ServeContext): ServePart {
  const lists = createLists(formatsOf(context), context);
  return {
    ...lists,
    offers: ['events'],
    routes: {
      ...lists.routes,
      ...STYLESHEET.routes,
      ...PLAIN_STYLESHEET.routes,
      ...SITE_STYLESHEET.routes,
      ...NEAR_ROUTES,
      ...SHARE_ROUTES,
      ...STRIP_ROUTES,
      ...createFiles(context),
      ...oembedRoute(context),
    },
  };
}

/** What depends on the annexes that this server has. */
interface Surroundings {
  readonly hasFeeds: () => boolean;
  readonly offered: () => Offered;
  /** The headers of the site's pages: where copies of pictures are on this server, no page loads any from elsewhere. */
  readonly siteHeaders: () => HeaderList;
}

function formatsOf(context: ServeContext): readonly Format[] {
  const hasFeeds = () => context.parts().some(({ offers }) => offers?.includes('feeds'));
  const withOwnPictures = ownPicturesHeaders(context.settings.publicUrl);
  const surroundings: Surroundings = {
    hasFeeds,
    offered: () => ({ menu: menuOf(context), hasFeeds: hasFeeds() }),
    siteHeaders: () => (resizedPictureOf(context.parts()) === null ? SITE_HEADERS : withOwnPictures),
  };
  return [listFormat(context, surroundings), plainFormat(surroundings), eventFormat(context, surroundings)];
}

const HTML = { answer: { about: 'A page.' }, type: 'text/html; charset=utf-8' };

function listFormat(context: ServeContext, { offered, siteHeaders }: Surroundings): Format {
  return {
    ...HTML,
    path: PATH,
    about: 'The calendar’s own website, with a search form; a plain version is for frames and printing.',
    parameters: PARAMETERS,
    pageSize: 24,
    write: (list) => writeList(list, offered()),
    page: {
      isFor: ({ path, search }) => isListPath(path, context) && !isPlain(search),
      isLocalized: true,
      tidyAddress,
      narrowed: byDay,
      headers: siteHeaders,
    },
  };
}

function plainFormat({ hasFeeds }: Surroundings): Format {
  return {
    ...HTML,
    path: PATH,
    about: 'The same events without a search form.',
    parameters: PARAMETERS,
    write: (list) => writePlain(list, hasFeeds()),
    page: {
      isFor: ({ path, search }) => path === PATH && isPlain(search),
      isLocalized: false,
      headers: () => PLAIN_HEADERS,
    },
  };
}

function eventFormat(context: ServeContext, { offered, siteHeaders }: Surroundings): Format {
  return {
    ...HTML,
    path: '/events/{slug}.html',
    about: 'The page of one event.',
    parameters: { date: DATE },
    dates: 'all',
    write: (list) => writeEvent(list, offered()),
    page: {
      isFor: isEventPage,
      isLocalized: true,
      tidyAddress: tidyEventAddress,
      eventOf,
      handling: handlingOf,
      headers: siteHeaders,
      explain: explainGone(() => menuOf(context)),
    },
  };
}

const PATH = '/events.html';

const isPlain = (search: string): boolean => new URLSearchParams(search).get('view') === 'plain';

/** I13: where the pages of events are this server's, its front is their list. */
function isListPath(path: string, { keeper }: ServeContext): boolean {
  if (path !== '/') return path === PATH;
  const { current } = keeper.state();
  return current !== null && eventPagesOf(current.lists.licence.siteUrl) !== null;
}

/** Parameters of the pages alone. */
const PARAMETERS = {
  heading: { ...text, about: 'Your own heading.' },
  theme: {
    ...oneOf(['light', 'dark', 'auto']),
    about: 'Colours of the plain page; `auto`, the default, follows the reader’s system.',
  },
  view: {
    ...oneOf(['plain']),
    about: '`plain` leaves out the search form and the pictures, for frames and printing.',
  },
};

/** Any page may frame it. JSON-LD is not executed. */
const PLAIN_HEADERS = pageHeaders(["form-action 'none'", 'frame-ancestors *']);
