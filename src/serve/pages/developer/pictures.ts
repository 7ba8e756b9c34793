/**
 * The calendar at a glance: by day, by category, by venue, as inline SVG. Across they are measured in percent and down in
 * em, so that they fill any width while their letters keep the size of the text around them. What a picture shows, its
 * title, its description and the table behind it say too.
 */
import { formatDay, weekdayOf } from '../../../calendar/time.ts';
import { SUNDAY, writeDay, writeNumber } from '../dates.ts';
import { type Html, html } from '../html.ts';
import { inEach, type Language } from '../reader.ts';
import { details, type Section, table } from '../section.ts';
import type { Context, DayFigure, Hits } from './context.ts';

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
    html`<time datetime="${formatDay(day)}">${writeDay(day, 'long', language)}</time>`,
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

const TEXTS = inEach({
  nb: {
    title: 'Kalenderen i bilder',
    intro: 'Tegnet av de samme tallene som endepunktet svarer med.',
    asTable: 'Vis som tabell',
    events: 'Arrangementer',
    days: {
      title: 'De neste åtte ukene',
      column: 'Dag',
      description: (total: string, busiest: string, most: string) =>
        `Arrangementer etter dagen de begynner: ${total} i alt, flest ${busiest} med ${most}. Søndager er røde.`,
    },
    categories: {
      title: 'Etter kategori',
      column: 'Kategori',
      description: (first: string, hits: string) =>
        `Flest i «${first}»: ${hits}. Et arrangement kan ha flere kategorier.`,
    },
    venues: {
      title: 'Etter sted',
      column: 'Sted',
      description: (first: string, hits: string) => `De tolv stedene med flest; øverst ${first} med ${hits}.`,
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
});

interface Caption {
  /** Of the element that the text alternative hangs on. */
  readonly id: string;
  readonly title: string;
  readonly description: string;
}

/** A bar a day; Sundays are red, as in any almanac. */
function dayChart(days: readonly DayFigure[], { id, title, description }: Caption, language: Language): Html {
  const most = Math.max(1, ...days.map(({ events }) => events));
  const top = niceAbove(most);
  const step = (100 - GUTTER) / days.length;
  const heightOf = (events: number) => (events / top) * PLOT;
  return html`<svg class="chart days" role="img" aria-labelledby="${id}-title ${id}-description" width="100%" height="${em(PLOT + 3)}">
<title id="${id}-title">${title}</title>
<desc id="${id}-description">${description}</desc>
${[top, top / 2].map(
  (
    value,
  ) => html`<line class="rule" x1="${percent(GUTTER)}" x2="100%" y1="${em(1 + PLOT - heightOf(value))}" y2="${em(1 + PLOT - heightOf(value))}"/>
<text class="scale" x="${percent(GUTTER - 1)}" y="${em(1.3 + PLOT - heightOf(value))}">${writeNumber(value, language)}</text>
`,
)}${days.map(({ day, events }, place) => {
  const x = GUTTER + place * step;
  const name = `${writeDay(day, 'long', language)}: ${events}`;
  return html`<rect class="${weekdayOf(day) === SUNDAY ? 'bar sunday' : 'bar'}" x="${percent(x + step * 0.14)}" y="${em(1 + PLOT - heightOf(events))}" width="${percent(step * 0.72)}" height="${em(heightOf(events))}"><title>${name}</title></rect>
`;
})}<line class="ground" x1="${percent(GUTTER)}" x2="100%" y1="${em(1 + PLOT)}" y2="${em(1 + PLOT)}"/>
${days
  .filter(({ day }) => weekdayOf(day) === 0)
  .map(({ day }, place) => {
    const x = GUTTER + (day - (days[0]?.day ?? day)) * step;
    return html`<g class="${place % 2 === 0 ? 'week' : 'week odd'}"><line class="tick" x1="${percent(x)}" x2="${percent(x)}" y1="${em(1 + PLOT)}" y2="${em(1.4 + PLOT)}"/>
<text x="${percent(x)}" y="${em(2.6 + PLOT)}">${writeDay(day, 'brief', language)}</text></g>
`;
  })}</svg>`;
}

/** Percent that the scale takes on the left. */
const GUTTER = 6;
/** Em that the highest value takes. */
const PLOT = 11;

/** A row each: the name, the count, and a bar below. */
function hitsChart(rows: readonly Hits[], { id, title, description }: Caption, language: Language): Html {
  const most = Math.max(1, ...rows.map(({ hits }) => hits));
  return html`<svg class="chart hits" role="img" aria-labelledby="${id}-title ${id}-description" width="100%" height="${em(rows.length * ROW)}">
<title id="${id}-title">${title}</title>
<desc id="${id}-description">${description}</desc>
${rows.map(
  ({ name, hits }, place) => html`<text x="0" y="${em(place * ROW + 1.2)}">${shortened(name[language])}</text>
<text class="count" x="100%" y="${em(place * ROW + 1.2)}">${writeNumber(hits, language)}</text>
<rect class="track" x="0" y="${em(place * ROW + 1.7)}" width="100%" height="0.3em"/>
<rect class="bar" x="0" y="${em(place * ROW + 1.7)}" width="${percent((hits / most) * 100)}" height="0.3em"/>
`,
)}</svg>`;
}

const ROW = 2.6;

/** SVG does not break lines; the table has the whole name. */
function shortened(name: string): string {
  const letters = [...name];
  return letters.length > LONGEST
    ? `${letters
        .slice(0, LONGEST - 1)
        .join('')
        .trimEnd()}…`
    : name;
}

const LONGEST = 34;

/** Twice a round number, so that the rule in the middle has one too: 2, 4, 6, 8, 10, 12, 16, 20, 30 … */
function niceAbove(value: number): number {
  for (let size = 1; ; size *= 10) {
    for (const half of HALVES)
      if (Number.isInteger(half * size) && 2 * half * size >= value) return 2 * half * size;
  }
}

const HALVES = [1, 1.5, 2, 2.5, 3, 4, 5, 6, 8];

function percent(value: number): string {
  return `${round(value)}%`;
}

function em(value: number): string {
  return `${round(value)}em`;
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}
