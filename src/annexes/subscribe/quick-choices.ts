/** The choices of one click, and the lists of one category and one venue. */
import { selectNodes } from '../../serve/query/select.ts';
import type { Conditions } from '../../snapshot/filters.ts';
import {
  type CategoryChoice,
  CHILDREN,
  categoryChoices,
  hitsBy,
  select,
  valuesOf,
} from '../events/choices.ts';
import type { EventList } from '../events/event-list.ts';
import { type Content, type Html, html } from '../page/html.ts';
import { queryText } from '../page/links.ts';
import { inEach, writeNumber } from '../page/reader.ts';
import { venueChoices } from './venues.ts';

/** The choices of most readers, each with one click; and one category or one venue. */
export async function quickChoices(list: EventList): Promise<Html> {
  const { language, inAddress } = list;
  const texts = TEXTS[language];
  const categories = offeredCategories(list);
  const lang = inAddress ? html`<input type="hidden" name="lang" value="${language}">\n` : null;
  return html`<h2 class="unseen" id="ready">${texts.follow}</h2>
<ul class="ready" aria-labelledby="ready">
${await itemsFor(list, categories)}</ul>
<form class="one" method="get" action="subscribe#result">
${lang}${categoryChoice(list, categories)}${placeChoice(list)}<button type="submit">${texts.make}</button>
</form>
`;
}

async function itemsFor(list: EventList, categories: readonly CategoryChoice[]): Promise<Content> {
  const { view, now } = list;
  const texts = TEXTS[list.language];
  const total = async (conditions: Conditions) => (await selectNodes(view, conditions, { now })).total;
  const children = categories.find(({ id }) => id === CHILDREN);
  const hasChildren = children !== undefined && children.hits > 0;
  const [chosen, ...others] = valuesOf(chosenIn(list), 'categories');
  const category = others.length === 0 ? categories.find(({ id }) => id === chosen) : undefined;
  const isOther = category !== undefined && category.id !== CHILDREN;
  return [
    quickChoice({}, { text: texts.everything, hits: await total({}) }, list),
    isOther
      ? quickChoice({ categories: category.id }, { text: category.label, hits: category.hits }, list)
      : null,
    hasChildren
      ? quickChoice({ categories: CHILDREN }, { text: texts.children, hits: children.hits }, list)
      : null,
    quickChoice(FREE, { text: texts.free, hits: await total({ free: true }) }, list),
  ];
}

/** Parameters of the page's address that make a choice. */
type ChoiceParameters = Readonly<Record<string, string>>;

const FREE: ChoiceParameters = { free: 'true' };

interface CountedText {
  readonly text: string;
  readonly hits: number;
}

function quickChoice(parameters: ChoiceParameters, { text, hits }: CountedText, list: EventList): Html {
  const { language, inAddress } = list;
  const lang = inAddress ? { lang: language } : {};
  const query = queryText(new URLSearchParams({ ...parameters, ...lang }));
  const current = isAllChosen(parameters, list) ? html` aria-current="true"` : null;
  const count = html`<span class="hits">${writeNumber(hits, language)}</span>`;
  return html`<li><a class="button" href="subscribe${query}#result"${current}>${text} ${count}</a></li>\n`;
}

/** Whether these parameters are all that is chosen. */
const isAllChosen = (parameters: ChoiceParameters, list: EventList): boolean =>
  queryText(new URLSearchParams(parameters)) === queryText(chosenIn(list));

/** Categories with events, and the chosen ones. */
function offeredCategories(list: EventList): readonly CategoryChoice[] {
  const { facets } = list.view;
  const counts = list.view.unfilteredCounts();
  return categoryChoices(
    list,
    { categories: hitsBy('ordinal', facets.entities(counts, 'categories')) },
    valuesOf(chosenIn(list), 'categories'),
  );
}

function categoryChoice(list: EventList, categories: readonly CategoryChoice[]): Html {
  const texts = TEXTS[list.language];
  const [chosen = '', ...others] = valuesOf(chosenIn(list), 'categories');
  return select('categories', {
    label: texts.category,
    none: texts.any,
    choices: categories.map(({ id, label, isSub }) => [id, isSub ? `\u2003${label}` : label]),
    chosen: others.length === 0 ? chosen : '',
  });
}

/** The list's own part of the address. */
function chosenIn({ parameters }: EventList): URLSearchParams {
  const isOfList = ([name, value]: readonly [string, string]) => !OF_PAGE.has(name) && value.trim() !== '';
  return new URLSearchParams([...parameters].filter(isOfList));
}

const OF_PAGE: ReadonlySet<string> = new Set(['lang', 'page', 'pageSize']);

/** Whether the quick choices and the two lists show everything that is chosen. */
export function showsAllChosen(list: EventList): boolean {
  const given = chosenIn(list);
  // A quick choice shows it, but only if nothing else is chosen: the lists do not have it.
  if (given.has('free')) return isAllChosen(FREE, list);
  return [...given.keys()].every((name) => {
    const isInCalendar = LISTED.get(name);
    const [value, ...others] = valuesOf(given, name);
    if (isInCalendar === undefined || others.length > 0) return false;
    return value === undefined || isInCalendar(value, list);
  });
}

/** The parameters of the two lists, which take one value each, and whether the calendar has a value: the lists have no other. */
const LISTED: ReadonlyMap<string, (value: string, list: EventList) => boolean> = new Map([
  ['categories', (id, { view }) => view.directory.categoryById.has(id)],
  ['venues', (slug, { view }) => view.directory.venueBySlug.has(slug)],
]);

/** The venues with most events. */
function placeChoice(list: EventList): Html {
  const { language } = list;
  const texts = TEXTS[language];
  const all = venueChoices(list);
  const chosen = all.filter(({ isChosen }) => isChosen);
  return select('venues', {
    label: texts.place,
    none: texts.any,
    choices: all.map(({ slug, label }) => [slug, label]),
    chosen: chosen.length === 1 ? (chosen[0]?.slug ?? '') : '',
  });
}

const TEXTS = inEach({
  follow: ['Hva vil du følge?', 'What would you like to follow?', 'Kva vil du følgje?'],
  everything: ['Alle arrangementer', 'All events', 'Alle arrangement'],
  children: ['For barn', 'For children', 'For barn'],
  free: ['Gratis', 'Free', 'Gratis'],
  category: ['Kategori', 'One category', 'Kategori'],
  place: ['Sted', 'One venue', 'Stad'],
  any: ['Alle', 'All', 'Alle'],
  make: ['Lag lenkene', 'Create links', 'Lag lenkjene'],
});
