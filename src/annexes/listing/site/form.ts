/** The form of the calendar's own site: a search, choices of one click, the days, and the rest folded away. It works without a script. */
import {
  accessibilityBoxes,
  CHILDREN,
  categoryChoices,
  hiddenFields,
  municipalityChoice,
  nearChoice,
  select,
  valuesOf,
  type WriteChoice,
} from '../../events/choices.ts';
import type { EventList } from '../../events/event-list.ts';
import { type Content, type Html, html } from '../../page/html.ts';
import { inEach, writeNumber } from '../../page/reader.ts';
import { searchWith } from '../list-links.ts';
import type { SiteCounts } from './counts.ts';
import { strip } from './strip.ts';
import { WINDOW } from './window.ts';

export function form(list: EventList, counts: SiteCounts): Html {
  return html`<form class="finder" method="get" action="events.html" role="search">
${hiddenFields(list.parameters, CONTROLS)}${searchField(list)}${quick(list, counts)}${strip(list, counts)}${moreFilters(list, counts)}</form>
`;
}

/** Fields that are folded away; values chosen in them are shown above the results. */
const MORE = ['fromDate', 'municipality', 'near', 'accessibility', 'categories', 'age'];

/** Parameters that the form sends; `page` starts again. */
const CONTROLS: ReadonlySet<string> = new Set([...MORE, 'searchTerm', 'page']);

function searchField({ language, parameters }: EventList): Html {
  const texts = TEXTS[language];
  const term = parameters.get('searchTerm') ?? '';
  const input = html`<input type="search" name="searchTerm" value="${term}" placeholder="${texts.hint}" autocomplete="off">`;
  return html`<p class="search"><label><span class="unseen">${texts.search}</span> ${input}</label> <button type="submit">${texts.search}</button></p>\n`;
}

function moreFilters(list: EventList, counts: SiteCounts): Html {
  const { language, parameters } = list;
  const texts = TEXTS[language];
  const write: WriteChoice = (label, hits) => `${label} (${writeNumber(hits, language)})`;
  const from = (parameters.get('fromDate') ?? '').slice(0, 10);
  const age = parameters.get('age') ?? '';
  const ageInput = html`<input type="number" name="age" min="0" max="130" inputmode="numeric" value="${age}">`;
  const municipality = municipalityChoice(list, texts.everywhere, { hits: counts, write });
  const boxes = accessibilityBoxes(list, { hits: counts, write });
  const accessibility = html`<fieldset class="boxes"><legend>${texts.accessibility}</legend>
${boxes}</fieldset>
`;
  return html`<details class="more">
<summary>${texts.more}</summary>
<div class="fields">
${categoryField(list, counts, write)}<label>${texts.from} <input type="date" name="fromDate" value="${from}"></label>
${municipality}<label>${texts.age} ${ageInput}</label>
<div class="near-me">${nearChoice(list)}</div>
</div>
${boxes.length > 0 ? accessibility : null}<p><button type="submit">${texts.show}</button></p>
</details>
`;
}

/** The choices of most readers, as links: each sets a parameter, or removes it if it is set. */
function quick(list: EventList, counts: SiteCounts): Html {
  const texts = TEXTS[list.language];
  const clearedWindow = Object.fromEntries(WINDOW.map((name) => [name, null]));
  const children = list.view.directory.categoryById.get(CHILDREN);
  const withHits = (text: string, hits: number) =>
    html`${text} <span class="hits">${writeNumber(hits, list.language)}</span>`;
  const choices: readonly (QuickChoice | null)[] = [
    ...PERIODS.map((value) => ({ name: 'period', value, text: texts[value], more: clearedWindow })),
    { name: 'free', value: 'true', text: withHits(texts.free, counts.free) },
    children === undefined
      ? null
      : {
          name: 'categories',
          value: CHILDREN,
          text: withHits(texts.children, counts.categories.get(children) ?? 0),
        },
  ];
  return html`<ul class="quick" aria-label="${texts.quick}">
${choices.map((choice) => choice && quickItem(choice, list))}</ul>
`;
}

const PERIODS = ['TODAY', 'TOMORROW', 'WEEKEND'] as const;

interface QuickChoice {
  readonly name: string;
  readonly value: string;
  readonly text: Content;
  /** Other parameters that it changes. */
  readonly more?: Readonly<Record<string, string | null>>;
}

function quickItem({ name, value, text, more = {} }: QuickChoice, list: EventList): Html {
  const isChosen = list.parameters.get(name) === value;
  const query = searchWith(list, { ...more, [name]: isChosen ? null : value, page: null });
  const current = isChosen ? html` aria-current="true"` : null;
  return html`<li><a href="events.html${query}"${current}>${text}</a></li>\n`;
}

/** One of them; several, which only an address can name, stay until they are taken away. */
function categoryField(list: EventList, counts: SiteCounts, write: WriteChoice): Html {
  const texts = TEXTS[list.language];
  const chosen = valuesOf(list.parameters, 'categories');
  if (chosen.size > 1)
    return html`<input type="hidden" name="categories" value="${[...chosen].join(',')}">\n`;
  const [first = ''] = chosen;
  const choices = categoryChoices(list, counts, chosen).map(({ id, label, isSub, hits }) => {
    const text = write(label, hits);
    return [id, isSub ? `\u2003${text}` : text] as const;
  });
  return select('categories', { label: texts.category, none: texts.all, choices, chosen: first });
}

const TEXTS = inEach({
  search: ['Søk', 'Search', 'Søk'],
  hint: ['Hva, hvor eller hvem', 'What, where or who', 'Kva, kvar eller kven'],
  from: ['Fra dato', 'From date', 'Frå dato'],
  category: ['Kategori', 'Category', 'Kategori'],
  all: ['Alle', 'All', 'Alle'],
  everywhere: ['Overalt', 'Everywhere', 'Overalt'],
  age: ['Passer for alder', 'For someone aged …', 'Passar for alder'],
  accessibility: ['Tilgjengelighet', 'Accessibility', 'Tilgjenge'],
  more: ['Flere filtre', 'More filters', 'Fleire filter'],
  show: ['Vis arrangementer', 'Show events', 'Vis arrangement'],
  quick: ['Snarveier', 'Shortcuts', 'Snarvegar'],
  TODAY: ['I dag', 'Today', 'I dag'],
  TOMORROW: ['I morgen', 'Tomorrow', 'I morgon'],
  WEEKEND: ['I helgen', 'This weekend', 'I helga'],
  free: ['Gratis', 'Free', 'Gratis'],
  children: ['For barn', 'For children', 'For barn'],
});
