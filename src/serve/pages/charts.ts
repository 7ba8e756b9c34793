/**
 * Pictures of the calendar as inline SVG. Across they are measured in percent and down in em, so that they fill any width
 * while their letters keep the size of the text around them. What a picture shows, its title, its description and the
 * table behind it say too.
 */
import { SUNDAY, weekdayOf, writeDay, writeNumber } from './dates.ts';
import type { DayFigure, Hits } from './figures.ts';
import { type Html, html } from './html.ts';
import type { Language } from './language.ts';

export interface Caption {
  /** Of the element that the text alternative hangs on. */
  readonly id: string;
  readonly title: string;
  readonly description: string;
}

/** A bar a day; Sundays are red, as in any almanac. */
export function dayChart(
  days: readonly DayFigure[],
  { id, title, description }: Caption,
  language: Language,
): Html {
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
export function hitsChart(
  rows: readonly Hits[],
  { id, title, description }: Caption,
  language: Language,
): Html {
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
