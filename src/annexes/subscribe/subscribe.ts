/**
 * `/subscribe`: builds the addresses of a list from choices, without a script. The page is a list too: its address has the filter's
 * fields, it shows the first matching events, and its links have the same query.
 */
import type { ServeContext, ServePart } from '../../serve/annex.ts';
import { selectNodes } from '../../serve/query/select.ts';
import type { Conditions } from '../../snapshot/filters.ts';
import type { Snapshot } from '../../snapshot/open.ts';
import {
  box,
  categoryChoices,
  fieldsFor,
  type Hits,
  hiddenFields,
  hitsBy,
  NEAR_ROUTES,
  NEAR_SCRIPT,
  select,
  valuesOf,
} from '../events/choices.ts';
import { createLists } from '../events/endpoint.ts';
import { nameOf } from '../events/name.ts';
import type { Feed } from '../events/read.ts';
import { assetOf, COPY, copyScript, STYLESHEET } from '../page/assets.ts';
import { writeMoment } from '../page/dates.ts';
import { type Content, type Html, html } from '../page/html.ts';
import { frame, type Menu, menuOf, OWN_FORMS, pageHeaders } from '../page/page.ts';
import { details } from '../page/parts.ts';
import { queryText } from '../page/queries.ts';
import { inEach, writeNumber } from '../page/reader.ts';
import { venueLabels } from '../page/venues.ts';
import { feedsOf, results, withoutParents } from './results.ts';

const SCRIPT = assetOf('src/annexes/subscribe/assets/subscribe.js');

/** Its script asks for the page with other choices. */
const HEADERS = pageHeaders([...OWN_FORMS, "script-src 'self'", "connect-src 'self'"]);

/** A ticked category with one ticked subcategory means the latter, although the filter's field takes either. */
function childrenFirst(conditions: Conditions, { lists }: Snapshot): Conditions {
  const { categories } = conditions;
  if (categories === undefined) return conditions;
  return { ...conditions, categories: withoutParents(categories, lists.categories) };
}

export function create(context: ServeContext): ServePart {
  const lists = createLists(
    [
      {
        path: '/subscribe',
        about: 'The page that makes addresses of these lists from choices.',
        answer: { about: 'A page.' },
        type: 'text/html; charset=utf-8',
        isPage: true,
        pageSize: 5,
        write: async (feed) => [await page(feed, context.parts(), menuOf(context))],
        headers: HEADERS,
        narrowed: childrenFirst,
      },
    ],
    context,
  );
  return {
    ...lists,
    offers: ['subscribe'],
    routes: { ...STYLESHEET.routes, ...COPY.routes, ...SCRIPT.routes, ...NEAR_ROUTES, ...lists.routes },
  };
}

async function page(feed: Feed, parts: readonly ServePart[], menu: Menu): Promise<string> {
  const offers = new Set(parts.flatMap((part) => part.offers ?? []));
  const { language, inAddress, licence, search, builtAt } = feed;
  const texts = TEXTS[language];
  const content = html`<div class="state">
<h1>${texts.title}</h1>
<p class="lede">${texts.lede}</p>
${await ready(feed)}${details(texts.more, builder(feed), !isReady(feed))}</div>
${results(feed, offers)}`;
  return frame({
    language,
    menu,
    content,
    search,
    page: 'subscribe',
    inAddress,
    title: `${texts.title} – ${nameOf(feed)}`,
    description: texts.lede,
    script: html`${copyScript(language)}${NEAR_SCRIPT}<script src="${SCRIPT.file}" defer></script>\n`,
    feeds: feedsOf(feed, offers).map(({ kind, type, path }) => ({
      type,
      title: `${nameOf(feed)} (${kind})`,
      address: path,
    })),
    footer: html`<p><a href="${licence.siteUrl}">${licence.name}</a>, ${writeMoment(builtAt, language)}</p>\n`,
  }).html;
}

/** A calendar may have thousands: the form shows the busiest, and the chosen ones. */
const MOST_VENUES = 60;

/** A category of this id is for children in every calendar that has it. */
const CHILDREN = 'FAMILY';

