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
export async function ready(list: EventList): Promise<Html> {
  const { language, inAddress } = list;
  const texts = TEXTS[language];
  const lang = inAddress && html`<input type="hidden" name="lang" value="${language}">\n`;
  return html`<h2 class="unseen" id="ready">${texts.ready}</h2>
<ul class="ready" aria-labelledby="ready">
${await readyChoices(list)}</ul>
<form class="one" method="get" action="subscribe#result">
${lang}${categoryChoice(list)}${placeChoice(list)}<button type="submit">${texts.make}</button>
</form>
`;
}

async function readyChoices(list: EventList): Promise<Content> {
  const { view, now } = list;
  const texts = TEXTS[list.language];
  const total = async (conditions: Conditions) => (await selectNodes(view, conditions, { now })).total;
  const choices = allCategories(list);
  const children = choices.find(({ id }) => id === CHILDREN);
  const hasChildren = children !== undefined && children.hits > 0;
  const [chosen, ...others] = valuesOf(chosenIn(list), 'categories');
  const category = others.length === 0 ? choices.find(({ id }) => id === chosen) : undefined;
  const isOther = category !== undefined && category.id !== CHILDREN;
  return [
    readyItem({}, { text: texts.everything, hits: await total({}) }, list),
    isOther && readyItem({ categories: category.id }, { text: category.label, hits: category.hits }, list),
    hasChildren && readyItem({ categories: CHILDREN }, { text: texts.children, hits: children.hits }, list),
    readyItem({ free: 'true' }, { text: texts.free, hits: await total({ free: true }) }, list),
  ];
}

interface ReadyChoice {
  readonly text: string;
  readonly hits: number;
}

/** `parameters`: of the page's address that makes the choice. */
function readyItem(
  parameters: Readonly<Record<string, string>>,
  { text, hits }: ReadyChoice,
  list: EventList,
): Html {
  const { language, inAddress } = list;
  const lang = inAddress ? { lang: language } : {};
  const query = queryText(new URLSearchParams({ ...parameters, ...lang }));
  const isChosen = queryText(new URLSearchParams(parameters)) === queryText(chosenIn(list));
  const current = isChosen && html` aria-current="true"`;
  const count = html`<span class="hits">${writeNumber(hits, language)}</span>`;
  return html`<li><a class="button" href="subscribe${query}#result"${current}>${text} ${count}</a></li>\n`;
}

/** Those with events, whatever is chosen. */
function allCategories(list: EventList): readonly CategoryChoice[] {
  const { facets } = list.view;
  const counts = list.view.unfilteredCounts();
  return categoryChoices(
    list,
    { categories: hitsBy('ordinal', facets.entities(counts, 'categories')) },
    new Set(),
  );
}

function categoryChoice(list: EventList): Html {
  const texts = TEXTS[list.language];
  const [chosen = '', ...others] = valuesOf(chosenIn(list), 'categories');
  return select('categories', {
    label: texts.category,
    none: texts.any,
    choices: allCategories(list).map(({ id, label, isSub }) => [id, isSub ? `\u2003${label}` : label]),
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
export function isReady(list: EventList): boolean {
  const given = chosenIn(list);
  const isKnown = [...given.keys()].every((name) => READY.has(name));
  return isKnown && [...READY].every((name) => valuesOf(given, name).size <= 1);
}

const READY: ReadonlySet<string> = new Set(['categories', 'venues', 'free']);

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
  ready: ['Hva vil du følge?', 'What would you like to follow?', 'Kva vil du følgje?'],
  everything: ['Alle arrangementer', 'All events', 'Alle arrangement'],
  children: ['For barn', 'For children', 'For barn'],
  free: ['Gratis', 'Free', 'Gratis'],
  category: ['Kategori', 'One category', 'Kategori'],
  place: ['Sted', 'One venue', 'Stad'],
  any: ['Alle', 'All', 'Alle'],
  make: ['Lag lenkene', 'Create links', 'Lag lenkjene'],
});
