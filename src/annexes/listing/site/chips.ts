/** The chosen filters above the results, each as a link that removes it. */
import { CHILDREN } from '../../events/choices.ts';
import type { EventList } from '../../events/event-list.ts';
import { conditionsOf, type WordedCondition } from '../../events/name.ts';
import { type Html, html } from '../../page/html.ts';
import { capitalized, inEach, type Language } from '../../page/reader.ts';
import { searchWith } from '../list-links.ts';
import { chosenDay } from './window.ts';

/** Null if nothing is chosen. */
export function chips(list: EventList): Html | null {
  const conditions = chosenFilters(list);
  if (conditions.length === 0) return null;
  const texts = TEXTS[list.language];
  const all = conditions.flatMap(({ names }) => names);
  const removeAll = html`<li><a href="${pageWithout(all, list)}">${texts.removeAll}</a></li>\n`;
  const chipOf = ({ names, words }: WordedCondition) =>
    html`<li><a href="${pageWithout(names, list)}" aria-label="${texts.remove(words)}">${words} <span aria-hidden="true">×</span></a></li>\n`;
  return html`<ul class="chips" aria-label="${texts.chosen}">
${conditions.map(chipOf)}${conditions.length > 1 ? removeAll : null}</ul>
`;
}

/** The address of the list without these parameters, from its first page on. */
export function pageWithout(names: readonly string[], list: EventList): string {
  const cleared = Object.fromEntries([...names, 'page'].map((name) => [name, null]));
  return `events.html${searchWith(list, cleared)}`;
}

function chosenFilters(list: EventList): readonly WordedCondition[] {
  const shown = shownElsewhere(list);
  const conditions = conditionsOf(list).filter(({ names: [name = ''] }) => !shown.has(name));
  return conditions.map(({ names, words }) => {
    // The reader knows a position only as their own.
    const isPosition = names[0] === 'near';
    return { names, words: isPosition ? TEXTS[list.language].near : capitalized(words) };
  });
}

/** First names of the conditions that another part of the page shows as chosen, and of those that no reader chooses. */
function shownElsewhere({ query, parameters }: EventList): ReadonlySet<string> {
  const { categories, period } = query.plan.conditions;
  // Quick choices are marked, each where it stands; a week is none of them.
  const shown = new Set(['free']);
  if (period !== 'WEEK') shown.add('period');
  const isForChildren = categories?.length === 1 && categories[0] === CHILDREN;
  if (isForChildren) shown.add('categories');
  // The line of days marks a chosen day.
  if (chosenDay(parameters) !== null) shown.add('fromStartDate');
  // The page itself groups by day wherever the window has an end.
  if (!parameters.has('groupRepetitionsByDay')) shown.add('groupRepetitionsByDay');
  return shown;
}

export const writeRemoval = (words: string, language: Language): string => TEXTS[language].remove(words);

/** Words that have quotation marks, such as a search term, get no others around them. */
const quoted = (words: string, [open, close]: readonly [string, string]): string =>
  words.includes(open) ? words : `${open}${words}${close}`;

const TEXTS = inEach({
  chosen: ['Valgte filtre', 'Selected filters', 'Valde filter'],
  near: ['Nær deg', 'Near you', 'Nær deg'],
  remove: [
    (words: string) => `Fjern ${quoted(words, ['«', '»'])}`,
    (words: string) => `Remove ${quoted(words, ['“', '”'])}`,
    (words: string) => `Fjern ${quoted(words, ['«', '»'])}`,
  ],
  removeAll: ['Fjern alle filtre', 'Remove all filters', 'Fjern alle filter'],
});
