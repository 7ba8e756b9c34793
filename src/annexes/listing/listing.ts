/** `/events.html` (I10): one more list of events, for frames, printers and readers without a script; and `/oembed` for it. */
import type { ServeContext, ServePart } from '../../serve/annex.ts';
import { createLists, type Format } from '../events/endpoint.ts';
import { text } from '../events/query.ts';
import type { About } from '../facts/facts.ts';
import { assetOf, pageHeaders, STYLESHEET } from '../page/page.ts';
import { createOembed } from './oembed.ts';
import { createWriteHtml } from './write.ts';

const OWN_STYLESHEET = assetOf('src/annexes/listing/assets/listing.css');

/** Parameters of the page alone; `/oembed` reads them, too. */
const PARAMETERS = { heading: { ...text, about: 'A heading of one’s own.' } };

/** Any page may frame it. JSON-LD is not executed. */
const HEADERS = pageHeaders("form-action 'none'", 'frame-ancestors *');

export function create(context: ServeContext): ServePart {
  const hasFeeds = () => context.parts().some(({ offers }) => offers?.includes('feeds'));
  const format: Format = {
    path: '/events.html',
    about: 'Events as a page that needs no script, for frames and printing.',
    answer: { about: 'A page.' },
    type: 'text/html; charset=utf-8',
    write: createWriteHtml([STYLESHEET.file, OWN_STYLESHEET.file], hasFeeds),
    parameters: PARAMETERS,
    isDated: true,
    headers: HEADERS,
  };
  const lists = createLists([format], context);
  return {
    ...lists,
    offers: ['listing'],
    routes: {
      ...lists.routes,
      ...STYLESHEET.routes,
      ...OWN_STYLESHEET.routes,
      '/oembed': { GET: createOembed({ ...context, parameters: PARAMETERS }), about: OEMBED },
    },
  };
}

const PIXELS = { type: 'integer', minimum: 1, maximum: 99_999 };

const OEMBED: About = {
  summary: 'What shows an address of `/events.html` on another site (oEmbed 1.0).',
  parameters: {
    url: {
      about: 'An address of `/events.html` of this server.',
      schema: { type: 'string' },
      isRequired: true,
    },
    maxwidth: { about: 'Pixels.', schema: PIXELS },
    maxheight: { about: 'Pixels.', schema: PIXELS },
    format: { about: 'There is no other.', schema: { type: 'string', enum: ['json'] } },
  },
  answer: {
    about: 'A frame, as HTML.',
    type: 'application/json',
    schema: { type: 'object', required: ['version', 'type', 'html', 'width', 'height'] },
  },
};
