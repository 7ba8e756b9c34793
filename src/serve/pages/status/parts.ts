/** Small parts of the status page. */
import { writeMoment, writeMomentBriefly, writeNumber } from '../dates.ts';
import { type Content, type Html, html } from '../html.ts';
import type { Language } from '../language.ts';

/** An ISO moment on the Norwegian clock. */
export function momentOf(iso: string, language: Language): Html {
  return html`<time datetime="${iso}">${writeMoment(Math.floor(Date.parse(iso) / 1_000), language)}</time>`;
}

/** The same for narrow columns: without the year. */
export function briefMomentOf(iso: string, language: Language): Html {
  return html`<time datetime="${iso}">${writeMomentBriefly(Math.floor(Date.parse(iso) / 1_000), language)}</time>`;
}

export function writeBytes(bytes: number, language: Language): string {
  return bytes < MEGABYTE / 10
    ? `${writeNumber(bytes / 1_024, language)} kB`
    : `${writeNumber(bytes / MEGABYTE, language)} MB`;
}

const MEGABYTE = 1_048_576;

export function pairs(rows: readonly (readonly [name: string, value: Content])[]): Html {
  return html`<dl class="pairs">
${rows.map(([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>\n`)}</dl>
`;
}
