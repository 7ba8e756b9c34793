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

/** `summary` says in words what the columns show. */
export function plot(columns: readonly Column[], summary: string): Html {
  return html`<svg class="plot" role="img" aria-label="${summary}" viewBox="0 0 ${String(WIDTH * columns.length)} ${String(HEIGHT)}" preserveAspectRatio="none">
${columns.map(({ height, title, isBad }, place) => {
  const tall = Math.max(1, Math.round(HEIGHT * Math.min(1, height)));
  return html`<rect class="${isBad ? 'failing' : 'bar'}" x="${String(WIDTH * place + 1)}" y="${String(HEIGHT - tall)}" width="${String(WIDTH - 2)}" height="${String(tall)}"><title>${title}</title></rect>\n`;
})}</svg>
`;
}
