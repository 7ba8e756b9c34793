/** The taxonomy as it is now. */
import type { Category } from '../../../calendar/model.ts';
import { writeNumber } from '../dates.ts';
import { breakable, type Content, html, withCode } from '../html.ts';
import type { InEach, Language } from '../language.ts';
import { type Section, table } from '../section.ts';
import type { Context } from './context.ts';

export function categories({ snapshot, figures, language }: Context): Section {
  const texts = TEXTS[language];
  const rowOf = (category: Category): readonly Content[] => {
    const { id, parent, visible, name_nb, name_en } = category;
    const hidden = !visible && html` <em class="mark">${texts.hidden}</em>`;
    return [
      html`<code class="${parent === -1 ? 'top' : 'sub'}">${breakable(id)}</code>`,
      html`${foreign(name_nb, 'nb', language)}${hidden}`,
      foreign(name_en, 'en', language),
      writeNumber(figures.hitsByCategory.get(id) ?? 0, language),
    ];
  };
  return {
    id: 'categories',
    title: texts.title,
    intro: html`<p>${withCode(texts.intro)}</p>`,
    content: table({
      caption: texts.caption,
      columns: [
        { name: 'id' },
        { name: texts.norwegian },
        { name: texts.english },
        { name: texts.events, isNumber: true },
      ],
      rows: snapshot.lists.categories.map(rowOf),
    }),
  };
}

function foreign(text: string, its: Language, language: Language): Content {
  return its === language ? text : html`<span lang="${its}">${text}</span>`;
}

type Name = 'title' | 'intro' | 'caption' | 'norwegian' | 'english' | 'events' | 'hidden';

const TEXTS: InEach<Readonly<Record<Name, string>>> = {
  nb: {
    title: 'Kategorier',
    intro:
      'Slik spørringen `categories` svarer nå. Filtrer på id, og hent navnene på nytt hver gang: en lisens kan bytte ut hele inndelingen.',
    caption: 'Kategorier og underkategorier med antall kommende arrangementer',
    norwegian: 'Norsk',
    english: 'Engelsk',
    events: 'Antall',
    hidden: 'skjult',
  },
  en: {
    title: 'Categories',
    intro:
      'As the `categories` query answers now. Filter by id, and read the labels anew on every run: a licence can replace its whole taxonomy.',
    caption: 'Categories and subcategories with the number of upcoming events',
    norwegian: 'Norwegian',
    english: 'English',
    events: 'Events',
    hidden: 'hidden',
  },
};
