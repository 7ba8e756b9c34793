/**
 * `/openapi.json`, `/catalog.jsonld` and `/llms.txt` (I8), from each annex's descriptions of its routes and the
 * calendar's licence.
 */
import type { ServeContext, ServePart } from '../../serve/annex.ts';
import type { Handle } from '../../serve/http/koa.ts';
import { fixedReply } from '../../serve/http/representation.ts';
import type { About } from '../facts/facts.ts';
import { createDocument } from '../page/document.ts';
import { catalogOf, type Described } from './dcat.ts';
import { llmsText } from './llms.ts';
import { openApiOf } from './openapi.ts';

interface Settings {
  /** Nine digits of the publisher; null: unknown. */
  readonly organization: string | null;
}

export function create(context: ServeContext<Settings>): ServePart {
  const { schema, parts, settings } = context;
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
  /** A document that depends on the snapshot and on the address of this server. */
  const documentOf = (type: string, write: (described: Described) => string) =>
    createDocument(context, `${type}; charset=utf-8`, (documented) =>
      write({ ...documented, abouts: aboutsOf(parts()), organization: settings.organization }),
    );
  const catalog = documentOf('application/ld+json', (all) => JSON.stringify(catalogOf(all), null, 2));
  const llms = documentOf('text/plain', llmsText);
  return {
    offers: ['openapi'],
    routes: {
      '/openapi.json': { GET: openApi, about: OPEN_API },
      '/catalog.jsonld': { GET: catalog, about: CATALOG },
      '/llms.txt': { GET: llms, about: LLMS },
    },
  };
}

/** Descriptions of all paths. */
function aboutsOf(parts: readonly ServePart[]): Readonly<Record<string, About>> {
  const all = parts.flatMap(({ routes = {} }) => Object.entries(routes));
  return Object.fromEntries(all.map(([path, { about }]) => [path, about]));
}

const OPEN_API: About = {
  summary: 'A description of this server for programs (OpenAPI 3.1).',
  answer: { about: 'A description of every path.', type: 'application/json', schema: { type: 'object' } },
};
const CATALOG: About = {
  summary: 'The calendar as a dataset, for open-data catalogues (DCAT-AP-NO).',
  answer: { about: 'A catalogue.', type: 'application/ld+json', schema: { type: 'object' } },
};
const LLMS: About = {
  summary: 'A summary of the service as plain text, for assistants and people.',
  answer: { about: 'Markdown.', type: 'text/plain' },
};
