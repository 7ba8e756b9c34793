/** The form of the calendar's own site: a search, choices of one click, the days, and the rest folded away. It works without a script. */
import { categoryChoices, fieldsFor, hiddenFields, select, valuesOf } from '../../events/choices.ts';
import { conditionsOf } from '../../events/name.ts';
import type { Feed } from '../../events/read.ts';
import { capitalized } from '../../events/words.ts';
import { type Content, type Html, html } from '../../page/html.ts';
import { inEach, type Language, writeNumber } from '../../page/reader.ts';
import { searchWith } from '../plain.ts';
import type { SiteCounts } from './counts.ts';
import { strip } from './strip.ts';
import { chosenDay, WINDOW } from './window.ts';

export function form(feed: Feed, counts: SiteCounts): Html {
  const { language, search } = feed;
  const texts = TEXTS[language];
  const given = new URLSearchParams(search);
  const counted = (label: string, hits: number) => `${label} (${writeNumber(hits, language)})`;
  const fields = fieldsFor(feed, counts, counted);
  return html`<form class="finder" method="get" action="events.html" role="search">
${hiddenFields(given, CONTROLS)}<p class="search"><label><span class="unseen">${texts.search}</span> <input type="search" name="searchTerm" value="${given.get('searchTerm') ?? ''}" placeholder="${texts.hint}" autocomplete="off"></label> <button type="submit">${texts.search}</button></p>
${quick(feed, counts)}${strip(feed, counts)}<details class="more">
<summary>${texts.more}</summary>
<div class="fields">
${categories(feed, counts, counted)}<label>${texts.from} <input type="date" name="fromDate" value="${(given.get('fromDate') ?? '').slice(0, 10)}"></label>
${fields.municipality(texts.everywhere)}<label>${texts.age} <input type="number" name="age" min="0" max="130" inputmode="numeric" value="${given.get('age') ?? ''}"></label>
<div class="near-me">${fields.near}</div>
</div>
${fields.accessibility.length > 0 && html`<fieldset class="boxes"><legend>${texts.accessibility}</legend>\n${fields.accessibility}</fieldset>\n`}<p><button type="submit">${texts.show}</button></p>
</details>
</form>
`;
}

/** Fields that are folded away; values chosen in them are shown above the results. */
const MORE = ['fromDate', 'municipality', 'near', 'accessibility', 'categories', 'age'];

/** Parameters that the form sends; `page` starts again. */
const CONTROLS: ReadonlySet<string> = new Set([...MORE, 'searchTerm', 'page']);

/** A category of this id is for children in every calendar that has it. */
const CHILDREN = 'FAMILY';

/** What most readers choose: links that set it, or take it away where it is set. */
function quick(feed: Feed, counts: SiteCounts): Html {
  const { language, view, search } = feed;
  const texts = TEXTS[language];
  const given = new URLSearchParams(search);
  const noWindow = Object.fromEntries(WINDOW.map((name) => [name, null]));
  const children = view.directory.categoryById.get(CHILDREN);
  const hitsOf = (hits: number) => html` <span class="hits">${writeNumber(hits, language)}</span>`;
  const item = ({ name, value, text, more = {} }: QuickChoice) => {
    const isChosen = given.get(name) === value;
    const to = searchWith(feed, { ...more, [name]: isChosen ? null : value, page: null });
    return html`<li><a href="events.html${to}"${isChosen && html` aria-current="true"`}>${text}</a></li>\n`;
  };
  const periods = (['TODAY', 'TOMORROW', 'WEEKEND'] as const).map((value) =>
    item({ name: 'period', value, text: texts[value], more: noWindow }),
  );
  const childrens = counts.categories.get(children ?? -1) ?? 0;
  return html`<ul class="quick" aria-label="${texts.quick}">
${periods}${item({ name: 'free', value: 'true', text: html`${texts.free}${hitsOf(counts.free)}` })}${
  children !== undefined &&
  item({ name: 'categories', value: CHILDREN, text: html`${texts.children}${hitsOf(childrens)}` })
}</ul>
`;
}

