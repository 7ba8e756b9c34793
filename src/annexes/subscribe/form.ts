/** The form with the calendar's present choices. Its fields are those of the filter, so the page's address has the parameters of a list. */
import {
  accessibilityBoxes,
  box,
  categoryChoices,
  freeBox,
  type Hits,
  hiddenFields,
  hitsBy,
  municipalityChoice,
  nearChoice,
  periodChoice,
  valuesOf,
} from '../events/choices.ts';
import type { EventList } from '../events/event-list.ts';
import { hitsByMunicipality } from '../events/municipalities.ts';
import { type Content, type Html, html } from '../page/html.ts';
import { details } from '../page/parts.ts';
import { inEach, writeNumber } from '../page/reader.ts';
import { venueChoices } from './venues.ts';

/** Parameters that the form's own controls send; any other one is a hidden field. */
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

export function writeForm(list: EventList): Html {
  const { language, view, total, parameters } = list;
  const texts = TEXTS[language];
  const counts = view.unfilteredCounts();
  const hits: Hits = {
    categories: hitsBy('ordinal', view.facets.entities(counts, 'categories')),
    municipalities: hitsByMunicipality(view.facets.municipalities(counts)),
    accessibility: hitsBy('value', view.facets.accessibilities(view.shownRows({}))),
  };
  const term = parameters.get('searchTerm') ?? '';
  const termInput = html`<input type="search" name="searchTerm" value="${term}" autocomplete="off">`;
  const count = html`<strong>${writeNumber(total, language)}</strong> ${total === 1 ? texts.event : texts.events}`;
  const parts = [
    hiddenFields(parameters, CONTROLS),
    writeCategories(list, hits, valuesOf(parameters, 'categories')),
    html`<div class="fields">\n`,
    periodChoice(list),
    municipalityChoice(list, texts.all, { hits }),
    html`<label>${texts.search} ${termInput}</label>\n</div>\n`,
    html`<div class="choices">\n${freeBox(list)}${nearChoice(list)}\n</div>\n`,
    writeAccessibility(list, hits),
    writeVenues(list),
  ];
  return html`<form class="builder" method="get" action="subscribe#result">
<input type="hidden" name="lang" value="${language}">
${parts}<p class="choices"><button type="submit">${texts.make}</button>
<output class="count" aria-live="polite">${count}</output></p>
</form>
`;
}

function writeAccessibility(list: EventList, hits: Hits): Html | null {
  const boxes = accessibilityBoxes(list, { hits });
  if (boxes.length === 0) return null;
  const isChosen = valuesOf(list.parameters, 'accessibility').size > 0;
  const content = html`<div class="boxes">\n${boxes}</div>`;
  return details(TEXTS[list.language].accessibility, content, isChosen);
}

/** Each category with its subcategories in one piece, so that no column parts them. */
function writeCategories(list: EventList, hits: Hits, chosen: ReadonlySet<string>): Html {
  const groups: Html[][] = [];
  for (const { id, label, isSub } of categoryChoices(list, hits, chosen)) {
    const choice = box('categories', [id, label], { isChosen: chosen.has(id), isSub });
    const group = isSub ? groups.at(-1) : undefined;
    if (group === undefined) groups.push([choice]);
    else group.push(choice);
  }
  const boxes = groups.map((group) => html`<div class="group">${group}</div>\n`);
  return fieldset(TEXTS[list.language].categories, boxes);
}

const fieldset = (legend: string, boxes: Content): Html => html`<fieldset>
<legend>${legend}</legend>
<div class="boxes">
${boxes}</div>
</fieldset>
`;

function writeVenues(list: EventList): Html {
  const { view, language } = list;
  const texts = TEXTS[language];
  const all = venueChoices(list);
  const boxes = all.map(({ slug, label, isChosen }) => box('venues', [slug, label], { isChosen }));
  const legend = texts.venuesLegend(boxes.length < view.lists.venues.length);
  const isOpen = all.some(({ isChosen }) => isChosen);
  return details(texts.venues, fieldset(legend, boxes), isOpen);
}

const TEXTS = inEach({
  categories: ['Kategorier', 'Categories', 'Kategoriar'],
  all: ['Alle', 'All', 'Alle'],
  search: ['Søkeord', 'Keywords', 'Søkjeord'],
  accessibility: ['Tilgjengelighet', 'Accessibility', 'Tilgjenge'],
  venues: ['Velg steder', 'Choose venues', 'Vel stader'],
  venuesLegend: [
    (isSome: boolean): string => (isSome ? 'Steder med flest arrangementer' : 'Steder'),
    (isSome: boolean) => (isSome ? 'Venues with most events' : 'Venues'),
    (isSome: boolean) => (isSome ? 'Stader med flest arrangement' : 'Stader'),
  ],
  make: ['Lag lenkene', 'Create links', 'Lag lenkjene'],
  event: ['arrangement nå', 'event now', 'arrangement no'],
  events: ['arrangementer nå', 'events now', 'arrangement no'],
});
