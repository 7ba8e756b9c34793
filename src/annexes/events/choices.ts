/** Choices that the forms of pages have in common. They send fields of the filter, so that a page's address is a list's. */
import { ACCESSIBILITY, type Accessibility } from '../../calendar/accessibility.ts';
import type { Category } from '../../calendar/model.ts';
import { FEATURES } from '../common/accessibility.ts';
import { type Content, type Html, html } from '../page/html.ts';
import { assetOf } from '../page/page.ts';
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

interface CategoryChoice {
  readonly id: string;
  readonly label: string;
  readonly isSub: boolean;
  readonly hits: number;
}

/** Categories with events, or chosen ones, each before its subcategories. `hits`: by ordinal. */
export function categoryChoices(
  { view, language }: Pick<Feed, 'view' | 'language'>,
  { hits, chosen }: { readonly hits: ReadonlyMap<number, number>; readonly chosen: ReadonlySet<string> },
): readonly CategoryChoice[] {
  const isThere = ({ id, visible }: Category, place: number) =>
    chosen.has(id) || (visible && hits.has(place));
  return view.lists.categories.flatMap((category, place) => {
    const { id, parent, [`name_${language}` as const]: label } = category;
    return isThere(category, place) ? { id, label, isSub: parent !== -1, hits: hits.get(place) ?? 0 } : [];
  });
}

const PERIODS = ['TODAY', 'TOMORROW', 'WEEKEND', 'WEEK'] as const;

export const periodOptions = (language: Language, chosen: string): Content =>
  PERIODS.map(
    (name) =>
      html`<option value="${name}"${name === chosen && html` selected`}>${TEXTS[language][name]}</option>\n`,
  );

/** Boxes for what events say of their accessibility, and for what is chosen. */
export function accessibilityChoices(
  language: Language,
  {
    hits,
    chosen,
    write,
  }: {
    readonly hits: ReadonlyMap<Accessibility, number>;
    readonly chosen: ReadonlySet<string>;
    readonly write: (label: string, hits: number) => string;
  },
): readonly Html[] {
  return ACCESSIBILITY.filter((word) => chosen.has(word) || hits.has(word)).map(
    (word) =>
      html`<label class="box"><input type="checkbox" name="accessibility" value="${word}"${chosen.has(word) && html` checked`}> ${write(FEATURES[word][language], hits.get(word) ?? 0)}</label>\n`,
  );
}

const COLLATOR = new Intl.Collator('nb');

/** Options of municipalities by name: those with events, and the chosen one. `hits`: by name. */
export function municipalityOptions(
  { view }: Pick<Feed, 'view'>,
  {
    hits,
    chosen,
    write,
  }: {
    readonly hits: ReadonlyMap<string, number>;
    readonly chosen: string;
    readonly write: (name: string, hits: number) => string;
  },
): Content {
  const { municipalities } = view.directory;
  const selected = municipalities.find(({ number }) => number === chosen)?.name ?? chosen;
  const listed = municipalities.flatMap(({ name }) => (hits.has(name) ? name : []));
  const all = [...new Set([...listed, ...(selected === '' ? [] : [selected])])].sort(COLLATOR.compare);
  return all.map(
    (name) =>
      html`<option value="${name}"${name === selected && html` selected`}>${write(name, hits.get(name) ?? 0)}</option>\n`,
  );
}

const NEAR = assetOf('src/annexes/page/assets/near.js');
export const NEAR_ROUTES = NEAR.routes;
export const NEAR_SCRIPT = html`<script src="${NEAR.file}" defer></script>\n`;

/** `assets/near.js` shows the button, and requests the position only when it is clicked. */
export function nearChoice(given: string, language: Language): Html {
  const texts = TEXTS[language];
  const [latitude, longitude, km] = given.split(',');
  const chosen =
    given.trim() !== '' &&
    html`<label class="box"><input type="checkbox" name="near" value="${given}" checked> ${texts.within(`${km} km`, `${latitude}, ${longitude}`)}</label>\n`;
  return html`${chosen}<button type="button" class="near" data-nowhere="${texts.nowhere}" hidden>${texts.near}</button> <span role="status"></span>`;
}

const TEXTS = inEach({
  TODAY: ['I dag', 'Today'],
  TOMORROW: ['I morgen', 'Tomorrow'],
  WEEKEND: ['I helgen', 'This weekend'],
  WEEK: ['Denne uken', 'This week'],
  near: ['Nær meg (10 km)', 'Near me (10 km)'],
  nowhere: ['Nettleseren sier ikke hvor du er.', 'The browser does not say where you are.'],
  within: [
    (distance: string, position: string) => `Innen ${distance} fra ${position}`,
    (distance: string, position: string) => `Within ${distance} of ${position}`,
  ],
});
