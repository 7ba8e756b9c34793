/** Fields that the forms of pages have in common. They are the filter's, so that a page's address is a list's. */
import { ACCESSIBILITY, type Accessibility } from '../../calendar/accessibility.ts';
import { isTopLevel } from '../../calendar/model.ts';
import { compareNorwegian } from '../../calendar/text.ts';
import { FEATURES } from '../common/accessibility.ts';
import { assetOf } from '../page/assets.ts';
import { type Content, type Html, html } from '../page/html.ts';
import type { GivenParameters } from '../page/links.ts';
import { inEach } from '../page/reader.ts';
import type { EventList } from './event-list.ts';
import { municipalityNamed } from './municipalities.ts';
import { labelOf } from './values.ts';

/** The values of a parameter, which may come several times, and hold commas. */
export function valuesOf(given: GivenParameters, name: string): ReadonlySet<string> {
  const values = given.getAll(name).flatMap((value) => value.split(','));
  return new Set(values.map((value) => value.trim()).filter((value) => value !== ''));
}

/** Fields for what the form has no choice of: an organizer's page may link here with its own field. */
export function hiddenFields(given: GivenParameters, shown: ReadonlySet<string>): Content {
  return [...given]
    .filter(([name, value]) => !shown.has(name) && value.trim() !== '')
    .map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">\n`);
}

/** The number of events of each choice. */
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
): ReadonlyMap<Entry[Name], number> =>
  new Map(entries.map((entry): [Entry[Name], number] => [entry[name], entry.hits]));

/** A category of this id is for children in every calendar that has it. */
export const CHILDREN = 'FAMILY';

export interface CategoryChoice {
  readonly id: string;
  readonly label: string;
  /** Whether it is a subcategory. */
  readonly isSub: boolean;
  readonly hits: number;
}

/** Categories with events, or chosen ones, each before its subcategories. */
export function categoryChoices(
  { view, language }: EventList,
  { categories: hits }: Pick<Hits, 'categories'>,
  chosen: ReadonlySet<string>,
): readonly CategoryChoice[] {
  return view.lists.categories.flatMap((category, ordinal) => {
    const { id, visible } = category;
    const isOffered = chosen.has(id) || (visible && hits.has(ordinal));
    if (!isOffered) return [];
    return {
      id,
      label: labelOf(category, language),
      isSub: !isTopLevel(category),
      hits: hits.get(ordinal) ?? 0,
    };
  });
}

/** The value of a choice, and its text. */
type Choice = readonly [value: string, text: string];

interface BoxState {
  readonly isChosen: boolean;
  /** Whether it belongs to the box before it. */
  readonly isSub?: boolean;
}

export function box(name: string, [value, text]: Choice, { isChosen, isSub = false }: BoxState): Html {
  const checked = isChosen ? html` checked` : null;
  const input = html`<input type="checkbox" name="${name}" value="${value}"${checked}>`;
  return html`<label class="${isSub ? 'box sub' : 'box'}">${input} ${text}</label>\n`;
}

interface SelectOptions {
  readonly label: string;
  /** For no choice. */
  readonly none: string;
  readonly choices: readonly Choice[];
  readonly chosen: string;
}

export function select(name: string, { label, none, choices, chosen }: SelectOptions): Html {
  const optionOf = ([value, text]: Choice) => {
    const selected = value === chosen ? html` selected` : null;
    return html`<option value="${value}"${selected}>${text}</option>\n`;
  };
  return html`<label>${label} <select name="${name}">
<option value="">${none}</option>
${choices.map(optionOf)}</select></label>
`;
}

/** Writes a choice with its number of hits. */
export type WriteChoice = (label: string, hits: number) => string;

const labelAlone: WriteChoice = (label) => label;

interface ChoiceOptions {
  readonly hits: Hits;
  readonly write?: WriteChoice;
}

export function periodChoice({ parameters, language }: EventList): Html {
  const texts = TEXTS[language];
  return select('period', {
    label: texts.when,
    none: texts.anyTime,
    choices: PERIODS.map((name) => [name, texts[name]]),
    chosen: parameters.get('period') ?? '',
  });
}

const PERIODS = ['TODAY', 'TOMORROW', 'WEEKEND', 'WEEK'] as const;

/** Municipalities with events, and the chosen one. `none`: the text for no choice. */
export function municipalityChoice(
  { parameters, language, view }: EventList,
  none: string,
  { hits: { municipalities: hits }, write = labelAlone }: ChoiceOptions,
): Html {
  const { municipalities } = view.directory;
  const given = parameters.get('municipality') ?? '';
  const chosen = municipalityNamed(given, view)?.name ?? given;
  const names = new Set(municipalities.map(({ name }) => name).filter((name) => hits.has(name)));
  if (chosen !== '') names.add(chosen);
  return select('municipality', {
    label: TEXTS[language].municipality,
    none,
    choices: [...names].sort(compareNorwegian).map((name) => [name, write(name, hits.get(name) ?? 0)]),
    chosen,
  });
}

export function freeBox({ parameters, language }: EventList): Html {
  return box('free', ['true', TEXTS[language].free], { isChosen: parameters.get('free') === 'true' });
}

/** Boxes for what events say of their accessibility, and for what is chosen. */
export function accessibilityBoxes(
  { parameters, language }: EventList,
  { hits: { accessibility: hits }, write = labelAlone }: ChoiceOptions,
): readonly Html[] {
  const chosen = valuesOf(parameters, 'accessibility');
  return ACCESSIBILITY.filter((word) => chosen.has(word) || hits.has(word)).map((word) => {
    const text = write(FEATURES[word][language], hits.get(word) ?? 0);
    return box('accessibility', [word, text], { isChosen: chosen.has(word) });
  });
}

/** `assets/near.js` shows the button, and requests the position only when it is clicked. */
export function nearChoice({ parameters, language }: EventList): Html {
  const { within, nowhere, near } = TEXTS[language];
  const value = parameters.get('near') ?? '';
  const [, , km = ''] = value.split(',');
  const chosen =
    value.trim() !== '' ? box('near', [value, within(`${km.trim()} km`)], { isChosen: true }) : null;
  return html`${chosen}<button type="button" class="near" data-nowhere="${nowhere}" hidden>${near}</button> <span role="status"></span>`;
}

const NEAR = assetOf('src/annexes/page/assets/near.js');
export const NEAR_ROUTES = NEAR.routes;
export const NEAR_SCRIPT = html`<script src="${NEAR.file}" defer></script>\n`;

const TEXTS = inEach({
  when: ['Når', 'When', 'Når'],
  anyTime: ['Når som helst', 'Any time', 'Når som helst'],
  TODAY: ['I dag', 'Today', 'I dag'],
  TOMORROW: ['I morgen', 'Tomorrow', 'I morgon'],
  WEEKEND: ['I helgen', 'This weekend', 'I helga'],
  WEEK: ['Denne uken', 'This week', 'Denne veka'],
  municipality: ['Kommune', 'Municipality', 'Kommune'],
  free: ['Bare gratis', 'Free only', 'Berre gratis'],
  near: ['Nær meg (10 km)', 'Near me (10 km)', 'Nær meg (10 km)'],
  nowhere: [
    'Vi fikk ikke posisjonen din. Tillat posisjon i nettleseren.',
    'We could not get your location. Allow it in your browser.',
    'Vi fekk ikkje posisjonen din. Tillat posisjon i nettlesaren.',
  ],
  within: [
    (distance: string) => `Innen ${distance} fra deg`,
    (distance: string) => `Within ${distance} of you`,
    (distance: string) => `Innan ${distance} frå deg`,
  ],
});
