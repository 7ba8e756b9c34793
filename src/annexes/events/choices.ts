/** Fields that the forms of pages have in common. They are the filter's, so that a page's address is a list's. */
import { ACCESSIBILITY, type Accessibility } from '../../calendar/accessibility.ts';
import type { Category } from '../../calendar/model.ts';
import { compareNorwegian } from '../../calendar/text.ts';
import { FEATURES } from '../common/accessibility.ts';
import { assetOf } from '../page/assets.ts';
import { type Content, type Html, html } from '../page/html.ts';
import { inEach, type Language } from '../page/reader.ts';
import type { Feed } from './read.ts';

/** The values of a parameter, which may come several times, and hold commas. */
export function valuesOf(given: URLSearchParams, name: string): ReadonlySet<string> {
  const values = given.getAll(name).flatMap((value) => value.split(','));
  return new Set(values.map((value) => value.trim()).filter((value) => value !== ''));
}

/** Fields for what the form has no choice of: an organizer's page may link here with its own field. */
export function hiddenFields(given: URLSearchParams, shown: ReadonlySet<string>): Content {
  return [...given]
    .filter(([name, value]) => !shown.has(name) && value.trim() !== '')
    .map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">\n`);
}

/** How many events each choice has. */
export interface Hits {
  /** By ordinal. */
  readonly categories: ReadonlyMap<number, number>;
  /** By name. */
  readonly municipalities: ReadonlyMap<string, number>;
  readonly accessibility: ReadonlyMap<Accessibility, number>;
}

/** The hits of a facet's entries by what names these. */
export const hitsBy = <Entry extends { readonly hits: number }, Name extends keyof Entry>(
  name: Name,
  entries: readonly Entry[],
) => new Map(entries.map((entry): [Entry[Name], number] => [entry[name], entry.hits]));

/** Categories with events, or chosen ones, each before its subcategories. */
export function categoryChoices(
  { view, language }: Feed,
  { categories: hits }: Pick<Hits, 'categories'>,
  chosen: ReadonlySet<string>,
) {
  const isThere = ({ id, visible }: Category, ordinal: number) =>
    chosen.has(id) || (visible && hits.has(ordinal));
  return view.lists.categories.flatMap((category, ordinal) => {
    const { id, parent, [`name_${language}` as const]: label } = category;
    return isThere(category, ordinal)
      ? { id, label, isSub: parent !== -1, hits: hits.get(ordinal) ?? 0 }
      : [];
  });
}

/** The value of a choice, and its text. */
type Choice = readonly [value: string, text: string];

export const box = (
  name: string,
  [value, text]: Choice,
  { isChosen, isSub = false }: { readonly isChosen: boolean; readonly isSub?: boolean },
): Html =>
  html`<label class="${isSub ? 'box sub' : 'box'}"><input type="checkbox" name="${name}" value="${value}"${isChosen && html` checked`}> ${text}</label>\n`;

interface Options {
  readonly label: string;
  /** For no choice. */
  readonly none: string;
  readonly choices: readonly Choice[];
  readonly chosen: string;
}

export const select = (name: string, { label, none, choices, chosen }: Options): Html =>
  html`<label>${label} <select name="${name}">
<option value="">${none}</option>
${choices.map(([value, text]) => html`<option value="${value}"${value === chosen && html` selected`}>${text}</option>\n`)}</select></label>
`;

/** `write`: a choice with its hits; without it, it has none. */
export function fieldsFor(
  { search, language, view }: Feed,
  hits: Hits,
  write: (label: string, hits: number) => string = (label) => label,
) {
  const texts = TEXTS[language];
  const given = new URLSearchParams(search);
  const textOf = (name: string) => given.get(name) ?? '';
  const municipality = textOf('municipality');
  const { municipalities } = view.directory;
  const town = municipalities.find(({ number }) => number === municipality)?.name ?? municipality;
  const listed = municipalities.flatMap(({ name }) => (hits.municipalities.has(name) ? name : []));
  const towns = [...new Set([...listed, ...(town === '' ? [] : [town])])].sort(compareNorwegian);
  const accessibility = valuesOf(given, 'accessibility');
  const townChoices = towns.map((name): Choice => [name, write(name, hits.municipalities.get(name) ?? 0)]);
  const periods = PERIODS.map((name): Choice => [name, texts[name]]);
  const isOffered = (word: Accessibility) => accessibility.has(word) || hits.accessibility.has(word);
  return {
    term: html`<input type="search" name="searchTerm" value="${textOf('searchTerm')}" autocomplete="off">`,
    period: select('period', {
      label: texts.when,
      none: texts.anyTime,
      choices: periods,
      chosen: textOf('period'),
    }),
    /** Those with events, and the chosen one. */
    municipality: (none: string) =>
      select('municipality', { label: texts.municipality, none, choices: townChoices, chosen: town }),
    free: (free = 0) =>
      box('free', ['true', write(texts.free, free)], { isChosen: textOf('free') === 'true' }),
    near: nearChoice(textOf('near'), language),
    /** Boxes for what events say of their accessibility, and for what is chosen. */
    accessibility: ACCESSIBILITY.filter(isOffered).map((word) => {
      const text = write(FEATURES[word][language], hits.accessibility.get(word) ?? 0);
      return box('accessibility', [word, text], { isChosen: accessibility.has(word) });
    }),
  };
}

const PERIODS = ['TODAY', 'TOMORROW', 'WEEKEND', 'WEEK'] as const;

const NEAR = assetOf('src/annexes/page/assets/near.js');
export const NEAR_ROUTES = NEAR.routes;
export const NEAR_SCRIPT = html`<script src="${NEAR.file}" defer></script>\n`;

/** `assets/near.js` shows the button, and requests the position only when it is clicked. */
function nearChoice(value: string, language: Language): Html {
  const texts = TEXTS[language];
  const [, , km = ''] = value.split(',');
  const text = texts.within(`${km.trim()} km`);
  return html`${value.trim() !== '' && box('near', [value, text], { isChosen: true })}<button type="button" class="near" data-nowhere="${texts.nowhere}" hidden>${texts.near}</button> <span role="status"></span>`;
}

const TEXTS = inEach({
  when: ['Når', 'When'],
  anyTime: ['Når som helst', 'Any time'],
  TODAY: ['I dag', 'Today'],
  TOMORROW: ['I morgen', 'Tomorrow'],
  WEEKEND: ['I helgen', 'This weekend'],
  WEEK: ['Denne uken', 'This week'],
  municipality: ['Kommune', 'Municipality'],
  free: ['Bare gratis', 'Free only'],
  near: ['Nær meg (10 km)', 'Near me (10 km)'],
  nowhere: [
    'Vi fikk ikke posisjonen din. Tillat posisjon i nettleseren.',
    'We could not get your location. Allow it in your browser.',
  ],
  within: [
    (distance: string) => `Innen ${distance} fra deg`,
    (distance: string) => `Within ${distance} of you`,
  ],
});
