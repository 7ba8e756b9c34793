/**
 * `/subscribe`: builds the addresses of a list from choices, without a script. The page is a list too: its address has the filter's
 * fields, it shows the first matching events, and its links have the same query.
 */
import type { ServeContext, ServePart } from '../../serve/annex.ts';
import type { Conditions } from '../../snapshot/filters.ts';
import type { Snapshot } from '../../snapshot/open.ts';
import { NEAR_ROUTES, NEAR_SCRIPT } from '../events/choices.ts';
import { createLists } from '../events/endpoint.ts';
import type { EventList } from '../events/event-list.ts';
import type { Format } from '../events/format.ts';
import { nameOf } from '../events/name.ts';
import { assetOf, COPY, copyScript, STYLESHEET } from '../page/assets.ts';
import { writeMoment } from '../page/dates.ts';
import { html } from '../page/html.ts';
import { menuOf } from '../page/menu.ts';
import { frame } from '../page/page.ts';
import { OWN_FORMS, pageHeaders } from '../page/page-reply.ts';
import { details } from '../page/parts.ts';
import { inEach } from '../page/reader.ts';
import { writeForm } from './form.ts';
import { withoutParents } from './list-parameters.ts';
import { quickChoices, showsAllChosen } from './quick-choices.ts';
import { feedsOf, results } from './results.ts';

const SCRIPT = assetOf('src/annexes/subscribe/assets/subscribe.js');

/** Its script asks for the page with other choices. */
const HEADERS = pageHeaders([...OWN_FORMS, "script-src 'self'", "connect-src 'self'"]);

export function create(context: ServeContext): ServePart {
  const lists = createLists([formatOf(context)], context);
  return {
    ...lists,
    offers: ['subscribe'],
    routes: { ...STYLESHEET.routes, ...COPY.routes, ...SCRIPT.routes, ...NEAR_ROUTES, ...lists.routes },
  };
}

function formatOf(context: ServeContext): Format {
  return {
    path: '/subscribe',
    about: 'The page that creates links to these lists from a reader’s choices.',
    answer: { about: 'A page.' },
    type: 'text/html; charset=utf-8',
    pageSize: 5,
    write: async (list) => [await page(list, context)],
    page: {
      isLocalized: true,
      narrowed: childrenFirst,
      headers: () => HEADERS,
    },
  };
}

/** A ticked category with one ticked subcategory means the latter, although the filter's field takes either. */
function childrenFirst(conditions: Conditions, { lists }: Snapshot): Conditions {
  const { categories } = conditions;
  if (categories === undefined) return conditions;
  return { ...conditions, categories: withoutParents(categories, lists.categories) };
}

async function page(list: EventList, context: ServeContext): Promise<string> {
  const offers = new Set(context.parts().flatMap((part) => part.offers ?? []));
  const { language, inAddress, licence, search, builtAt } = list;
  const texts = TEXTS[language];
  const more = details(texts.more, writeForm(list), !showsAllChosen(list));
  const content = html`<div class="state">
<h1>${texts.title}</h1>
<p class="lede">${texts.lede}</p>
${await quickChoices(list)}${more}</div>
${results(list, offers)}`;
  return frame({
    language,
    menu: menuOf(context),
    content,
    search,
    page: 'subscribe',
    inAddress,
    title: `${texts.title} – ${nameOf(list)}`,
    description: texts.lede,
    script: html`${copyScript(language)}${NEAR_SCRIPT}<script src="${SCRIPT.file}" defer></script>\n`,
    feeds: feedsOf(list, offers).map(({ kind, type, path }) => ({
      type,
      title: `${nameOf(list)} (${kind})`,
      address: path,
    })),
    footer: html`<p><a href="${licence.siteUrl}">${licence.name}</a>, ${writeMoment(builtAt, language)}</p>\n`,
  }).html;
}

const TEXTS = inEach({
  title: ['Abonner', 'Subscribe', 'Abonner'],
  lede: [
    'Få arrangementene i din egen kalender, i en nyhetsleser, i et regneark eller på en nettside.',
    'Get the events in your own calendar, in a feed reader, in a spreadsheet or on a web page. Choose what to follow:',
    'Få arrangementa i din eigen kalender, i ein nyheitslesar, i eit rekneark eller på ei nettside.',
  ],
  more: ['Flere filtre', 'More filters', 'Fleire filter'],
});
