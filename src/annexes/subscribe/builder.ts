/** The form with the calendar's present choices. It sends fields of the filter, and so the page's address is a list's. */
import type { Category } from '../../calendar/model.ts';
import type { Feed } from '../events/read.ts';
import { type Content, type Html, html } from '../page/html.ts';
import { inEach, type Language } from '../page/reader.ts';
import { venueLabels } from '../page/venues.ts';

/** A calendar may have thousands: the form shows the busiest, and the chosen ones. */
const MOST_VENUES = 60;

export function builder(feed: Feed): Html {
  const { language } = feed;
  const texts = TEXTS[language];
  const given = new URLSearchParams(feed.search);
  const valuesOf = (name: string) =>
    new Set(
      given
        .getAll(name)
        .flatMap((value) => value.split(','))
        .map((value) => value.trim()),
    );
  return html`<form class="builder" method="get" action="subscribe#result">
<input type="hidden" name="lang" value="${language}">
${others(given)}<fieldset>
<legend>${texts.categories}</legend>
<div class="boxes">
${categories(feed, valuesOf('categories'))}</div>
</fieldset>
${venues(feed, valuesOf('venues'))}<div class="choices">
<label>${texts.municipality} <select name="municipality">
<option value="">${texts.all}</option>
${municipalities(feed, given.get('municipality') ?? '')}</select></label>
<label>${texts.search} <input type="search" name="searchTerm" value="${given.get('searchTerm') ?? ''}" autocomplete="off"></label>
<label class="box"><input type="checkbox" name="free" value="true"${given.get('free') === 'true' && html` checked`}> ${texts.free}</label>
${near(given.get('near') ?? '', texts)}
<button type="submit">${texts.make}</button>
</div>
</form>
`;
}

const CONTROLS: ReadonlySet<string> = new Set([
  ...['categories', 'venues', 'municipality', 'searchTerm', 'free', 'near', 'lang', 'page', 'pageSize'],
]);

/** Other fields of the address remain: an organizer's page may link here with its own field. */
function others(given: URLSearchParams): Content {
  return [...given]
    .filter(([name, value]) => !CONTROLS.has(name) && value.trim() !== '')
    .map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">\n`);
}

/** `assets/near.js` shows the button, and requests the position only when it is clicked. */
function near(given: string, texts: (typeof TEXTS)[Language]): Html {
  const [latitude, longitude, km] = given.split(',');
  const chosen =
    given.trim() !== '' &&
    html`<label class="box"><input type="checkbox" name="near" value="${given}" checked> ${texts.within(`${km} km`, `${latitude}, ${longitude}`)}</label>\n`;
  return html`${chosen}<button type="button" class="near" data-nowhere="${texts.nowhere}" hidden>${texts.near}</button> <span role="status"></span>`;
}

/** Categories with events now, or chosen ones; subcategories after their category. */
function categories({ view, language }: Feed, chosen: ReadonlySet<string>): Content {
  const hits = new Map(
    view.facets
      .entities(view.unfilteredCounts(), 'categories', null)
      .map(({ ordinal, hits }) => [view.lists.categories[ordinal]?.id, hits]),
  );
  const isThere = ({ id, visible }: Category) => chosen.has(id) || (visible && hits.has(id));
  const own = view.lists.categories.filter(isThere);
  return own.map(({ id, parent, ...names }) =>
    box({ name: 'categories', value: id, label: names[`name_${language}`], isSub: parent !== -1 }, chosen),
  );
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

/** By name: those with events now, and the chosen one. */
function municipalities({ view }: Feed, chosen: string): Content {
  const { facets, directory } = view;
  const named = new Set(facets.municipalities(view.unfilteredCounts(), null).map(({ name }) => name));
  const selected = directory.municipalities.find(({ number }) => number === chosen)?.name ?? chosen;
  const listed = directory.municipalities.flatMap(({ name }) => (named.has(name) ? name : []));
  const all = [...new Set([...listed, ...(selected === '' ? [] : [selected])])].sort(COLLATOR.compare);
  return all.map(
    (name) => html`<option value="${name}"${name === selected && html` selected`}>${name}</option>\n`,
  );
}

const COLLATOR = new Intl.Collator('nb');

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
  near: ['Nær meg (10 km)', 'Near me (10 km)'],
  nowhere: ['Nettleseren sier ikke hvor du er.', 'The browser does not say where you are.'],
  within: [
    (distance: string, position: string) => `Innen ${distance} fra ${position}`,
    (distance: string, position: string) => `Within ${distance} of ${position}`,
  ],
});