/** What most readers want, each by one click; and one category or one venue. */
async function ready(feed: Feed): Promise<Html> {
  const { language, inAddress, view, now } = feed;
  const texts = TEXTS[language];
  const own = inAddress ? { lang: language } : {};
  const chosen = queryText(chosenIn(feed));
  const item = (choice: Readonly<Record<string, string>>, text: string, hits: number) => {
    const isChosen = queryText(new URLSearchParams(choice)) === chosen;
    const to = queryText(new URLSearchParams({ ...choice, ...own }));
    return html`<li><a class="button" href="subscribe${to}#result"${isChosen && html` aria-current="true"`}>${text} <span class="hits">${writeNumber(hits, language)}</span></a></li>\n`;
  };
  const categories = hitsBy('ordinal', view.facets.entities(view.unfilteredCounts(), 'categories'));
  const choices = categoryChoices(feed, { categories }, new Set());
  const hitsOf = (id: string) => choices.find((choice) => choice.id === id)?.hits ?? 0;
  const [one = '', ...others] = valuesOf(chosenIn(feed), 'categories');
  const label = choices.find(({ id }) => id === one)?.label;
  const isOther = others.length === 0 && one !== CHILDREN && label !== undefined;
  const total = async (conditions: Conditions) => (await selectNodes(view, conditions, now)).total;
  const hasChildren = hitsOf(CHILDREN) > 0;
  return html`<h2 class="unseen" id="ready">${texts.ready}</h2>
<ul class="ready" aria-labelledby="ready">
${item({}, texts.everything, await total({}))}${isOther && item({ categories: one }, label, hitsOf(one))}${hasChildren && item({ categories: CHILDREN }, texts.children, hitsOf(CHILDREN))}${item({ free: 'true' }, texts.free, await total({ free: true }))}</ul>
<form class="one" method="get" action="subscribe#result">
${inAddress && html`<input type="hidden" name="lang" value="${language}">\n`}${select('categories', {
  label: texts.category,
  none: texts.any,
  choices: choices.map(({ id, label: text, isSub }) => [id, isSub ? `\u2003${text}` : text]),
  chosen: others.length === 0 ? one : '',
})}${placeChoice(feed)}<button type="submit">${texts.make}</button>
</form>
`;
}

/** The list's own part of the address. */
const chosenIn = ({ search }: Feed): URLSearchParams =>
  new URLSearchParams(
    [...new URLSearchParams(search)].filter(([name, value]) => !OF_PAGE.has(name) && value.trim() !== ''),
  );

const OF_PAGE: ReadonlySet<string> = new Set(['lang', 'page', 'pageSize']);

/** Whether the choices of one click and the two lists say all that is chosen. */
function isReady(feed: Feed): boolean {
  const given = chosenIn(feed);
  const isKnown = [...given.keys()].every((name) => READY.has(name));
  return isKnown && [...READY].every((name) => valuesOf(given, name).size <= 1);
}

const READY: ReadonlySet<string> = new Set(['categories', 'venues', 'free']);

/** Where most happens. */
function placeChoice(feed: Feed): Html {
  const { language } = feed;
  const texts = TEXTS[language];
  const all = venueChoices(feed);
  const chosen = all.filter(({ isChosen }) => isChosen);
  return select('venues', {
    label: texts.place,
    none: texts.any,
    choices: all.map(({ slug, label }) => [slug, label]),
    chosen: chosen.length === 1 ? (chosen[0]?.slug ?? '') : '',
  });
}

/** The form with the calendar's present choices. It sends fields of the filter, and so the page's address is a list's. */
function builder(feed: Feed): Html {
  const { language, view, total } = feed;
  const texts = TEXTS[language];
  const given = new URLSearchParams(feed.search);
  const counts = view.unfilteredCounts();
  const hits: Hits = {
    categories: hitsBy('ordinal', view.facets.entities(counts, 'categories')),
    municipalities: hitsBy('name', view.facets.municipalities(counts)),
    accessibility: hitsBy('value', view.facets.accessibilities(view.shown({}))),
  };
  const fields = fieldsFor(feed, hits);
  const isAccessible = valuesOf(given, 'accessibility').size > 0;
  return html`<form class="builder" method="get" action="subscribe#result">
<input type="hidden" name="lang" value="${language}">
${hiddenFields(given, CONTROLS)}${categories(feed, hits, valuesOf(given, 'categories'))}<div class="fields">
${fields.period}${fields.municipality(texts.all)}<label>${texts.search} ${fields.term}</label>
</div>
<div class="choices">
${fields.free()}${fields.near}
</div>
${fields.accessibility.length > 0 && details(texts.accessibility, html`<div class="boxes">\n${fields.accessibility}</div>`, isAccessible)}${venues(feed)}<p class="choices"><button type="submit">${texts.make}</button>
<output class="count" aria-live="polite"><strong>${writeNumber(total, language)}</strong> ${total === 1 ? texts.event : texts.events}</output></p>
</form>
`;
}

