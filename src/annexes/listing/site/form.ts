/** The form of the calendar's own site, its choices as they stand, and the days to click on. It works without a script. */
import { DAY, formatDay, osloDay, weekdayOf } from '../../../calendar/time.ts';
import { selectNodes } from '../../../serve/query/select.ts';
import type { Conditions } from '../../../snapshot/filters.ts';
import { categoryChoices, fieldsFor, hiddenFields, hitsBy, select, valuesOf } from '../../events/choices.ts';
import { conditionsOf } from '../../events/name.ts';
import type { Feed } from '../../events/read.ts';
import { type Content, type Html, html } from '../../page/html.ts';
import { inEach, SUNDAY, writeDay, writeNumber } from '../../page/reader.ts';
import { searchWith } from '../plain.ts';

export function form(feed: Feed, counts: SiteCounts): Html {
  const { language, search } = feed;
  const texts = TEXTS[language];
  const given = new URLSearchParams(search);
  const counted = (label: string, hits: number) => `${label} (${writeNumber(hits, language)})`;
  const fields = fieldsFor(feed, counts, counted);
  const isMore = MORE.some((name) => (given.get(name) ?? '').trim() !== '');
  return html`<form class="finder" method="get" action="events.html" role="search">
${hiddenFields(given, CONTROLS)}<div class="fields">
<label class="wide">${texts.search} ${fields.term}</label>
${fields.period}${categories(feed, counts, counted)}<button type="submit">${texts.show}</button>
</div>
<details${isMore && html` open`}>
<summary>${texts.more}</summary>
<div class="fields">
<label>${texts.from} <input type="date" name="fromDate" value="${(given.get('fromDate') ?? '').slice(0, 10)}"></label>
${fields.municipality(texts.everywhere)}<div class="near-me">${fields.near}</div>
</div>
<div class="boxes">
${fields.free(counts.free)}${fields.accessibility}</div>
</details>
</form>
`;
}

/** Fields that are folded away unless one is used. */
const MORE = ['fromDate', 'municipality', 'near', 'free', 'accessibility'];

/** What the form sends itself; `page` begins anew. */
const CONTROLS: ReadonlySet<string> = new Set([...MORE, 'searchTerm', 'period', 'categories', 'page']);

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
  const conditions = conditionsOf(feed);
  if (conditions.length === 0) return '';
  const texts = TEXTS[feed.language];
  const all = Object.fromEntries(conditions.map(({ name }) => [name, null]));
  return html`<ul class="chips" aria-label="${texts.chosen}">
${conditions.map(({ name, words }) => html`<li><a href="events.html${searchWith(feed, { [name]: null, page: null })}" aria-label="${texts.remove(words)}">${words} <span aria-hidden="true">×</span></a></li>\n`)}${
  conditions.length > 1 &&
  html`<li><a href="events.html${searchWith(feed, { ...all, page: null })}">${texts.removeAll}</a></li>\n`
}</ul>
`;
}

/** Five weeks. */
const MOST_DAYS = 35;

/** From today on, or from the chosen day if it is later than that; nothing without a day to click on. */
export function days(feed: Feed, { days: hits }: SiteCounts): Content {
  const { language, now, search } = feed;
  const texts = TEXTS[language];
  const today = osloDay(now);
  const chosen = chosenDay(search);
  const first = chosen === null || chosen < today + MOST_DAYS ? today : chosen;
  const all = Array.from({ length: MOST_DAYS }, (_, at) => first + at);
  if (!all.some((day) => hits.has(formatDay(day)) || day === chosen)) return '';
  return html`<nav class="strip" aria-label="${texts.days}"><ol>
${all.map((day) => {
  const date = formatDay(day);
  const count = hits.get(date) ?? 0;
  const isNew = day === first || date.endsWith('-01');
  const month =
    isNew && html`<li class="month" aria-hidden="true">${writeDay(day, 'ofMonth', language)}</li>\n`;
  const text = html`<span class="weekday">${writeDay(day, 'short', language)}</span> <span class="number">${Number(date.slice(8))}</span><span class="unseen"> ${writeDay(day, 'month', language)}:</span> <span class="hits">${count > 0 && writeNumber(count, language)}</span><span class="unseen"> ${count === 1 ? texts.event : texts.events}</span>`;
  const cell =
    count === 0 && day !== chosen
      ? html`<span class="cell" aria-hidden="true">${text}</span>`
      : html`<a class="cell" href="events.html${linkOf(day, feed)}"${day === chosen && html` aria-current="date"`}>${text}</a>`;
  return html`${month}<li${weekdayOf(day) === SUNDAY && html` class="sunday"`}>${cell}</li>\n`;
})}</ol></nav>
`;
}

function linkOf(day: number, feed: Feed): string {
  const cleared = Object.fromEntries([...WINDOW, 'page'].map((name) => [name, null]));
  return searchWith(feed, { ...cleared, fromStartDate: formatDay(day), untilDate: formatDay(day + 1) });
}

/** The day whose link was followed. */
function chosenDay(search: string): number | null {
  const given = new URLSearchParams(search);
  const [from, until] = ['fromStartDate', 'untilDate'].map(
    (name) => Date.parse(given.get(name) ?? '') / (DAY * 1_000),
  );
  return from !== undefined && until === from + 1 && Number.isInteger(from) ? from : null;
}

/** Parameters of a window: a click on a day replaces them. */
const WINDOW = ['period', 'fromDate', 'fromStartDate', 'untilDate'];

export type SiteCounts = Awaited<ReturnType<typeof countsFor>>;

/** How many events each choice would show, the other choices kept. */
export async function countsFor(feed: Feed) {
  const { view, now, query, total } = feed;
  const { facets } = view;
  const without = (names: readonly string[], more: Conditions = {}) => {
    const kept = Object.entries(query.plan.conditions).filter(([name]) => !names.includes(name));
    return selectNodes(view, { ...Object.fromEntries(kept), ...more }, now);
  };
  const categories = await without(['categories']);
  const municipalities = await without(['municipality']);
  const accessibility = await without(['accessibility']);
  // Each date of an event is a node, so that a day counts all events of that day.
  const days = await without(WINDOW, { groupRepetitionsByDay: true });
  const fewer = [];
  for (const condition of total > 0 ? [] : conditionsOf(feed))
    fewer.push({ ...condition, hits: (await without([condition.name])).total });
  return {
    categories: hitsBy('ordinal', facets.entities(categories.counts(), 'categories')),
    municipalities: hitsBy('name', facets.municipalities(municipalities.counts())),
    accessibility: hitsBy('value', facets.accessibilities(accessibility.rows)),
    free: (await without([], { free: true })).total,
    /** Events that start on each day, by its date; whatever window is chosen. */
    days: hitsBy('day', facets.days(days.rows)),
    /** Each condition, and how many events there are without it. Empty unless nothing was found. */
    without: fewer.sort((left, right) => right.hits - left.hits),
  };
}

const TEXTS = inEach({
  search: ['Søk', 'Search'],
  from: ['Fra dag', 'From day'],
  category: ['Kategori', 'Category'],
  all: ['Alle', 'All'],
  everywhere: ['Overalt', 'Everywhere'],
  more: ['Flere valg', 'More choices'],
  show: ['Vis arrangementer', 'Show events'],
  chosen: ['Valgt', 'Chosen'],
  remove: [(words: string) => `Ta bort ${words}`, (words: string) => `Take away ${words}`],
  removeAll: ['Ta bort alle', 'Take away all'],
  days: ['Dager', 'Days'],
  event: ['arrangement', 'event'],
  events: ['arrangementer', 'events'],
});
