/** `GET /`: the developer page. Cached while it is exact, like answers (D6, exact freshness). */
import { LRUCache } from 'lru-cache';
import type { Handle } from '../../serve/http/koa.ts';
import type { Resource } from '../../serve/http/representation.ts';
import type { Snapshot } from '../../snapshot/open.ts';
import { loadColours } from '../page/highlight.ts';
import { html } from '../page/html.ts';
import {
  assetOf,
  copyScript,
  createPage,
  frame,
  renderSection,
  type Section,
  unavailable,
} from '../page/page.ts';
import { inEach, languageOf, writeMoment } from '../page/reader.ts';
import { type Context, type DeveloperOptions, type Figures, figuresAt } from './developer/context.ts';
import { nextEvents, opening } from './developer/opening.ts';
import { categories, errors, eventFields, filter, queries, types } from './developer/reference.ts';
import { advice, feedLinks, resources, start } from './developer/start.ts';
import { walk } from './developer/walk.ts';

export function createDeveloperPage(options: DeveloperOptions): Handle {
  const { keeper, ownAddress, maxAge } = options;
  const pages = new LRUCache<string, CachedPage>({ max: MOST_PAGES });
  /** Pages in progress: equal requests share one. */
  const making = new Map<string, Promise<CachedPage>>();
  /** The same for every language and address. */
  let cached: Figures | undefined;
  const figuresFor = async (snapshot: Snapshot, now: number): Promise<Figures> => {
    if (cached === undefined || !isExact(cached, snapshot, now))
      cached = await figuresAt(snapshot, now, options.executeRequest);
    return cached;
  };
  return async (request) => {
    const { headers, arrivedAt } = request;
    const chosen = languageOf(request);
    if (keeper.state().current === null) return unavailable({ ...options, ...chosen }, headers);
    const address = ownAddress.shown(headers);
    const now = Math.floor(arrivedAt / 1_000);
    const pin = keeper.pin();
    try {
      const { snapshot } = pin;
      const key = JSON.stringify([chosen, address]);
      const moment = `${snapshot.id} ${now} ${key}`;
      const makeAnew = async () => {
        let leave: (() => void) | undefined;
        try {
          leave = await request.enter?.();
          const figures = await figuresFor(snapshot, now);
          const colour = await loadColours();
          const page = make({ ...options, ...chosen, address, snapshot, figures, colour });
          pages.set(key, page);
          return page;
        } finally {
          making.delete(moment);
          leave?.();
        }
      };
      let found = pages.get(key);
      if (found === undefined || !isExact(found, snapshot, now)) {
        const made = making.get(moment) ?? makeAnew();
        making.set(moment, made);
        found = await made;
      }
      const seconds = Math.max(0, Math.min(maxAge, Math.floor(found.until - arrivedAt / 1_000)));
      return await found.page(headers, `public, max-age=${seconds}`);
    } finally {
      pin.release();
    }
  };
}

export const SCRIPT = assetOf('src/annexes/pages/assets/developer.js');

/** Under further names of this server, it is made for each request. */
const MOST_PAGES = 40;

type Exact = Pick<Figures, 'id' | 'since' | 'until'>;

interface CachedPage extends Exact {
  readonly page: Resource;
}

function isExact({ id, since, until }: Exact, snapshot: Snapshot, now: number): boolean {
  return id === snapshot.id && since <= now && now < until;
}

function make(options: Context): CachedPage {
  const { snapshot, figures, language, ownAddress } = options;
  const texts = TEXTS[language];
  const { name } = snapshot.lists.licence;
  const sections = SECTIONS.map((section) => section(options));
  const document = frame({
    ...options,
    title: `${name} – ${texts.title}`,
    description: texts.description(name),
    page: 'start',
    content: html`${opening(options, sections)}${sections.map(renderSection)}`,
    feeds: feedLinks(options),
    script: html`${copyScript(language)}<script src="${SCRIPT.file}" defer></script>\n`,
    footer: html`<p>${texts.snapshot} <code>${snapshot.id}</code>, ${writeMoment(Date.parse(snapshot.meta.builtAt) / 1_000, language)}</p>\n`,
  });
  return {
    page: createPage({ document, language, vary: ownAddress.vary, hasScript: true }),
    id: snapshot.id,
    since: figures.since,
    until: figures.until,
  };
}

const SECTIONS: readonly ((context: Context) => Section)[] = [
  nextEvents,
  walk,
  start,
  queries,
  filter,
  eventFields,
  types,
  categories,
  errors,
  advice,
  resources,
];

const TEXTS = inEach({
  title: ['for utviklere', 'for developers'],
  description: [
    (name: string) => `Kommende arrangementer fra ${name} som åpent GraphQL-grensesnitt.`,
    (name: string) => `Upcoming events of ${name} behind an open GraphQL interface.`,
  ],
  snapshot: ['Øyeblikksbilde', 'Snapshot'],
});
