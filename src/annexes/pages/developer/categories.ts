/** The calendar's categories, each with the number of its upcoming events. */
import { type Category, isTopLevel } from '../../../calendar/model.ts';
import { breakable, type Content, html, withCode } from '../../page/html.ts';
import { details, type Section, table } from '../../page/parts.ts';
import { inBoth, type TechnicalLanguage, writeNumber } from '../../page/reader.ts';
import type { DeveloperPageContext } from './context.ts';

export function categories({ snapshot, hitsByCategory, language }: DeveloperPageContext): Section {
  const texts = TEXTS[language];
  const rowOf = (category: Category): readonly Content[] => {
    const { id, visible, name_nb, name_en } = category;
    const level = isTopLevel(category) ? 'top' : 'sub';
    const hidden = !visible ? html` <em class="mark">${texts.hidden}</em>` : null;
    return [
      html`<code class="${level}">${breakable(id)}</code>`,
      html`${foreign(name_nb, 'nb', language)}${hidden}`,
      foreign(name_en, 'en', language),
      writeNumber(hitsByCategory.get(id) ?? 0, language),
    ];
  };
  const all = snapshot.lists.categories;
  const list = table({
    caption: texts.caption,
    columns: ['id', texts.norwegian, texts.english, texts.events],
    figures: [3],
    rows: all.map(rowOf),
  });
  return {
    id: 'categories',
    title: texts.title,
    intro: html`<p>${withCode(texts.intro)}</p>`,
    content: details(texts.show(all.length), list),
  };
}

/** `language`: the page's. */
function foreign(text: string, textLanguage: TechnicalLanguage, language: TechnicalLanguage): Content {
  return textLanguage === language ? text : html`<span lang="${textLanguage}">${text}</span>`;
}

const TEXTS = inBoth({
  title: ['Kategorier', 'Categories'],
  intro: [
    'Slik spørringen `categories` svarer nå. Filtrer på id, og hent navnene på nytt hver gang: En lisens kan bytte ut alle kategoriene.',
    'The current result of the `categories` query. Filter by id, and fetch the names again on every run: a licence can replace its whole taxonomy.',
  ],
  show: [(count: number) => `Vis alle ${count}`, (count: number) => `Show all ${count}`],
  caption: [
    'Kategorier og underkategorier med antall kommende arrangementer',
    'Categories and subcategories with the number of upcoming events',
  ],
  norwegian: ['Norsk', 'Norwegian'],
  english: ['Engelsk', 'English'],
  events: ['Antall', 'Events'],
  hidden: ['skjult', 'hidden'],
});
