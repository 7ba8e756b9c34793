/** The form with the calendar's present choices. It sends fields of the filter, and so the page's address is a list's. */
import {
  categoryChoices,
  hiddenFields,
  municipalityOptions,
  nearChoice,
  valuesOf,
} from '../events/choices.ts';
import type { Feed } from '../events/read.ts';
import { type Html, html } from '../page/html.ts';
import { inEach } from '../page/reader.ts';
import { venueLabels } from '../page/venues.ts';

/** A calendar may have thousands: the form shows the busiest, and the chosen ones. */
const MOST_VENUES = 60;

export function builder(feed: Feed): Html {
  const { language, view } = feed;
  const texts = TEXTS[language];
  const given = new URLSearchParams(feed.search);
  const { facets } = view;
  const counts = view.unfilteredCounts();
  const hits = new Map(
    facets.entities(counts, 'categories', null).map(({ ordinal, hits }) => [ordinal, hits]),
  );
  const towns = new Map(facets.municipalities(counts, null).map(({ name, hits }) => [name, hits]));
  const chosen = valuesOf(given, 'categories');
  const municipality = given.get('municipality') ?? '';
  return html`<form class="builder" method="get" action="subscribe#result">
<input type="hidden" name="lang" value="${language}">
${hiddenFields(given, CONTROLS)}<fieldset>
<legend>${texts.categories}</legend>
<div class="boxes">
${categoryChoices(feed, { hits, chosen }).map(({ id, label, isSub }) => box({ name: 'categories', value: id, label, isSub }, chosen))}</div>
</fieldset>
${venues(feed, valuesOf(given, 'venues'))}<div class="choices">
<label>${texts.municipality} <select name="municipality">
<option value="">${texts.all}</option>
${municipalityOptions(feed, { hits: towns, chosen: municipality, write: (name) => name })}</select></label>
<label>${texts.search} <input type="search" name="searchTerm" value="${given.get('searchTerm') ?? ''}" autocomplete="off"></label>
<label class="box"><input type="checkbox" name="free" value="true"${given.get('free') === 'true' && html` checked`}> ${texts.free}</label>
${nearChoice(given.get('near') ?? '', language)}
<button type="submit">${texts.make}</button>
</div>
</form>
`;
}

const CONTROLS: ReadonlySet<string> = new Set([
  ...['categories', 'venues', 'municipality', 'searchTerm', 'free', 'near', 'lang', 'page', 'pageSize'],
]);

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
  const boxes = shown.flatMap((ordinal) => {
    const [value, label] = [lists.venues[ordinal]?.slug, labels[ordinal]];
    return value === undefined || label === undefined ? [] : [{ name: 'venues', value, label, isSub: false }];
  });
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
  municipality: ['Kommune', 'Municipality'],
  all: ['Alle', 'All'],
  search: ['Ord i teksten', 'Words in the text'],
  free: ['Bare gratis', 'Free only'],
  venues: ['Velg steder', 'Choose venues'],
  venuesLegend: [
    (isSome: boolean): string => (isSome ? 'Steder med flest arrangementer' : 'Steder'),
    (isSome: boolean) => (isSome ? 'Venues with most events' : 'Venues'),
  ],
  make: ['Lag adressene', 'Make the addresses'],
});
