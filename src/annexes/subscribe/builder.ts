/** The form with the calendar's present choices. It sends fields of the filter, and so the page's address is a list's. */
import type { Category } from '../../calendar/model.ts';
import {
  box,
  categoryChoices,
  fieldsFor,
  type Hits,
  hiddenFields,
  hitsBy,
  valuesOf,
} from '../events/choices.ts';
import type { Feed } from '../events/read.ts';
import { type Html, html } from '../page/html.ts';
import { inEach, writeNumber } from '../page/reader.ts';
import { venueLabels } from '../page/venues.ts';

/** A calendar may have thousands: the form shows the busiest, and the chosen ones. */
const MOST_VENUES = 60;

export function builder(feed: Feed): Html {
  const { language, view, total } = feed;
  const texts = TEXTS[language];
  const given = new URLSearchParams(feed.search);
  const counts = view.unfilteredCounts();
  const hits: Hits = {
    categories: hitsBy('ordinal', view.facets.entities(counts, 'categories', null)),
    municipalities: hitsBy('name', view.facets.municipalities(counts, null)),
    accessibility: hitsBy('value', view.facets.accessibilities(view.shown({}), null)),
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
${fields.accessibility.length > 0 && folded(isAccessible, texts.accessibility, html`<div class="boxes">\n${fields.accessibility}</div>`)}${venues(feed, valuesOf(given, 'venues'))}<p class="choices"><button type="submit">${texts.make}</button>
<output class="count" aria-live="polite"><strong>${writeNumber(total, language)}</strong> ${total === 1 ? texts.event : texts.events}</output></p>
</form>
`;
}

const folded = (
  isOpen: boolean,
  summary: string,
  content: Html,
): Html => html`<details${isOpen && html` open`}>
<summary>${summary}</summary>
${content}
</details>
`;

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
  return html`<fieldset>
<legend>${TEXTS[feed.language].categories}</legend>
<div class="boxes">
${groups.map((group) => html`<div class="group">${group}</div>\n`)}</div>
</fieldset>
`;
}

/** A category that is chosen together with some of its subcategories stands for these. */
export function withoutParents(ids: readonly string[], categories: readonly Category[]): readonly string[] {
  const parentOf = new Map(categories.map(({ id, parent }) => [id, categories[parent]?.id]));
  const parents = new Set(ids.map((id) => parentOf.get(id)));
  return ids.filter((id) => !parents.has(id));
}

function venues({ view, language }: Feed, chosen: ReadonlySet<string>): Html {
  const texts = TEXTS[language];
  const { lists, facets, directory } = view;
  const busiest = facets.entities(view.unfilteredCounts(), 'venues', MOST_VENUES);
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
  return folded(
    given.length > 0,
    texts.venues,
    html`<fieldset>
<legend>${texts.venuesLegend(boxes.length < lists.venues.length)}</legend>
<div class="boxes">
${boxes}</div>
</fieldset>`,
  );
}

const TEXTS = inEach({
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