const CONTROLS: ReadonlySet<string> = new Set([
  'categories',
  'venues',
  'municipality',
  'searchTerm',
  'free',
  'near',
  'period',
  'accessibility',
  'lang',
  'page',
  'pageSize',
]);

/** Each category with its subcategories in one piece, so that no column parts them. */
function categories(feed: Feed, hits: Hits, chosen: ReadonlySet<string>): Html {
  const groups: Html[][] = [];
  for (const { id, label, isSub } of categoryChoices(feed, hits, chosen)) {
    const choice = box('categories', [id, label], { isChosen: chosen.has(id), isSub });
    const group = isSub ? groups.at(-1) : undefined;
    if (group === undefined) groups.push([choice]);
    else group.push(choice);
  }
  const boxes = groups.map((group) => html`<div class="group">${group}</div>\n`);
  return fieldset(TEXTS[feed.language].categories, boxes);
}

const fieldset = (legend: string, boxes: Content): Html => html`<fieldset>
<legend>${legend}</legend>
<div class="boxes">
${boxes}</div>
</fieldset>
`;

function venues(feed: Feed): Html {
  const { view, language } = feed;
  const texts = TEXTS[language];
  const all = venueChoices(feed);
  const boxes = all.map(({ slug, label, isChosen }) => box('venues', [slug, label], { isChosen }));
  const legend = texts.venuesLegend(boxes.length < view.lists.venues.length);
  const isOpen = all.some(({ isChosen }) => isChosen);
  return details(texts.venues, fieldset(legend, boxes), isOpen);
}

function venueChoices({ view, search }: Feed) {
  const chosen = valuesOf(new URLSearchParams(search), 'venues');
  const { lists, facets, directory } = view;
  const busiest = facets.entities(view.unfilteredCounts(), 'venues').slice(0, MOST_VENUES);
  const given = [...chosen].flatMap((slug) => directory.venueBySlug.get(slug) ?? []);
  // Ordinals are in Norwegian alphabetical order.
  const shown = [...new Set([...busiest.map(({ ordinal }) => ordinal), ...given])].sort(
    (one, other) => one - other,
  );
  const labels = venueLabels(lists);
  return shown.flatMap((ordinal) => {
    const venue = lists.venues[ordinal];
    // Its address may name it by a former slug.
    const isChosen = given.includes(ordinal);
    return venue ? { slug: venue.slug, label: labels.get(venue) ?? venue.name, isChosen } : [];
  });
}

const TEXTS = inEach({
  title: ['Abonner', 'Subscribe'],
  lede: [
    'Få arrangementene i din egen kalender, i en nyhetsleser, i et regneark eller på en nettside.',
    'Get the events in your own calendar, in a feed reader, in a spreadsheet or on a web page. Choose what to follow:',
  ],
  ready: ['Hva vil du følge?', 'What would you like to follow?'],
  everything: ['Alle arrangementer', 'All events'],
  children: ['For barn', 'For children'],
  free: ['Gratis', 'Free'],
  category: ['Kategori', 'One category'],
  place: ['Sted', 'One venue'],
  any: ['Alle', 'All'],
  more: ['Flere filtre', 'More choices'],
  categories: ['Kategorier', 'Categories'],
  all: ['Alle', 'All'],
  search: ['Søkeord', 'Search words'],
  accessibility: ['Tilgjengelighet', 'Accessibility'],
  venues: ['Velg steder', 'Choose venues'],
  venuesLegend: [
    (isSome: boolean): string => (isSome ? 'Steder med flest arrangementer' : 'Steder'),
    (isSome: boolean) => (isSome ? 'Venues with most events' : 'Venues'),
  ],
  make: ['Lag lenkene', 'Create links'],
  event: ['arrangement nå', 'event now'],
  events: ['arrangementer nå', 'events now'],
});
