/**
 * `/subscribe`: builds the addresses of a list from choices, without a script. The page is a list too: its address has the filter's
 * fields, it shows the first matching events, and its links have the same query.
 */
import type { ServeContext, ServePart } from '../../serve/annex.ts';
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
  valuesOf,
} from '../events/choices.ts';
import { createLists } from '../events/endpoint.ts';
import { nameOf } from '../events/name.ts';
import type { Feed } from '../events/read.ts';
import { assetOf, COPY, copyScript, STYLESHEET } from '../page/assets.ts';
import { type Content, type Html, html } from '../page/html.ts';
import { frame, type Menu, menuOf, OWN_FORMS, pageHeaders } from '../page/page.ts';
import { details } from '../page/parts.ts';
import { inEach, writeMoment, writeNumber } from '../page/reader.ts';
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
        write: (feed) => [page(feed, context.parts(), menuOf(context))],
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

function page(feed: Feed, parts: readonly ServePart[], menu: Menu): string {
  const offers = new Set(parts.flatMap((part) => part.offers ?? []));
  const { language, inAddress, licence, search, builtAt } = feed;
  const texts = TEXTS[language];
  const content = html`<div class="state">
<h1>${texts.title}</h1>
<p class="lede">${texts.lede}</p>
${builder(feed)}</div>
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
${fields.accessibility.length > 0 && details(texts.accessibility, html`<div class="boxes">\n${fields.accessibility}</div>`, isAccessible)}${venues(feed, valuesOf(given, 'venues'))}<p class="choices"><button type="submit">${texts.make}</button>
<output class="count" aria-live="polite"><strong>${writeNumber(total, language)}</strong> ${total === 1 ? texts.event : texts.events}</output></p>
</form>
`;
}

const CONTROLS: ReadonlySet<string> = new Set([
  ...['categories', 'venues', 'municipality', 'searchTerm', 'free', 'near', 'period', 'accessibility'],
  ...['lang', 'page', 'pageSize'],
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

function venues({ view, language }: Feed, chosen: ReadonlySet<string>): Html {
  const texts = TEXTS[language];
  const { lists, facets, directory } = view;
  const busiest = facets.entities(view.unfilteredCounts(), 'venues').slice(0, MOST_VENUES);
  const given = [...chosen].flatMap((slug) => directory.venueBySlug.get(slug) ?? []);
  // Ordinals are in Norwegian alphabetical order.
  const shown = [...new Set([...busiest.map(({ ordinal }) => ordinal), ...given])].sort(
    (one, other) => one - other,
  );
  const labels = venueLabels(lists);
  const boxes = shown.flatMap((ordinal) => {
    const venue = lists.venues[ordinal];
    // Its address may name it by a former slug.
    const isChosen = given.includes(ordinal);
    return venue ? box('venues', [venue.slug, labels.get(venue) ?? ''], { isChosen }) : [];
  });
  const legend = texts.venuesLegend(boxes.length < lists.venues.length);
  return details(texts.venues, fieldset(legend, boxes), given.length > 0);
}

const TEXTS = inEach({
  title: ['Abonner', 'Subscribe'],
  lede: [
    'Kalenderen i din egen kalender, i en nyhetsleser, i et regneark eller på en nettside. Velg hva du vil ha, så får du adressene.',
    'The calendar in a calendar of your own, in a feed reader, in a spreadsheet or on a web page. Choose what you want, and get the addresses.',
  ],
  categories: ['Kategorier', 'Categories'],
  all: ['Alle', 'All'],
  search: ['Ord i teksten', 'Words in the text'],
  accessibility: ['Tilgjengelighet', 'Accessibility'],
  venues: ['Velg steder', 'Choose venues'],
  venuesLegend: [
    (isSome: boolean): string => (isSome ? 'Steder med flest arrangementer' : 'Steder'),
    (isSome: boolean) => (isSome ? 'Venues with most events' : 'Venues'),
  ],
  make: ['Lag adressene', 'Make the addresses'],
  event: ['arrangement passer nå', 'event matches now'],
  events: ['arrangementer passer nå', 'events match now'],
});
