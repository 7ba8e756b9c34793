/** Small parts of the status page. */
import { writeMoment } from '../dates.ts';
import { type Content, type Html, html } from '../html.ts';
import type { Language } from '../language.ts';

/** An ISO moment on the Norwegian clock. */
export function momentOf(iso: string, language: Language): Html {
  return html`<time datetime="${iso}">${writeMoment(Math.floor(Date.parse(iso) / 1_000), language)}</time>`;
}

export function pairs(rows: readonly (readonly [name: string, value: Content])[]): Html {
  return html`<dl class="pairs">
${rows.map(([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>\n`)}</dl>
`;
}
