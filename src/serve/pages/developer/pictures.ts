/** The calendar at a glance: by day, by category, by venue. */
import { type Caption, dayChart, hitsChart } from '../charts.ts';
import { machineDay, writeDay, writeNumber } from '../dates.ts';
import type { DayFigure, Hits } from '../figures.ts';
import { type Html, html } from '../html.ts';
import type { InEach, Language } from '../language.ts';
import { details, type Section, table } from '../section.ts';
import type { Context } from './context.ts';

export function pictures({ figures, language }: Context): Section {
  const texts = TEXTS[language];
  return {
    id: 'pictures',
    title: texts.title,
    intro: html`<p>${texts.intro}</p>`,
    content: html`${byDay(figures.days, language)}
<div class="pair">
${byHits(figures.categories, { ...texts.categories, id: 'chart-categories' }, language)}
${byHits(figures.venues, { ...texts.venues, id: 'chart-venues' }, language)}
</div>`,
  };
}

function byDay(days: readonly DayFigure[], language: Language): Html {
  const texts = TEXTS[language];
  const busiest = days.reduce((best, day) => (day.events > best.events ? day : best), { day: 0, events: 0 });
  const total = days.reduce((sum, { events }) => sum + events, 0);
  const caption: Caption = {
    id: 'chart-days',
    title: texts.days.title,
    description: texts.days.description(
      writeNumber(total, language),
      writeDay(busiest.day, 'long', language),
      writeNumber(busiest.events, language),
    ),
  };
  const rows = days.map(({ day, events }) => [
    html`<time datetime="${machineDay(day)}">${writeDay(day, 'long', language)}</time>`,
    writeNumber(events, language),
  ]);
  const columns = [{ name: texts.days.column }, { name: texts.events, isNumber: true }];
  return figure(
    dayChart(days, caption, language),
    caption,
    details(texts.asTable, table({ caption: caption.title, columns, rows })),
  );
}

function byHits(rows: readonly Hits[], texts: HitsTexts & { readonly id: string }, language: Language): Html {
  const [first] = rows;
  const caption: Caption = {
    id: texts.id,
    title: texts.title,
    description:
      first === undefined ? '' : texts.description(first.name[language], writeNumber(first.hits, language)),
  };
  const columns = [{ name: texts.column }, { name: TEXTS[language].events, isNumber: true }];
  const cells = rows.map(({ name, hits }) => [name[language], writeNumber(hits, language)]);
  return figure(
    hitsChart(rows, caption, language),
    caption,
    details(TEXTS[language].asTable, table({ caption: caption.title, columns, rows: cells })),
  );
}

function figure(picture: Html, { title, description }: Caption, alternative: Html): Html {
  return html`<figure>
<figcaption><h3>${title}</h3>
<p class="caption">${description}</p></figcaption>
${picture}
${alternative}</figure>
`;
}

interface HitsTexts {
  readonly title: string;
  readonly column: string;
  readonly description: (first: string, hits: string) => string;
}

interface Texts {
  readonly title: string;
  readonly intro: string;
  readonly asTable: string;
  readonly events: string;
  readonly days: {
    readonly title: string;
    readonly column: string;
    readonly description: (total: string, busiest: string, most: string) => string;
  };
  readonly categories: HitsTexts;
  readonly venues: HitsTexts;
}

const TEXTS: InEach<Texts> = {
  nb: {
    title: 'Kalenderen i bilder',
    intro: 'Tegnet av de samme tallene som endepunktet svarer med.',
    asTable: 'Vis som tabell',
    events: 'Arrangementer',
    days: {
      title: 'De neste åtte ukene',
      column: 'Dag',
      description: (total, busiest, most) =>
        `Arrangementer etter dagen de begynner: ${total} i alt, flest ${busiest} med ${most}. Søndager er røde.`,
    },
    categories: {
      title: 'Etter kategori',
      column: 'Kategori',
      description: (first, hits) => `Flest i «${first}»: ${hits}. Et arrangement kan ha flere kategorier.`,
    },
    venues: {
      title: 'Etter sted',
      column: 'Sted',
      description: (first, hits) => `De tolv stedene med flest; øverst ${first} med ${hits}.`,
    },
  },
  en: {
    title: 'The calendar in pictures',
    intro: 'Drawn from the same figures that the endpoint answers with.',
    asTable: 'Show as a table',
    events: 'Events',
    days: {
      title: 'The next eight weeks',
      column: 'Day',
      description: (total, busiest, most) =>
        `Events by the day they begin: ${total} in all, most of them on ${busiest} with ${most}. Sundays are red.`,
    },
    categories: {
      title: 'By category',
      column: 'Category',
      description: (first, hits) => `Most in “${first}”: ${hits}. An event may have several categories.`,
    },
    venues: {
      title: 'By venue',
      column: 'Venue',
      description: (first, hits) => `The twelve venues with most; first ${first} with ${hits}.`,
    },
  },
};