interface QuickChoice {
  readonly name: string;
  readonly value: string;
  readonly text: Content;
  /** Other parameters that it changes. */
  readonly more?: Readonly<Record<string, string | null>>;
}

/** One of them; several, which only an address can name, stay until they are taken away. */
function categories(feed: Feed, counts: SiteCounts, counted: (label: string, hits: number) => string): Html {
  const texts = TEXTS[feed.language];
  const chosen = valuesOf(new URLSearchParams(feed.search), 'categories');
  if (chosen.size > 1)
    return html`<input type="hidden" name="categories" value="${[...chosen].join(',')}">\n`;
  const choices = categoryChoices(feed, counts, chosen).map(
    ({ id, label, isSub, hits }) => [id, `${isSub ? '\u2003' : ''}${counted(label, hits)}`] as const,
  );
  const [first = ''] = chosen;
  return select('categories', { label: texts.category, none: texts.all, choices, chosen: first });
}

/** What is chosen, each to be taken away by a click. */
export function chips(feed: Feed): Content {
  const conditions = chosenIn(feed);
  if (conditions.length === 0) return '';
  const texts = TEXTS[feed.language];
  const without = (names: readonly string[]) =>
    searchWith(feed, { ...Object.fromEntries(names.map((name) => [name, null])), page: null });
  return html`<ul class="chips" aria-label="${texts.chosen}">
${conditions.map(({ names, words }) => html`<li><a href="events.html${without(names)}" aria-label="${writeRemoval(words, feed.language)}">${words} <span aria-hidden="true">×</span></a></li>\n`)}${
  conditions.length > 1 &&
  html`<li><a href="events.html${without(conditions.flatMap(({ names }) => names))}">${texts.removeAll}</a></li>\n`
}</ul>
`;
}

/** What stands besides the choices of one click, which show themselves that they are chosen. */
function chosenIn(feed: Feed) {
  const { categories, period } = feed.query.plan.conditions;
  const shown = new Set(['free', ...(period === 'WEEK' ? [] : ['period'])]);
  if (chosenDay(feed.search) !== null) shown.add('fromStartDate');
  if (categories?.length === 1 && categories[0] === CHILDREN) shown.add('categories');
  // Rows are dates wherever the window has an end: that is no choice of the reader's.
  if (!feed.search.includes('groupRepetitionsByDay')) shown.add('groupRepetitionsByDay');
  // Of a position the reader knows only that it is theirs.
  return conditionsOf(feed)
    .filter(({ names }) => !shown.has(names[0] ?? ''))
    .map(({ names, words }) => ({
      names,
      words: names[0] === 'near' ? TEXTS[feed.language].near : capitalized(words),
    }));
}

export const writeRemoval = (words: string, language: Language): string => TEXTS[language].remove(words);

/** Without quotation marks of its own around words that have some. */
const quoted = (words: string, [open, close]: readonly [string, string]): string =>
  words.includes(open) ? words : `${open}${words}${close}`;

const TEXTS = inEach({
  search: ['Søk', 'Search'],
  hint: ['Hva, hvor eller hvem', 'What, where or who'],
  from: ['Fra dato', 'From date'],
  category: ['Kategori', 'Category'],
  all: ['Alle', 'All'],
  everywhere: ['Overalt', 'Everywhere'],
  age: ['Passer for alder', 'For someone aged …'],
  accessibility: ['Tilgjengelighet', 'Accessibility'],
  more: ['Flere filtre', 'More filters'],
  show: ['Vis arrangementer', 'Show events'],
  chosen: ['Valgte filtre', 'Chosen filters'],
  quick: ['Snarveier', 'Shortcuts'],
  TODAY: ['I dag', 'Today'],
  TOMORROW: ['I morgen', 'Tomorrow'],
  WEEKEND: ['I helgen', 'This weekend'],
  free: ['Gratis', 'Free'],
  children: ['For barn', 'For children'],
  near: ['Nær deg', 'Near you'],
  remove: [
    (words: string) => `Fjern ${quoted(words, ['«', '»'])}`,
    (words: string) => `Remove ${quoted(words, ['“', '”'])}`,
  ],
  removeAll: ['Fjern alle filtre', 'Remove all filters'],
});
