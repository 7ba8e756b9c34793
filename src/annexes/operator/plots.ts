/** Small plots as SVG: a column each, with its value in words. They need no script. */
import { type Html, html } from '../page/html.ts';

interface Column {
  /** 0 to 1. */
  readonly height: number;
  /** In words, for a pointer that rests on it. */
  readonly title: string;
  readonly isBad?: boolean;
}

const HEIGHT = 48;
const WIDTH = 12;
/** Columns for which there is room at least, so that a few do not look like much. */
const LEAST_COLUMNS = 20;

/** `summary` says in words what the columns show. */
export function plot(columns: readonly Column[], summary: string): Html {
  const room = Math.max(LEAST_COLUMNS, columns.length);
  const first = room - columns.length;
  return html`<figure><svg class="plot" role="img" aria-label="${summary}" viewBox="0 0 ${WIDTH * room} ${HEIGHT}" preserveAspectRatio="none">
${columns.map(({ height, title, isBad }, place) => {
  const tall = Math.max(1, Math.round(HEIGHT * Math.min(1, height)));
  return html`<rect class="${isBad ? 'failing' : 'bar'}" x="${WIDTH * (first + place) + 1}" y="${HEIGHT - tall}" width="${WIDTH - 2}" height="${tall}"><title>${title}</title></rect>\n`;
})}</svg>
<figcaption>${summary}</figcaption></figure>
`;
}
