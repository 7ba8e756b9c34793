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
import type { Feed } from '../events/read.ts';
import { type Content, type Html, html } from '../page/html.ts';
import { queryText } from '../page/links.ts';
import { inEach, writeNumber } from '../page/reader.ts';
import { venueChoices } from './venues.ts';

/** The choices of most readers, each with one click; and one category or one venue. */
export async function ready(feed: Feed): Promise<Html> {
  const { language, inAddress } = feed;
  const texts = TEXTS[language];
  const lang = inAddress && html`<input type="hidden" name="lang" value="${language}">\n`;
  return html`<h2 class="unseen" id="ready">${texts.ready}</h2>
<ul class="ready" aria-labelledby="ready">
${await readyChoices(feed)}</ul>
<form class="one" method="get" action="subscribe#result">
${lang}${categoryChoice(feed)}${placeChoice(feed)}<button type="submit">${texts.make}</button>
</form>
`;
}

async function readyChoices(feed: Feed): Promise<Content> {
  const { view, now } = feed;
  const texts = TEXTS[feed.language];
  const total = async (conditions: Conditions) => (await selectNodes(view, conditions, now)).total;
  const choices = allCategories(feed);
  const children = choices.find(({ id }) => id === CHILDREN);
  const hasChildren = children !== undefined && children.hits > 0;
  const [chosen, ...others] = valuesOf(chosenIn(feed), 'categories');
  const category = others.length === 0 ? choices.find(({ id }) => id === chosen) : undefined;
  const isOther = category !== undefined && category.id !== CHILDREN;
  return [
    readyItem({}, { text: texts.everything, hits: await total({}) }, feed),
    isOther && readyItem({ categories: category.id }, { text: category.label, hits: category.hits }, feed),
    hasChildren && readyItem({ categories: CHILDREN }, { text: texts.children, hits: children.hits }, feed),
    readyItem({ free: 'true' }, { text: texts.free, hits: await total({ free: true }) }, feed),
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
  feed: Feed,
): Html {
  const { language, inAddress } = feed;
  const lang = inAddress ? { lang: language } : {};
  const query = queryText(new URLSearchParams({ ...parameters, ...lang }));
  const isChosen = queryText(new URLSearchParams(parameters)) === queryText(chosenIn(feed));
  const current = isChosen && html` aria-current="true"`;
  const count = html`<span class="hits">${writeNumber(hits, language)}</span>`;
  return html`<li><a class="button" href="subscribe${query}#result"${current}>${text} ${count}</a></li>\n`;
}

/** Those with events, whatever is chosen. */
function allCategories(feed: Feed): readonly CategoryChoice[] {
  const { facets } = feed.view;
  const counts = feed.view.unfilteredCounts();
  return categoryChoices(
    feed,
    { categories: hitsBy('ordinal', facets.entities(counts, 'categories')) },
    new Set(),
  );
}

function categoryChoice(feed: Feed): Html {
  const texts = TEXTS[feed.language];
  const [chosen = '', ...others] = valuesOf(chosenIn(feed), 'categories');
  return select('categories', {
    label: texts.category,
    none: texts.any,
    choices: allCategories(feed).map(({ id, label, isSub }) => [id, isSub ? `\u2003${label}` : label]),
    chosen: others.length === 0 ? chosen : '',
  });
}

/** The list's own part of the address. */
function chosenIn({ parameters }: Feed): URLSearchParams {
  const isOfList = ([name, value]: readonly [string, string]) => !OF_PAGE.has(name) && value.trim() !== '';
  return new URLSearchParams([...parameters].filter(isOfList));
}

const OF_PAGE: ReadonlySet<string> = new Set(['lang', 'page', 'pageSize']);

/** Whether the quick choices and the two lists show everything that is chosen. */
export function isReady(feed: Feed): boolean {
  const given = chosenIn(feed);
  const isKnown = [...given.keys()].every((name) => READY.has(name));
  return isKnown && [...READY].every((name) => valuesOf(given, name).size <= 1);
}

const READY: ReadonlySet<string> = new Set(['categories', 'venues', 'free']);

/** The venues with most events. */
function placeChoice(feed: Feed): Html {
  const { language } = feed;
  const texts = TEXTS[language];
  const all = venueChoices(feed);
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
