/** The form with the calendar's present choices. It sends fields of the filter, and so the page's address is a list's. */
import type { Category } from '../../calendar/model.ts';
import {
  accessibilityChoices,
  categoryChoices,
  hiddenFields,
  municipalityOptions,
  nearChoice,
  periodOptions,
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
  const towns = view.facets.municipalities(view.unfilteredCounts(), null);
  const municipality = given.get('municipality') ?? '';
  return html`<form class="builder" method="get" action="subscribe#result">
<input type="hidden" name="lang" value="${language}">
${hiddenFields(given, CONTROLS)}${categories(feed, valuesOf(given, 'categories'))}<div class="fields">
<label>${texts.when} <select name="period">
<option value="">${texts.anyTime}</option>
${periodOptions(language, given.get('period') ?? '')}</select></label>
<label>${texts.municipality} <select name="municipality">
<option value="">${texts.all}</option>
${municipalityOptions(feed, {
  hits: new Map(towns.map(({ name, hits }) => [name, hits])),
  chosen: municipality,
  write: (name) => name,
})}</select></label>
<label>${texts.search} <input type="search" name="searchTerm" value="${given.get('searchTerm') ?? ''}" autocomplete="off"></label>
</div>
<div class="choices">
<label class="box"><input type="checkbox" name="free" value="true"${given.get('free') === 'true' && html` checked`}> ${texts.free}</label>
${nearChoice(given.get('near') ?? '', language)}
</div>
${accessibility(feed, given)}${venues(feed, valuesOf(given, 'venues'))}<p class="choices"><button type="submit">${texts.make}</button>
<output class="count" aria-live="polite"><strong>${writeNumber(total, language)}</strong> ${total === 1 ? texts.event : texts.events}</output></p>
</form>
`;
}

const CONTROLS: ReadonlySet<string> = new Set([
  ...['categories', 'venues', 'municipality', 'searchTerm', 'free', 'near', 'period', 'accessibility'],
  ...['lang', 'page', 'pageSize'],
]);

/** Each category with its subcategories in one piece, so that no column parts them. */
function categories(feed: Feed, chosen: ReadonlySet<string>): Html {
  const { view, language } = feed;
  const counted = view.facets.entities(view.unfilteredCounts(), 'categories', null);
  const hits = new Map(counted.map(({ ordinal, hits }) => [ordinal, hits]));
  const groups: { readonly all: ReturnType<typeof categoryChoices>[number][] }[] = [];
  for (const choice of categoryChoices(feed, { hits, chosen })) {
    const group = choice.isSub ? groups.at(-1) : undefined;
    if (group === undefined) groups.push({ all: [choice] });
    else group.all.push(choice);
  }
  return html`<fieldset>
<legend>${TEXTS[language].categories}</legend>
<div class="boxes">
${groups.map(({ all }) => html`<div class="group">${all.map(({ id, label, isSub }) => box({ name: 'categories', value: id, label, isSub }, chosen))}</div>\n`)}</div>
</fieldset>
`;
}

/** A category that is chosen together with some of its subcategories stands for these. */
export function withoutParents(ids: readonly string[], categories: readonly Category[]): readonly string[] {
  const parentOf = new Map(categories.map(({ id, parent }) => [id, categories[parent]?.id]));
  const parents = new Set(ids.map((id) => parentOf.get(id)));
  return ids.filter((id) => !parents.has(id));
}

function accessibility({ view, language }: Feed, given: URLSearchParams): Html {
  const texts = TEXTS[language];
  const chosen = valuesOf(given, 'accessibility');
  const found = view.facets.accessibilities(view.shown({}), null);
  const choices = accessibilityChoices(language, {
    hits: new Map(found.map(({ value, hits }) => [value, hits])),
    chosen,
    write: (label) => label,
  });
  if (choices.length === 0) return html``;
  return html`<details${chosen.size > 0 && html` open`}>
<summary>${texts.accessibility}</summary>
<div class="boxes">
${choices}</div>
</details>
`;
}

function venues({ view, language }: Feed, chosen: ReadonlySet<string>): Html {
  const texts = TEXTS[language];
  const { lists, facets, directory } = view;
  const busiest = facets
    .entities(view.unfilteredCounts(), 'venues', MOST_VENUES)
    .map(({ ordinal }) => ordinal);
  const given = [...chosen].flatMap((slug) => directory.venueBySlug.get(slug) ?? []);
  // Ordinals are in Norwegian alphabetical order.
  const shown = [...new Set([...busiest, ...given])].sort((one, other) => one - other);
  const known = new Set(given.flatMap((ordinal) => lists.venues[ordinal]?.slug ?? []));
  const labels = venueLabels(lists);
  const boxes = shown
    .flatMap((ordinal) => lists.venues[ordinal] ?? [])
    .map((venue) => ({ name: 'venues', value: venue.slug, label: labels.get(venue) ?? '', isSub: false }));
  return html`<details${known.size > 0 && html` open`}>
<summary>${texts.venues}</summary>
<fieldset>
<legend>${texts.venuesLegend(boxes.length < lists.venues.length)}</legend>
<div class="boxes">
${boxes.map((one) => box(one, known))}</div>
</fieldset>
</details>
`;
}

interface Box {
  readonly name: string;
  readonly value: string;
  readonly label: string;
  readonly isSub: boolean;
}

function box({ name, value, label, isSub }: Box, chosen: ReadonlySet<string>): Html {
  return html`<label class="${isSub ? 'box sub' : 'box'}"><input type="checkbox" name="${name}" value="${value}"${chosen.has(value) && html` checked`}> ${label}</label>\n`;
}

const TEXTS = inEach({
  categories: ['Kategorier', 'Categories'],
  when: ['Når', 'When'],
  anyTime: ['Når som helst', 'Any time'],
  municipality: ['Kommune', 'Municipality'],
  all: ['Alle', 'All'],
  search: ['Ord i teksten', 'Words in the text'],
  free: ['Bare gratis', 'Free only'],
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
