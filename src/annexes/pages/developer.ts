/** The developers' page. It is cached while it is exact, like answers (D6). */
import type { ServeContext, ServePart } from '../../serve/annex.ts';
import { createExecute } from '../../serve/graphql/execute.ts';
import { createExecuteRequest } from '../../serve/graphql/request.ts';
import type { Handle } from '../../serve/http/koa.ts';
import { secondOf } from '../../serve/http/message.ts';
import type { Resource } from '../../serve/http/representation.ts';
import { withSnapshot } from '../../snapshot/pins.ts';
import type { CallerLimits } from '../facts/facts.ts';
import { assetOf, copyScript } from '../page/assets.ts';
import { writeMoment } from '../page/dates.ts';
import { admitted, cacheControlUntil, createMakeOnce } from '../page/document.ts';
import { loadColours } from '../page/highlight.ts';
import { html } from '../page/html.ts';
import { menuOf } from '../page/menu.ts';
import { frame } from '../page/page.ts';
import { createPage } from '../page/page-reply.ts';
import { renderSection, type Section } from '../page/parts.ts';
import { inBoth, TECHNICAL_LANGUAGES, technicalLanguageOf } from '../page/reader.ts';
import { unavailable } from '../page/state-page.ts';
import { categories } from './developer/categories.ts';
import { type DeveloperPageContext, exactUntil, figuresAt } from './developer/context.ts';
import { errors } from './developer/errors.ts';
import { nextEvents, opening } from './developer/opening.ts';
import { fieldsOfTypes } from './developer/reference.ts';
import { advice, feedLinks, resources, start } from './developer/start.ts';
import { walk } from './developer/walk.ts';

/** Pages in the cache, one for each language and address of the server; a page is rendered again when it expires. */
const MOST_PAGES = 8;

export function createDeveloperPage(serving: ServeContext): Handle {
  const { keeper, serverAddress, parts, schema, mask } = serving;
  const { maxAge } = serving.settings;
  const makeOnce = createMakeOnce(MOST_PAGES);
  const executeRequest = createExecuteRequest({ schema, execute: createExecute(mask) });
  return async (request) => {
    const { headers } = request;
    const chosen = technicalLanguageOf(request);
    const menu = menuOf({ parts, keeper });
    if (keeper.state().current === null)
      return unavailable({ ...chosen, languages: TECHNICAL_LANGUAGES, menu }, headers);
    const address = serverAddress.shown(headers);
    const now = secondOf(request);
    return withSnapshot(keeper, async (snapshot) => {
      const render = async () => {
        const figures = await figuresAt({ snapshot, now }, { executeRequest, chosen, address });
        const context: DeveloperPageContext = {
          ...chosen,
          ...figures,
          snapshot,
          address,
          schema,
          maxAge,
          menu,
          limits: limitsOf(parts()),
          offers: offersOf(parts()),
          colour: await loadColours(),
        };
        return pageResource(context, serverAddress.vary);
      };
      const until = exactUntil(snapshot, now);
      const page = await makeOnce([snapshot.id, until, chosen, address], () => admitted(request, render));
      return page(headers, cacheControlUntil(until, request, serving.settings));
    });
  };
}

function offersOf(parts: readonly ServePart[]): DeveloperPageContext['offers'] {
  return new Set(parts.flatMap(({ offers = [], routes = {} }) => [...offers, ...Object.keys(routes)]));
}

function limitsOf(parts: readonly ServePart[]): CallerLimits {
  const limiting = parts.find(({ limits }) => limits !== undefined);
  return limiting?.limits ?? NO_LIMITS;
}

const NO_LIMITS: CallerLimits = { anonymous: null, keyed: null };

export const SCRIPT = assetOf('src/annexes/pages/assets/developer.js');

function pageResource(context: DeveloperPageContext, vary: readonly string[]): Resource {
  const { snapshot, language, inAddress, address, menu } = context;
  const texts = TEXTS[language];
  const { name } = snapshot.lists.licence;
  const sections = SECTIONS.map((section) => section(context));
  const builtAt = writeMoment(snapshot.builtAt, language);
  const document = frame({
    language,
    languages: TECHNICAL_LANGUAGES,
    inAddress,
    menu,
    title: `${name} – ${texts.title}`,
    description: texts.description(name),
    page: 'start',
    // `/` is another page on a server that shows events.
    address: `${address}/developers`,
    content: html`${opening(context, sections)}${sections.map(renderSection)}`,
    feeds: feedLinks(context),
    script: html`${copyScript(language)}<script src="${SCRIPT.file}" defer></script>\n`,
    footer: html`<p>${texts.snapshot} <code>${snapshot.id}</code>, ${builtAt}</p>\n`,
  });
  return createPage({ document, language, vary, hasScript: true });
}

const SECTIONS: readonly ((context: DeveloperPageContext) => Section)[] = [
  nextEvents,
  walk,
  start,
  fieldsOfTypes('queries'),
  fieldsOfTypes('filter'),
  fieldsOfTypes('event'),
  fieldsOfTypes('types'),
  categories,
  errors,
  advice,
  resources,
];

const TEXTS = inBoth({
  title: ['for utviklere', 'for developers'],
  description: [
    (name: string) => `Åpent GraphQL-grensesnitt med kommende arrangementer fra ${name}.`,
    (name: string) => `Upcoming events from ${name} in an open GraphQL API.`,
  ],
  snapshot: ['Øyeblikksbilde', 'Snapshot'],
});
