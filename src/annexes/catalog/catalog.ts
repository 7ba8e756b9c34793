/** `/openapi.json`, `/catalog.jsonld` and `/llms.txt` (I8). */
import type { ServeContext, ServePart } from '../../serve/annex.ts';
import type { Handle } from '../../serve/http/koa.ts';
import { fixedReply } from '../../serve/http/representation.ts';
import type { About } from '../facts/facts.ts';
import { catalogRoute } from './dcat.ts';
import { aboutsOf, type CatalogSettings } from './described.ts';
import { llmsRoute } from './llms.ts';
import { openApiOf } from './openapi.ts';

export function create(context: ServeContext<CatalogSettings>): ServePart {
  const { schema, parts } = context;
  // Written at the first request: the parts of all annexes are known only once the server answers.
  let reply: Handle | undefined;
  const openApi: Handle = (request) => {
    reply ??= fixedReply({
      body: Buffer.from(JSON.stringify(openApiOf(schema, aboutsOf(parts())))),
      type: 'application/json; charset=utf-8',
      cacheControl: 'public, max-age=300',
    });
    return reply(request);
  };
  return {
    offers: ['openapi'],
    routes: {
      '/openapi.json': { GET: openApi, about: OPEN_API },
      ...catalogRoute(context),
      ...llmsRoute(context),
    },
  };
}

const OPEN_API: About = {
  summary: 'A description of this server for programs (OpenAPI 3.1).',
  answer: { about: 'A description of every path.', type: 'application/json', schema: { type: 'object' } },
};
