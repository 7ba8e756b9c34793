/** `/openapi.json` (I8): made of what each annex says of its routes. */
import type { About, ServeContext, ServePart } from '../../serve/annex.ts';
import { fixedReply } from '../../serve/http/representation.ts';
import { openApiOf } from './openapi.ts';

export function create({ schema, parts }: Pick<ServeContext, 'schema' | 'parts'>): ServePart {
  let made: ReturnType<typeof fixedReply> | undefined;
  const openApi = () => {
    made ??= fixedReply({
      body: Buffer.from(JSON.stringify(openApiOf(schema, aboutsOf(parts())))),
      type: 'application/json; charset=utf-8',
      cacheControl: 'public, max-age=300',
    });
    return made;
  };
  return { routes: { '/openapi.json': { GET: (request) => openApi()(request), about: OPEN_API } } };
}

const OPEN_API: About = {
  summary: 'This description.',
  answer: { about: 'OpenAPI 3.1.', type: 'application/json', schema: { type: 'object' } },
};

/** Of all paths, by path. */
function aboutsOf(parts: readonly ServePart[]): Readonly<Record<string, About>> {
  const all: Record<string, About> = {};
  for (const { routes = {}, abouts = {} } of parts) {
    for (const [path, { about }] of Object.entries(routes)) all[path] = about;
    Object.assign(all, abouts);
  }
  return all;
}
